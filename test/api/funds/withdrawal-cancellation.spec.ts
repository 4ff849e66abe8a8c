import { HOUR_MS } from '../../../src/common/durations.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

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

  it('is found by the status cancelled in the list of admins, its sums and its CSV, and still by rejected', async () => {
    const { id, ann } = await steps.createPending('70.00');
    const { id: rejected } = (await steps.request(ann, '20.00')).data;
    await steps.request(ann, '30.00');
    await steps.cancel(id, ann);
    await steps.reject(rejected);
    const list = async (status: string) =>
      (await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}&status=${status}`)).body;
    const ids = ({ data }: { data: { id: string }[] }) => data.map((row) => row.id);

    const cancelled = await list('cancelled');
    expect(ids(cancelled)).toEqual([id]);
    expect(cancelled.summary).toMatchObject({ totalWithdrawals: 1, averageWithdrawal: '70.00' });
    expect(ids(await list('rejected'))).toEqual([rejected, id]);
    const ofAll = (await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}?status=cancelled`)).body;
    expect(ofAll.pagination.total).toBe(ofAll.data.length);
    expect(ofAll.data.every(({ cancelledByUser }: any) => cancelledByUser)).toBe(true);
    const { text } = await sendRequest(
      `${platform.baseUrl}${ADMIN_WITHDRAWALS}?userId=${ann.id}&status=cancelled&format=csv`,
      { headers: { authorization: `Bearer ${steps.admin.token}` } },
    );
    expect(text.trim().split('\r\n')).toHaveLength(2); // the names of the columns, and one withdrawal
  });
});
