import { language } from '../ui/language.ts';
import { api, apiWithToken, hasCode, setCsrfToken } from './client.ts';

export interface SessionUser {
  id: string;
  email: string;
}

/** FORBIDDEN: the browser has the session of an admin only, who works in the console. */
const NO_SESSION = ['TOKEN_MISSING', 'TOKEN_EXPIRED', 'TOKEN_INVALID', 'FORBIDDEN'];

/** The user of the session that an earlier page load has opened; undefined without one. */
export async function restoreSession(): Promise<SessionUser | undefined> {
  try {
    const { data } = await api.call('GET /api/auth/cookie/verify');
    setCsrfToken(data.csrfToken);
    return data.user;
  } catch (error) {
    if (hasCode(error, ...NO_SESSION)) return undefined;
    throw error;
  }
}

export class AdminSignInError extends Error {}

/** Exchanges the identity provider's JWT for a session. Throws AdminSignInError for an admin, who has a page of their own. */
export async function signIn(identityToken: string): Promise<SessionUser> {
  const body = { session: 'cookie', language } as const; // a new account is written to in the language of the page
  const { data } = await apiWithToken(identityToken)
    .call('POST /api/auth/idp/login', { body })
    .catch((error: unknown) => {
      throw hasCode(error, 'SECOND_FACTOR_REQUIRED') ? new AdminSignInError() : error; // only admins are asked at the sign-in
    });
  if (!('csrfToken' in data)) throw new Error('The sign-in has opened no cookie session.');
  setCsrfToken(data.csrfToken);
  if (data.isAdmin) {
    await endAdminSession();
    throw new AdminSignInError();
  }
  return data.user;
}

/** Ends the admin's session that the sign-in has just opened. If that fails, the admin can still sign out in the console. */
async function endAdminSession(): Promise<void> {
  await api.call('POST /api/auth/cookie/admin/logout').catch(() => undefined);
  setCsrfToken(undefined);
}

export async function signOut(): Promise<void> {
  await api.call('POST /api/auth/cookie/logout');
  setCsrfToken(undefined);
}
