import { throwError } from '../../../../common/errors/domain-error.js';
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
