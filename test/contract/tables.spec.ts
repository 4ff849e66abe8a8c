import { FILLED_BY_ITSELF } from '../../src/operations/restore.js';
import { TABLES } from '../fixtures/tables.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import pg from 'pg';

describe('test/fixtures/tables.ts', () => {
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

  it('lists every table of the database', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name collate "C"`,
    );
    expect(Object.keys(TABLES)).toEqual(names);
  });

  it('marks the tables that restore may overwrite: those that a platform without users fills', () => {
    const filled = Object.keys(TABLES).filter((name) => TABLES[name]?.filledWithoutUsers);
    expect([...FILLED_BY_ITSELF].sort()).toEqual(filled);
  });

  it('decides about user erasure for every table with a user column', async () => {
    const names = await namesOf(
      `select distinct table_name as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and column_name in ('user_id', 'owner_id', 'subject_id', 'caller')`,
    );
    expect(names.filter((name) => TABLES[name]?.onUserErasure === 'none')).toEqual([]);
  });

  it('covers the tables with expiring rows, which are deleted by a job (sessions, refresh tokens, sign-ins), the next challenge (nonces) or their owner (API keys)', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'expires_at' order by 1`,
    );
    expect(names).toEqual(['api_key', 'live_ticket', 'refresh_token', 'session', 'sign_in', 'wallet_nonce']);
  });
});
