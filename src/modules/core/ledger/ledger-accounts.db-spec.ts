import {
  violatedInvariants,
  testPosting,
  openLedgerFixture,
  DEPOSIT_PROVIDER,
  errorCodeOf,
  type LedgerFixture,
} from '../../../../test/fixtures/ledger-fixtures.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { PLATFORM, userAccount, move } from './domain/chart-of-accounts.js';
let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture();
});
afterEach(async () => {
  expect(await violatedInvariants(books.dataSource)).toEqual([]);
});
afterAll(() => books.close());

describe('ledger_account', () => {
  const open = (owner: string, kind: string, balance: string | null) =>
    books.dataSource.query(
      "insert into ledger_account (owner_id, kind, asset, balance) values ($1, $2, 'USDC', $3)",
      [owner, kind, balance],
    );

  it('refuses a new account with a balance other than zero', async () => {
    expect(await errorCodeOf(open(newId(), 'user.available', '100'))).toContain(
      'balances change through entries only',
    );
    expect(await errorCodeOf(open(newId(), 'user.available', '0'))).toBe('done');
  });

  it('requires a balance for accounts of users alone, and refuses kinds of account with the wrong owner', async () => {
    expect(await errorCodeOf(open(newId(), 'user.available', null))).toContain(
      'ledger_account_balance_of_users',
    );
    expect(await errorCodeOf(open(PLATFORM, 'suspense', '0'))).toContain('ledger_account_balance_of_users');
    expect(await errorCodeOf(open(PLATFORM, 'user.available', null))).toContain(
      'ledger_account_kind_of_users',
    );
    expect(await errorCodeOf(open(newId(), 'suspense', '0'))).toContain('ledger_account_kind_of_users');
  });

  it('rejects a posting that makes the balance of a user account negative, with INSUFFICIENT_BALANCE', async () => {
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

  it('rejects a balance that is negative between two entries of one posting', async () => {
    const userId = await books.user('5.00');
    const available = userAccount(userId, 'user.available');
    const overdrawn = testPosting([
      ...move(Money.of('6'), available, DEPOSIT_PROVIDER),
      ...move(Money.of('6'), DEPOSIT_PROVIDER, available),
    ]);
    expect(await errorCodeOf(books.post(overdrawn))).toBe('INSUFFICIENT_BALANCE'); // 5 − 6 + 6
  });
});

describe('violatedInvariants', () => {
  it('finds the violations in a ledger that was changed with its triggers disabled', async () => {
    const unguarded = await openLedgerFixture();
    const userId = await unguarded.user('5.00');
    expect(await violatedInvariants(unguarded.dataSource)).toEqual([]);
    await unguarded.dataSource.query('alter table ledger_account disable trigger user');
    await unguarded.dataSource.query('update ledger_account set balance = balance + 1 where owner_id = $1', [
      userId,
    ]);
    await unguarded.dataSource.query('alter table ledger_entry disable trigger user');
    await unguarded.dataSource.query(
      'update ledger_entry set amount = amount + 1 where balance_after is null',
    );
    const violations = (await violatedInvariants(unguarded.dataSource)) as { invariant: string }[];
    expect(new Set(violations.map(({ invariant }) => invariant))).toEqual(
      new Set([
        'an asset does not sum to zero', // −5 + 1 at the deposit provider, 5 of the user
        'a transaction does not sum to zero',
        'a balance is not the sum of its entries', // stored 5 + 1, entries 5
      ]),
    );
    await unguarded.close();
  });
});
