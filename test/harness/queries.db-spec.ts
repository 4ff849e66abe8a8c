import type pg from 'pg';
import { SequentialClient } from '../../src/database/pooled-client.js';
import { PreparingClient } from '../../src/database/prepared.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { roundTripsDuring } from './queries.js';

describe('The count of round trips', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new PreparingClient({ connectionString: database.url, pipeline: true });
    await client.connect();
  });
  afterEach(() => client.query('rollback'));
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('counts statements that are sent at once as one, and a statement that waits for an answer as another', async () => {
    const trips = await roundTripsDuring(async () => {
      await Promise.all([client.query('begin'), client.query('select 1'), client.query('select 2')]);
      await client.query('commit');
    });
    expect(trips).toBe(2);
  });

  it('counts statements that wait for the answer to BEGIN as a second trip, even while a statement sent with BEGIN has no answer', async () => {
    const trips = await roundTripsDuring(async () => {
      const begun = client.query('begin');
      const slow = client.query('select pg_sleep(0.1)');
      await begun;
      await Promise.all([slow, client.query('select 1'), client.query('commit')]);
    });
    expect(trips).toBe(2);
  });

  it('counts BEGIN as one trip, and statements that each wait for its answer and are then sent at once as one more', async () => {
    const trips = await roundTripsDuring(async () => {
      const begun = client.query('begin');
      await Promise.all([1, 2, 3].map((n) => begun.then(() => client.query('select $1::int', [n]))));
    });
    expect(trips).toBe(2);
  });

  it('includes statements that fail, and passes on their errors and the rows of others', async () => {
    const trips = await roundTripsDuring(async () => {
      const [failed, row] = await Promise.allSettled([
        client.query('select 1 / 0'),
        client.query('select 7 as n'),
      ]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      expect(row).toMatchObject({ status: 'fulfilled', value: { rows: [{ n: 7 }] } });
    });
    expect(trips).toBe(1);
  });

  it('counts each statement of a connection without pipelining', async () => {
    const sequential: pg.Client = new SequentialClient({ connectionString: database.url });
    await sequential.connect();
    const send = () => Promise.all([sequential.query('select 1'), sequential.query('select 2')]);
    expect(await roundTripsDuring(send)).toBe(2);
    await sequential.end();
  });
});
