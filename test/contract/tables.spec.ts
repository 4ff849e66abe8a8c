import { FILLED_BY_ITSELF } from '../../src/operations/restore.js';
import { TABLES } from '../fixtures/tables.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import pg from 'pg';

describe('The tables of the database', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new pg.Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const namesOf = async (query: string): Promise<string[]> =>
    (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);

  it('are those that test/fixtures/tables.ts lists', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name collate "C"`,
    );
    expect(Object.keys(TABLES)).toEqual(names);
  });

  it('have comments, as do the views and all columns', async () => {
    const names = await namesOf(
      `select concat_ws('.', relname, attname) as name
         from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
          and (obj_description(pg_class.oid, 'pg_class') is null or col_description(pg_class.oid, attnum) is null)
          and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') -- of an extension`,
    );
    expect(names).toEqual([]);
  });

  it('are marked in test/fixtures/tables.ts as filledWithoutUsers exactly if a restore may replace their rows', () => {
    const filled = Object.keys(TABLES).filter((name) => TABLES[name]?.filledWithoutUsers);
    expect([...FILLED_BY_ITSELF].sort()).toEqual(filled);
  });

  it('are marked in test/fixtures/tables.ts as erased or kept if they have a column for a user', async () => {
    const names = await namesOf(
      `select distinct table_name as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and column_name in ('user_id', 'owner_id', 'subject_id', 'caller')`,
    );
    expect(names.filter((name) => TABLES[name]?.onUserErasure === 'none')).toEqual([]);
  });

  // The service refuses to erase a user whose deletion violates a foreign key. Jobs recompute the tables that they write.
  it('with a column user_id prevent the deletion of a user by a foreign key if they are marked as kept', async () => {
    const preventing = await namesOf(
      `select distinct conrelid::regclass::text as name from pg_constraint
        where contype = 'f' and confrelid = 'platform_user'::regclass and confdeltype = 'a'`,
    );
    const withUsers = await namesOf(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'user_id'`,
    );
    const kept = withUsers.filter(
      (name) => TABLES[name]?.onUserErasure === 'kept' && !TABLES[name].background,
    );
    expect(kept).toContain('deposit');
    expect(kept.filter((name) => !preventing.includes(name))).toEqual([]);
  });

  // Jobs delete expired sessions, refresh tokens, sign-ins, tickets and ended seals, the next challenge deletes expired nonces, and users
  // delete their API keys. Approvals are kept as records of admins' actions. A new table in this list needs such a decision.
  it('have rows that expire (column expires_at) only where the deletion of expired rows is decided', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'expires_at' order by 1`,
    );
    expect(names).toEqual([
      'api_key',
      'approval',
      'ended_seal',
      'live_ticket',
      'lock_token',
      'refresh_token',
      'session',
      'sign_in',
      'step_up',
      'wallet_nonce',
    ]);
  });
});
