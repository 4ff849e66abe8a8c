import { useQuery, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, hasCode, setCsrfToken, type Answer } from '../api/client.ts';
import { isSessionOver } from '../api/sign-in.ts';

type Account = Answer<'GET /api/auth/cookie/admin/verify'>['data']['admin'];

export interface Admin extends Account {
  /** The session may only register a second factor. */
  readonly lacksFactor: boolean;
}
export type Permission =
  | 'withdrawals:read'
  | 'withdrawals:approve'
  | 'investments:read'
  | 'investments:approve'
  | 'transactions:read'
  | 'transactions:write'
  | 'users:read'
  | 'users:write'
  | 'users:delete'
  | 'dashboard:read'
  | 'reports:read'
  | 'audit:read'
  | '*';

const KEY = ['session'];

/** The admin who is signed in; null without a session. */
export const useSession = () =>
  useQuery({ queryKey: KEY, queryFn: readSession, staleTime: Infinity, retry: 2 });

async function readSession(): Promise<Admin | null> {
  try {
    const { data } = await api.call('GET /api/auth/cookie/admin/verify');
    setCsrfToken(data.csrfToken);
    const lacksFactor = await api.call('GET /api/auth/cookie/admin/profile').then(
      () => false,
      (error: unknown) => {
        if (hasCode(error, 'SECOND_FACTOR_REQUIRED')) return true;
        throw error;
      },
    );
    return { ...data.admin, lacksFactor };
  } catch (error) {
    if (isSessionOver(error) || hasCode(error, 'NOT_ADMIN_TOKEN')) return null;
    throw error;
  }
}

export const readSessionAgain = (queries: QueryClient) => queries.invalidateQueries({ queryKey: KEY });

/** Shows the sign-in when the session ends. After another sign-in in another tab the page is loaded again as that admin's. */
export function watchSession(queries: QueryClient): void {
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return;
    const [area] = event.query.queryKey as readonly unknown[];
    if (area === KEY[0]) return;
    if (hasCode(event.action.error, 'CSRF_INVALID')) location.reload();
    else if (isSessionOver(event.action.error)) void readSessionAgain(queries);
  });
}

export async function signOut(): Promise<void> {
  await api.call('POST /api/auth/cookie/admin/logout').catch(() => undefined);
  location.reload(); // forgets everything that this admin could read
}

const AdminContext = createContext<Admin | undefined>(undefined);
export const AdminProvider = AdminContext.Provider;

export function useAdmin(): Admin {
  const admin = useContext(AdminContext);
  if (!admin) throw new Error('No admin is signed in.');
  return admin;
}

export const permits = ({ permissions }: Admin, needed: Permission): boolean =>
  permissions.includes('*') || permissions.includes(needed);

export const usePermits = (needed: Permission): boolean => permits(useAdmin(), needed);
