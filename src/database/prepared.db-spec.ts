import type { Socket } from 'node:net';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { prepared, PREPARED, PreparingClient } from './prepared.js';

describe('A connection that prepares statements', () => {
  let database: TestDatabase;
  let client: PreparingClient;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new PreparingClient({ connectionString: database.url, pipeline: true });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const query = (sql: string, values: unknown[] = []): Promise<{ rows: object[] }> =>
    client.query(...([sql, values] as never[]));

  it('sends statements that are issued together with one write to the socket', async () => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const written = jest.spyOn(stream, '_write');
    const answers = await Promise.all([query('select 1 as one'), query('select $1::int as two', [2])]);
    expect(answers.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ two: 2 }]]);
    expect(written).toHaveBeenCalledTimes(1);
    written.mockRestore();
  });

  it('parses a marked statement once, even if it is issued again before the first answer', async () => {
    const sql = prepared('select $1::int * 2 as doubled');
    const answers = await Promise.all([query(sql, [1]), query(sql, [2])]);
    expect(answers.map(({ rows }) => rows)).toEqual([[{ doubled: 2 }], [{ doubled: 4 }]]);
    expect((await query('select from pg_prepared_statements where statement = $1', [sql])).rows).toHaveLength(
      1,
    );
  });

  it('prepares statements of TypeORM with the comment PREPARED, as many as the limit allows', async () => {
    const sql = (limit: number) => `/* ${PREPARED} */ select 1 limit ${limit}`;
    for (let limit = 1; limit <= 300; limit++) await query(sql(limit));
    const { rows } = await query(
      `select from pg_prepared_statements where statement like '/* ${PREPARED} */%'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(200); // MAX_COMPOSED
    expect((await query(sql(301))).rows).toHaveLength(1);
  });

  it('prepares a marked statement again after it failed in a transaction that was aborted', async () => {
    const sql = prepared('select $1::int * 3 as tripled');
    const statements = ['begin', 'select 1 / 0', sql, sql];
    const settled = await Promise.allSettled(statements.map((text) => query(text, text === sql ? [1] : [])));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    await query('rollback');
    expect((await query(sql, [2])).rows).toEqual([{ tripled: 6 }]);
  });
});
