import fc from 'fast-check';
import { UptimeService } from '../../src/modules/backoffice/reports/dashboard-stats.service.js';
import type { TestAdmin } from '../fixtures/given.js';
import {
  expectedInvestments,
  expectedRevenue,
  expectedStats,
  expectedUsers,
  HOUR,
} from '../fixtures/expected-reports.js';
import { DAY } from '../fixtures/expected-values.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { caughtUp } from '../harness/caught-up.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring } from '../harness/queries.js';
import { SeededRandom } from '../harness/seeded-random.js';
import { readReportData } from '../fixtures/report-data.js';

// Ninety days of a dozen users; every figure is compared at several times with the reference implementation.

const FIRST_DAY = Date.parse('2026-01-28T00:00:00Z');
const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'];
const INTERVALS = ['hourly', 'daily', 'weekly', 'monthly'];
const USERS = 12;
const SEED = 20260302;

/** Times of comparison, ascending: the middle of an hour, midnights, the starts of a week and of a month. */
const READ_TIMES = [
  '2026-01-28T00:00:00.000Z', // no data
  '2026-02-01T00:00:00.000Z', // start of a month
  '2026-03-01T23:59:59.999Z',
  '2026-03-02T00:00:00.000Z', // a Monday
  '2026-03-17T10:20:30.400Z',
  '2026-04-27T18:00:00.000Z', // a Monday, the ninetieth day
].map((text) => Date.parse(text));

/** Date ranges of the requests: whole intervals, partial ones, and past ones. */
function rangesBefore(now: number): { from: number; to: number }[] {
  const tomorrow = now - (now % DAY) + DAY;
  return [
    { from: tomorrow - 31 * DAY, to: tomorrow },
    { from: tomorrow - DAY, to: tomorrow },
    { from: tomorrow - 60 * DAY, to: tomorrow - 17 * DAY },
    { from: Date.parse('2026-02-01'), to: Date.parse('2026-03-01') }, // a month of exactly four weeks
  ].filter(({ from, to }) => from < to && to <= tomorrow);
}

const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const queryOf = ({ from, to }: { from: number; to: number }) =>
  `startDate=${dayText(from)}&endDate=${dayText(to - 1)}`;

describe('The dashboard and the reports', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      at: new Date(FIRST_DAY).toISOString(),
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    // The uptime depends on real time.
    platform.app.get(UptimeService).setSource(async () => ({ percent: null, measuredMinutes: 0 }));
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  /** The data without the time of the sums. */
  const readReport = async (path: string): Promise<unknown> => {
    const { data } = await platform.as(admin).get(`/api/admin/${path}`);
    const asOf = data.asOf ?? data.summary.asOf; // the dashboard has it itself, a report in its summary
    // A job may have emitted an event meanwhile, which changes no figure.
    expect(new Date(asOf).getTime()).toBeLessThanOrEqual(platform.clock.now().getTime());
    delete data.asOf;
    delete data.summary?.asOf;
    return data;
  };

  /** Requests every report, compares it with the expected one and returns the answers. */
  async function compareAll(now: number): Promise<unknown[]> {
    await readReport('dashboard/stats'); // publishes the NAVs of the day
    const reportData = await readReportData(platform.dataSource);
    const answers: unknown[] = [];
    const check = async (path: string, expected: unknown) => {
      const answer = await readReport(path);
      expect([path, new Date(now), answer]).toEqual([path, new Date(now), expected]);
      answers.push(answer);
    };
    for (const period of PERIODS) {
      await check(`dashboard/stats?period=${period}`, expectedStats(reportData, period, now));
      for (const breakdown of [true, false])
        await check(
          `dashboard/revenue?period=${period}&breakdown=${breakdown}`,
          expectedRevenue(reportData, period, breakdown, now),
        );
    }
    for (const range of rangesBefore(now)) {
      await check(`reports/investments?${queryOf(range)}`, expectedInvestments(reportData, range, now));
      await check(`reports/revenue?${queryOf(range)}&breakdown=true`, {
        period: { startDate: dayText(range.from), endDate: dayText(range.to - 1) },
        ...expectedRevenue(reportData, range, true, now),
      });
      for (const interval of INTERVALS)
        await check(
          `reports/users?${queryOf(range)}&interval=${interval}`,
          expectedUsers(reportData, range, interval, now),
        );
    }
    return answers;
  }

  it('agree with figures computed from all rows, also after all sums are computed again', async () => {
    const random = new SeededRandom(SEED);
    const eventFixtures = new DomainEventFixtures(platform.app);
    const histories: UserHistory[] = [];
    const steps = fc.sample(historyStep, { seed: SEED, numRuns: 3000 }).filter(({ does }) => does !== 'wait');
    for (const instant of instantsOf(random)) {
      platform.clock.moveTo(new Date(instant));
      if (READ_TIMES.includes(instant)) {
        await compareAll(instant);
        continue;
      }
      if (histories.length < USERS && random.next() < 0.1)
        histories.push(
          new UserHistory(platform, eventFixtures, await platform.given.user().withBalance('3000.00')),
        );
      const history = histories[Math.floor(random.next() * histories.length)];
      const step = steps.pop();
      if (history && step) await history.apply(step);
      if (random.next() < 0.05) await caughtUp(platform);
    }
    const now = READ_TIMES.at(-1) as number;
    platform.clock.moveTo(new Date(now));
    const answersAfterChange = [];
    for (const change of ['select', 'select mark_all_totals()']) {
      await platform.dataSource.query(change);
      answersAfterChange.push(await compareAll(now));
    }
    expect(answersAfterChange[1]).toEqual(answersAfterChange[0]);
  });

  it('have been compared on data that covers every case (control)', async () => {
    const now = READ_TIMES.at(-1) as number;
    const reportData = await readReportData(platform.dataSource);
    expect(reportData.users).toHaveLength(USERS);
    const statuses = new Set(reportData.statuses);
    expect([...statuses].sort()).toEqual(['active', 'cancelled', 'closed', 'pending']);
    expect(reportData.investments.some(({ count }) => count < 0)).toBe(true); // some were moved
    expect(reportData.performanceFees.length).toBeGreaterThan(5);
    expect(reportData.investedPeriods.filter(({ to }) => to < now).length).toBeGreaterThan(5); // some users returned
    expect(reportData.completedTransfers.some(({ tookMs }) => tookMs > 0)).toBe(true);
    const onTheHour = reportData.principal.filter(({ at }) => at % HOUR === 0);
    expect(onTheHour.filter(({ at }) => at % DAY === 0).length).toBeGreaterThan(5);
    expect(onTheHour.length).toBeLessThan(reportData.principal.length);
  });

  it('need the same number of SQL statements for any range', async () => {
    const paths = [
      ['dashboard/stats?period=24h', 'dashboard/stats?period=1y'],
      ['dashboard/revenue?period=24h', 'dashboard/revenue?period=1y&breakdown=true'],
      [
        'reports/users?startDate=2026-04-27&interval=monthly',
        'reports/users?startDate=2026-04-01&interval=hourly',
      ],
      ['reports/investments?startDate=2026-04-27', 'reports/investments?startDate=2026-01-01'],
      ['reports/revenue?startDate=2026-04-27', 'reports/revenue?startDate=2026-01-01&breakdown=true'],
    ] as const;
    for (const pair of paths) {
      const counts: number[] = [];
      for (const path of pair) counts.push((await fewestQueriesDuring(() => readReport(path))).length);
      expect([pair, counts[0]]).toEqual([pair, counts[1]]);
      expect(counts[0]).toBeLessThanOrEqual(7); // begin, rollback and the reads
    }
  });
});

/** Times of the operations (some on the hour, some at midnight) and of the comparisons. */
function instantsOf(random: SeededRandom): number[] {
  const last = READ_TIMES.at(-1) as number;
  const instants = [...READ_TIMES];
  for (let day = FIRST_DAY; day < last - DAY; day += DAY) {
    for (let count = 0; count < 6; count++) {
      const at = day + Math.floor(random.next() * DAY);
      const startOfHour = at - (at % HOUR);
      instants.push([at, at, startOfHour, day][count % 4] as number);
    }
  }
  return instants.sort((a, b) => a - b);
}
