import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { countFromTotals } from './count-rows.js';
import { openDatabase } from '../database/data-source.js';
import { PREPARING } from '../database/prepared.js';
import { cutByDay, listTotals, type ListTotalsFilter } from './list-totals.js';
import { repetitions } from '../../test/harness/repetitions.js';
import { HOUR_MS } from '../common/durations.js';

const USER = '00000000-0000-7000-8000-000000000001';
const STATUSES = ['pending', 'approved', 'processing', 'rejected', 'failed'] as const;
const FIRST = Date.parse('2026-03-01T00:00:00.000Z');
const DAYS = 6;

const anyStatus = fc.constantFrom(...STATUSES);
/** Mostly near the ends of the amount bands, where errors are likely. */
const amount = fc.oneof(
  fc.constantFrom(
    '0.5',
    '0.999999',
    '1',
    '9.99',
    '9.999999',
    '10',
    '99.9',
    '100',
    '100.5',
    '101',
    '1000',
    '1009.99',
  ),
  fc.integer({ min: 1, max: 2_000_000 }).map((cents) => (cents / 100).toFixed(2)),
);
const instant = fc.oneof(
  fc.integer({ min: 0, max: DAYS }).map((day) => new Date(FIRST + 24 * day * HOUR_MS)),
  fc.integer({ min: 0, max: DAYS * 24 * HOUR_MS }).map((ms) => new Date(FIRST + ms)),
);

describe('List totals', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openDatabase(
      { type: 'postgres', url: database.url, extra: PREPARING },
      () => undefined,
      {
        migrate: false,
      },
    );
    await dataSource.query(
      `insert into platform_user (id, email, created_at, updated_at) values ($1, 'ann@example.org', now(), now())`,
      [USER],
    );
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const WITHDRAWAL = `insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at, approved_at, approved_by)
    values (gen_random_uuid(), '${USER}', $1, 'USDC', '0x' || repeat('0', 40), 'valid', $2, $3, $3, 'somebody')`;
  /** The id of some withdrawal, selected by the number $1. */
  const ANY_ID =
    '(select id from withdrawal order by id offset $1 % greatest((select count(*) from withdrawal), 1) limit 1)';

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant(WITHDRAWAL), fc.tuple(amount, anyStatus, instant)) },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.constant(`update withdrawal set status = $2 where id = ${ANY_ID}`),
        fc.tuple(fc.nat(), anyStatus),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant(`update withdrawal set note = 'seen' where id = ${ANY_ID}`),
        fc.tuple(fc.nat()),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant(`delete from withdrawal where id = ${ANY_ID}`), fc.tuple(fc.nat())),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant('select compact_list_totals()'), fc.constant([])) },
  );

  it('equal the sums over the rows after any changes and for any filter', async () => {
    const filterValues = fc.array(
      fc.record({
        status: fc.option(anyStatus),
        from: fc.option(instant),
        until: fc.option(instant),
        least: fc.option(amount),
      }),
      { minLength: 8, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
        filterValues,
        async (steps, filters) => {
          for (const [sql, parameters] of steps) await dataSource.query(sql, [...parameters]);
          for (const filter of filters) {
            const fromTotals = await sums(filterOf(filter), filter);
            const rowByRow = await sums({ ...filterOf(filter), hasOtherConditions: true }, filter);
            expect([filter, fromTotals]).toEqual([filter, rowByRow]);
          }
        },
      ),
      { numRuns: repetitions(25) },
    );
  });

  interface FilterValues {
    status: string | null;
    from: Date | null;
    until: Date | null;
    least: string | null;
  }

  const WHERE = `($1::text is null or w.status = $1) and ($2::timestamptz is null or w.created_at >= $2)
    and ($3::timestamptz is null or w.created_at < $3) and ($4::numeric is null or w.amount >= $4)`;

  function filterOf({ status: facet, from, until, least }: FilterValues): ListTotalsFilter {
    return {
      list: 'withdrawal',
      facets: [facet],
      rows: { table: 'withdrawal as w', name: 'w', where: WHERE },
      time: { column: 'w.created_at', from, until },
      least: { column: 'w.amount', amount: least },
    };
  }

  async function sums(
    filter: ListTotalsFilter,
    { status: facet, from, until, least }: FilterValues,
  ): Promise<unknown> {
    const parameters: unknown[] = [facet, from, until, least];
    const total = await countFromTotals(dataSource, filter, parameters);
    const [row] = await dataSource.query<object[]>(
      // The common table expression gives the parameters their types, since the totals do not always use them.
      `with filter_values as (select $1::text, $2::timestamptz, $3::timestamptz, $4::numeric)
       select coalesce(sum(rows), 0)::int as rows, trim_scale(coalesce(sum(amount), 0)) as amount,
              trim_scale(coalesce(sum(since), 0)) as since from (${listTotals(filter, parameters)}) as totals`,
      parameters,
    );
    return { total, ...row };
  }

  it('can be rebuilt from the rows', async () => {
    const state = () =>
      dataSource.query<unknown[]>(
        `select list, facets, span, place, rows, trim_scale(amount) as amount from list_total where rows <> 0
          order by list, span, place, facets`,
      );
    for (const [index, status] of STATUSES.entries())
      for (let day = 0; day < DAYS; day++) {
        const createdAt = new Date(FIRST + 24 * day * HOUR_MS);
        await dataSource.query(WITHDRAWAL, [String(index * DAYS + day + 1), status, createdAt]);
      }
    await dataSource.query('select compact_list_totals()');
    const before = await state();
    expect(before.length).toBeGreaterThan(20);
    await dataSource.query('select rebuild_list_totals()');
    expect(await state()).toEqual(before);
  });

  it('are compacted, like those of reports, with plans that a connection makes once', async () => {
    const functions = await dataSource.query<{ proconfig: string[] }[]>(
      `select proconfig from pg_proc where proname in ('compact_list_totals', 'compact_report_totals') and pronargs = 1`,
    );
    expect(functions).toHaveLength(2);
    for (const { proconfig } of functions) expect(proconfig).toContain('plan_cache_mode=force_generic_plan');
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
