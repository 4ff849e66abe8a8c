import {
  POSTED_AT,
  violatedInvariants,
  testPosting,
  openLedgerFixture,
  DEPOSIT_PROVIDER,
  errorCodeOf,
  type LedgerFixture,
} from '../../../../test/fixtures/ledger-fixtures.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { platformAccount, userAccount, type Account, move } from './domain/chart-of-accounts.js';
// Changes that the triggers and constraints of the ledger refuse, most of them attempted in plain SQL.

const ROUNDING = platformAccount('rounding');
let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture();
});
afterEach(async () => {
  expect(await violatedInvariants(books.dataSource)).toEqual([]);
});
afterAll(() => books.close());

const sql = (text: string, parameters: unknown[] = []) => books.dataSource.query(text, parameters);

async function idOf({ owner, kind, scope, asset }: Account): Promise<string> {
  const [row] = (await sql(
    'select id from ledger_account where owner_id = $1 and kind = $2 and scope = $3 and asset = $4',
    [owner, kind, scope, asset],
  )) as { id: string }[];
  return (row as { id: string }).id;
}

/** Inserts a transaction in plain SQL, with entries at `at`. The asset of an entry is USDC unless it is given. */
async function insertEntries(
  entries: [accountId: string, amount: string, balanceAfter: string | null, asset?: string][],
  at = POSTED_AT,
): Promise<void> {
  const id = newId();
  await books.dataSource.transaction(async (tx) => {
    await tx.query(
      `insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
       values ($1, 'deposit', 'test', $2, $3, 'By hand')`,
      [id, newId(), POSTED_AT],
    );
    await tx.query(
      `insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
       select $1, account, asset, amount, after, 'deposit', $2
         from unnest($3::bigint[], $4::numeric[], $5::numeric[], $6::text[]) as entry(account, amount, after, asset)`,
      [
        id,
        at,
        entries.map(([accountId]) => accountId),
        entries.map(([, amount]) => amount),
        entries.map(([, , balanceAfter]) => balanceAfter),
        entries.map(([, , , asset = 'USDC']) => asset),
      ],
    );
  });
}

describe('ledger_entry', () => {
  it('refuses entries that do not sum to zero in each asset [SEC-001]', async () => {
    const userId = await books.user('5.00');
    const before = await books.state();
    const crossed = testPosting([
      { account: DEPOSIT_PROVIDER, amount: Money.of('-10') }, // −10 USDC and +10 USDT
      { account: userAccount(userId, 'user.available', 'USDT'), amount: Money.of('10') },
    ]);
    expect(await errorCodeOf(books.post(crossed))).toContain('do not sum to zero');
    expect(await books.state()).toEqual(before);
  });

  it('refuses NaN and infinite amounts', async () => {
    const userId = await books.user('5.00');
    const provider = await idOf(DEPOSIT_PROVIDER);
    const available = await idOf(userAccount(userId, 'user.available'));
    for (const [debit, credit] of [
      ['NaN', 'NaN'],
      ['-Infinity', 'Infinity'],
      ['-1', 'NaN'],
    ] as const) {
      expect(
        await errorCodeOf(
          insertEntries([
            [provider, debit, null],
            [available, credit, credit],
          ]),
        ),
      ).toContain('sum to zero');
    }
  });

  it('refuses an amount of zero', async () => {
    const userId = await books.user('5.00');
    expect(
      await errorCodeOf(insertEntries([[await idOf(userAccount(userId, 'user.available')), '0', '5']])),
    ).toContain('ledger_entry_amount_not_zero');
  });

  it('refuses entries on a missing account and on an account in another asset', async () => {
    const userId = await books.user('5.00');
    const provider = await idOf(DEPOSIT_PROVIDER);
    const available = await idOf(userAccount(userId, 'user.available'));
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null],
          ['999999999', '1', '6'],
        ]),
      ),
    ).toContain('no account 999999999');
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null],
          ['999999999', '1', null],
        ]),
      ),
    ).toContain('no account 999999999');
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null, 'ETH'],
          [available, '1', '6', 'ETH'],
        ]),
      ),
    ).toContain('in ETH');
  });

  it('requires the right balance after the entry for accounts of users and none for accounts of the platform', async () => {
    const userId = await books.user('5.00');
    const provider = await idOf(DEPOSIT_PROVIDER);
    const available = await idOf(userAccount(userId, 'user.available'));
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null],
          [available, '1', '7'],
        ]),
      ),
    ).toContain('the balance is 6, not 7');
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null],
          [available, '1', null],
        ]),
      ),
    ).toContain('no account');
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', '-1'],
          [available, '1', '6'],
        ]),
      ),
    ).toContain('the balance is');
    expect(
      await errorCodeOf(
        insertEntries([
          [provider, '-1', null],
          [available, '1', '6'],
        ]),
      ),
    ).toBe('done');
  });

  it('refuses entries whose time differs from that of their transaction', async () => {
    const userId = await books.user('5.00');
    const entries: Parameters<typeof insertEntries>[0] = [
      [await idOf(DEPOSIT_PROVIDER), '-1', null],
      [await idOf(userAccount(userId, 'user.available')), '1', '6'],
    ];
    expect(await errorCodeOf(insertEntries(entries, new Date('2020-01-01')))).toContain('posted or unknown');
  });

  it('limits the decimals of entries on accounts of users to those of the asset', async () => {
    const userId = await books.user('5.00');
    const dust = Money.of('0.0000001');
    expect(
      await errorCodeOf(
        books.post(testPosting(move(dust, DEPOSIT_PROVIDER, userAccount(userId, 'user.available')))),
      ),
    ).toContain('more decimals');
    expect(await errorCodeOf(books.post(testPosting(move(dust, DEPOSIT_PROVIDER, ROUNDING))))).toBe('done');
    const wei = Money.of('0.000000000000000001');
    const etherProvider = platformAccount('asset.deposit-provider', 'ETH', 'ERC20');
    const availableEther = userAccount(userId, 'user.available', 'ETH');
    expect(await errorCodeOf(books.post(testPosting(move(wei, etherProvider, availableEther))))).toBe('done');
  });

  it('changes no balance for an entry that ON CONFLICT skips', async () => {
    const userId = await books.user('5.00');
    const available = await idOf(userAccount(userId, 'user.available'));
    await sql(
      `insert into ledger_entry (id, transaction_id, account_id, asset, amount, balance_after, category, effective_at)
       overriding system value
       select id, transaction_id, $1, asset, 1000, 1005, category, effective_at from ledger_entry limit 1
       on conflict do nothing`,
      [available],
    );
    expect(await books.balance(userAccount(userId, 'user.available'))).toBe('5');
  });
});

describe('A posted transaction', () => {
  it('refuses further entries, even if they sum to zero [SEC-002]', async () => {
    await books.user('5.00');
    await books.post(testPosting(move(Money.of('1'), DEPOSIT_PROVIDER, ROUNDING)));
    const provider = await idOf(DEPOSIT_PROVIDER);
    const rounding = await idOf(ROUNDING);
    const [{ id, at }] = (await sql(
      'select id, effective_at as at from ledger_transaction order by recorded_at limit 1',
    )) as [{ id: string; at: Date }];
    const addEntries = (transactionId: string) =>
      sql(
        `insert into ledger_entry (transaction_id, account_id, asset, amount, category, effective_at)
         values ($1, $2, 'USDC', -3, 'internal', $4), ($1, $3, 'USDC', 3, 'internal', $4)`,
        [transactionId, provider, rounding, at],
      );
    expect(await errorCodeOf(addEntries(id))).toContain('posted or unknown transaction');
    expect(await errorCodeOf(addEntries(newId()))).toContain('posted or unknown transaction');
  });

  it.each([
    'update ledger_entry set amount = amount * 2',
    'update ledger_entry set category = category where false',
    'delete from ledger_entry',
    'truncate ledger_entry',
    "update ledger_transaction set description = 'other'",
    'delete from ledger_transaction',
    'truncate ledger_transaction cascade',
    'delete from ledger_account',
    'truncate ledger_account',
    'update ledger_account set balance = balance + 1',
    "update ledger_account set kind = 'suspense' where balance is null",
    `insert into ledger_account (owner_id, kind, asset, balance) select owner_id, kind, asset, 0 from ledger_account
       where balance > 0 limit 1 on conflict on constraint ledger_account_identity do update set balance = 1000000`,
    `merge into ledger_account as account using (select 1) as one on account.balance is not null
       when matched then update set balance = 1`,
  ])('cannot be changed: %s', async (statement) => {
    await books.user('5.00');
    const before = await books.state();
    expect(await errorCodeOf(sql(statement))).toContain('posted rows are immutable');
    expect(await books.state()).toEqual(before);
  });

  it('refuses a second posting with the same type and reference [SEC-003]', async () => {
    const userId = newId();
    const deposit = testPosting(move(Money.of('5'), DEPOSIT_PROVIDER, userAccount(userId, 'user.available')));
    await books.post(deposit);
    const again = books.post(deposit);
    await expect(again).rejects.toMatchObject({ driverError: { constraint: 'ledger_transaction_fact' } });
    expect(await books.balance(userAccount(userId, 'user.available'))).toBe('5'); // posted once
  });
});

describe('ledger_post', () => {
  it("ignores a session's temporary table with the name of a ledger table", async () => {
    const userId = await books.user('5.00');
    await books.dataSource.transaction(async (tx) => {
      await tx.query(
        'create temporary table ledger_account (like ledger_account including all excluding constraints) on commit drop',
      );
      await tx.query('select ledger_post($1)', [
        JSON.stringify([
          {
            id: newId(),
            type: 'deposit',
            referenceType: 'test',
            referenceId: newId(),
            at: POSTED_AT,
            description: '',
            entries: [
              { ...DEPOSIT_PROVIDER, amount: '-1', category: 'deposit' },
              { ...userAccount(userId, 'user.available'), amount: '1', category: 'deposit' },
            ],
          },
        ]),
      ]);
    });
    expect(await books.balance(userAccount(userId, 'user.available'))).toBe('6'); // 5.00 + 1
  });
});
