import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { restoreSession, signIn, signOut, type SessionUser } from '../api/user-session.ts';

type SessionState =
  | { status: 'loading' }
  | { status: 'signed-out'; hasEnded: boolean }
  | { status: 'unreachable' }
  | { status: 'signed-in'; user: SessionUser };

interface Session {
  state: SessionState;
  signIn: (identityToken: string) => Promise<void>;
  signOut: () => Promise<void>;
  /** The service does not accept the session any more. */
  end: () => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<SessionState>({ status: 'loading' });
  useEffect(() => {
    restoreSession().then(
      (user) => setState(user ? { status: 'signed-in', user } : { status: 'signed-out', hasEnded: false }),
      () => setState({ status: 'unreachable' }),
    );
  }, []);

  const leave = useCallback(
    (hasEnded: boolean) => {
      setState({ status: 'signed-out', hasEnded });
      queries.clear();
    },
    [queries],
  );
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ type, query }) => {
        if (type !== 'updated' || !(query.state.error instanceof ApiError)) return;
        if (query.state.error.status === 401) leave(true);
        // A sign-in in another tab has replaced the cookie.
        if (query.state.error.code === 'CSRF_INVALID') location.reload();
      }),
    [queries, leave],
  );

  const session = useMemo<Session>(
    () => ({
      state,
      signIn: async (identityToken) => setState({ status: 'signed-in', user: await signIn(identityToken) }),
      signOut: async () => {
        await signOut().catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 401) throw error; // the session has ended before
        });
        leave(false);
      },
      end: () => leave(true),
    }),
    [state, leave],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('SessionProvider is missing');
  return session;
}

export function useUser(): SessionUser {
  const { state } = useSession();
  if (state.status !== 'signed-in') throw new Error('Nobody is signed in');
  return state.user;
}
