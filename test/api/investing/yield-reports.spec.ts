import { addDays } from '../../../src/common/days.js';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { dailyFactor } from '../../../src/modules/investing/strategies/domain/apy.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import {
  YieldReportsService,
  type YieldReportInput,
} from '../../../src/modules/investing/strategies/yield-reports.service.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/yield-reports';
const STRATEGY_ID = 'balanced-10';
const OUTSIDE = '18'; // an APY outside of the tolerance: the target is 10 and the tolerance 5 points
const factorOf = (apy: string) => dailyFactor(Money.of(apy));
const DAYS_PER_TEST = 5; // each test begins later, because published days stay published

// Statuses of an applied report. `rate`: the report sets the rate of its day. `fold`: the value after its day was already
// published, so that the next value makes up for the report.

interface ListedReport {
  id: string;
  eventId: string;
}

describe('Yield reports outside of the tolerance', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  /** The day on which the present test begins; `beforeEach` moves it. */
  let today = '2026-02-28';
  /** The yield and the number of audit entries of earlier tests. */
  let yieldBefore = Money.ZERO;
  let auditEntriesBefore = 0;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    admin = await platform.given.admin();
    const investor = await platform.given.user().withBalance('70000.00');
    await platform.as(investor).post(INVESTMENTS, { strategyId: STRATEGY_ID, amount: '70000.00' });
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    today = addDays(today, DAYS_PER_TEST);
    platform.clock.moveTo(`${today}T10:00:00Z`);
    await platform.app.get(NavsService).publishMissingNavs(); // publishes the values of today and tomorrow
    yieldBefore = await totalYield();
    auditEntriesBefore = (await allAuditEntries()).length;
  });

  const dayAfter = (days: number) => addDays(today, days);
  /** The event id of the report `name` of the present test. */
  const eventOf = (name: string) => `${name} of ${today}`;
  const report = (name: string, day: string, apy = OUTSIDE, fields: Partial<YieldReportInput> = {}) =>
    platform.app
      .get(YieldReportsService)
      .record({ eventId: eventOf(name), strategyId: STRATEGY_ID, day, apy, ...fields });
  /** The reports of the present test, newest first. */
  const list = async (query = ''): Promise<ListedReport[]> => {
    const reports: ListedReport[] = (await platform.as(admin).get(PATH + query)).data;
    return reports.filter(({ eventId }) => eventId.endsWith(eventOf('')));
  };
  const idOf = async (name: string) =>
    (await list()).find(({ eventId }) => eventId === eventOf(name))?.id as string;
  const decide = async (name: string, verb: 'accept' | 'reject', by = admin) =>
    platform
      .as(by)
      .post(
        `${PATH}/${await idOf(name)}/${verb}`,
        verb === 'reject' ? { reason: 'A typing error' } : undefined,
      );

  /** Moves the clock to the start of `day` and publishes the values until the following day. */
  async function publishUntil(day: string): Promise<void> {
    platform.clock.moveTo(`${day}T00:00:00Z`);
    await platform.app.get(NavsService).publishMissingNavs();
  }
  const navOn = async (day: string) => {
    const sql = 'select nav from strategy_nav where strategy_id = $1 and day = $2';
    const [row] = await platform.dataSource.query(sql, [STRATEGY_ID, day]);
    return Money.of(row.nav);
  };
  /** The factor by which a unit grows from today to `day`. */
  const growthUntil = async (day: string) => (await navOn(day)).dividedBy(await navOn(today)).toFixed(20);
  const totalYield = async () => {
    const [{ sum }] = await platform.dataSource.query(
      `select coalesce(sum(amount), 0) as sum from ledger_entry join ledger_account as account on account.id = account_id
        where kind = 'income.strategy-yield'`,
    );
    return Money.of(sum);
  };
  /** The yield that was posted in the present test. */
  const postedYield = async () => (await totalYield()).minus(yieldBefore).toString();
  const allAuditEntries = (): Promise<object[]> =>
    platform.dataSource.query(
      `select actor, action, reason, before, after from audit_entry order by recorded_at, id`,
    );
  const newAuditEntries = async () => (await allAuditEntries()).slice(auditEntriesBefore);

  it('are listed, newest first, and filtered by status', async () => {
    const { total: reportsBefore } = (await platform.as(admin).get(PATH)).body.pagination;
    await report('outside', dayAfter(1), OUTSIDE, { realisedAmount: '50' });
    platform.clock.advance(MINUTE_MS);
    await report('within', dayAfter(1), '11');
    expect(await list()).toMatchObject([
      {
        eventId: eventOf('within'),
        status: 'rate',
        apy: '11.00',
        usedApy: '10.00',
        realisedAmount: null, // none is stated
        waitingFor: [],
        expectedAmount: null,
      },
      { eventId: eventOf('outside') },
    ]);
    expect(await list('?status=waiting')).toEqual([
      {
        id: expect.any(String),
        eventId: eventOf('outside'),
        strategyId: STRATEGY_ID,
        day: dayAfter(1),
        status: 'waiting',
        apy: '18.00',
        usedApy: '10.00',
        realisedAmount: '50.00',
        waitingFor: ['rate', 'realisedAmount'],
        expectedAmount: expect.stringMatching(/^31\.\d+$/), // 70000 × (1.18^(1/365) − 1) = 31.75, plus growth of some days
        reportedAt: `${today}T10:00:00.000Z`,
        appliedOn: null,
        decidedAt: null,
        decidedBy: null,
        reason: null,
      },
    ]);
    const { body } = await platform.as(admin).get(`${PATH}?limit=1&page=2`);
    expect(body.data).toMatchObject([{ eventId: eventOf('outside') }]);
    expect(body.pagination).toMatchObject({ total: reportsBefore + 2, totalPages: reportsBefore + 2 });
    expect((await platform.as(admin).get(`${PATH}?limit=101`)).code).toBe('INVALID_PAGINATION');
    expect((await platform.as(admin).get(`${PATH}?status=open`)).code).toBe('VALIDATION_ERROR');
  });

  it('set the rate of a future day when accepted, and their yield is posted', async () => {
    await report('outside', dayAfter(1), OUTSIDE, { realisedAmount: '50' });
    expect(await postedYield()).toBe('0');
    const { status, data } = await decide('outside', 'accept');
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'rate',
      decidedBy: admin.email,
      decidedAt: `${today}T10:00:00.000Z`,
      reason: null,
    });
    expect(await postedYield()).toBe('50');
    await publishUntil(dayAfter(1));
    // today at the target, tomorrow at 18 %
    expect(await growthUntil(dayAfter(2))).toBe(factorOf('10').times(factorOf(OUTSIDE)).toFixed(20));
    expect(await list()).toMatchObject([{ appliedOn: dayAfter(2) }]);
    expect(await newAuditEntries()).toEqual([
      {
        actor: admin.email,
        action: 'yield-report.accept',
        reason: null,
        before: { status: 'waiting' },
        after: {
          status: 'rate',
          strategyId: STRATEGY_ID,
          day: dayAfter(1),
          apy: '18.00',
          realisedAmount: '50.00',
        },
      },
    ]);
  });

  it('correct the next value if the value of their day was published before they are accepted', async () => {
    await report('outside', dayAfter(1));
    await publishUntil(dayAfter(1));
    expect((await decide('outside', 'accept')).data).toMatchObject({ status: 'fold', usedApy: '10.00' });
    await publishUntil(dayAfter(2));
    // As if the report had been applied in time: a day at the target, one at 18 %, one at the target.
    const expected = factorOf('10').times(factorOf(OUTSIDE)).times(factorOf('10'));
    expect(await growthUntil(dayAfter(3))).toBe(expected.toFixed(20));
  });

  it('replace, when accepted, a report that was applied while they waited', async () => {
    await report('outside', dayAfter(1));
    await report('within', dayAfter(1), '12');
    expect((await decide('outside', 'accept')).data).toMatchObject({ status: 'rate', usedApy: '12.00' });
    await publishUntil(dayAfter(1));
    expect(await growthUntil(dayAfter(2))).toBe(factorOf('10').times(factorOf(OUTSIDE)).toFixed(20));
    // A later report corrects the accepted one, and not the one that was applied before.
    await report('last', dayAfter(1), '9');
    expect(await list('?status=fold')).toMatchObject([{ eventId: eventOf('last'), usedApy: '18.00' }]);
  });

  it('replace, when accepted, the amount of a report that was applied while they waited', async () => {
    await report('outside', dayAfter(1), OUTSIDE, { realisedAmount: '50' });
    platform.clock.advance(MINUTE_MS);
    await report('without amount', dayAfter(1), OUTSIDE);
    await report('within', dayAfter(1), '11', { realisedAmount: '20' }); // 70000 × (1.11^(1/365) − 1) = 20.02
    expect(await postedYield()).toBe('20');
    expect(await list('?status=waiting')).toMatchObject([
      { eventId: eventOf('without amount'), realisedAmount: null },
      { eventId: eventOf('outside'), realisedAmount: '50.00' },
    ]);
    await decide('outside', 'accept');
    expect(await postedYield()).toBe('50');
    // A report without an amount keeps that of the day.
    expect((await decide('without amount', 'accept')).data).toMatchObject({
      status: 'rate',
      realisedAmount: '50.00',
    });
    expect(await postedYield()).toBe('50');
  });

  it('have no effect when rejected', async () => {
    await report('outside', dayAfter(1), OUTSIDE, { realisedAmount: '50' });
    const { status, data } = await decide('outside', 'reject');
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: 'rejected', decidedBy: admin.email, reason: 'A typing error' });
    await publishUntil(dayAfter(1));
    expect(await growthUntil(dayAfter(2))).toBe(factorOf('10').times(factorOf('10')).toFixed(20));
    expect(await postedYield()).toBe('0');
    expect(await newAuditEntries()).toMatchObject([
      { action: 'yield-report.reject', reason: 'A typing error' },
    ]);
    // A repeated call of the provider changes nothing.
    expect(await report('outside', dayAfter(1))).toEqual({ state: 'rejected', duplicate: true });
  });

  it('accept no second decision, and none if they were within the tolerance', async () => {
    await report('outside', dayAfter(1));
    await report('within', dayAfter(2), '11');
    await decide('outside', 'reject');
    for (const [name, status] of [
      ['outside', 'rejected'],
      ['within', 'rate'],
    ] as const) {
      for (const verb of ['accept', 'reject'] as const) {
        const reply = await decide(name, verb);
        expect([reply.status, reply.code]).toEqual([422, 'INVALID_STATE']);
        expect(reply.body.error.details).toEqual({ status, action: verb, allowedFrom: ['waiting'] });
      }
    }
    expect(await newAuditEntries()).toHaveLength(1);
  });

  it('accept exactly one of several concurrent decisions', async () => {
    const admin2 = await platform.given.admin('admin2');
    for (let round = 0; round < 5; round++) {
      const name = `outside-${round}`;
      await report(name, dayAfter(1), OUTSIDE, { realisedAmount: '1' });
      const replies = await Promise.all([
        decide(name, 'accept'),
        decide(name, 'reject', admin2),
        decide(name, 'accept', admin2),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    }
    const accepted = await list('?status=rate');
    // Each accepted report replaces the amount of the previous one.
    expect(await postedYield()).toBe(accepted.length > 0 ? '1' : '0');
    expect(await newAuditEntries()).toHaveLength(5);
  });

  it('can be read and decided only by admins with all permissions, and rejected only with a reason', async () => {
    await report('outside', dayAfter(1));
    const operator = await platform.given.admin('operator');
    expect((await platform.as(operator).get(PATH)).code).toBe('PERMISSION_DENIED');
    expect((await decide('outside', 'accept', operator)).code).toBe('PERMISSION_DENIED');
    const path = `${PATH}/${await idOf('outside')}/reject`;
    expect((await platform.as(admin).post(path, {})).code).toBe('MISSING_REQUIRED_FIELD');
    expect((await platform.as(admin).post(path, { reason: '' })).code).toBe('VALIDATION_ERROR');
    for (const id of [UNKNOWN_ID, 'not-a-uuid']) {
      const reply = await platform.as(admin).post(`${PATH}/${id}/accept`);
      expect([reply.status, reply.code]).toEqual([404, 'YIELD_REPORT_NOT_FOUND']);
    }
    expect(await list('?status=waiting')).toHaveLength(1);
  });
});
