import {
  ledgerViolations,
  testPosting,
  openLedgerFixture,
  DEPOSIT_PROVIDER,
  errorCodeOf,
  type LedgerFixture,
} from '../../../test/fixtures/ledger-fixtures.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { PLATFORM, userAccount } from './chart-of-accounts.js';
import { move } from './posting.js';

let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture();
});
afterEach(async () => {
  expect(await ledgerViolations(books.dataSource)).toEqual([]);
});
afterAll(() => books.close());

describe('An account', () => {
  const open = (owner: string, kind: string, balance: string | null) =>
    books.dataSource.query(
      "insert into ledger_account (owner_id, kind, asset, balance) values ($1, $2, 'USDC', $3)",
      [owner, kind, balance],
    );

  it('opens at zero', async () => {
    expect(await errorCodeOf(open(newId(), 'user.available', '100'))).toContain(
      'balances change through entries only',
    );
    expect(await errorCodeOf(open(newId(), 'user.available', '0'))).toBe('done');
  });

  it('keeps a balance exactly when it is a user’s', async () => {
    expect(await errorCodeOf(open(newId(), 'user.available', null))).toContain(
      'ledger_account_balance_of_users',
    );
    expect(await errorCodeOf(open(PLATFORM, 'suspense', '0'))).toContain('ledger_account_balance_of_users');
    expect(await errorCodeOf(open(PLATFORM, 'user.available', null))).toContain(
      'ledger_account_kind_of_users',
    );
    expect(await errorCodeOf(open(newId(), 'suspense', '0'))).toContain('ledger_account_kind_of_users');
  });

  it('of a user never goes below zero, and the caller is told INSUFFICIENT_BALANCE', async () => {
    const userId = await books.user('5.00');
    const before = await books.state();
    const available = userAccount(userId, 'user.available');
    const spent = books.post(
      testPosting(move(Money.of('5.000001'), available, userAccount(userId, 'user.reserved'))),
    );
    await expect(spent).rejects.toMatchObject({
      driverError: { constraint: 'ledger_account_balance_not_negative' },
    });
    expect(await errorCodeOf(spent)).toBe('INSUFFICIENT_BALANCE');
    expect(await books.state()).toEqual(before);
  });

  it('is not below zero between two entries of one posting either', async () => {
    const userId = await books.user('5.00');
    const available = userAccount(userId, 'user.available');
    const overdrawn = testPosting([
      ...move(Money.of('6'), available, DEPOSIT_PROVIDER),
      ...move(Money.of('6'), DEPOSIT_PROVIDER, available),
    ]);
    expect(await errorCodeOf(books.post(overdrawn))).toBe('INSUFFICIENT_BALANCE'); // 5 − 6 + 6
  });
});

describe('The eye on the laws', () => {
  it('sees a ledger whose triggers were off', async () => {
    const blind = await openLedgerFixture();
    const userId = await blind.user('5.00');
    expect(await ledgerViolations(blind.dataSource)).toEqual([]);
    await blind.dataSource.query('alter table ledger_account disable trigger user');
    await blind.dataSource.query('update ledger_account set balance = balance + 1 where owner_id = $1', [
      userId,
    ]);
    await blind.dataSource.query('alter table ledger_entry disable trigger user');
    await blind.dataSource.query('update ledger_entry set amount = amount + 1 where balance_after is null');
    const laws = (await ledgerViolations(blind.dataSource)) as { law: string }[];
    expect(new Set(laws.map(({ law }) => law))).toEqual(
      new Set([
        'an asset does not sum to zero', // −5 + 1 + 5
        'a transaction does not sum to zero',
        'a balance is not the sum of its entries', // 6 stored, 5 entered
      ]),
    );
    await blind.close();
  });
});
