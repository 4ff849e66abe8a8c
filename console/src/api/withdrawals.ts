import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Answer, type RequestOf } from './client.ts';
import { REFRESH_MS } from './queries.ts';
import { isWaiting, refusedState } from './refused-state.ts';
import { withStepUp } from './step-up.ts';

export type QueuedWithdrawal = Answer<'GET /api/admin/withdrawals/pending'>['data'][number];
export type WithdrawalDetail = Answer<'GET /api/admin/withdrawals/{id}'>['data'];
type ListAnswer = Extract<Answer<'GET /api/admin/withdrawals'>, { pagination: unknown }>;
export type Withdrawal = ListAnswer['data'][number];
export type Status = NonNullable<NonNullable<RequestOf<'GET /api/admin/withdrawals'>['query']>['status']>;
type ListQuery = NonNullable<RequestOf<'GET /api/admin/withdrawals'>['query']>;

const PAGE_ROWS = 50;

const listWithdrawals = async (query: ListQuery, signal?: AbortSignal) =>
  (await api.call('GET /api/admin/withdrawals', { query, ...(signal ? { signal } : {}) })) as ListAnswer;

/** One page of a tab. The pending ones come with the figures that an operator decides by. */
export const useWithdrawals = (status: Status, query: Omit<ListQuery, 'status'>, isEnabled = true) =>
  useQuery({
    queryKey: ['withdrawals', 'list', status, query],
    queryFn: async ({ signal }) => {
      const page = { ...query, limit: PAGE_ROWS };
      if (status !== 'pending' || query.minAmount) return listWithdrawals({ ...page, status }, signal);
      const { sortBy, ...rest } = page;
      return api.call('GET /api/admin/withdrawals/pending', {
        query: { ...rest, sortBy: sortBy === 'amount' ? 'amount' : 'createdAt' },
        signal,
      });
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    enabled: isEnabled,
  });

export const useWithdrawal = (id: string) =>
  useQuery({
    queryKey: ['withdrawals', 'one', id],
    queryFn: async () => (await api.call('GET /api/admin/withdrawals/{id}', { path: { id } })).data,
    refetchInterval: REFRESH_MS,
  });

/** What an action has led to: either it waits for the approval of a second admin, or it is done and has changed `withdrawal`. */
export interface Outcome {
  isWaiting: boolean;
  withdrawal?: Withdrawal;
}

const outcomeOf = ({ data }: { data: Withdrawal }): Outcome =>
  isWaiting(data) ? { isWaiting: true } : { isWaiting: false, withdrawal: data };

const one = (id: string, idempotencyKey: string) => ({ path: { id }, idempotencyKey });

export const takeWithdrawal = async (id: string, key: string) =>
  outcomeOf(await api.call('POST /api/admin/withdrawals/{id}/take', one(id, key)));

export const executeWithdrawal = async (id: string, key: string) =>
  outcomeOf(await api.call('PUT /api/admin/withdrawals/{id}/execute', one(id, key)));

export const approveWithdrawal = (id: string, key: string) =>
  withStepUp({ action: 'withdrawal.approve', details: { id } }, async (token) =>
    outcomeOf(await api.call('PUT /api/admin/withdrawals/{id}/approve', { ...one(id, key), ...token })),
  );

export const completeWithdrawal = (
  id: string,
  body: RequestOf<'POST /api/admin/withdrawals/{id}/complete'>['body'],
  key: string,
) =>
  withStepUp({ action: 'withdrawal.complete', details: { id, txHash: body.txHash } }, async (token) =>
    outcomeOf(
      await api.call('POST /api/admin/withdrawals/{id}/complete', { ...one(id, key), body, ...token }),
    ),
  );

const withReason = (id: string, reason: string, key: string) => ({ ...one(id, key), body: { reason } });

export const rejectWithdrawal = (id: string, reason: string, key: string) =>
  withStepUp({ action: 'withdrawal.reject', details: { id } }, async (token) => {
    const request = { ...withReason(id, reason, key), ...token };
    return outcomeOf(await api.call('PUT /api/admin/withdrawals/{id}/reject', request));
  });

export const failWithdrawal = async (id: string, reason: string, key: string) =>
  outcomeOf(await api.call('POST /api/admin/withdrawals/{id}/fail', withReason(id, reason, key)));

export const returnWithdrawal = async (id: string, reason: string, key: string) =>
  outcomeOf(await api.call('POST /api/admin/withdrawals/{id}/return', withReason(id, reason, key)));

// The two below have no key: their routes are not idempotent, and a key would let the client repeat them.
export const releaseWithdrawal = (id: string, reason: string) =>
  withStepUp({ action: 'withdrawal.release', details: { id } }, async (token) => {
    const request = { path: { id }, body: { reason }, ...token };
    return outcomeOf(await api.call('POST /api/admin/withdrawals/{id}/release', request));
  });

export const acceptScreening = (id: string, reason: string) =>
  withStepUp({ action: 'screening.accept', details: { id } }, async (token): Promise<Outcome> => {
    const request = { path: { id }, body: { reason }, ...token };
    const { data } = await api.call('POST /api/admin/withdrawals/{id}/screening/accept', request);
    return { isWaiting: isWaiting(data) };
  });

/**
 * The step of somebody else that made an action impossible, such as a colleague, the user or a provider; undefined if it was refused for
 * another reason.
 */
export async function othersStep(id: string, error: unknown, me: string) {
  if (!refusedState(error)) return undefined;
  const { data } = await api.call('GET /api/admin/withdrawals/{id}', { path: { id } });
  const step = data.lifecycle.at(-1);
  if (!step || step.by === me) return undefined;
  return { ...step, isByColleague: step.by.includes('@') && step.by !== data.userEmail };
}
