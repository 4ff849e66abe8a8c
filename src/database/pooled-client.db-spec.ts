import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { SequentialClient } from './pooled-client.js';

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
