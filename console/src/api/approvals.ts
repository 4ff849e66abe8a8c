import { useQuery } from '@tanstack/react-query';
import { api, type Answer, type RequestOf } from './client.ts';
import { REFRESH_MS } from './queries.ts';
import { withStepUp } from './step-up.ts';

export type Approval = Answer<'GET /api/admin/approvals'>['data'][number];
type ListQuery = NonNullable<RequestOf<'GET /api/admin/approvals'>['query']>;

const PAGE_ROWS = 20;
const MAX_ROWS = 100;
const MAX_PAGES = 10;
/** Live events announce each request and each decision; this interval finds those whose event was missed. */
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

/**
 * The change of one record that waits for a second admin, or undefined if none waits. `unknown` if the lists of approvals are not read
 * yet, or have more rows than are read.
 */
export type WaitingApproval = Approval | 'unknown' | undefined;

export interface WaitingApprovals {
  of: (id: string) => WaitingApproval;
  /** The error of the lists if they could not be read even once. */
  error: Error | null;
}

/**
 * The changes that wait for a second admin: those that this admin may decide, and those that this admin has requested, which are a
 * list of their own. Undefined until both lists are read.
 */
function useWaiting() {
  const others = useAllApprovals({ status: 'pending' });
  const mine = useAllApprovals({ status: 'pending', mine: true });
  // A later error does not hide what was read before it.
  if (!others.data || !mine.data) return { waiting: undefined, error: others.error ?? mine.error };
  return {
    waiting: [...others.data.approvals, ...mine.data.approvals],
    isCut: others.data.isCut || mine.data.isCut,
  };
}

/** The changes of records of one type that wait for a second admin. */
export function useWaitingApprovals(type: string): WaitingApprovals {
  const { waiting: all, isCut, error } = useWaiting();
  if (!all) return { of: () => 'unknown', error };
  const waiting = all.filter(({ subject }) => subject.type === type);
  // Two changes of one withdrawal can wait: its approval and, for example, its rejection. The approval comes last and stays in the map.
  waiting.sort((one, other) => Number(other.kind === 'withdrawal') - Number(one.kind === 'withdrawal'));
  const byId = new Map(waiting.map((approval) => [approval.subject.id, approval]));
  return { of: (id) => byId.get(id) ?? (isCut ? 'unknown' : undefined), error: null };
}

/** All changes of one record that wait for a second admin, as far as they are known. */
export function useWaitingAbout(type: string, id: string): readonly Approval[] {
  const { waiting = [] } = useWaiting();
  return waiting.filter(({ subject }) => subject.type === type && subject.id === id);
}

/** One approval, whatever has become of it. */
export const useApproval = (id: string) =>
  useQuery({
    queryKey: ['approvals', 'one', id],
    queryFn: async () => (await api.call('GET /api/admin/approvals/{id}', { path: { id } })).data,
    refetchInterval: REFRESH_MS,
  });

export const approve = (id: string, body: RequestOf<'POST /api/admin/approvals/{id}/approve'>['body']) =>
  withStepUp({ action: 'approval.approve', details: { id } }, async (token) => {
    const request = { path: { id }, body, ...token };
    return (await api.call('POST /api/admin/approvals/{id}/approve', request)).data;
  });

export const reject = async (id: string, reason: string) =>
  (await api.call('POST /api/admin/approvals/{id}/reject', { path: { id }, body: { reason } })).data;

export const withdraw = async (id: string) =>
  (await api.call('POST /api/admin/approvals/{id}/withdraw', { path: { id } })).data;
