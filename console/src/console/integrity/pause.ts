import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';

/** The key of the query below, by which other components invalidate it. */
export const PAUSE = 'pause';

const newestEntry = async (query: { action: string; subject?: string }, signal: AbortSignal) => {
  const request = { query: { ...query, limit: 1 }, signal };
  return (await api.call('GET /api/admin/audit', request)).data[0];
};

/**
 * The pause of withdrawals; null while they are open. It is read from the audit log, which has the beginning and the end of each pause,
 * because the route that answers the pause checks the whole ledger.
 */
export const usePause = () =>
  useQuery({
    queryKey: [PAUSE],
    queryFn: async ({ signal }) => {
      const paused = await newestEntry({ action: 'withdrawals.pause' }, signal);
      if (!paused) return null;
      const { subjectType, subjectId: id, at: since, admin: pausedBy, reason } = paused;
      const subject = `${subjectType}:${id}`;
      const resumed = await newestEntry({ action: 'withdrawals.resume', subject }, signal);
      return resumed ? null : { id, since, pausedBy, reason };
    },
    refetchInterval: REFRESH_MS,
  });
