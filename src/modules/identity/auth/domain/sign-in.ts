import { throwError } from '../../../../common/errors/domain-error.js';
import { parsedUrl } from '../../../../common/parsed-url.js';
import { originOf } from '../../../../config/origins.js';
import type { Tx } from '../../../../database/tx.js';
import type { Admin } from '../../admins/domain/admins-file.js';

/** What answers a challenge of a second factor: exactly one of the three. */
export interface FactorAnswer {
  readonly credential?: object;
  readonly code?: string;
  readonly recoveryCode?: string;
}

/** Throws VALIDATION_ERROR unless the answer is exactly one of the three. */
export function requireOneAnswer({ credential, code, recoveryCode }: FactorAnswer): void {
  const given = [credential, code, recoveryCode].filter((value) => value !== undefined);
  if (given.length === 1) return;
  const message = 'send exactly one of credential, code and recoveryCode';
  throwError('VALIDATION_ERROR', [{ field: 'code', message }]);
}

/** The second factor of a sign-in. */
export interface SignInAnswer extends FactorAnswer {
  /** Of the challenge, from the details of the error SECOND_FACTOR_REQUIRED. */
  readonly id: string;
}

/** The first step of a sign-in, which has succeeded: a password, or a token of the identity provider. */
export interface FirstStep {
  readonly admin: Pick<Admin, 'id' | 'email'>;
  readonly method: 'password' | 'identity-provider';
  /** The identity provider's subject; null for a password. */
  readonly subject: string | null;
}

/** `hasFactor`: a second factor was verified. */
export type OpenSession<Session> = (tx: Tx, hasFactor: boolean) => Promise<Session>;

/** Second factors at the sign-in of admins. Implemented by the module `second-factor`. */
export abstract class SignInFactors {
  /**
   * Verifies the answer and opens the session, in one transaction; a challenge is answered once. Without an answer, throws
   * SECOND_FACTOR_REQUIRED with a challenge of five minutes for this first step if the admin has a second factor. Throws
   * STEP_UP_INVALID for a challenge that is unknown, expired, used or that of another first step, CODE_INVALID, and TOO_MANY_ATTEMPTS.
   */
  abstract completeSignIn<Session extends object>(
    step: FirstStep,
    answer: SignInAnswer | undefined,
    openSession: OpenSession<Session>,
  ): Promise<Session>;
}

/** Printable ASCII without the backslash: some clients read a backslash as a slash and would see another host. */
const UNAMBIGUOUS = /^[!-[\]-~]+$/;

/**
 * A client may name a destination after a sign-in only at the origins of the platform's own web applications; otherwise
 * the service would relay phishing. Throws VALIDATION_ERROR for any other address.
 */
export function requireAllowedRedirectUrl(
  redirectUrl: string | undefined,
  { PUBLIC_URL, CORS_ORIGINS }: { PUBLIC_URL: string; CORS_ORIGINS: readonly string[] },
): void {
  if (redirectUrl === undefined || isAtOrigin(redirectUrl, [PUBLIC_URL, ...CORS_ORIGINS])) return;
  throwError('VALIDATION_ERROR', [
    { field: 'redirectUrl', message: 'must be an address at PUBLIC_URL or one of CORS_ORIGINS' },
  ]);
}

/** Requires `://`, because browsers read `https:host` as a relative address on a page of the same scheme. */
function isAtOrigin(text: string, origins: readonly string[]): boolean {
  const address = UNAMBIGUOUS.test(text) ? parsedUrl(text) : undefined;
  if (!address) return false;
  const { username, password } = address;
  return origins.includes(originOf(text)) && username === '' && password === '' && text.includes('://');
}
