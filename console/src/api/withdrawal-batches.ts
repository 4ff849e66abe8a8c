import { api, type Answer, type RequestOf } from './client.ts';
import { withStepUp } from './step-up.ts';

export type Payment = RequestOf<'POST /api/admin/withdrawals/bulk-complete'>['body']['items'][number];

/** The outcome of each withdrawal of a batch: one that is refused does not affect the others. */
export interface BatchOutcome {
  readonly changed: readonly string[];
  readonly failed: Answer<'POST /api/admin/withdrawals/bulk-complete'>['data']['failed'];
}

/** As many as the service accepts at once. */
export const BATCH_LIMIT = 100;

export async function takeWithdrawals(ids: string[], idempotencyKey: string): Promise<BatchOutcome> {
  const request = { body: { ids }, idempotencyKey };
  const { taken: changed, failed } = (await api.call('POST /api/admin/withdrawals/bulk-take', request)).data;
  return { changed, failed };
}

export async function rejectWithdrawals(
  ids: string[],
  reason: string,
  idempotencyKey: string,
): Promise<BatchOutcome> {
  const request = { body: { ids, reason }, idempotencyKey };
  const { data } = await api.call('POST /api/admin/withdrawals/bulk-reject', request);
  return { changed: data.rejected, failed: data.failed };
}

/** One step-up confirms exactly these payments. */
export const completeWithdrawals = (items: Payment[], idempotencyKey: string): Promise<BatchOutcome> =>
  withStepUp({ action: 'withdrawal.bulk-complete', details: { items } }, async (token) => {
    const request = { body: { items }, idempotencyKey, ...token };
    const { data } = await api.call('POST /api/admin/withdrawals/bulk-complete', request);
    return { changed: data.completed, failed: data.failed };
  });
