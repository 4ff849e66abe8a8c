import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { takeHorizonSql } from './commit-horizons.js';

describe('Taking a commit horizon', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('set synchronous_commit = on; create sequence number');
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('reads the last number that was taken from the sequence, 0 if there is none', async () => {
    const sequences: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { rows } = await client.query<{ sequence: string }>(takeHorizonSql('number', 'true'));
      sequences.push(...rows.map(({ sequence }) => sequence));
      await client.query(`select nextval('number')`);
    }
    expect(sequences).toEqual(['0', '1', '2']);
  });

  it('waits until the horizon is on the disk if the horizon has to survive a crash', async () => {
    for (let count = 0; count < 5; count++) {
      const sql = takeHorizonSql('number', 'true', { survivesCrash: true });
      const { rows } = await client.query<{ pg_logical_emit_message: string }>(sql);
      const flushed = await client.query('select pg_current_wal_flush_lsn() >= $1::pg_lsn as is_flushed', [
        rows[0]?.pg_logical_emit_message,
      ]);
      expect(flushed.rows).toEqual([{ is_flushed: true }]);
    }
  });
});
