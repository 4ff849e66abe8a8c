import { FILLED_BY_ITSELF } from '../../src/operations/restore.js';
import { TABLES } from '../fixtures/tables.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import pg from 'pg';

describe('Every table', () => {
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

  it('has a decision about erased users, backups and comparisons of rows in test/fixtures/tables.ts', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name collate "C"`,
    );
    expect(Object.keys(TABLES)).toEqual(names);
  });

  it('is data to a restore, unless a platform without users fills it', () => {
    const filled = Object.keys(TABLES).filter((name) => TABLES[name]?.filledWithoutUsers);
    expect([...FILLED_BY_ITSELF].sort()).toEqual(filled);
  });

  it('that names its user in a column of its own is decided about as such', async () => {
    const names = await namesOf(
      `select distinct table_name as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'
          and column_name in ('user_id', 'owner_id', 'subject_id', 'caller')`,
    );
    expect(names.filter((name) => TABLES[name]?.onUserErasure === 'none')).toEqual([]);
  });

  it('whose rows expire is emptied: sessions and refresh tokens hourly, nonces with the next challenge', async () => {
    const names = await namesOf(
      `select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'expires_at' order by 1`,
    );
    expect(names).toEqual(['refresh_token', 'session', 'wallet_nonce']);
  });
});
