import { Jobs } from '../../../src/jobs/jobs.service.js';
import { migrateDatabase } from '../../../src/operations/migrate.js';
import {
  databaseWithRoles,
  errorOf,
  readableText,
  rowsOf,
  type DatabaseWithRoles,
} from '../../fixtures/data-rights.js';
import type { TestUser } from '../../fixtures/given.js';
import { serveMoneyPath } from '../../fixtures/money-path.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A service whose role has the data rights of docs/operations.md, after another role has migrated', () => {
  let database: DatabaseWithRoles;
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    database = await databaseWithRoles();
    await migrateDatabase({ databaseUrl: database.ownerUrl, tokenHashKey: undefined }, () => undefined);
    platform = await startPlatform({ settings: { DATABASE_URL: database.serviceUrl } });
    user = await serveMoneyPath(platform); // deposits 1,000.00, invests, closes the investment, and withdraws 200.00
  });
  afterAll(async () => {
    await platform?.stop();
    await database?.drop();
  });

  it('serves a story from the sign-in to a paid withdrawal, runs every job, and finds no violation', async () => {
    for (const { options } of platform.app.get(Jobs).all) await platform.runJob(options.name);
    const admin = platform.as(await platform.given.admin());
    const { data } = await admin.get('/api/admin/integrity');
    const violated = data.laws.filter(
      ({ severity, status }: any) => severity === 'owed' && status !== 'holds',
    );
    expect(violated).toEqual([]);
  });

  it('lets an analyst read the figures, and nothing by which a person, a wallet or a device is known', async () => {
    await rowsOf(
      database.ownerUrl,
      `update platform_user set full_name = 'Anna Miller' where id = '${user.id}'`,
    );
    const analystUrl = await database.createAnalyst();
    expect(
      await rowsOf(
        analystUrl,
        `select kind, balance::text, count(deposit.id)::int as deposits, count(withdrawal.id)::int as withdrawals
           from ledger_account join deposit on deposit.user_id = owner_id join withdrawal on withdrawal.user_id = owner_id
          where owner_id = '${user.id}' and kind = 'user.available' group by ledger_account.id`,
      ),
    ).toEqual([{ kind: 'user.available', balance: '800', deposits: 1, withdrawals: 1 }]);
    const [{ to_address: depositAddress, tx_hash: txHash }] = (await rowsOf(
      database.ownerUrl,
      `select to_address, tx_hash from deposit where user_id = '${user.id}'`,
    )) as [{ to_address: string; tx_hash: string }];
    const known = [
      user.email,
      'anna@example.org',
      'Anna Miller',
      DESTINATION,
      depositAddress,
      txHash,
      'admin@',
      '127.0.0.1',
    ];
    const all = await readableText(database.ownerUrl);
    const analysed = await readableText(analystUrl);
    const found = (text: string) => known.filter((part) => text.toLowerCase().includes(part.toLowerCase()));
    expect(found(all)).toEqual(known);
    expect(found(analysed)).toEqual([]);
    expect(await errorOf(analystUrl, 'select email from platform_user')).toMatch('permission denied');
    expect(await errorOf(analystUrl, 'update strategy set apy = 1')).toMatch('read-only transaction');
    expect(await errorOf(analystUrl, 'begin read write; update strategy set apy = 1')).toMatch(
      'permission denied',
    );
  });

  it.each([
    'alter table ledger_entry disable trigger user',
    'truncate ledger_entry',
    'drop table notification',
    'create table public.own ()',
    'create temporary table own ()',
    'alter role current_user createdb',
  ])('is refused the statement: %s', async (statement) => {
    expect(await errorOf(database.serviceUrl, statement)).toMatch(/permission denied|must be owner/);
  });
});
