import fc from 'fast-check';
import { addDays, startOfDay } from '../../src/common/days.js';
import { startNavFixture, STRATEGY_IDS, type NavFixture } from '../fixtures/nav-fixture.js';
import { repetitions } from '../harness/repetitions.js';
import { toInvestmentItemResponse } from '../../src/modules/investing/investments/investments.mapper.js';
import { toInvestmentsSummaryResponse } from '../../src/modules/investing/investments/portfolio.mapper.js';

const FIRST = '2026-03-02';
const SECOND_MS = 1000;
const APY: Record<string, string> = { 'conservative-5': '5', 'balanced-10': '10', 'aggressive-20': '20' };

/** An investment made `start` days after FIRST at a given second of the day, and valued `held` days later. */
const plan = fc.record({
  strategyId: fc.constantFrom(...STRATEGY_IDS),
  micros: fc.bigInt(10_000_000n, 1_000_000_000_000n), // 10.000000 to 1000000.000000 USDC
  start: fc.integer({ min: 0, max: 30 }),
  held: fc.integer({ min: 0, max: 60 }),
  second: fc.integer({ min: 0, max: 86_399 }),
});

function decimal(micros: bigint): string {
  const digits = micros.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

describe('The value of an investment', () => {
  let fixture: NavFixture;
  beforeEach(async () => {
    fixture = await startNavFixture(`${FIRST}T00:00:00Z`);
  });
  afterEach(() => fixture.stop());

  /** amount × (1 + apy/100)^(days/365), computed independently by PostgreSQL. */
  async function expectedValue(amount: string, strategyId: string, days: number): Promise<string> {
    const [row] = await fixture.dataSource.query<{ value: string }[]>(
      `select trim_scale(round($1::numeric * power(1 + $2::numeric(60, 45) / 100, $3::numeric(60, 45) / 365), 6)) as value`,
      [amount, APY[strategyId], days],
    );
    const [whole, fraction = ''] = (row?.value ?? '').split('.') as [string, string?];
    return `${whole}.${fraction.padEnd(2, '0')}`;
  }

  it('equals the APY formula to six decimals for any amount, strategy and number of days', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 30 }), async (plans) => {
        await fixture.stop();
        fixture = await startNavFixture(`${FIRST}T00:00:00Z`);
        const user = await fixture.user('100000000');
        const valuations: { id: string; amount: string; strategyId: string; day: string; days: number }[] =
          [];
        for (const { strategyId, micros, start, held, second } of plans.sort((a, b) => a.start - b.start)) {
          fixture.clock.moveTo(new Date(startOfDay(addDays(FIRST, start)).getTime() + second * SECOND_MS));
          const amount = decimal(micros);
          const { id } = await fixture.investments.create(user, { strategyId, amount });
          // An investment earns for full days: not for the day of its creation and not for the current day.
          valuations.push({
            id,
            amount,
            strategyId,
            day: addDays(FIRST, start + held),
            days: Math.max(held - 1, 0),
          });
        }
        for (const { id, amount, strategyId, day, days } of valuations.sort((a, b) =>
          a.day < b.day ? -1 : 1,
        )) {
          if (day < fixture.clock.today()) continue; // the clock cannot move back
          fixture.clock.moveTo(startOfDay(day));
          const { currentValue } = await fixture.detail(user, id);
          expect(currentValue).toBe(await expectedValue(amount, strategyId, days));
        }
      }),
      { numRuns: repetitions(8) },
    );
  });

  it('is 110.00 after a year of 365 days at 10 %', async () => {
    const user = await fixture.user('100');
    const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '100' });
    // An investment of 2 March earns from 3 March on. The 365th full day has passed on day 366.
    fixture.clock.moveTo(startOfDay(addDays(FIRST, 366)));
    expect((await fixture.detail(user, id)).currentValue).toBe('110.00');
  });

  it('grows first at the second midnight after its creation at any time of the day', async () => {
    const user = await fixture.user('2000');
    const invest = async () =>
      (await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '1000' })).id;
    const valueOf = async (id: string) => (await fixture.detail(user, id)).currentValue;
    const nextYieldOf = async (id: string) => (await fixture.detail(user, id)).nextYieldDate;

    fixture.clock.moveTo('2026-03-02T23:59:59Z');
    const before = await invest();
    fixture.clock.moveTo('2026-03-03T00:00:00Z');
    const after = await invest();

    expect([await valueOf(before), await valueOf(after)]).toEqual(['1000.00', '1000.00']);
    expect([await nextYieldOf(before), await nextYieldOf(after)]).toEqual([
      '2026-03-04T00:00:00.000Z',
      '2026-03-05T00:00:00.000Z',
    ]);
    fixture.clock.moveTo('2026-03-03T23:59:59.999Z');
    expect(await valueOf(before)).toBe('1000.00');
    fixture.clock.moveTo('2026-03-04T00:00:00Z');
    // 1000 × 1.1^(1/365) = 1000.261157876…: one full day (3 March) for the first, none for the second
    expect([await valueOf(before), await valueOf(after)]).toEqual(['1000.261158', '1000.00']);
    expect([await nextYieldOf(before), await nextYieldOf(after)]).toEqual([
      '2026-03-05T00:00:00.000Z',
      '2026-03-05T00:00:00.000Z',
    ]);
    fixture.clock.moveTo('2026-03-05T12:00:00Z');
    // 1000 × 1.1^(2/365) = 1000.522383955…
    expect([await valueOf(before), await valueOf(after)]).toEqual(['1000.522384', '1000.261158']);
  });

  it('is part of the total in the summary, which is the sum over the list', async () => {
    const user = await fixture.user('1000000');
    const amounts = fc.sample(fc.bigInt(10_000_000n, 20_000_000_000n), 25).map(decimal);
    for (const [index, amount] of amounts.entries()) {
      await fixture.investments.create(user, { strategyId: STRATEGY_IDS[index % 3] as string, amount });
    }
    fixture.clock.moveTo('2026-03-30T00:00:00Z');
    const { rows, groups } = await fixture.portfolio.listInvestments(user, {
      page: 1,
      limit: 100,
      cursor: undefined,
      sortBy: 'currentValue',
      orderBy: 'asc',
    });
    const toMicros = (text: string) =>
      BigInt(text.replace(/\.(\d+)$/, (_, fraction: string) => fraction.padEnd(6, '0')));
    const micros = rows.map(toInvestmentItemResponse).map(({ currentValue }) => toMicros(currentValue));
    expect(micros).toEqual([...micros].sort((a, b) => (a < b ? -1 : 1)));
    const total = toInvestmentsSummaryResponse(groups).totalCurrentValue;
    expect(toMicros(total)).toBe(micros.reduce((a, b) => a + b));
  });

  it('does not change while its strategy is suspended, and grows again afterwards', async () => {
    const user = await fixture.user('1000');
    const { id } = await fixture.investments.create(user, { strategyId: 'balanced-10', amount: '1000' });
    const suspended = fixture.newInstance(fixture.clock, { SUSPENDED_STRATEGIES: ['balanced-10'] });
    fixture.clock.moveTo('2026-03-03T10:00:00Z');
    await fixture.navs.publishMissingNavs(); // publishes 3 March at the target rate
    fixture.clock.moveTo('2026-03-10T10:00:00Z');
    const paused = await suspended.detail(user, id);
    expect(paused).toMatchObject({ status: 'paused', currentValue: '1000.261158', nextYieldDate: null });
    expect(paused.performance).toMatchObject({ dailyYield: '0.00', projectedAnnualReturn: '0.00' });

    const running = fixture.newInstance();
    fixture.clock.moveTo('2026-03-12T10:00:00Z');
    // the 11th earns again: 1000 × 1.1^(2/365)
    expect(await running.detail(user, id)).toMatchObject({
      status: 'active',
      currentValue: '1000.522384',
    });
  });
});
