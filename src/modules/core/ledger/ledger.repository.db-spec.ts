import {
  POSTED_AT,
  findUserFunds,
  openLedgerFixture,
  type LedgerFixture,
} from '../../../../test/fixtures/ledger-fixtures.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import {
  investmentClosed,
  depositCompleted,
  investmentMade,
  withdrawalCompleted,
  withdrawalRequested,
} from './domain/postings.js';

let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture();
});
afterAll(() => books.close());

async function fundsAsText(userId: string): Promise<Record<string, string>> {
  const { lastMovedAt: _instant, ...funds } = await findUserFunds(books.dataSource, userId);
  return Object.fromEntries(Object.entries(funds).map(([name, amount]) => [name, amount.toWire()]));
}

it('USER_FUNDS_SQL returns zero for every sum of a user without accounts', async () => {
  const userId = newId();
  expect(new Set(Object.values(await fundsAsText(userId)))).toEqual(new Set(['0.00']));
  expect((await findUserFunds(books.dataSource, userId)).lastMovedAt).toBeNull();
});

it("USER_FUNDS_SQL sums a user's entries by category", async () => {
  const userId = newId();
  const money = (text: string) => Money.of(text);
  const deposit = { depositId: newId(), userId, network: 'ERC20', asset: 'USDC', at: POSTED_AT };
  const first = {
    investmentId: newId(),
    userId,
    strategyId: 'balanced-10',
    principal: money('400'),
    units: money('400'),
    at: POSTED_AT,
  };
  const second = { ...first, investmentId: newId(), principal: money('100'), units: money('90') };
  const paid = { withdrawalId: newId(), userId, amount: money('50'), at: POSTED_AT };
  const reserved = { ...paid, withdrawalId: newId(), amount: money('25') };
  await books.post(
    depositCompleted({ ...deposit, received: money('1000'), credited: money('1000') }),
    depositCompleted({
      ...deposit,
      depositId: newId(),
      asset: 'ETH',
      received: money('3'),
      credited: Money.ZERO,
    }),
    investmentMade(first),
    investmentMade(second),
    ...investmentClosed({
      ...first,
      growth: money('8'),
      managementFee: money('1.5'),
      performanceFee: money('0.5'),
    }),
    withdrawalRequested(paid),
    withdrawalCompleted(paid),
    withdrawalRequested(reserved),
  );
  expect(await fundsAsText(userId)).toEqual({
    deposits: '1000.00', // ETH is not part of the USDC balance
    withdrawals: '75.00', // 50 paid + 25 reserved
    earnings: '8.00',
    fees: '2.00', // 1.5 + 0.5
    invested: '100.00', // 400 + 100 − 400
    reserved: '25.00',
    available: '831.00', // 1000 − 75 − 100 + 8 − 2
  });
  expect((await findUserFunds(books.dataSource, userId)).lastMovedAt).toEqual(POSTED_AT);
});
