import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { prepared, PreparingClient } from './prepared.js';

describe('A batch of statements', () => {
  let database: TestDatabase;
  let client: PreparingClient;

  const query = (sql: string, values: unknown[] = []): Promise<{ rows: object[] }> =>
    client.query(...([sql, values] as never[]));
  const nextTick = () => new Promise((resolve) => process.nextTick(resolve));
  const statusesOf = async (answers: Promise<unknown>[]) =>
    (await Promise.allSettled(answers)).map(({ status }) => status);

  beforeAll(async () => {
    database = await freshDatabase();
    client = new PreparingClient({ connectionString: database.url, pipeline: true });
    await client.connect();
    await query(`create table parent (id int primary key);
      create table child (parent_id int references parent deferrable initially deferred);
      create table changing (value int)`);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('fails if its statements are executed, but cannot be committed', async () => {
    await expect(query('insert into child values ($1)', [1])).rejects.toThrow('foreign key');
    expect((await query('select from child')).rows).toEqual([]);
  });

  it('fails with all statements if one of them fails outside of a transaction', async () => {
    const answers = [query('insert into parent values ($1)', [1]), query('select 1 / $1::int', [0])];
    expect(await statusesOf(answers)).toEqual(['rejected', 'rejected']);
    expect((await query('select from parent')).rows).toEqual([]);
  });

  it('keeps the answers of what a COMMIT in it has committed', async () => {
    const insert = prepared('insert into parent values ($1)');
    const commit = prepared('commit');
    await query('begin');
    const answers = [query(insert, [2]), query(commit), query('select 1 / $1::int', [0])];
    expect(await statusesOf(answers)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((await query('select id from parent')).rows).toEqual([{ id: 2 }]);
  });

  it('parses a statement again that was closed for a batch in a failed transaction', async () => {
    const sql = prepared('select $1::int * 5 as quintupled');
    await query('begin');
    const first = statusesOf([query(sql, [1]), query('select 1 / $1::int', [0])]);
    await nextTick();
    const second = statusesOf([query(sql, [2])]); // sent before the first batch is answered
    expect([await first, await second]).toEqual([['fulfilled', 'rejected'], ['rejected']]);
    await query('rollback');
    expect((await query(sql, [3])).rows).toEqual([{ quintupled: 15 }]);
  });

  it('parses a statement again whose columns have changed', async () => {
    const sql = prepared('select value from changing');
    await query(sql);
    await query('alter table changing alter value type text; insert into changing values (7)');
    await expect(query(sql)).rejects.toThrow('cached plan must not change result type');
    expect((await query(sql)).rows).toEqual([{ value: '7' }]);
  });

  it('fails if its connection is ended before the batch is sent', async () => {
    const ended = new PreparingClient({ connectionString: database.url, pipeline: true });
    await ended.connect();
    const answer = ended.query(...(['select $1::int', [1]] as never[])) as Promise<unknown>;
    void ended.end();
    await expect(answer).rejects.toThrow('not queryable');
  });
});
