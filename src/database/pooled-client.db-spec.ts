import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { PooledClient, SequentialClient } from './pooled-client.js';
import { StatementBatch, type BatchedStatement, type OnResult } from './statement-batch.js';

describe('A connection behind a pooler', () => {
  let database: TestDatabase;
  let client: SequentialClient;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new SequentialClient({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  afterEach(() => jest.restoreAllMocks());

  const query = (sql: string): Promise<{ rows: object[] }> => client.query(...([sql] as never[]));

  it('sends statements that are issued together one after the other', async () => {
    const sent = jest.spyOn(pg.Client.prototype, 'query');
    const answers = [query('select 1 as value'), query('select 2 as value')];
    await Promise.resolve();
    expect(sent).toHaveBeenCalledTimes(1);
    expect((await Promise.all(answers)).map(({ rows }) => rows)).toEqual([[{ value: 1 }], [{ value: 2 }]]);
    expect(sent).toHaveBeenCalledTimes(2);
  });

  it('continues after a statement that fails', async () => {
    const answers = await Promise.allSettled([query('select 1 / 0'), query('select 3 as value')]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('A connection of the pool', () => {
  const SILENCE_MS = 200;
  let database: TestDatabase;
  let client: PooledClient;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new PooledClient({ connectionString: database.url, silenceMs: SILENCE_MS });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const query = (sql: string): Promise<{ rows: object[] }> => client.query(...([sql] as never[]));

  it('stays open while a batch takes longer than one statement may', async () => {
    const statements: BatchedStatement[] = [];
    const answers = [0.6, 0.6].map(
      (share) =>
        new Promise((resolve, reject) => {
          const text = `select pg_sleep(${(share * SILENCE_MS) / 1000})`;
          const onResult: OnResult = (error, result) => (error ? reject(error) : resolve(result.rowCount));
          statements.push({ name: undefined, text, values: [], onResult });
        }),
    );
    client.query(...([new StatementBatch(statements, new Map(), pg.types)] as unknown as never[]));
    expect(await Promise.all(answers)).toEqual([1, 1]);
  });

  it('stays open while it is idle, and closes if the server owes an answer for too long', async () => {
    await query('select 1');
    await new Promise((resolve) => setTimeout(resolve, 2 * SILENCE_MS));
    expect((await query('select 1 as value')).rows).toEqual([{ value: 1 }]);
    await expect(query('select pg_sleep(60)')).rejects.toThrow('the server is silent');
  });
});
