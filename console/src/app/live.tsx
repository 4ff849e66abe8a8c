import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useState, type ReactNode } from 'react';
import { api, type LiveState } from '../api/client.ts';
import { useSession } from './session.tsx';

const LiveContext = createContext<LiveState['status']>('connecting');
export const useLiveStatus = () => use(LiveContext);

/** Routes whose answers no event changes. */
const FIXED = ['GET /api/user/strategies', 'GET /api/user/deposits/address', 'GET /api/proofs/key'];
const COLLECT_MS = 50;
const FRESH_MS = 5_000;

/** Reads all routes again after events. It waits COLLECT_MS for further ones, since one transaction can send several events. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const { end } = useSession();
  const [status, setStatus] = useState<LiveState['status']>('connecting');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const readAgain = (olderThan: number) =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [route], state }) =>
          !FIXED.includes(String(route)) && state.dataUpdatedAt <= olderThan,
      });
    const subscription = api.live({
      onEvent: () => {
        clearTimeout(timer);
        timer = setTimeout(() => void readAgain(Date.now()), COLLECT_MS);
      },
      // Events may have been missed. At the first connection, for which onGap is called, too, data of the last FRESH_MS is kept.
      onGap: () => void readAgain(Date.now() - (isFirst ? FRESH_MS : 0)),
      onState: (state) => {
        if (state.status === 'waiting') isFirst = false;
        setStatus(state.status);
        if (state.status === 'ended' && state.reason === 'session-ended') end();
      },
    });
    return () => {
      clearTimeout(timer);
      subscription.close();
    };
  }, [queries, end]);
  return <LiveContext value={status}>{children}</LiveContext>;
}
