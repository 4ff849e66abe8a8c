import { Money } from '../../src/common/money.js';
import { dailyFactor } from '../../src/modules/strategies/domain/daily-factor.js';
import { NavsService } from '../../src/modules/strategies/navs.service.js';
import {
  YieldReportsService,
  type YieldReportInput,
} from '../../src/modules/strategies/yield-reports.service.js';
import type { TestAdmin } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';

const PATH = '/api/admin/yield-reports';
const ID = 'balanced-10';
const OUTSIDE = '18'; // the target is 10 and the tolerance 5 points
const FACTOR = (apy: string) => dailyFactor(Money.of(apy));

describe('Yield reports outside of the tolerance', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  beforeEach(async () => {
    platform = await startPlatform(); // 2 March, 10:00
    admin = await platform.given.admin();
    await platform.app.get(NavsService).publishMissingNavs(); // publishes the values of the 2nd and 3rd
  });
  afterEach(() => platform.stop());

  const report = (eventId: string, day: string, apy = OUTSIDE, more: Partial<YieldReportInput> = {}) =>
    platform.app.get(YieldReportsService).record({ eventId, strategyId: ID, day, apy, ...more });
  const list = async (query = '') => (await platform.as(admin).get(PATH + query)).data;
  const idOf = async (eventId: string): Promise<string> =>
    (await list()).find((shown: { eventId: string }) => shown.eventId === eventId).id;
  const decide = async (eventId: string, verb: 'accept' | 'reject', by = admin) =>
    platform
      .as(by)
      .post(
        `${PATH}/${await idOf(eventId)}/${verb}`,
        verb === 'reject' ? { reason: 'A typing error' } : undefined,
      );

  async function publishUntil(day: string): Promise<void> {
    platform.clock.moveTo(`${day}T00:00:00Z`);
    await platform.app.get(NavsService).publishMissingNavs();
  }
  const navOn = async (day: string) =>
    Money.of(
      (
        await platform.dataSource.query('select nav from strategy_nav where strategy_id = $1 and day = $2', [
          ID,
          day,
        ])
      )[0].nav,
    );
  const realised = async () =>
    (
      await platform.dataSource.query(
        `select coalesce(sum(amount), 0) as sum from ledger_entry join ledger_account as account on account.id = account_id
          where kind = 'income.strategy-yield'`,
      )
    )[0].sum as string;
  const audited = () =>
    platform.dataSource.query(
      `select actor, action, reason, before, after from audit_entry order by recorded_at`,
    );

  it('are listed, newest first, and filtered by status', async () => {
    await report('far', '2026-03-03', OUTSIDE, { realisedAmount: '50' });
    platform.clock.advance(60_000);
    await report('near', '2026-03-03', '11');
    expect(await list()).toMatchObject([{ eventId: 'near', status: 'rate' }, { eventId: 'far' }]);
    expect(await list('?status=waiting')).toEqual([
      {
        id: expect.any(String),
        eventId: 'far',
        strategyId: ID,
        day: '2026-03-03',
        status: 'waiting',
        apy: '18',
        usedApy: '10',
        realisedAmount: '50.00',
        reportedAt: '2026-03-02T10:00:00.000Z',
        appliedOn: null,
        decidedAt: null,
        decidedBy: null,
        reason: null,
      },
    ]);
    const { body } = await platform.as(admin).get(`${PATH}?limit=1&page=2`);
    expect(body.data).toMatchObject([{ eventId: 'far' }]);
    expect(body.pagination).toMatchObject({ total: 2, totalPages: 2 });
    expect((await platform.as(admin).get(`${PATH}?limit=101`)).code).toBe('INVALID_PAGINATION');
    expect((await platform.as(admin).get(`${PATH}?status=open`)).code).toBe('VALIDATION_ERROR');
  });

  it('set the rate of a future day when accepted, and their yield is posted', async () => {
    await report('far', '2026-03-03', OUTSIDE, { realisedAmount: '50' });
    expect(await realised()).toBe('0');
    const { status, data } = await decide('far', 'accept');
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'rate',
      decidedBy: admin.email,
      decidedAt: '2026-03-02T10:00:00.000Z',
      reason: null,
    });
    expect(await realised()).toBe('50');
    await publishUntil('2026-03-03');
    // the 2nd at the target, the 3rd at 18 %
    expect((await navOn('2026-03-04')).toFixed(20)).toBe(FACTOR('10').times(FACTOR(OUTSIDE)).toFixed(20));
    expect(await list()).toMatchObject([{ appliedOn: '2026-03-04' }]);
    expect(await audited()).toEqual([
      {
        actor: admin.email,
        action: 'yield-report.accept',
        reason: null,
        before: { status: 'waiting' },
        after: { status: 'rate', strategyId: ID, day: '2026-03-03', apy: '18' },
      },
    ]);
  });

  it('correct the next value when their day was published meanwhile', async () => {
    await report('far', '2026-03-03');
    await publishUntil('2026-03-03');
    expect((await decide('far', 'accept')).data).toMatchObject({ status: 'fold', usedApy: '10' });
    await publishUntil('2026-03-04');
    // Equals the use of 18 %: the 2nd at the target, the 3rd at 18 %, the 4th at the target.
    const as = FACTOR('10').times(FACTOR(OUTSIDE)).times(FACTOR('10'));
    expect((await navOn('2026-03-05')).toFixed(20)).toBe(as.toFixed(20));
  });

  it('replace a report that was applied while they waited', async () => {
    await report('far', '2026-03-03');
    await report('near', '2026-03-03', '12');
    expect((await decide('far', 'accept')).data).toMatchObject({ status: 'rate', usedApy: '12' });
    await publishUntil('2026-03-03');
    expect((await navOn('2026-03-04')).toFixed(20)).toBe(FACTOR('10').times(FACTOR(OUTSIDE)).toFixed(20));
    // A later report corrects the accepted one, and not the one before it.
    await report('last', '2026-03-03', '9');
    expect(await list('?status=fold')).toMatchObject([{ eventId: 'last', usedApy: '18' }]);
  });

  it('replace the amount of a report that was applied while they waited', async () => {
    await report('far', '2026-03-03', OUTSIDE, { realisedAmount: '50' });
    platform.clock.advance(60_000);
    await report('silent', '2026-03-03', OUTSIDE);
    await report('near', '2026-03-03', '11', { realisedAmount: '20' });
    expect(await realised()).toBe('20');
    expect(await list('?status=waiting')).toMatchObject([
      { eventId: 'silent', realisedAmount: null },
      { eventId: 'far', realisedAmount: '50.00' },
    ]);
    await decide('far', 'accept');
    expect(await realised()).toBe('50');
    expect((await decide('silent', 'accept')).data).toMatchObject({
      status: 'rate',
      realisedAmount: '50.00',
    });
    expect(await realised()).toBe('50');
  });

  it('have no effect when rejected', async () => {
    await report('far', '2026-03-03', OUTSIDE, { realisedAmount: '50' });
    const { status, data } = await decide('far', 'reject');
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: 'rejected', decidedBy: admin.email, reason: 'A typing error' });
    await publishUntil('2026-03-03');
    expect((await navOn('2026-03-04')).toFixed(20)).toBe(FACTOR('10').times(FACTOR('10')).toFixed(20));
    expect(await realised()).toBe('0');
    expect(await audited()).toMatchObject([{ action: 'yield-report.reject', reason: 'A typing error' }]);
    // A repeated call of the provider changes nothing.
    expect(await report('far', '2026-03-03')).toEqual({ state: 'rejected', duplicate: true });
  });

  it('are decided once', async () => {
    await report('far', '2026-03-03');
    await report('near', '2026-03-04', '11');
    await decide('far', 'reject');
    for (const [eventId, status] of [
      ['far', 'rejected'],
      ['near', 'rate'],
    ] as const) {
      for (const verb of ['accept', 'reject'] as const) {
        const reply = await decide(eventId, verb);
        expect([reply.status, reply.code]).toEqual([422, 'INVALID_STATE']);
        expect(reply.body.error.details).toEqual({ status, action: verb, allowedFrom: ['waiting'] });
      }
    }
    expect(await audited()).toHaveLength(1);
  });

  it('are decided by one of several concurrent decisions', async () => {
    const other = await platform.given.admin('admin2');
    for (let round = 0; round < 5; round++) {
      const eventId = `far-${round}`;
      await report(eventId, '2026-03-03', OUTSIDE, { realisedAmount: '1' });
      const replies = await Promise.all([
        decide(eventId, 'accept'),
        decide(eventId, 'reject', other),
        decide(eventId, 'accept', other),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    }
    const accepted = (await list('?status=rate')) as unknown[];
    // Each accepted report replaces the amount of the previous one.
    expect(await realised()).toBe(accepted.length > 0 ? '1' : '0');
    expect(await audited()).toHaveLength(5);
  });

  it('require a full admin, and a reason for a rejection', async () => {
    await report('far', '2026-03-03');
    const operator = await platform.given.admin('operator');
    expect((await platform.as(operator).get(PATH)).code).toBe('PERMISSION_DENIED');
    expect((await decide('far', 'accept', operator)).code).toBe('PERMISSION_DENIED');
    const path = `${PATH}/${await idOf('far')}/reject`;
    expect((await platform.as(admin).post(path, {})).code).toBe('MISSING_REQUIRED_FIELD');
    expect((await platform.as(admin).post(path, { reason: '' })).code).toBe('VALIDATION_ERROR');
    for (const id of [UNKNOWN_ID, 'far']) {
      const reply = await platform.as(admin).post(`${PATH}/${id}/accept`);
      expect([reply.status, reply.code]).toEqual([404, 'YIELD_REPORT_NOT_FOUND']);
    }
    expect(await list('?status=waiting')).toHaveLength(1);
  });
});
