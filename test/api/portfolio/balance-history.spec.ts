import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';

const PATH = '/api/user/balance/history';

describe('GET /api/user/balance/history', () => {
  let platform: TestPlatform;
  let ann: TestUser;

  // Ann deposits and invests on 2 March, requests a withdrawal on the 5th that is paid on the 9th, and closes the
  // investment on the 10th. Today is the 12th.
  beforeAll(async () => {
    platform = await startPlatform();
    const [events, investments] = [
      new DomainEventFixtures(platform.app),
      platform.app.get(InvestmentsService),
    ];
    ann = await platform.given.user().withBalance('1500.00');
    const { id } = await investments.create(ann.id, { strategyId: 'balanced-10', amount: '1000.00' });
    platform.clock.moveTo('2026-03-05T23:59:59.999Z');
    const withdrawal = await events.withdraw(ann.id, '120.00');
    platform.clock.moveTo('2026-03-09T00:00:00.000Z');
    await events.withdrawal('withdrawal.completed', withdrawal);
    platform.clock.moveTo('2026-03-10T09:00:00.000Z');
    await investments.close(ann.id, id);
    platform.clock.moveTo('2026-03-12T10:00:00.000Z');
  });
  afterAll(() => platform?.stop());

  const history = async (query = '', user = ann) => platform.as(user).get(`${PATH}?${query}`);
  const NOTHING = { deposits: '0.00', withdrawals: '0.00', earnings: '0.00', fees: '0.00' };

  it('shows the balance at the end of each day', async () => {
    const { status, data } = await history('startDate=2026-03-01');
    expect(status).toBe(200);
    const zero = { total: '0.00', available: '0.00', invested: '0.00', reserved: '0.00' };
    const first = { total: '1500.00', available: '500.00', invested: '1000.00', reserved: '0.00' };
    // available: 500.00 − 120.00
    const requested = { total: '1380.00', available: '380.00', invested: '1000.00', reserved: '120.00' };
    const paid = { ...requested, reserved: '0.00' };
    // 380.00 + 1000.00 + 1.829538 − 0.109589, with the growth 1000 × (1.1^(7/365) − 1) and the fee
    // 1000 × 0.50 % × 8 / 365, rounded down
    const closed = { total: '1381.719949', available: '1381.719949', invested: '0.00', reserved: '0.00' };
    expect(data).toEqual([
      { date: '2026-03-01', ...zero, accruedEarnings: '0.00', growth: '0.00', change: NOTHING },
      {
        date: '2026-03-02',
        ...first,
        accruedEarnings: '0.00',
        growth: '0.00',
        change: { ...NOTHING, deposits: '1500.00' },
      },
      { date: '2026-03-03', ...first, accruedEarnings: '0.00', growth: '0.261158', change: NOTHING },
      // The investment earns from the second day on: 1000 × (1.1^(1/365) − 1), which the balance includes from the next midnight on.
      { date: '2026-03-04', ...first, accruedEarnings: '0.261158', growth: '0.261226', change: NOTHING },
      {
        date: '2026-03-05',
        ...requested,
        accruedEarnings: '0.522384',
        growth: '0.261294', // 1000 × (1.1^(2/365) − 1)
        change: { ...NOTHING, withdrawals: '120.00' },
      },
      { date: '2026-03-06', ...requested, accruedEarnings: '0.783678', growth: '0.261363', change: NOTHING },
      { date: '2026-03-07', ...requested, accruedEarnings: '1.045041', growth: '0.261431', change: NOTHING },
      { date: '2026-03-08', ...requested, accruedEarnings: '1.306472', growth: '0.261499', change: NOTHING },
      { date: '2026-03-09', ...paid, accruedEarnings: '1.567971', growth: '0.261567', change: NOTHING },
      {
        date: '2026-03-10',
        ...closed,
        accruedEarnings: '0.00',
        growth: '0.00',
        change: { ...NOTHING, earnings: '1.829538', fees: '0.109589' },
      },
      { date: '2026-03-11', ...closed, accruedEarnings: '0.00', growth: '0.00', change: NOTHING },
      { date: '2026-03-12', ...closed, accruedEarnings: '0.00', growth: null, change: NOTHING },
    ]);
  });

  it('shows each week as of the end of its Sunday, and the current week as of now', async () => {
    const { data } = await history('startDate=2026-03-02&interval=weekly');
    expect(data).toMatchObject([
      {
        date: '2026-03-08',
        reserved: '120.00',
        accruedEarnings: '1.306472',
        change: { deposits: '1500.00', withdrawals: '120.00' },
      },
      { date: '2026-03-12', reserved: '0.00', change: { deposits: '0.00', earnings: '1.829538' } },
    ]);
  });

  it('shows each month as of the end of its last day in the range', async () => {
    const { data } = await history('startDate=2026-01-15&endDate=2026-03-05&interval=monthly');
    expect(data.map(({ date, total }: { date: string; total: string }) => [date, total])).toEqual([
      ['2026-01-31', '0.00'],
      ['2026-02-28', '0.00'],
      ['2026-03-05', '1380.00'],
    ]);
  });

  it('covers the last thirty days by default', async () => {
    const { data } = await history();
    expect(data).toHaveLength(30);
    expect([data[0].date, data[29].date]).toEqual(['2026-02-11', '2026-03-12']);
  });

  it('ends with the current balance', async () => {
    const { data: balance } = await platform.as(ann).get('/api/user/balance');
    const { data } = await history('startDate=2026-03-12');
    const { total, available, invested, reserved, accruedEarnings } = balance;
    expect(data).toEqual([
      {
        date: '2026-03-12',
        total,
        available,
        invested,
        reserved,
        accruedEarnings,
        growth: null, // the day has not ended
        change: NOTHING,
      },
    ]);
  });

  it('uses the UTC day of a timestamp', async () => {
    const { data } = await history('startDate=2026-03-05T01:00:00%2B02:00&endDate=2026-03-05T10:00:00Z');
    expect(data.map(({ date }: { date: string }) => date)).toEqual(['2026-03-04', '2026-03-05']);
  });

  it('shows only the caller’s balance, and zeros for a user without activity', async () => {
    const { data } = await history('startDate=2026-03-11', await platform.given.user());
    expect(data.map(({ total, change }: { total: string; change: object }) => [total, change])).toEqual([
      ['0.00', NOTHING],
      ['0.00', NOTHING],
    ]);
  });

  it('needs the same five statements for one day as for three years', async () => {
    await history(); // publishes and caches the values of the day
    const statements = async (query: string) => (await fewestQueriesDuring(() => history(query))).length;
    expect(await statements('startDate=2026-03-12')).toBe(5); // begin, funds, unrealised growth, growth by day, end
    expect(await statements('startDate=2023-03-12')).toBe(5);
  });

  it('rejects a range of more than 1100 intervals, a little more than three years of days', async () => {
    expect((await history('startDate=2023-03-09')).data).toHaveLength(1100);
    expect(await history('startDate=2023-03-08')).toMatchObject({ status: 400, code: 'INVALID_DATE_RANGE' });
    expect((await history('startDate=2023-03-08&interval=weekly')).status).toBe(200);
    expect((await history('startDate=1970-01-01&interval=monthly')).data).toHaveLength(675); // 56 years and 3 months
  });

  it.each([
    ['startDate=2026-03-05&endDate=2026-03-04', 'INVALID_DATE_RANGE'],
    ['startDate=2026-03-13', 'INVALID_DATE_RANGE'],
    ['endDate=2026-03-14', 'INVALID_DATE_RANGE'], // the 13th is accepted as the end: it has begun east of Greenwich
    ['startDate=1969-12-31&interval=monthly', 'VALIDATION_ERROR'],
    ['startDate=0000-01-01&endDate=0000-02-01', 'VALIDATION_ERROR'],
    ['endDate=9999-12-31', 'INVALID_DATE_RANGE'],
    ['startDate=2026-02-30', 'VALIDATION_ERROR'],
    ['startDate=yesterday', 'VALIDATION_ERROR'],
    ['startDate=', 'VALIDATION_ERROR'],
    ['startDate=2026-03-01&startDate=2026-03-02', 'VALIDATION_ERROR'],
    ['interval=hourly', 'VALIDATION_ERROR'],
    ['interval=daily&interval=weekly', 'VALIDATION_ERROR'],
    ['interval=', 'VALIDATION_ERROR'],
    ['interval=%00', 'VALIDATION_ERROR'],
  ])('rejects %s with %s', async (query, code) => {
    expect(await history(query)).toMatchObject({ status: 400, code });
  });

  it('rejects anonymous callers and admins', async () => {
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(await platform.given.admin()).get(PATH)).code).toBe('FORBIDDEN');
  });
});
