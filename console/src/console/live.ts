import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type LiveState } from '../api/client.ts';

const FRESH_MS = 5_000;
/** The service recomputes the sums of lists up to some seconds after a change, so the queries are read a second time after this time. */
const SUMS_MS = 3_000;

/** The first elements of the keys of queries whose data an approval can change. */
export const APPROVAL_AREAS = [
  'approvals',
  'withdrawals',
  'transactions',
  'users',
  'yield-reports',
  'reconciliations',
  'pause',
  'queues',
] as const;

/** The first elements of the keys of queries whose data an event changes, by the part of its type before the point. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  withdrawal: ['withdrawals', 'approvals', 'overview', 'queues'],
  approval: APPROVAL_AREAS,
  alert: ['alerts', 'queues'],
  deposit: ['overview', 'users', 'deposits', 'transactions'],
  investment: ['overview', 'users', 'investments', 'queues'],
  integrity: ['overview', 'alerts', 'pause', 'GET /api/admin/integrity/runs'],
};

/** Reads again what events change, and returns the state of the connection. */
export function useLiveUpdates(isPermitted: boolean): LiveState['status'] {
  const queries = useQueryClient();
  const [status, setStatus] = useState<LiveState['status']>('connecting');
  useEffect(() => {
    if (!isPermitted) return undefined;
    let isFirst = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = new Set<string>();
    const readAgain = () => {
      for (const area of changed) invalidate(queries, area);
      changed.clear();
    };
    const subscription = api.live({
      as: 'admin',
      onEvent: ({ type }) => {
        for (const area of AREAS[type.split('.')[0] as string] ?? []) {
          invalidate(queries, area);
          changed.add(area);
        }
        clearTimeout(timer);
        timer = setTimeout(readAgain, SUMS_MS);
      },
      // Events may have been missed. At the first connection, for which onGap is called, too, data of the last FRESH_MS is kept.
      onGap: () => {
        const before = Date.now() - (isFirst ? FRESH_MS : 0);
        void queries.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt <= before });
      },
      onState: (state) => {
        if (state.status === 'waiting') isFirst = false;
        setStatus(state.status);
      },
    });
    return () => {
      clearTimeout(timer);
      subscription.close();
    };
  }, [queries, isPermitted]);
  return status;
}

const invalidate = (queries: QueryClient, area: string) =>
  void queries.invalidateQueries({ queryKey: [area] });
