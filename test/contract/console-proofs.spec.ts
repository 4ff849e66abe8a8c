import { MICRO_SCALE, Money } from '../../src/common/money.js';
import { leafAccount, leafAmount } from '../../src/modules/assurance/proofs/domain/log-leaf.js';
import { PLATFORM, type Posting } from '../../src/modules/core/ledger/domain/chart-of-accounts.js';
import * as postings from '../../src/modules/core/ledger/domain/postings.js';
import * as byHand from '../../src/modules/core/ledger/domain/treasury-postings.js';
import type { DepositEvent } from '../../src/modules/funds/deposits/deposit.events.js';
import type { WithdrawalEvent } from '../../src/modules/funds/withdrawals/withdrawal.events.js';
import type { InvestmentEvent } from '../../src/modules/investing/investments/investment.events.js';
import {
  toDepositTransaction,
  toInvestmentTransactions,
  toWithdrawalTransaction,
  type TransactionUpdate,
} from '../../src/modules/portfolio/transactions/domain/transaction-projection.js';
import {
  TRANSACTION_KINDS,
  type TransactionType,
  statusAfter,
} from '../../src/modules/portfolio/transactions/domain/transaction-kinds.js';
import { loadConsoleModule } from '../harness/console-modules.js';

interface OwnTransaction {
  problemOf(transaction: object, leaves: readonly object[], userId: string): string | undefined;
}
type Shown = Pick<TransactionUpdate, 'type' | 'amount' | 'currency' | 'reference' | 'verb'>;

const at = new Date('2026-03-02T10:00:00.000Z');
const userId = 'ann';
const money = (text: string) => Money.of(text);
const NONE = {
  fromAddress: null,
  toAddress: null,
  txHash: null,
  blockNumber: null,
  gasUsed: null,
  gasPrice: null,
  reason: null,
};

const deposit = (event: Partial<DepositEvent>) =>
  toDepositTransaction({
    ...NONE,
    name: 'deposit.completed',
    userId,
    at,
    depositId: 'd',
    currency: 'USDC',
    network: 'ERC20',
    amount: money('100'),
    credited: money('100'),
    confirmations: 12,
    toAddress: 'A',
    txHash: '0x1',
    ...event,
  });
const withdrawal = (name: WithdrawalEvent['name']) =>
  toWithdrawalTransaction({
    name,
    userId,
    at,
    withdrawalId: 'w',
    amount: money('50'),
    currency: 'USDC',
    toAddress: '0x1',
    txHash: null,
    reason: null,
  });
const investment = (event: Partial<InvestmentEvent>, type: TransactionType) =>
  toInvestmentTransactions({
    name: 'investment.closed',
    userId,
    at,
    investmentId: 'i',
    strategyId: 's',
    strategyName: 'S',
    principal: money('100'),
    growth: Money.ZERO,
    fees: Money.ZERO,
    ...event,
  }).find((record) => record.type === type) as Shown;
const booked = (type: TransactionType): Shown => ({
  type,
  amount: money('70'),
  currency: 'USDC',
  verb: 'complete',
  reference: { type: 'admin-transaction', id: 'a' },
});

const received = { depositId: 'd', userId, network: 'ERC20', asset: 'USDC', received: money('100'), at };
const paid = { withdrawalId: 'w', userId, amount: money('50'), at };
const invested = {
  investmentId: 'i',
  userId,
  strategyId: 's',
  principal: money('100'),
  units: money('99'),
  at,
};
const closed = { ...invested, growth: money('7'), managementFee: money('1'), performanceFee: money('0.5') };
const byAdmin = { transactionId: 'a', userId, amount: money('70'), at };
const ether = money('0.123456789012345678');
const usdt = { ...received, asset: 'USDT', received: money('100.0000009'), credited: money('99.9') };

const part = { number: 2, left: money('60') };
const requested = postings.withdrawalRequested(paid);
const released = postings.withdrawalReleased(paid);
const completed = postings.withdrawalCompleted(paid);
const takenBack = { ...byAdmin, network: 'TRC20', asset: 'USDT', tokens: money('70.1') };

/** Records with their postings, as the modules write both. */
const PROVEN: [what: string, transaction: Shown, postings: Posting[]][] = [
  ['a deposit', deposit({}), [postings.depositCompleted({ ...received, credited: money('100') })]],
  [
    'a converted deposit that was held',
    deposit({ currency: 'USDT', amount: usdt.received, credited: usdt.credited }),
    [postings.depositHeld(usdt), postings.heldDepositReleased(usdt)],
  ],
  [
    'a deposit of ether',
    deposit({ currency: 'ETH', amount: ether, credited: ether }),
    [postings.depositCompleted({ ...received, asset: 'ETH', received: ether, credited: ether })],
  ],
  ['a requested withdrawal', withdrawal('withdrawal.requested'), [requested]],
  ['a completed withdrawal', withdrawal('withdrawal.completed'), [requested, completed]],
  ['a cancelled withdrawal', withdrawal('withdrawal.cancelled'), [requested, released]],
  ['the reversal of a failed withdrawal', withdrawal('withdrawal.released'), [released]],
  [
    'an investment',
    investment({ name: 'investment.created' }, 'investment'),
    [postings.investmentMade(invested)],
  ],
  [
    'an approved investment',
    investment({ name: 'investment.created' }, 'investment'),
    [postings.investmentMade({ ...invested, units: Money.ZERO }), postings.unitsIssued(invested)],
  ],
  ['a closing', investment({}, 'divestment'), postings.investmentClosed(closed)],
  ['its growth', investment({ growth: money('7') }, 'earning'), postings.investmentClosed(closed)],
  ['its fees', investment({ fees: money('1.5') }, 'fee'), postings.investmentClosed(closed)],
  [
    'a loss',
    investment({ growth: money('-7') }, 'earning'),
    postings.investmentClosed({ ...closed, growth: money('-7') }),
  ],
  [
    'a partial closing',
    investment({ name: 'investment.partially-closed', part }, 'divestment'),
    postings.investmentClosed({ ...closed, closing: 2 }),
  ],
  [
    'a cancellation that takes earlier growth back',
    investment({ name: 'investment.cancelled', growth: money('-4') }, 'earning'),
    postings.investmentCancelled({ ...invested, growth: money('-1'), takenBack: money('3') }),
  ],
  [
    'a deposit booked by hand',
    booked('deposit'),
    [byHand.depositBooked({ ...byAdmin, network: 'ERC20', fromSuspense: false })],
  ],
  ['a withdrawal booked by hand', booked('withdrawal'), [byHand.withdrawalBooked(byAdmin)]],
  ['a converted deposit that is taken back', booked('reversal'), [byHand.depositTakenBack(takenBack)]],
  [
    'a deposit that is taken back',
    booked('reversal'),
    [byHand.depositTakenBack({ ...takenBack, asset: 'USDC' })],
  ],
];

/** Transactions that have not moved money of the user yet. */
const WITHOUT_MONEY: typeof PROVEN = [
  ['a held deposit', deposit({ name: 'deposit.held' }), [postings.depositHeld(received)]],
  [
    'a held deposit that did not happen',
    deposit({ name: 'deposit.failed' }),
    [postings.depositHeld(received), postings.heldDepositReversed(received)],
  ],
  ['a deposit that was seen', deposit({ name: 'deposit.seen' }), []],
];

/** As the API answers it. */
const toAnswer = ({ type, amount, currency, reference, verb }: Shown) => ({
  type,
  currency,
  status: statusAfter(verb),
  amount: amount.roundHalfEven(MICRO_SCALE).toWire(),
  metadata: { referenceType: reference.type, referenceId: reference.id },
});

/** As the log has it, with each amount multiplied by `factor`. */
const toLeaf = ({ type, reference, entries }: Posting, factor: 1 | -1 = 1) => ({
  type,
  reference,
  index: 0,
  effectiveAt: at.toISOString(),
  entries: entries.map(({ account: { kind, scope, owner, asset }, amount }) => ({
    account: leafAccount(kind, scope, owner === PLATFORM ? null : owner),
    asset,
    amount: leafAmount((factor === 1 ? amount : amount.negated()).toString()),
  })),
});

describe("The users' check of a transaction", () => {
  let page: OwnTransaction;

  beforeAll(async () => {
    page = await loadConsoleModule(
      'proofs/own-transaction',
      'proofs/leaf',
      'ui/decimal',
      'ui/transaction-types',
    );
  });

  /** The proof of a record has the postings of its types. */
  const problemOf = (transaction: Shown, of: readonly Posting[], factor?: 1 | -1) => {
    const types: readonly string[] = TRANSACTION_KINDS[transaction.type].postings;
    const leaves = of.filter(({ type }) => types.includes(type)).map((posting) => toLeaf(posting, factor));
    return page.problemOf(toAnswer(transaction), leaves, userId);
  };

  it.each([...PROVEN, ...WITHOUT_MONEY])('accepts the postings of %s', (_, transaction, of) => {
    expect(problemOf(transaction, of)).toBeUndefined();
  });

  // The two postings of a cancelled withdrawal are opposite to each other, so that their direction does not matter.
  it.each(PROVEN.filter(([what]) => what !== 'a cancelled withdrawal'))(
    'refuses the postings of %s in the opposite direction, and the lack of postings if it is completed',
    (_, transaction, of) => {
      expect(problemOf(transaction, of, -1)).toMatch(/^No posting in the log moves /);
      if (statusAfter(transaction.verb) === 'completed')
        expect(problemOf(transaction, [])).toMatch(/^No posting in the log moves /);
    },
  );

  it('refuses a debit of 100 for a deposit of 100, and a deposit of another user', () => {
    const posting = postings.depositCompleted({ ...received, credited: money('100') });
    expect(problemOf(deposit({}), [posting], -1)).toContain('moves 100.00 USDC of yours');
    expect(page.problemOf(toAnswer(deposit({})), [toLeaf(posting)], 'bob')).toContain('moves 100.00 USDC');
  });

  it('refuses postings of another reference or of a type that does not belong to the record', () => {
    const posting = postings.depositCompleted({ ...received, credited: money('100') });
    for (const other of [
      { reference: { type: 'deposit', id: 'e' } },
      { type: 'earning' },
      { type: 'toString' },
    ])
      expect(page.problemOf(toAnswer(deposit({})), [{ ...toLeaf(posting), ...other }], userId)).toBe(
        'The proof is of another transaction.',
      );
  });

  it('knows the postings of every type of record', async () => {
    const { TRANSACTION_TYPES } = await loadConsoleModule<{
      TRANSACTION_TYPES: Record<string, { postings: object }>;
    }>('ui/transaction-types');
    const types = Object.entries(TRANSACTION_TYPES).map(([type, { postings: signs }]) => [
      type,
      Object.keys(signs).sort(),
    ]);
    const kinds = Object.entries(TRANSACTION_KINDS).map(([type, kind]) => [type, [...kind.postings].sort()]);
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(kinds));
  });
});
