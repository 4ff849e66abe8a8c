import { api, apiWithToken, ApiError, hasCode, setCsrfToken, type RequestOf } from './client.ts';

type AdminSignIn = NonNullable<RequestOf<'POST /api/auth/cookie/admin/login'>['body']>;
export type SecondFactor = NonNullable<AdminSignIn['secondFactor']>;

/** What the service asks of an admin with a second factor. */
export interface FactorChallenge {
  readonly id: string;
  readonly methods: readonly string[];
  readonly options: Record<string, unknown> | null;
}

/** The answer to a challenge: exactly one of these fields is set. */
export type FactorAnswer = Omit<SecondFactor, 'id'>;

/** The sandbox's pages offer sign-ins without a password. */
export const isSandbox = 'sandbox' in document.documentElement.dataset;

/** The challenge of a refusal because of a missing second factor; undefined for other errors. */
export function challengeOf(error: unknown): FactorChallenge | undefined {
  if (!hasCode(error, 'SECOND_FACTOR_REQUIRED')) return undefined;
  const details = error.details as Partial<FactorChallenge> | undefined;
  return details?.id
    ? { id: details.id, methods: details.methods ?? [], options: details.options ?? null }
    : undefined;
}

export async function signInAdmin(credentials: AdminSignIn): Promise<void> {
  const { data } = await api.call('POST /api/auth/cookie/admin/login', { body: credentials });
  setCsrfToken(data.csrfToken);
}

/** Signs in with a token of the identity provider, as a user or an admin, and keeps the session in a cookie. */
export async function signInWithToken(
  token: string,
  secondFactor?: SecondFactor,
): Promise<{ isAdmin: boolean }> {
  const { data } = await apiWithToken(token).call('POST /api/auth/idp/login', {
    body: { session: 'cookie', ...(secondFactor ? { secondFactor } : {}) },
  });
  if (!('csrfToken' in data)) throw new Error('The sign-in has opened no cookie session.');
  setCsrfToken(data.csrfToken);
  return { isAdmin: data.isAdmin };
}

/** In the sandbox: a token of its identity provider for any e-mail address. */
export async function sandboxToken(email: string): Promise<string> {
  const response = await fetch(`/api/docs/identity-token?email=${encodeURIComponent(email)}`, {
    method: 'POST',
  });
  const { token, error } = (await response.json()) as { token?: string; error?: string };
  if (!token) throw new Error(error ?? `HTTP ${response.status}`);
  return token;
}

/** Asks for a passkey, and returns what the browser answers. */
export async function passkeyAnswer(options: Record<string, unknown>): Promise<FactorAnswer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return { credential: credential.toJSON() as unknown as Record<string, unknown> };
}

/** True if the session has ended, or if another tab has begun another one: the page has to be loaded again. */
export const isSessionOver = (error: unknown): boolean =>
  error instanceof ApiError &&
  ((error as ApiError).status === 401 || (error as ApiError).code === 'CSRF_INVALID');
