import fc from 'fast-check';
import type { TestAdmin } from '../fixtures/given.js';
import {
  DAY,
  expectedInvestments,
  expectedRevenue,
  expectedStats,
  expectedUsers,
  HOUR,
} from '../fixtures/expected-reports.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring } from '../harness/queries.js';
import { readReportData } from '../fixtures/report-data.js';

// Ninety days of a dozen people, and every figure compared with one worked out from every row, at several moments.

const FIRST_DAY = Date.parse('2026-01-28T00:00:00Z');
const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'];
const INTERVALS = ['hourly', 'daily', 'weekly', 'monthly'];
const USERS = 12;
const SEED = 20260302;

/** Moments to look at, in the order of time: the middle of an hour, midnights, a Monday's and a month's among them. */
const LOOKS = [
  '2026-01-28T00:00:00.000Z', // before anything has happened
  '2026-02-01T00:00:00.000Z', // a month begins
  '2026-03-01T23:59:59.999Z',
  '2026-03-02T00:00:00.000Z', // a Monday
  '2026-03-17T10:20:30.400Z',
  '2026-04-27T18:00:00.000Z', // a Monday, ninety days later
].map((text) => Date.parse(text));

/** The days before a look as the reports are asked for them: some whole intervals, some cut, some in the past. */
function rangesAt(now: number): { from: number; to: number }[] {
  const tomorrow = now - (now % DAY) + DAY;
  return [
    { from: tomorrow - 31 * DAY, to: tomorrow },
    { from: tomorrow - DAY, to: tomorrow },
    { from: tomorrow - 60 * DAY, to: tomorrow - 17 * DAY },
    { from: Date.parse('2026-02-01'), to: Date.parse('2026-03-01') }, // a month of four whole weeks and days
  ].filter(({ from, to }) => from < to && to <= tomorrow);
}

const queryOf = ({ from, to }: { from: number; to: number }) =>
  `startDate=${new Date(from).toISOString().slice(0, 10)}&endDate=${new Date(to - 1).toISOString().slice(0, 10)}`;

describe('The dashboard and the reports', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      at: new Date(FIRST_DAY).toISOString(),
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
  });
  afterAll(() => platform.stop());

  const ask = async (path: string) => (await platform.as(admin).get(`/api/admin/${path}`)).data as unknown;
  const fold = () => platform.dataSource.query('select compact_report_totals()');

  /** Everything that can be asked now, and what it should answer. */
  async function compare(now: number): Promise<unknown[]> {
    await ask('dashboard/stats'); // publishes the day's values, as every reader does
    const reportData = await readReportData(platform.dataSource);
    const answers: unknown[] = [];
    const check = async (path: string, expected: unknown) => {
      const answer = await ask(path);
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
    for (const range of rangesAt(now)) {
      await check(`reports/investments?${queryOf(range)}`, expectedInvestments(reportData, range, now));
      for (const interval of INTERVALS)
        await check(
          `reports/users?${queryOf(range)}&interval=${interval}`,
          expectedUsers(reportData, range, interval, now),
        );
    }
    return answers;
  }

  it('agree with every row at every moment, whatever was folded of them', async () => {
    const random = randomNumbers(SEED);
    const happens = new DomainEventFixtures(platform.app);
    const lives: UserHistory[] = [];
    const steps = fc.sample(historyStep, { seed: SEED, numRuns: 3000 }).filter(({ does }) => does !== 'wait');
    for (const instant of instantsOf(random)) {
      platform.clock.moveTo(new Date(instant));
      if (LOOKS.includes(instant)) {
        await compare(instant);
        continue;
      }
      if (lives.length < USERS && random() < 0.1)
        lives.push(new UserHistory(platform, happens, await platform.given.user().withBalance('3000.00')));
      const history = lives[Math.floor(random() * lives.length)];
      const next = steps.pop();
      if (history && next) await history.apply(next);
      if (random() < 0.05) await fold();
    }
    const now = LOOKS.at(-1) as number;
    platform.clock.moveTo(new Date(now));
    const folded = [];
    for (const change of ['select compact_report_totals()', 'select rebuild_report_totals()']) {
      await platform.dataSource.query(change);
      folded.push(await compare(now));
    }
    expect(folded[1]).toEqual(folded[0]);
  });

  it('were about a life in which everything happened', async () => {
    const now = LOOKS.at(-1) as number;
    const reportData = await readReportData(platform.dataSource);
    expect(reportData.users).toHaveLength(USERS + 1); // and the admin, who signed in with the identity provider
    expect(new Set(reportData.investments.map(({ status }) => status)).size).toBe(4);
    expect(reportData.performanceFees.length).toBeGreaterThan(5);
    expect(reportData.investedPeriods.filter(({ to }) => to < now).length).toBeGreaterThan(5); // left, and some came again
    expect(reportData.completedTransfers.some(({ tookMs }) => tookMs > 0)).toBe(true);
    const onTheHour = reportData.principal.filter(({ at }) => at % HOUR === 0);
    expect(onTheHour.filter(({ at }) => at % DAY === 0).length).toBeGreaterThan(5);
    expect(onTheHour.length).toBeLessThan(reportData.principal.length);
  });

  it('cost the same few statements however much there is to tell', async () => {
    const paths = [
      ['dashboard/stats?period=24h', 'dashboard/stats?period=1y'],
      ['dashboard/revenue?period=24h', 'dashboard/revenue?period=1y&breakdown=true'],
      [
        'reports/users?startDate=2026-04-27&interval=monthly',
        'reports/users?startDate=2026-04-01&interval=hourly',
      ],
      ['reports/investments?startDate=2026-04-27', 'reports/investments?startDate=2026-01-01'],
    ] as const;
    for (const pair of paths) {
      const counts: number[] = [];
      for (const path of pair) counts.push((await fewestQueriesDuring(() => ask(path))).length);
      expect([pair, counts[0]]).toEqual([pair, counts[1]]);
      expect(counts[0]).toBeLessThanOrEqual(7); // begin, rollback, and what is read in between
    }
  });
});

/** The instants at which something happens: some of a day on the hour, some at midnight; and the looks. */
function instantsOf(random: () => number): number[] {
  const last = LOOKS.at(-1) as number;
  const instants = [...LOOKS];
  for (let day = FIRST_DAY; day < last - DAY; day += DAY) {
    for (let place = 0; place < 6; place++) {
      const at = day + Math.floor(random() * DAY);
      instants.push([at, at, at - (at % HOUR), day][place % 4] as number);
    }
  }
  return instants.sort((a, b) => a - b);
}

/** The same numbers from 0 to 1 at every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
