import { useQuery } from '@tanstack/react-query';
import { api, type Answer, type RequestOf } from './client.ts';
import { REFRESH_MS } from './queries.ts';
import { withStepUp } from './step-up.ts';

export type Approval = Answer<'GET /api/admin/approvals'>['data'][number];
type ListQuery = NonNullable<RequestOf<'GET /api/admin/approvals'>['query']>;

const PAGE_ROWS = 20;
const MAX_ROWS = 100;
const MAX_PAGES = 10;
/** Live events announce each request and each decision: this is for those that were missed. */
const REFRESH_ALL_MS = 60_000;

/** One page of a list. */
export const useApprovals = (query: ListQuery) =>
  useQuery({
    queryKey: ['approvals', 'page', query],
    queryFn: () => api.call('GET /api/admin/approvals', { query: { limit: PAGE_ROWS, ...query } }),
    refetchInterval: REFRESH_MS,
  });

/** The first pages of a list, and whether there are more. */
const useAllApprovals = (query: ListQuery) =>
  useQuery({
    queryKey: ['approvals', 'all', query],
    queryFn: async ({ signal }) => {
      const approvals: Approval[] = [];
      const request = { query: { limit: MAX_ROWS, ...query }, signal };
      for await (const { data, pagination } of api.pages('GET /api/admin/approvals', request)) {
        approvals.push(...data);
        if (approvals.length >= MAX_PAGES * MAX_ROWS) return { approvals, isCut: pagination.hasNext };
      }
      return { approvals, isCut: false };
    },
    refetchInterval: REFRESH_ALL_MS,
  });

/** What waits for a second admin about one record; `unknown` as long as the lists of approvals are not read up to it. */
export type WaitingApproval = Approval | 'unknown' | undefined;

export interface WaitingApprovals {
  of: (id: string) => WaitingApproval;
  /** Why nothing is known: the lists could never be read. */
  error: Error | null;
}

/** The changes of records of one type that wait for a second admin. */
export function useWaitingApprovals(type: string): WaitingApprovals {
  const others = useAllApprovals({ status: 'pending' });
  const mine = useAllApprovals({ status: 'pending', mine: true });
  // A later error does not hide what was read before it.
  if (!others.data || !mine.data) return { of: () => 'unknown', error: others.error ?? mine.error };
  const waiting = [...others.data.approvals, ...mine.data.approvals].filter(
    ({ subject }) => subject.type === type,
  );
  // A withdrawal that needs an approval can be waiting for one about its payment, too: that one counts.
  waiting.sort((one, other) => Number(other.kind === 'withdrawal') - Number(one.kind === 'withdrawal'));
  const byId = new Map(waiting.map((approval) => [approval.subject.id, approval]));
  const other = others.data.isCut || mine.data.isCut ? 'unknown' : undefined;
  return { of: (id) => byId.get(id) ?? other, error: null };
}

export const approve = (id: string, body: RequestOf<'POST /api/admin/approvals/{id}/approve'>['body']) =>
  withStepUp({ action: 'approval.approve', details: { id } }, async (token) => {
    const request = { path: { id }, body, ...token };
    return (await api.call('POST /api/admin/approvals/{id}/approve', request)).data;
  });

export const reject = async (id: string, reason: string) =>
  (await api.call('POST /api/admin/approvals/{id}/reject', { path: { id }, body: { reason } })).data;

export const withdraw = async (id: string) =>
  (await api.call('POST /api/admin/approvals/{id}/withdraw', { path: { id } })).data;
