import { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { connectionOf } from './connections.js';
import { openDatabase } from './data-source.js';
import { PREPARING } from './prepared.js';
import { Snapshot, Snapshots } from './snapshots.js';

describe('A snapshot', () => {
  let database: TestDatabase;
  let writer: DataSource;
  let reader: DataSource; // its pool has one connection
  let snapshots: Snapshots;

  const connect = (poolSize: number) =>
    openDatabase({ type: 'postgres', url: database.url, poolSize, extra: PREPARING }, () => undefined, {
      migrate: false,
    });

  beforeAll(async () => {
    database = await freshDatabase();
    [writer, reader] = [await connect(2), await connect(1)];
    snapshots = new Snapshots(reader);
    await writer.query('create table number as select n from generate_series(1, 10) as n');
  });
  afterAll(async () => {
    await Promise.all([writer.destroy(), reader.destroy()]);
    await database.drop();
  });

  const count = 'select count(*)::int as count from number';

  it('does not see later writes', async () => {
    await snapshots.read(async (snapshot) => {
      const before = await snapshot.query(count, []);
      await writer.query('insert into number values (0)');
      expect(await snapshot.query(count, [])).toEqual(before);
    });
    expect(await reader.query(count)).toEqual([{ count: 11 }]);
    await writer.query('delete from number where n = 0');
  });

  it('reports that it could not begin, whatever the statements answer', async () => {
    const runner = reader.createQueryRunner();
    const snapshot = new Snapshot(runner, 'begin isolation level unknown');
    await expect(snapshot.query(count, [])).rejects.toThrow(/unknown/);
    await snapshot.close();
    expect(await reader.query(count)).toEqual([{ count: 10 }]);
  });

  it('rejects writes', async () => {
    const write = snapshots.read((snapshot) => snapshot.query('delete from number', []));
    await expect(write).rejects.toThrow(/read-only/);
  });

  it.each([1, 3, 5, 10, 11])('returns all rows in batches of %i', async (size) => {
    const batches = await snapshots.read(async (snapshot) => {
      const received: { n: number }[][] = [];
      for await (const rows of snapshot.batches<{ n: number }>(
        'select n from number where n <= $1 order by n',
        [10],
        size,
      ))
        received.push(rows);
      return received;
    });
    expect(batches.flat().map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(batches.length).toBe(Math.ceil(10 / size));
  });

  it('reads by several cursors in turn', async () => {
    await snapshots.read(async (snapshot) => {
      const pairsFrom = (n: number) =>
        snapshot.batches('select n from number where n >= $1 order by n', [n], 2);
      const first = pairsFrom(1);
      const second = pairsFrom(2);
      expect((await first.next()).value).toEqual([{ n: 1 }, { n: 2 }]);
      expect((await second.next()).value).toEqual([{ n: 2 }, { n: 3 }]);
    });
  });

  it('frees its place in the pool after a failed statement and after the loss of its connection', async () => {
    await expect(snapshots.read((snapshot) => snapshot.query('select 1 / 0', []))).rejects.toThrow(/zero/);
    expect(await reader.query(count)).toEqual([{ count: 10 }]);

    const interrupted = snapshots.read(async (snapshot) => {
      const [connection] = await snapshot.query<{ pid: number }>('select pg_backend_pid() as pid', []);
      await writer.query('select pg_terminate_backend($1)', [connection?.pid]);
      return snapshot.query(count, []);
    });
    await expect(interrupted).rejects.toThrow();
    expect(await reader.query(count)).toEqual([{ count: 10 }]);
  });

  it('never returns a connection to the pool that is still in its transaction', async () => {
    const runner = reader.createQueryRunner();
    const createQueryRunner = reader.createQueryRunner.bind(reader);
    reader.createQueryRunner = () => runner;
    const connection = await connectionOf(runner);
    const query = connection.query.bind(connection) as (...call: unknown[]) => unknown;
    const spy = jest.spyOn(connection, 'query');
    spy.mockImplementation(((sql: string, ...rest: unknown[]) =>
      query(sql === 'rollback' ? 'select 1 / 0' : sql, ...rest)) as never); // ROLLBACK fails, as a cancelled one does
    try {
      await snapshots.read((snapshot) => snapshot.query(count, []));
    } finally {
      reader.createQueryRunner = createQueryRunner;
    }
    expect(spy).toHaveBeenCalledWith('rollback');
    expect(await reader.query(count)).toEqual([{ count: 10 }]);
    await reader.query('insert into number select 11 where false'); // the connection is not read only, either
  });
});
