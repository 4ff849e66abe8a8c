import { addDays, daysBetween } from '../../../src/common/days.js';
import { Money } from '../../../src/common/money.js';
import { InvestmentClosingsService } from '../../../src/modules/investing/investments/investment-closings.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS, InvestmentSteps } from '../../fixtures/investments.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface GrowthOnDay {
  date: string;
  strategyId: string;
  growth: string;
}
interface Digest {
  from: string;
  to: string;
  days: number;
  growth: string;
}

const sum = (texts: string[]) => Money.sum(texts.map((text) => Money.of(text))).toWire();

// From 28 December 2026 to 3 March 2028: Ann's investments end, move and shrink around the end of 2027 and the leap day of 2028;
// Bea has one investment of 1000.00, which nothing changes.
describe('The date of growth', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let bea: TestUser;
  let growth: GrowthOnDay[];

  const read = async (path: string, user = ann) => (await platform.as(user).get(path)).data;
  const statement = (from: string, to: string, user = ann) =>
    read(`/api/user/statement?from=${from}&to=${to}`, user);
  const history = (from: string, to: string, interval = 'daily', user = ann) =>
    read(`/api/user/balance/history?startDate=${from}&endDate=${to}&interval=${interval}`, user);
  const file = async (format: string) => {
    const query = `from=2026-12-28&to=2028-03-03&format=${format}`;
    const headers = { authorization: `Bearer ${ann.token}` };
    return (await sendRequest(`${platform.baseUrl}/api/user/statement?${query}`, { headers })).text;
  };
  const growthBetween = (from: string, to: string) =>
    sum(growth.filter(({ date }) => date >= from && date <= to).map((day) => day.growth));
  const digests = async (): Promise<Digest[]> =>
    (await read('/api/user/notifications?type=earning&orderBy=asc')).map(
      ({ metadata }: { metadata: Digest }) => metadata,
    );

  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-12-28T10:00:00.000Z' });
    const steps = new InvestmentSteps(platform);
    /** Reading the notifications inserts the digest of the days since the last one. */
    const readDigestAt = async (instant: string) => {
      platform.clock.moveTo(instant);
      await digests();
    };
    ann = await platform.given.user().withBalance('10000.00');
    bea = await platform.given.user().withBalance('1000.00');
    await steps.create(bea, '1000.00');
    const [shrinking, closed, cancelled, moved] = [
      await steps.create(ann, '1000.00'),
      await steps.create(ann, '700.00', 'aggressive-20'),
      await steps.create(ann, '333.333333', 'conservative-5'),
      await steps.create(ann, '2000.00', 'aggressive-20'),
    ];
    await readDigestAt('2027-01-01T00:00:00.000Z');
    platform.clock.moveTo('2027-12-31T23:59:59.999Z');
    await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await readDigestAt('2028-01-01T00:00:00.000Z');
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    platform.clock.moveTo('2028-02-28T12:00:00.000Z');
    const admin = { email: 'admin@example.com' };
    await platform.app.get(InvestmentClosingsService).close(shrinking, '250.00', admin);
    platform.clock.moveTo('2028-02-29T12:00:00.000Z');
    await steps.move(ann, moved, 'balanced-10');
    await readDigestAt('2028-03-01T08:00:00.000Z');
    platform.clock.moveTo('2028-03-03T09:00:00.000Z');
    growth = (await statement('2026-12-28', '2028-03-03')).growth;
  });
  afterAll(() => platform?.stop());

  it('is the day that was earned in full, from the day after the investment to yesterday', async () => {
    const days = [...new Set(growth.map(({ date }) => date))];
    expect([days[0], days.at(-1)]).toEqual(['2026-12-29', '2028-03-02']);
    expect(days).toHaveLength(430); // 3 days of 2026, 365 of 2027, 62 of 2028
    const ofCancelled = growth.filter(({ strategyId }) => strategyId === 'conservative-5');
    expect(ofCancelled.at(-1)?.date).toBe('2027-12-31'); // cancelled at the midnight that ended this day
  });

  it('gives the growth of 2027, for an investment of 1000.00 at 10 %', async () => {
    // 1000 × (1.1^(368/365) − 1.1^(3/365)): three days of 2026 and the 365 of 2027 have been earned
    const expected = '100.078368';
    const { growth: days } = await statement('2027-01-01', '2027-12-31', bea);
    expect(sum(days.map((day: GrowthOnDay) => day.growth))).toBe(expected);
    const months = await history('2027-01-01', '2027-12-31', 'monthly', bea);
    expect(sum(months.map((month: GrowthOnDay) => month.growth))).toBe(expected);
  });

  it.each(['daily', 'weekly', 'monthly'])(
    'is the same in the %s history of the balance as in the statement',
    async (interval) => {
      const days = await history('2026-12-28', '2028-03-03', interval);
      // A point of the history has the days since the point before it. The growth of today, 3 March, is not known yet.
      const starts = ['2026-12-28', ...days.map(({ date }: { date: string }) => addDays(date, 1))];
      const expected = days.map(({ date }: { date: string }, index: number) =>
        starts[index] === '2028-03-03' ? null : growthBetween(starts[index], date),
      );
      expect(days.map((day: GrowthOnDay) => day.growth)).toEqual(expected);
    },
  );

  it('is the same in the charts of the dashboard as in the statement', async () => {
    const { charts } = await read('/api/user/dashboard?includeCharts=true&period=90');
    const days: string[] = charts.earningsHistory.map(({ date }: { date: string }) => date);
    expect([days[0], days.at(-1)]).toEqual(['2027-12-04', '2028-03-02']);
    expect(charts.earningsHistory).toEqual(
      days.map((date) => ({ date, earnings: growthBetween(date, date) })),
    );
  });

  it('is the same in the digests of notifications as in the statement', async () => {
    const shown = await digests();
    expect(shown.map(({ from, to }) => [from, to])).toEqual([
      ['2026-12-29', '2026-12-31'],
      ['2027-01-01', '2027-12-31'],
      ['2028-01-01', '2028-02-29'],
      ['2028-03-01', '2028-03-02'],
    ]);
    for (const digest of shown) {
      expect(digest.days).toBe(daysBetween(digest.from, digest.to) + 1);
      expect([digest.from, digest.growth]).toEqual([digest.from, growthBetween(digest.from, digest.to)]);
    }
  });

  it('is the same in the CSV file and the journal of the statement as in its JSON', async () => {
    const csv = (await file('csv')).split('\r\n').filter((line) => line.startsWith('growth,'));
    expect(csv).toEqual(growth.map((day) => `growth,${day.date},,,,${day.strategyId},,${day.growth},,,,,,,`));
    const journal = (await file('journal')).split('\n').filter((line) => line.startsWith('; growth '));
    expect(journal).toEqual(growth.map((day) => `; growth ${day.date} ${day.strategyId} ${day.growth} USDC`));
  });

  it('is a day earlier than the change of the balance, which includes growth from the following midnight on', async () => {
    const days = await history('2027-12-30', '2028-01-02', 'daily', bea);
    const accrued = days.map((day: { accruedEarnings: string }) => Money.of(day.accruedEarnings));
    const rises = accrued.slice(1).map((value: Money, index: number) => value.minus(accrued[index]).toWire());
    expect(rises).toEqual(days.slice(0, -1).map((day: GrowthOnDay) => day.growth));
    const { closing } = await statement('2027-01-01', '2027-12-31', bea);
    expect(closing.accruedEarnings).toBe(days[1].accruedEarnings);
  });
});
