import { startPlatform, type TestPlatform } from '../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  HOUR_MS,
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
  afterAll(() => platform.stop());

  it('shows the cancellation and its time in all responses, unlike a rejected one', async () => {
    const { id, ann } = await steps.createPending();
    const { id: rejected } = (await steps.request(ann, '20.00')).data;
    const { id: pending } = (await steps.request(ann, '30.00')).data;
    platform.clock.advance(HOUR_MS);
    const cancelled = {
      id,
      status: 'rejected',
      cancelledByUser: true,
      cancelledAt: platform.clock.now().toISOString(),
    };
    expect((await steps.cancel(id, ann)).data).toMatchObject(cancelled);
    const notCancelled = { cancelledByUser: false, cancelledAt: null };
    expect((await steps.reject(rejected)).data).toMatchObject({ status: 'rejected', ...notCancelled });

    const expected = [
      { id: pending, status: 'pending', ...notCancelled },
      { id: rejected, status: 'rejected', ...notCancelled },
      cancelled,
    ].sort((one, other) => one.id.localeCompare(other.id));
    const as = platform.as(ann);
    const byAdmin = platform.as(steps.admin);
    const lists = [
      (await as.get(USER_WITHDRAWALS)).data.requests,
      (await byAdmin.get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}`)).data,
      (await byAdmin.get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}&view=basic`)).data.withdrawals,
    ];
    for (const list of lists)
      expect(list.sort((one: any, other: any) => one.id.localeCompare(other.id))).toMatchObject(expected);
    for (const one of expected) {
      expect((await as.get(`${USER_WITHDRAWALS}/${one.id}`)).data).toMatchObject(one);
      expect(await steps.detail(one.id)).toMatchObject(one);
    }
    const [queued] = (await byAdmin.get(`${ADMIN_WITHDRAWALS}/pending`)).data;
    expect(queued).toMatchObject({ id: pending, ...notCancelled });
  });
});
