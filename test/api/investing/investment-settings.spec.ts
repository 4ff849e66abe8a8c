import { findUserFunds } from '../../fixtures/ledger-fixtures.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';

describe('Investments with non-default settings', () => {
  let platform: TestPlatform;
  afterEach(() => platform?.stop());

  /** Starts a platform with the settings, on which Ann, who has 2000.00 USDC, requests an investment of the amount. */
  async function annInvests(amount: string, settings: Record<string, string>) {
    platform = await startPlatform({ settings, at: START });
    const ann = await platform.given.user().withBalance('2000.00');
    return { ann, reply: await platform.as(ann).post(PATH, { strategyId: 'balanced-10', amount }) };
  }

  it('at or above the approval threshold wait for approval, and earn from the day after it', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_APPROVAL_THRESHOLD: '1000' });
    const { id } = reply.data;
    expect(reply.data).toMatchObject({
      status: 'pending',
      nextYieldDate: null,
      performance: { dailyYield: '0.00' },
    });
    expect(
      (await platform.as(ann).post(PATH, { strategyId: 'balanced-10', amount: '999.999999' })).data.status,
    ).toBe('active');
    expect((await platform.as(ann).delete(`${PATH}/${id}`)).body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'pending', action: 'close', allowedFrom: ['active'] },
    });

    platform.clock.moveTo('2026-03-12T10:00:00Z');
    expect((await platform.as(ann).get(`${PATH}/${id}`)).data.currentValue).toBe('1000.00');
    await platform.app.get(InvestmentsService).approve(id, 'admin@example.com');
    platform.clock.moveTo('2026-03-14T00:00:00Z');
    expect((await platform.as(ann).get(`${PATH}/${id}`)).data).toMatchObject({
      status: 'active',
      currentValue: '1000.261158', // growth of the 13th: 1000 × 1.1^(1/365)
      approvedBy: 'admin@example.com',
      approvedAt: '2026-03-12T10:00:00.000Z',
    });
  });

  it('that wait for approval return the principal when an admin rejects or the user cancels them, and cannot be approved after a rejection', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_APPROVAL_THRESHOLD: '500' });
    const second = await platform.as(ann).post(PATH, { strategyId: 'balanced-10', amount: '500' });
    await platform.app.get(InvestmentsService).reject(reply.data.id, 'No', 'admin@example.com');
    expect((await platform.as(ann).post(`${PATH}/${second.data.id}/cancel`)).status).toBe(200);
    const funds = await findUserFunds(platform.dataSource, ann.id);
    expect([funds.available.toWire(), funds.invested.toWire()]).toEqual(['2000.00', '0.00']);
    await expect(platform.app.get(InvestmentsService).approve(reply.data.id, 'x')).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it('cannot be closed during the lock-up', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_LOCK_DAYS: '7' });
    const path = `${PATH}/${reply.data.id}`;
    platform.clock.moveTo('2026-03-09T09:59:59.999Z');
    const refused = await platform.as(ann).delete(path);
    expect([refused.status, refused.code]).toEqual([422, 'INVESTMENT_LOCKED']);
    expect(refused.body.error.details).toEqual({ lockedUntil: '2026-03-09T10:00:00.000Z' });
    platform.clock.moveTo('2026-03-09T10:00:00.000Z');
    expect((await platform.as(ann).delete(path)).status).toBe(200);
  });

  it('cannot be created in a suspended strategy', async () => {
    const { ann, reply } = await annInvests('1000.00', { SUSPENDED_STRATEGIES: 'balanced-10' });
    expect([reply.status, reply.code]).toEqual([422, 'STRATEGY_NOT_AVAILABLE']);
    const funds = await findUserFunds(platform.dataSource, ann.id);
    expect(funds.available.toWire()).toBe('2000.00');
  });
});
