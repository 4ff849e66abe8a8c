import { Money } from '../../../../common/money.js';
import * as book from './postings.js';
import { platformAccount, userAccount, move, type Posting } from './chart-of-accounts.js';
import { depositBooked, depositTakenBack, treasuryMoved, withdrawalBooked } from './treasury-postings.js';

const at = new Date('2026-03-02T10:00:00.000Z');
const money = (text: string) => Money.of(text);
const deposit = { depositId: 'd', userId: 'ann', network: 'ERC20', asset: 'USDC', at };
const investment = {
  investmentId: 'i',
  userId: 'ann',
  strategyId: 'balanced-10',
  at,
  principal: money('100'),
  units: money('99.5'),
};
const noFees = { managementFee: Money.ZERO, performanceFee: Money.ZERO };
const withdrawal = { withdrawalId: 'w', userId: 'ann', amount: money('30'), at };
const booked = { transactionId: 't', userId: 'ann', amount: money('20'), at };

/** Every entry as `kind[:scope] amount asset`; a debit is negative. */
function lines(...postings: Posting[]): string[] {
  return postings.flatMap(({ entries }) =>
    entries.map(
      ({ account: { kind, scope, asset }, amount }) =>
        `${kind}${scope && `:${scope}`} ${amount.toString()} ${asset}`,
    ),
  );
}

/** The postings of an ended investment after the first one, which returns the principal. */
function withoutPrincipal([, ...others]: Posting[]): Posting[] {
  return others;
}

describe('Postings', () => {
  it.each<[string, Posting | Posting[], string[]]>([
    [
      'a deposit credits the available balance',
      book.depositCompleted({ ...deposit, received: money('10.5'), credited: money('10.5') }),
      ['asset.deposit-provider:ERC20 -10.5 USDC', 'user.available 10.5 USDC'],
    ],
    [
      'a deposit in USDT passes through the conversion accounts',
      book.depositCompleted({ ...deposit, asset: 'USDT', received: money('10'), credited: money('9.99') }),
      [
        'asset.deposit-provider:ERC20 -10 USDT',
        'conversion 10 USDT',
        'conversion -9.99 USDC', // 10 × 0.999
        'user.available 9.99 USDC',
      ],
    ],
    [
      'a deposit in ETH credits ETH with all 18 decimals',
      book.depositCompleted({
        ...deposit,
        asset: 'ETH',
        received: money('0.000000000000000001'),
        credited: Money.ZERO, // ignored: only USDT is converted
      }),
      ['asset.deposit-provider:ERC20 -0.000000000000000001 ETH', 'user.available 0.000000000000000001 ETH'],
    ],
    [
      'the part of a deposit below the sixth decimal goes to rounding',
      book.depositCompleted({ ...deposit, received: money('1.0000009'), credited: money('1') }),
      [
        'asset.deposit-provider:ERC20 -0.0000009 USDC', // 1.0000009 − 1.000000
        'rounding 0.0000009 USDC',
        'asset.deposit-provider:ERC20 -1 USDC',
        'user.available 1 USDC',
      ],
    ],
    [
      'a held deposit goes to suspense',
      book.depositHeld({ ...deposit, received: money('400') }),
      ['asset.deposit-provider:ERC20 -400 USDC', 'suspense 400 USDC'],
    ],
    [
      'the reversal of a held deposit takes it and its dust out of suspense and rounding',
      book.heldDepositReversed({ ...deposit, received: money('400.0000009') }),
      [
        'asset.deposit-provider:ERC20 0.0000009 USDC', // 400.0000009 − 400.000000
        'rounding -0.0000009 USDC',
        'asset.deposit-provider:ERC20 400 USDC',
        'suspense -400 USDC',
      ],
    ],
    [
      'the release of a held deposit credits the available balance from suspense',
      book.heldDepositReleased({ ...deposit, received: money('400'), credited: money('400') }),
      ['suspense -400 USDC', 'user.available 400 USDC'],
    ],
    [
      'an investment moves the principal and issues units',
      book.investmentMade(investment),
      [
        'user.available -100 USDC',
        'user.invested 100 USDC',
        'strategy.units -99.5 UNIT:balanced-10',
        'user.units 99.5 UNIT:balanced-10',
      ],
    ],
    [
      'closing pays principal and growth and takes the fees',
      book.investmentClosed({
        ...investment,
        growth: money('10'),
        managementFee: money('0.5'),
        performanceFee: money('1'),
      }),
      [
        'user.invested -100 USDC',
        'user.available 100 USDC',
        'user.units -99.5 UNIT:balanced-10',
        'strategy.units 99.5 UNIT:balanced-10',
        'strategy.accrued:balanced-10 -10 USDC',
        'user.available 10 USDC',
        'user.available -0.5 USDC',
        'income.management-fee 0.5 USDC',
        'user.available -1 USDC',
        'income.performance-fee 1 USDC',
      ],
    ],
    [
      'closing at a loss moves the loss from the user to the accrued growth',
      withoutPrincipal(book.investmentClosed({ ...investment, growth: money('-10'), ...noFees })),
      ['strategy.accrued:balanced-10 10 USDC', 'user.available -10 USDC'],
    ],
    [
      'cancelling forfeits the growth',
      withoutPrincipal(
        book.investmentCancelled({ ...investment, growth: money('0'), forfeited: money('10') }),
      ),
      ['strategy.accrued:balanced-10 -10 USDC', 'expense.yield:balanced-10 10 USDC'],
    ],
    [
      'cancelling at a loss moves the loss to the accrued growth and takes back realised growth of earlier legs',
      withoutPrincipal(
        book.investmentCancelled({ ...investment, growth: money('-10'), takenBack: money('3') }),
      ),
      [
        'strategy.accrued:balanced-10 10 USDC',
        'user.available -10 USDC',
        'user.available -3 USDC',
        'expense.yield:balanced-10 3 USDC',
      ],
    ],
    [
      'closing below the value of today forfeits the difference',
      withoutPrincipal(
        book.investmentClosed({ ...investment, growth: money('4'), forfeited: money('6'), ...noFees }),
      ),
      [
        'strategy.accrued:balanced-10 -4 USDC',
        'user.available 4 USDC',
        'strategy.accrued:balanced-10 -6 USDC',
        'expense.yield:balanced-10 6 USDC',
      ],
    ],
    [
      'growth of a day is accrued for the holders',
      book.growthAccrued({ strategyId: 'balanced-10', day: '2026-03-02', growth: money('7'), at }),
      ['expense.yield:balanced-10 -7 USDC', 'strategy.accrued:balanced-10 7 USDC'],
    ],
    [
      'yield that custody received is income',
      book.yieldRealised({ reportId: 'r', strategyId: 'balanced-10', amount: money('7'), at }),
      ['asset.custody -7 USDC', 'income.strategy-yield 7 USDC'],
    ],
    [
      'a requested withdrawal is reserved',
      book.withdrawalRequested(withdrawal),
      ['user.available -30 USDC', 'user.reserved 30 USDC'],
    ],
    [
      'a released withdrawal returns to the available balance',
      book.withdrawalReleased(withdrawal),
      ['user.reserved -30 USDC', 'user.available 30 USDC'],
    ],
    [
      'a completed withdrawal is paid from custody',
      book.withdrawalCompleted(withdrawal),
      ['user.reserved -30 USDC', 'asset.custody 30 USDC'],
    ],
    [
      'a deposit booked by hand comes from the deposit provider',
      depositBooked({ ...booked, network: 'ERC20', fromSuspense: false }),
      ['asset.deposit-provider:ERC20 -20 USDC', 'user.available 20 USDC'],
    ],
    [
      'a deposit booked by hand from suspense debits suspense',
      depositBooked({ ...booked, network: 'ERC20', fromSuspense: true }),
      ['suspense -20 USDC', 'user.available 20 USDC'],
    ],
    [
      'taking back a deposit of USDC moves it from the available balance to the deposit provider',
      depositTakenBack({ ...booked, network: 'TRC20', asset: 'USDC', tokens: money('20') }),
      ['user.available -20 USDC', 'asset.deposit-provider:TRC20 20 USDC'],
    ],
    [
      'taking back a deposit of USDT moves it through the conversion accounts',
      depositTakenBack({ ...booked, network: 'TRC20', asset: 'USDT', tokens: money('20.1') }),
      [
        'user.available -20 USDC',
        'conversion 20 USDC',
        'conversion -20.1 USDT',
        'asset.deposit-provider:TRC20 20.1 USDT',
      ],
    ],
    [
      'a withdrawal booked by hand is paid from custody',
      withdrawalBooked(booked),
      ['user.available -20 USDC', 'asset.custody 20 USDC'],
    ],
    [
      'a treasury transfer moves tokens into custody',
      treasuryMoved({ transferId: 't', network: 'ERC20', amount: money('50'), at }),
      ['asset.custody -50 USDC', 'asset.deposit-provider:ERC20 50 USDC'], // an asset grows by debit
    ],
  ])('have the expected entries: %s', (_, postings, expected) => {
    expect(lines(...[postings].flat())).toEqual(expected);
  });

  it('swap debit and credit for a negative amount, and have no entries for zero', () => {
    const custody = platformAccount('asset.custody');
    const rounding = platformAccount('rounding');
    const entries = (amount: string) =>
      move(money(amount), custody, rounding).map((entry) => entry.amount.toString());
    expect(entries('-3')).toEqual(['3', '-3']);
    expect(entries('0')).toEqual([]);
  });

  it('cannot move an amount between accounts with different assets', () => {
    const eth = userAccount('ann', 'user.available', 'ETH');
    expect(() => move(money('1'), platformAccount('asset.custody'), eth)).toThrow(
      'cannot move USDC into ETH',
    );
  });
});
