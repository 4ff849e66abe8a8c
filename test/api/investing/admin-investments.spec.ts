import { HOUR_MS } from '../../../src/common/durations.js';
import type { Reply } from '../../harness/http-client.js';
import { ADMIN_INVESTMENTS, AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

describe('/api/admin/investments/:id', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;

  beforeAll(async () => {
    platform = await startPlatform({
      at: START,
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '1000', INVESTMENT_LOCK_DAYS: '1' },
    });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
  });
  afterAll(() => platform?.stop());

  describe('an investment that needs approval', () => {
    it('becomes active by approval and earns from the next day on', async () => {
      const { id, ann } = await steps.createForNewUser('1000.00');
      expect(await steps.adminDetail(id)).toMatchObject({ status: 'pending', units: '0', navAtIssue: null });
      platform.clock.advance(HOUR_MS);

      const approved = await steps.approve(id);
      expect(approved).toMatchObject({
        status: 200,
        data: {
          id,
          userId: ann.id,
          userEmail: ann.email,
          walletAddress: null,
          status: 'active',
          paused: false,
          amount: '1000.00',
          allocation: { pendle: '400.00', curve: '350.00', convex: '250.00' },
          approvedBy: 'admin@example.com',
          approvedAt: '2026-03-02T11:00:00.000Z',
          lastUpdatedAt: '2026-03-02T11:00:00.000Z',
          nextYieldDate: '2026-03-04T00:00:00.000Z', // the midnight after the first day with growth, 3 March
        },
      });
      expect(await steps.latestNotification(ann)).toBe(
        'Your investment of 1000.00 USDC in Balanced 10% is approved and active.',
      );
      expect(await steps.auditEntries(id)).toEqual([
        {
          actor: 'admin@example.com',
          action: 'investment.approve',
          reason: null,
          before: { status: 'pending' },
          after: { status: 'active', units: '999.738910309561206036308862' }, // 1000 / 1.1^(1/365)
        },
      ]);
      platform.clock.moveTo('2026-03-12T00:00:00Z');
      const detail = await steps.adminDetail(id);
      expect(detail).toMatchObject({
        currentValue: '1002.352878', // 1000 × 1.1^(9/365): growth from 3 to 11 March
        totalEarnings: '2.352878',
        units: '999.738910309561206036308862',
        navAtIssue: '1.000261157876067812161687', // 1.1^(1/365)
        daysHeld: 10,
        closedParts: { count: 0, principal: '0.00', earnings: '0.00', fees: '0.00' },
        movedFrom: null,
        movedTo: null,
        ifClosedNow: {
          closedValue: '1002.352878',
          closedPrincipal: '1000.00',
          realisedEarnings: '2.352878',
          fees: { managementFee: '0.136986', performanceFee: '0.00', gasFee: '0.00' }, // 1000 × 0.50 % × 10 / 365
          withdrawnAmount: '1002.215892', // 1002.352878 − 0.136986
        },
        user: { id: ann.id, email: ann.email, walletAddress: null, verificationStatus: 'not_checked' },
      });
      expect(detail.lifecycle.map(({ event, status, by }: any) => [event, status, by])).toEqual([
        ['created', 'pending', ann.email],
        ['approved', 'active', 'admin@example.com'],
      ]);
      await steps.requireMatchingUnits();
    });

    it('is cancelled by rejection, which returns the principal and shows the reason to the user', async () => {
      const { id, ann } = await steps.createForNewUser('1500.00');
      const rejected = await steps.reject(id, 'Where does it come from?');
      expect(rejected).toMatchObject({ status: 200, data: { id, status: 'cancelled', approvedBy: null } });
      expect(await steps.funds(ann)).toMatchObject({ available: '10000.00', invested: '0.00' });
      expect(await steps.latestNotification(ann)).toBe(
        'Your investment of 1500.00 USDC in Balanced 10% was not approved. The amount is available again. ' +
          'Reason: Where does it come from?',
      );
      expect((await steps.adminDetail(id)).lifecycle.at(-1)).toEqual({
        event: 'rejected',
        status: 'cancelled',
        at: platform.clock.now().toISOString(),
        by: 'admin@example.com',
        finalValue: null,
        closedValue: null,
        fees: null,
        note: 'Where does it come from?',
      });
      expect(await steps.auditEntries(id)).toMatchObject([
        { action: 'investment.reject', reason: 'Where does it come from?', after: { status: 'cancelled' } },
      ]);
      await steps.requireBalanceRules(ann);
    });
  });

  describe('the action', () => {
    const bringTo: Record<string, (id: string, ann: TestUser) => Promise<unknown>> = {
      pending: () => Promise.resolve(),
      active: (id) => steps.approve(id),
      completed: async (id) => {
        await steps.approve(id);
        await steps.close(id);
      },
      cancelled: (id) => steps.reject(id),
    };
    const actions: Record<string, (id: string, ann: TestUser) => Promise<Reply>> = {
      approve: (id) => steps.approve(id),
      reject: (id) => steps.reject(id),
      'close by an admin': (id) => steps.close(id),
      'close a part': (id) => steps.close(id, '1'),
      'close by its user': (id, ann) => platform.as(ann).delete(`${INVESTMENTS}/${id}`),
      cancel: (id, ann) => platform.as(ann).post(`${INVESTMENTS}/${id}/cancel`),
      move: (id, ann) => steps.move(ann, id),
    };
    const INVALID_STATE = 'INVALID_STATE';
    const ALREADY_CLOSED = 'INVESTMENT_ALREADY_CLOSED';
    // For each action and status: the new status if the action succeeds, or the code of its refusal.
    const outcomes: Record<string, Record<string, string>> = {
      approve: {
        pending: 'active',
        active: INVALID_STATE,
        completed: INVALID_STATE,
        cancelled: INVALID_STATE,
      },
      reject: {
        pending: 'cancelled',
        active: INVALID_STATE,
        completed: INVALID_STATE,
        cancelled: INVALID_STATE,
      },
      'close by an admin': {
        pending: INVALID_STATE,
        active: 'completed',
        completed: ALREADY_CLOSED,
        cancelled: ALREADY_CLOSED,
      },
      'close a part': {
        pending: INVALID_STATE,
        active: 'active',
        completed: ALREADY_CLOSED,
        cancelled: ALREADY_CLOSED,
      },
      'close by its user': {
        pending: INVALID_STATE,
        active: 'completed',
        completed: ALREADY_CLOSED,
        cancelled: ALREADY_CLOSED,
      },
      cancel: {
        pending: 'cancelled',
        active: 'cancelled',
        completed: ALREADY_CLOSED,
        cancelled: ALREADY_CLOSED,
      },
      move: {
        pending: INVALID_STATE,
        active: 'completed',
        completed: ALREADY_CLOSED,
        cancelled: ALREADY_CLOSED,
      },
    };
    const cases = Object.keys(actions).flatMap((action) =>
      Object.keys(bringTo).map((status) => [action, status, outcomes[action]![status] as string] as const),
    );

    it.each(cases)('"%s" in the status %s leads to %s', async (action, status, outcome) => {
      const { id, ann } = await steps.createForNewUser('1000.00');
      await bringTo[status]!(id, ann);
      steps.advanceDays(1); // beyond the lock-up
      await steps.adminDetail(id); // posts the accrual of the new day
      const before = await platform.ledgerState();
      const reply = await actions[action]!(id, ann);

      const isRefused = outcome === INVALID_STATE || outcome === ALREADY_CLOSED;
      expect([reply.status, reply.code]).toEqual(isRefused ? [422, outcome] : [200, undefined]);
      if (isRefused) expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.adminDetail(id)).status).toBe(isRefused ? status : outcome);
      await steps.requireMatchingUnits();
    });
  });

  it.each([UNKNOWN_ID, 'not-a-uuid'])('answers 404 for the unknown id %s', async (id) => {
    const missing = { status: 404, code: 'INVESTMENT_NOT_FOUND' };
    expect(await platform.as(steps.admin).get(`${ADMIN_INVESTMENTS}/${id}`)).toMatchObject(missing);
    expect(await steps.approve(id)).toMatchObject(missing);
    expect(await steps.reject(id)).toMatchObject(missing);
    expect(await steps.close(id, '1')).toMatchObject(missing);
  });

  it.each([
    [undefined, 'MISSING_REQUIRED_FIELD'],
    ['', 'VALIDATION_ERROR'],
    [17, 'VALIDATION_ERROR'],
  ])('refuses a rejection with the reason %j', async (reason, code) => {
    const { id } = await steps.createForNewUser('1000.00');
    const reply = await platform.as(steps.admin).put(`${ADMIN_INVESTMENTS}/${id}/reject`, { reason });
    expect(reply).toMatchObject({ status: 400, code });
    expect((await steps.adminDetail(id)).status).toBe('pending');
  });

  it('allows support only to read, and operators to approve', async () => {
    const [operator, support] = [
      await platform.given.admin('operator'),
      await platform.given.admin('support'),
    ];
    const { id } = await steps.createForNewUser('1000.00');
    expect((await platform.as(support).get(`${ADMIN_INVESTMENTS}/${id}`)).status).toBe(200);
    for (const refused of [
      await steps.approve(id, support),
      await steps.reject(id, 'No', support),
      await steps.close(id, '1', support),
    ])
      expect(refused).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect((await steps.adminDetail(id)).status).toBe('pending');
    expect((await steps.approve(id, operator)).data.approvedBy).toBe(operator.email);
  });
});
