import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

describe('Four-eyes approval of large withdrawals', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00' } });
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const refusal = { status: 403, code: 'FOUR_EYES_REQUIRED' };

  it('is not required below the limit', async () => {
    const { id } = await steps.createPending('999.999999');
    expect((await steps.take(id)).data.status).toBe('processing');
  });

  it('is required from the limit on, by an admin other than the one taking the withdrawal [SEC-006]', async () => {
    const { id } = await steps.createPending('1000.00');
    const before = await platform.ledgerState();
    expect(await steps.take(id)).toMatchObject(refusal);
    expect((await steps.detail(id)).status).toBe('pending');
    await steps.approve(id);
    expect(await steps.take(id)).toMatchObject(refusal);
    expect(await steps.execute(id)).toMatchObject(refusal);
    expect((await steps.detail(id)).status).toBe('approved');
    expect(await platform.ledgerState()).toEqual(before);

    const taken = await steps.take(id, admin2);
    expect(taken.data).toMatchObject({ status: 'processing', approvedBy: 'admin@example.com' });
  });

  it('allows a second admin to execute an approved withdrawal', async () => {
    const { id } = await steps.createPending('1000.00');
    await steps.approve(id);
    expect((await steps.execute(id, admin2)).data.status).toBe('processing');
  });

  it('is required by a bulk take, which reports a withdrawal without it as failed', async () => {
    const { id } = await steps.createPending('5000.00');
    const reply = await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [id] });
    expect(reply.data).toMatchObject({ taken: [], failed: [{ id, code: 'FOUR_EYES_REQUIRED' }] });
  });
});
