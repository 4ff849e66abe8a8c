import type { DataSource, QueryRunner } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { LOCK_WAITS } from '../../test/harness/lock-waits.js';
import { replacingStatements } from '../../test/harness/replaced-statement.js';
import type { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/durations.js';
import { openDatabase } from '../database/data-source.js';
import { PREPARING } from '../database/prepared.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { countFromTotals } from './count-rows.js';
import { ListSums } from './list-sums.js';
import { TotalRuns } from './total-runs.js';

const START = Date.parse('2026-03-02T10:00:00.000Z');

// Entries of the audit log have no marks: they are found by their time.
describe('Sums of a list whose new rows are found by their time', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let now: Date;
  let runs: TotalRuns;

  beforeEach(async () => {
    database = await freshDatabase();
    dataSource = await openDatabase(
      { type: 'postgres', url: database.url, extra: PREPARING },
      () => undefined,
      { migrate: false },
    );
    now = new Date(START);
    runs = newProcess();
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  function newProcess(): TotalRuns {
    const totals = new TotalRuns(dataSource, new UnitOfWork(dataSource), { now: () => now } as Clock);
    new ListSums(totals).onModuleInit();
    return totals;
  }

  const moveClock = (days: number) => (now = new Date(now.getTime() + days * DAY_MS));
  const insertEntry = (by: Pick<QueryRunner, 'query'> | Pick<DataSource, 'query'> = dataSource) =>
    by.query(
      `insert into audit_entry (id, at, actor, action, subject_type, subject_id)
       values (gen_random_uuid(), $1, 'ann@example.org', 'test.made', 'test', '1')`,
      [now],
    );
  const total = async () =>
    (await countFromTotals(dataSource, { list: 'audit_entry', facets: ['ann@example.org'] })).total;

  it('include the rows from before the first run, even if the clock was set since the process started', async () => {
    await insertEntry();
    moveClock(3);
    await runs.runAll();
    expect(await total()).toBe(1);
  });

  it('include rows that were written after the clock had been set back by a day', async () => {
    await runs.runAll();
    moveClock(-1);
    await insertEntry();
    await runs.runAll();
    expect(await total()).toBe(1);
    await insertEntry();
    await newProcess().runAll();
    expect(await total()).toBe(2);
  });

  it('include a row whose transaction was open while the clock went on by two days and the sums were computed', async () => {
    await runs.runAll();
    const open = dataSource.createQueryRunner();
    await open.startTransaction();
    await insertEntry(open);
    moveClock(2);
    await runs.runAll();
    expect(await total()).toBe(0);
    await open.commitTransaction();
    await open.release();
    await runs.runAll();
    expect(await total()).toBe(1);
  });

  it('include a row that is committed between the count of an hour and the computation of its sums, and one after it', async () => {
    await insertEntry();
    const blocker = dataSource.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query(`select pg_advisory_xact_lock(hashtextextended('total audit_entry', 0))`);
    const other = newProcess();
    const running = Promise.all([runs.runAll(), other.runAll()]); // both have counted one row, and wait
    await eventually(async () => expect(await dataSource.query(LOCK_WAITS)).toHaveLength(2));
    await insertEntry();
    await blocker.rollbackTransaction();
    await blocker.release();
    await running;
    expect(await total()).toBe(2);
    await insertEntry();
    await other.runAll();
    expect(await total()).toBe(3);
    await insertEntry();
    await runs.runAll();
    expect(await total()).toBe(4);
  });

  it('include a row whose sums a crash has taken back before the time of their run was committed', async () => {
    await runs.runAll();
    await insertEntry();
    const failing = replacingStatements(/insert into total_run .*as_of/s, 'select 1 / 0', () =>
      runs.runAll(),
    );
    await expect(failing).rejects.toThrow();
    await dataSource.query('delete from list_sum');
    await runs.runAll();
    expect(await total()).toBe(1);
  });

  it('include a row whose sums a crash has taken back during the run of another source', async () => {
    await runs.runAll();
    await insertEntry();
    const disconnect =
      'select pg_terminate_backend(pg_backend_pid()), $1::text, $2::float8, $3::timestamptz, $4::timestamptz';
    const failing = replacingStatements(/from webhook_event/, disconnect, () => runs.runOnce());
    await expect(failing).rejects.toThrow();
    await dataSource.query('delete from list_sum');
    await runs.runAll();
    expect(await total()).toBe(1);
  });
});
