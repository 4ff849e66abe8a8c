import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';

describe('GET /api/user/strategies/:id/performance', () => {
  let platform: TestPlatform;
  let ann: TestUser;

  // The platform starts on 2 March with a NAV of 1; today is 20 June, 110 days later.
  beforeAll(async () => {
    platform = await startPlatform();
    await platform.app.get(NavsService).publishMissingNavs();
    platform.clock.moveTo('2026-06-20T10:00:00.000Z');
    ann = await platform.given.user();
  });
  afterAll(() => platform?.stop());

  const performance = (query = '', id = 'balanced-10') =>
    platform.as(ann).get(`/api/user/strategies/${id}/performance?${query}`);

  it('returns the NAV of each of thirty days by default', async () => {
    const { status, data } = await performance();
    expect(status).toBe(200);
    expect(data).toMatchObject({
      strategyId: 'balanced-10',
      strategyName: 'Balanced 10%',
      startDate: '2026-05-22',
      endDate: '2026-06-20',
    });
    expect(data.series).toHaveLength(30);
    expect(data.series[29]).toEqual({ date: '2026-06-20', nav: 1.029140117129, apy: 10, targetApy: 10 }); // 1.1^(110/365)
    expect(data.series[28].nav).toBe(1.028871419254); // 1.1^(109/365)
  });

  it('returns the performance over 7, 30 and 90 days and since the start, each with its yearly rate', async () => {
    const { data } = await performance('period=7');
    expect(data.returns).toEqual({
      days7: { from: '2026-06-13', days: 7, return: 0.183, annualised: 10 }, // (1.1^(7/365) − 1) × 100
      days30: { from: '2026-05-21', days: 30, return: 0.7864, annualised: 10 },
      days90: { from: '2026-03-22', days: 90, return: 2.3779, annualised: 10 },
      sinceStart: { from: '2026-03-02', days: 110, return: 2.914, annualised: 10 },
    });
  });

  it.each([
    ['conservative-5', 5],
    ['aggressive-20', 20],
  ])('shows for %s a yearly rate of %i %%', async (id, apy) => {
    const { data } = await performance('', id);
    expect(data.returns.sinceStart.annualised).toBe(apy);
    expect(data.series[0].apy).toBe(apy);
  });

  it.each([
    ['period=7', ['2026-06-14', '2026-06-20', 7]],
    ['period=30', ['2026-05-22', '2026-06-20', 30]],
    ['period=90', ['2026-03-23', '2026-06-20', 90]],
    ['period=7&endDate=2026-04-10', ['2026-04-04', '2026-04-10', 7]],
    ['startDate=2026-06-01', ['2026-06-01', '2026-06-20', 20]],
    ['startDate=2026-04-01&endDate=2026-04-02', ['2026-04-01', '2026-04-02', 2]],
    ['startDate=2026-02-01&endDate=2026-03-03', ['2026-02-01', '2026-03-03', 2]], // the first value is of 2 March
    ['startDate=2026-01-01&endDate=2026-02-01', ['2026-01-01', '2026-02-01', 0]],
    ['startDate=2026-06-20', ['2026-06-20', '2026-06-20', 1]],
  ])('with %s returns the first day, the last day and the number of values %j', async (query, expected) => {
    const { data } = await performance(query);
    expect([data.startDate, data.endDate, data.series.length]).toEqual(expected);
    expect(data.returns.sinceStart.days).toBe(110);
  });

  it('never returns a value before its day', async () => {
    const { data } = await performance('period=7');
    expect(data.series.at(-1).date).toBe('2026-06-20'); // the value of the 21st is already published
  });

  it('needs one SQL statement regardless of the number of days', async () => {
    expect(await fewestQueriesDuring(() => performance('period=7'))).toHaveLength(1);
    expect(await fewestQueriesDuring(() => performance('startDate=2024-01-01'))).toHaveLength(1);
  });

  it.each([
    ['period=8', 'VALIDATION_ERROR'],
    ['period=0', 'VALIDATION_ERROR'],
    ['period=7.0', 'VALIDATION_ERROR'],
    ['period=', 'VALIDATION_ERROR'],
    ['period=7&period=30', 'VALIDATION_ERROR'],
    ['period=7&startDate=2026-06-01', 'VALIDATION_ERROR'],
    ['startDate=June', 'VALIDATION_ERROR'],
    ['startDate=2026-06-02&endDate=2026-06-01', 'INVALID_DATE_RANGE'],
    ['endDate=2026-06-22', 'INVALID_DATE_RANGE'], // tomorrow, the 21st, is permitted because of time zones
    ['startDate=2023-06-16', 'INVALID_DATE_RANGE'], // 1,101 days; the limit is 1,100
  ])('rejects %s with %s', async (query, code) => {
    expect(await performance(query)).toMatchObject({ status: 400, code });
  });

  it.each(['balanced-11', 'BALANCED-10', '__proto__', ' '])(
    'answers 404 for the unknown strategy %j',
    async (id) => {
      const reply = await performance('', encodeURIComponent(id));
      expect([reply.status, reply.code]).toEqual([404, 'STRATEGY_NOT_FOUND']);
    },
  );

  it('rejects anonymous callers and admins', async () => {
    const path = '/api/user/strategies/balanced-10/performance';
    expect((await platform.as(null).get(path)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(await platform.given.admin()).get(path)).code).toBe('FORBIDDEN');
  });
});

describe('The performance of a strategy on its first day', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('has a single value and no yearly rate', async () => {
    const user = await platform.given.user();
    const { data } = await platform.as(user).get('/api/user/strategies/balanced-10/performance');
    expect(data.series).toEqual([{ date: '2026-03-02', nav: 1, apy: null, targetApy: 10 }]);
    expect(data.returns).toEqual({
      days7: null,
      days30: null,
      days90: null,
      sinceStart: { from: '2026-03-02', days: 0, return: 0, annualised: null },
    });
  });
});
