import { Jobs } from '../../../src/jobs/jobs.service.js';
import { migrateDatabase } from '../../../src/operations/migrate.js';
import { databaseWithRoles, errorOf, type DatabaseWithRoles } from '../../fixtures/data-rights.js';
import { serveMoneyPath } from '../../fixtures/money-path.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A service whose role has the data rights of docs/operations.md, after another role has migrated', () => {
  let database: DatabaseWithRoles;
  let platform: TestPlatform;

  beforeAll(async () => {
    database = await databaseWithRoles();
    await migrateDatabase({ databaseUrl: database.ownerUrl, tokenHashKey: undefined }, () => undefined);
    platform = await startPlatform({ settings: { DATABASE_URL: database.serviceUrl } });
  });
  afterAll(async () => {
    await platform?.stop();
    await database?.drop();
  });

  it('serves a sign-in, a deposit, an investment, a withdrawal and its payment, and runs every job', async () => {
    await serveMoneyPath(platform);
    for (const { options } of platform.app.get(Jobs).all) await platform.runJob(options.name);
    const admin = platform.as(await platform.given.admin());
    const { data } = await admin.get('/api/admin/integrity');
    const violated = data.laws.filter(
      ({ severity, status }: any) => severity === 'owed' && status !== 'holds',
    );
    expect(violated).toEqual([]);
  });

  it.each([
    'alter table ledger_entry disable trigger user',
    'truncate ledger_entry',
    'drop table notification',
    'create table public.own ()',
    'create temporary table own ()',
    'alter role current_user createdb',
  ])('is refused: %s', async (statement) => {
    expect(await errorOf(database.serviceUrl, statement)).toMatch(/permission denied|must be owner/);
  });
});
