import { HOUR_MS } from '../../src/common/durations.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../fixtures/withdrawals.js';

describe('A withdrawal cancelled by its user', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  it('shows the cancellation and its time in all responses, unlike a rejected withdrawal', async () => {
    const { id, ann } = await steps.createPending();
    const { id: rejectedId } = (await steps.request(ann, '20.00')).data;
    const { id: pendingId } = (await steps.request(ann, '30.00')).data;
    platform.clock.advance(HOUR_MS);
    const cancelled = {
      id,
      status: 'rejected',
      cancelledByUser: true,
      cancelledAt: platform.clock.now().toISOString(),
    };
    expect((await steps.cancel(id, ann)).data).toMatchObject(cancelled);
    const notCancelled = { cancelledByUser: false, cancelledAt: null };
    expect((await steps.reject(rejectedId)).data).toMatchObject({ status: 'rejected', ...notCancelled });

    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
    const expected = [
      { id: pendingId, status: 'pending', ...notCancelled },
      { id: rejectedId, status: 'rejected', ...notCancelled },
      cancelled,
    ].sort(byId);
    const byUser = platform.as(ann);
    const byAdmin = platform.as(steps.admin);
    const lists = [
      (await byUser.get(USER_WITHDRAWALS)).data.requests,
      (await byAdmin.get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}`)).data,
      (await byAdmin.get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}&view=basic`)).data.withdrawals,
    ];
    for (const list of lists) expect(list.sort(byId)).toMatchObject(expected);
    for (const withdrawal of expected) {
      expect((await byUser.get(`${USER_WITHDRAWALS}/${withdrawal.id}`)).data).toMatchObject(withdrawal);
      expect(await steps.detail(withdrawal.id)).toMatchObject(withdrawal);
    }
    const [queued] = (await byAdmin.get(`${ADMIN_WITHDRAWALS}/pending`)).data;
    expect(queued).toMatchObject({ id: pendingId, ...notCancelled });
  });
});
