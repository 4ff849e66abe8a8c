import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { countFromTotals } from './count-rows.js';
import { openDatabase } from '../database/data-source.js';
import { PREPARING } from '../database/prepared.js';
import { cutByDay, listTotals, type ListTotalsFilter } from './list-totals.js';
import { repetitions } from '../../test/harness/repetitions.js';
import { DAY_MS, HOUR_MS } from '../common/durations.js';
import { Snapshots } from '../database/snapshots.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../common/clock.js';
import { ListSums } from './list-sums.js';
import { markRecord } from './total-marks.js';
import { TotalChecks } from './total-checks.js';
import { TotalRuns } from './total-runs.js';

const USER = '00000000-0000-7000-8000-000000000001';
const STATUSES = ['pending', 'approved', 'processing', 'rejected', 'failed'] as const;
const ACTORS = ['ann@example.org', 'bob@example.org'] as const;
const FIRST = Date.parse('2026-02-27T00:00:00.000Z'); // the days are in two months
const DAYS = 6;

const anyStatus = fc.constantFrom(...STATUSES);
const amount = fc.integer({ min: 1, max: 2_000_000 }).map((cents) => (cents / 100).toFixed(2));
const instant = fc.oneof(
  fc.integer({ min: 0, max: DAYS }).map((day) => new Date(FIRST + day * DAY_MS)),
  fc.integer({ min: 0, max: DAYS * 24 * HOUR_MS }).map((ms) => new Date(FIRST + ms)),
);

describe('List totals', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: UnitOfWork;
  let runs: TotalRuns;
  let now: Date;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openDatabase(
      { type: 'postgres', url: database.url, extra: PREPARING },
      () => undefined,
      { migrate: false },
    );
    unitOfWork = new UnitOfWork(dataSource);
    await dataSource.query('alter table withdrawal disable trigger user'); // they refuse changes of decided withdrawals
    now = new Date(FIRST + DAY_MS);
    runs = new TotalRuns(dataSource, unitOfWork, { now: () => now } as Clock);
    new ListSums(runs).onModuleInit();
    await dataSource.query(
      `insert into platform_user (id, email, created_at, updated_at) values ($1, 'ann@example.org', now(), now())`,
      [USER],
    );
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  type Step = () => Promise<unknown>;
  const insertWithdrawal =
    (sum: string, status: string, at: Date): Step =>
    () =>
      unitOfWork.runInTransaction(async (tx) => {
        const [{ id }] = await tx.query<[{ id: string }]>(
          `insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at, approved_at, approved_by)
           values (gen_random_uuid(), '${USER}', $1, 'USDC', '0x' || repeat('0', 40), 'valid', $2, $3, $3, 'somebody') returning id`,
          [sum, status, at],
        );
        markRecord(tx, 'withdrawal', id);
      });
  const changeWithdrawal =
    (number: number, status: string): Step =>
    () =>
      unitOfWork.runInTransaction(async (tx) => {
        const rows = await tx.query<{ id: string }[]>(
          'select id from withdrawal order by id offset $1 % greatest((select count(*) from withdrawal), 1) limit 1',
          [number],
        );
        for (const { id } of rows) {
          await tx.query('update withdrawal set status = $2 where id = $1', [id, status]);
          markRecord(tx, 'withdrawal', id);
        }
      });
  /** Entries of the audit log have no marks: they are found by their time, which is that of their transaction. */
  const insertEntry =
    (actor: string): Step =>
    () =>
      dataSource.query(
        `insert into audit_entry (id, at, actor, action, subject_type, subject_id)
         values (gen_random_uuid(), $1, $2, 'test.made', 'test', '1')`,
        [now, actor],
      );

  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(amount, anyStatus, instant).map((values) => insertWithdrawal(...values)),
    },
    { weight: 3, arbitrary: fc.tuple(fc.nat(), anyStatus).map((values) => changeWithdrawal(...values)) },
    { weight: 3, arbitrary: fc.constantFrom(...ACTORS).map(insertEntry) },
    { weight: 1, arbitrary: fc.constant(() => runs.runAll()) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 30 * 60_000 }).map((ms): Step => async () => {
        now = new Date(now.getTime() + ms);
      }),
    },
  );

  it('equal the sums over the rows after any changes and for any filter', async () => {
    const filterValues = fc.array(
      fc.record({ status: fc.option(anyStatus), from: fc.option(instant), until: fc.option(instant) }),
      { minLength: 8, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
        filterValues,
        async (steps, filters) => {
          for (const run of steps) await run();
          await runs.runAll();
          for (const filter of filters) {
            const fromTotals = await sums(filterOf(filter), filter);
            const rowByRow = await sums({ ...filterOf(filter), hasOtherConditions: true }, filter);
            expect([filter, fromTotals]).toEqual([filter, rowByRow]);
          }
          for (const actor of [null, ...ACTORS]) {
            const { total } = await countFromTotals(dataSource, { list: 'audit_entry', facets: [actor] });
            const [row] = await dataSource.query<object[]>(
              'select count(*)::int as total from audit_entry where $1::text is null or actor = $1',
              [actor],
            );
            expect([actor, { total }]).toEqual([actor, row]);
          }
        },
      ),
      { numRuns: repetitions(15) },
    );
  });

  interface FilterValues {
    status: string | null;
    from: Date | null;
    until: Date | null;
  }

  const WHERE = `($1::text is null or w.status = $1) and ($2::timestamptz is null or w.created_at >= $2)
    and ($3::timestamptz is null or w.created_at < $3)`;

  function filterOf({ status: facet, from, until }: FilterValues): ListTotalsFilter {
    return {
      list: 'withdrawal',
      facets: [facet],
      rows: { table: 'withdrawal as w', name: 'w', where: WHERE },
      time: { column: 'w.created_at', from, until },
    };
  }

  async function sums(
    filter: ListTotalsFilter,
    { status: facet, from, until }: FilterValues,
  ): Promise<unknown> {
    const parameters: unknown[] = [facet, from, until];
    const { total } = await countFromTotals(dataSource, filter, parameters);
    const [row] = await dataSource.query<object[]>(
      // The common table expression gives the parameters their types, since the totals do not always use them.
      `with filter_values as (select $1::text, $2::timestamptz, $3::timestamptz)
       select coalesce(sum(rows), 0)::int as rows, trim_scale(coalesce(sum(amount), 0)) as amount,
              trim_scale(coalesce(sum(since), 0)) as since from (${listTotals(filter, parameters)}) as totals`,
      parameters,
    );
    return { total, ...row };
  }

  const state = () =>
    dataSource.query<unknown[]>(
      `select list, facets, span, at, rows, trim_scale(amount) as amount from list_sum where span <> 'hour'
        order by list, span, at, facets`,
    );

  it('are computed again from all rows after every hour with a row is marked', async () => {
    await runs.runAll();
    const before = await state();
    expect(before.length).toBeGreaterThan(10);
    await dataSource.query('delete from list_sum');
    await dataSource.query('select mark_all_totals()');
    await runs.runAll();
    expect(await state()).toEqual(before);
  });

  it('are compared with the rows, and recomputed where they differ', async () => {
    const checks = new TotalChecks(runs, new Snapshots(dataSource), unitOfWork, { now: () => now } as Clock);
    await runs.runAll();
    const before = await state();
    expect(await checks.compareWithRows()).toEqual(new Map());
    const [row] = await dataSource.query<{ at: Date }[]>(
      `select min(at) as at from list_sum where list = 'withdrawal' and span = 'day'`,
    );
    await dataSource.query(
      `update list_sum set rows = rows + 1 where list = 'withdrawal' and span = 'day' and at = $1`,
      [row?.at],
    );
    await dataSource.query(`delete from list_sum where list = 'audit_entry' and span = 'day'`);
    const differing = await checks.compareWithRows();
    expect(differing.get('withdrawal')).toBe(24); // the hours of one day
    expect(differing.get('audit_entry')).toBeGreaterThanOrEqual(24);
    await runs.runAll();
    expect(await state()).toEqual(before);
    expect(await checks.compareWithRows()).toEqual(new Map());
  });

  it('keep sums by hour for two days and the present one, also after the clock has gone back', async () => {
    now = new Date(FIRST + 40 * DAY_MS);
    await insertWithdrawal('5', 'pending', now)();
    await runs.runAll();
    const hours = () =>
      dataSource.query(`select at from list_sum where list = 'withdrawal' and span = 'hour'`);
    expect(await hours()).toEqual([{ at: new Date(FIRST + 40 * DAY_MS) }]);
    now = new Date(FIRST + 5 * DAY_MS);
    await insertWithdrawal('7', 'pending', now)();
    await runs.runAll();
    expect(await hours()).toEqual([{ at: new Date(FIRST + 40 * DAY_MS) }]);
    const { total } = await countFromTotals(dataSource, { list: 'withdrawal', facets: [] });
    expect(await dataSource.query('select count(*)::int as total from withdrawal')).toEqual([{ total }]);
  });

  it('include a change that commits after the sums of its hour were recomputed', async () => {
    let commit = (): void => undefined;
    const mayCommit = new Promise<void>((resolve) => (commit = resolve));
    const total = async () => (await countFromTotals(dataSource, { list: 'withdrawal', facets: [] })).total;
    await runs.runAll();
    const before = await total();
    const late = unitOfWork.runInTransaction(async (tx) => {
      const [row] = await tx.query<{ id: string }[]>(
        `insert into withdrawal select (jsonb_populate_record(withdrawal, jsonb_build_object('id', gen_random_uuid()))).*
           from withdrawal limit 1 returning id`,
      );
      markRecord(tx, 'withdrawal', (row as { id: string }).id);
      await mayCommit;
    });
    await insertWithdrawal('1', 'pending', now)();
    await runs.runAll();
    expect(await total()).toBe(before + 1);
    commit();
    await late;
    await runs.runAll();
    expect(await total()).toBe(before + 2);
  });

  it('splits a period into whole days and the partial days at its ends', () => {
    const at = (text: string) => new Date(`2026-03-${text}Z`);
    expect(cutByDay({ from: at('02T10:00'), until: at('05T06:00') })).toEqual({
      first: '2026-03-03',
      last: '2026-03-04',
      partialDays: [
        { from: at('02T10:00'), until: at('03T00:00') },
        { from: at('05T00:00'), until: at('05T06:00') },
      ],
    });
    expect(cutByDay({ from: at('02T00:00'), until: at('04T00:00') })).toEqual({
      first: '2026-03-02',
      last: '2026-03-03',
      partialDays: [],
    });
    const hours = { from: at('02T10:00'), until: at('02T12:00') };
    expect(cutByDay(hours).partialDays).toEqual([hours]);
  });
});
