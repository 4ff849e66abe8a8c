import { Money } from '../../../common/money.js';
import { startNavFixture, type NavFixture } from '../../../../test/fixtures/nav-fixture.js';
import { toClosedInvestmentResponse } from '../investments/investments.mapper.js';
import { correctionFactor, dailyFactor } from './domain/apy.js';
import type { YieldReportInput } from './yield-reports.service.js';

const ID = 'balanced-10';

describe('reports of achieved yield', () => {
  let fixture: NavFixture;
  beforeEach(async () => {
    fixture = await startNavFixture('2026-03-02T10:00:00Z');
    await fixture.navs.publishMissingNavs(); // values of the 2nd and 3rd are published
  });
  afterEach(() => fixture.stop());

  const report = (eventId: string, day: string, apy: string, more: Partial<YieldReportInput> = {}) =>
    fixture.reports.record({ eventId, strategyId: ID, day, apy, ...more });
  /** Invests an amount on the day of the test. */
  const invest = async (amount: string) =>
    fixture.investments.create(await fixture.user(amount), { strategyId: ID, amount });
  const factor = (apy: string) => dailyFactor(Money.of(apy));

  async function nav(day: string): Promise<{ nav: string; apy: string; source: string }> {
    const [row] = await fixture.dataSource.query(
      'select nav, apy, source from strategy_nav where strategy_id = $1 and day = $2',
      [ID, day],
    );
    return row;
  }

  async function publishUntil(day: string): Promise<void> {
    fixture.clock.moveTo(`${day}T00:00:00Z`);
    await fixture.navs.publishMissingNavs();
  }

  it('set the rate of an unpublished day', async () => {
    expect(await report('e1', '2026-03-03', '12')).toEqual({ state: 'rate', duplicate: false });
    await publishUntil('2026-03-04');
    // target on the 2nd, 12 % on the 3rd, target again on the 4th
    expect(await nav('2026-03-04')).toEqual({
      nav: await navTimes('2026-03-03', factor('12')),
      apy: '12',
      source: 'reported',
    });
    expect(await nav('2026-03-05')).toMatchObject({ apy: '10', source: 'target' });
  });

  it('set the rate by the last of several reports', async () => {
    await report('e1', '2026-03-03', '12');
    await report('e2', '2026-03-03', '9.5');
    await publishUntil('2026-03-03');
    expect(await nav('2026-03-04')).toMatchObject({ apy: '9.5', source: 'reported' });
  });

  it('correct the next value if the value after their day is published already', async () => {
    const published = await nav('2026-03-03');
    expect(await report('e1', '2026-03-02', '8')).toEqual({ state: 'fold', duplicate: false });
    await publishUntil('2026-03-04');

    expect(await nav('2026-03-03')).toEqual(published); // published values never change
    const corrected = factor('10').times(correctionFactor(Money.of('8'), Money.of('10')));
    expect((await nav('2026-03-04')).nav).toBe(await navTimes('2026-03-03', corrected));
    expect((await nav('2026-03-05')).nav).toBe(await navTimes('2026-03-04', factor('10')));
    // 8 % for one day and 10 % for one day, in any order: (1.08 × 1.10)^(1/365), to the twentieth decimal
    const value = Money.of((await nav('2026-03-04')).nav);
    expect(value.toFixed(20)).toBe(factor('8').times(factor('10')).toFixed(20));
  });

  it('correct the next value by the last of several reports of a published day', async () => {
    await report('e1', '2026-03-02', '8');
    await report('e2', '2026-03-02', '11');
    await publishUntil('2026-03-03');
    // as if 11 % had been used from the start: the 2nd at 11 %, the 3rd at the target
    expect(Money.of((await nav('2026-03-04')).nav).toFixed(20)).toBe(
      factor('11').times(factor('10')).toFixed(20),
    );
  });

  it('reduce the value of a closing if the day had a loss', async () => {
    await fixture.stop();
    fixture = await startNavFixture('2026-03-02T10:00:00Z', { YIELD_TOLERANCE_PERCENT: Money.of('100') });
    const user = await fixture.user('1000');
    const { id } = await fixture.investments.create(user, { strategyId: ID, amount: '1000' });
    await report('e1', '2026-03-03', '-20');
    await publishUntil('2026-03-04');
    const closed = await fixture.investments.close(user, id);
    // 1000 × 0.8^(1/365) = 999.388834642…; fee 1000 × 0.50 % × 2 / 365 = 0.027397; paid 999.361438
    expect(toClosedInvestmentResponse(closed)).toMatchObject({
      finalValue: '999.388835',
      totalEarnings: '-0.611165',
      withdrawnAmount: '999.361438',
    });
    expect((await fixture.platformBalance('strategy.accrued', ID)).isZero()).toBe(true);
  });

  // The target is 10 % a year; the tolerance is five percentage points.
  it.each(['15.01', '4.99'])(
    'wait for an admin if %s %% is beyond the tolerance, and change nothing',
    async (apy) => {
      expect(await report('e1', '2026-03-03', apy, { realisedAmount: '50' })).toEqual({
        state: 'waiting',
        duplicate: false,
      });
      await publishUntil('2026-03-04');
      expect(await nav('2026-03-04')).toMatchObject({ apy: '10', source: 'target' });
      expect((await fixture.platformBalance('income.strategy-yield', '')).isZero()).toBe(true);
    },
  );

  it.each(['15', '5'])('are applied at %s %%, the limit of the tolerance', async (apy) => {
    expect((await report('e1', '2026-03-03', apy)).state).toBe('rate');
  });

  it('are applied once if the same event arrives repeatedly or concurrently', async () => {
    await invest('82000'); // growth of a day at 12 %: 82000 × (1.12^(1/365) − 1) = 25.46
    const results = await Promise.all(
      Array.from({ length: 8 }, () => report('e1', '2026-03-02', '12', { realisedAmount: '25.5' })),
    );
    expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await report('e1', '2026-03-02', '12')).toEqual({ state: 'fold', duplicate: true });
    const [row] = await fixture.dataSource.query(
      `select sum(amount) as income from ledger_entry
        where account_id = (select id from ledger_account where kind = 'income.strategy-yield')`,
    );
    expect(row.income).toBe('25.5');
    await publishUntil('2026-03-03');
    expect(Money.of((await nav('2026-03-04')).nav).toFixed(20)).toBe(
      factor('12').times(factor('10')).toFixed(20),
    );
  });

  it('replace the amount of an earlier report of the same day and post the difference', async () => {
    const income = async () => (await fixture.platformBalance('income.strategy-yield', '')).toWire();
    await invest('300000'); // growth of a day: 63.26 at 8 %, 70.84 at 9 %, 67.06 at 8.5 %, 74.60 at 9.5 %
    await report('e1', '2026-03-02', '8', { realisedAmount: '60' });
    await report('e2', '2026-03-02', '9', { realisedAmount: '80' });
    expect(await income()).toBe('80.00');
    await report('e3', '2026-03-02', '8.5', { realisedAmount: '60.25' });
    expect(await income()).toBe('60.25');
    await report('e4', '2026-03-02', '9.5'); // corrects the rate alone
    expect(await income()).toBe('60.25');
    // The investments were made on the day, so that the provider may have received nothing for it.
    await report('e5', '2026-03-02', '9.5', { realisedAmount: '0' });
    expect(await income()).toBe('0.00');
    await report('e7', '2026-03-03', '9.5', { realisedAmount: '70' }); // another day
    await fixture.reports.record({
      eventId: 'e8',
      strategyId: 'conservative-5',
      day: '2026-03-03',
      apy: '5',
      realisedAmount: '1', // nothing is invested; up to 1.00 needs no decision
    });
    expect(await income()).toBe('71.00'); // 0 + 70 + 1
  });

  it('keep null for an amount that no report of the day has stated, and post the whole amount that a later one states', async () => {
    const income = async () => (await fixture.platformBalance('income.strategy-yield', '')).toWire();
    const amounts = async () =>
      (await fixture.dataSource.query('select realised_amount from yield_report order by sequence')).map(
        (row: { realised_amount: string | null }) => row.realised_amount,
      );
    await invest('300000');
    await report('e1', '2026-03-02', '8');
    expect([await amounts(), await income()]).toEqual([[null], '0.00']);
    await report('e2', '2026-03-02', '8', { realisedAmount: '60' });
    await report('e3', '2026-03-02', '8.5');
    expect([await amounts(), await income()]).toEqual([[null, '60', '60'], '60.00']);
  });

  it('are ignored for a day on which the strategy was suspended', async () => {
    const suspendedInstance = fixture.newInstance(fixture.clock, { SUSPENDED_STRATEGIES: [ID] });
    fixture.clock.moveTo('2026-03-03T00:00:00Z');
    await suspendedInstance.navs.publishMissingNavs();
    expect((await report('e1', '2026-03-03', '12')).state).toBe('ignored');
    await publishUntil('2026-03-04');
    expect((await nav('2026-03-05')).nav).toBe(await navTimes('2026-03-04', factor('10')));
  });

  it.each([
    ['an unknown strategy', { strategyId: 'balanced-11' }, 'strategyId'],
    ['a day that does not exist', { day: '2026-02-30' }, 'day'],
    ['a day with a time', { day: '2026-03-03T00:00:00Z' }, 'day'],
    ["a day before the strategy's first", { day: '2026-03-01' }, 'day'],
    ['a day too far ahead', { day: '2026-04-03' }, 'day'], // 32 days after 2 March
    ['a rate that is no decimal', { apy: '1e1' }, 'apy'],
    ['a rate of -100 %', { apy: '-100' }, 'apy'],
    ['a negative amount', { realisedAmount: '-1' }, 'realisedAmount'],
    ['no event id', { eventId: '' }, 'eventId'],
  ])('are rejected with %s, and nothing is stored', async (_, invalidFields, field) => {
    const input = { eventId: 'e1', strategyId: ID, day: '2026-03-03', apy: '10', ...invalidFields };
    await expect(fixture.reports.record(input)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fields: [expect.objectContaining({ field })] },
    });
    expect(await fixture.dataSource.query('select from yield_report')).toEqual([]);
  });

  /** The published value of a day, times a factor, at 24 decimals. */
  async function navTimes(day: string, growthFactor: Money): Promise<string> {
    return Money.of((await nav(day)).nav)
      .times(growthFactor)
      .toFixed(24);
  }
});
