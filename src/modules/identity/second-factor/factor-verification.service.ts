import { Injectable } from '@nestjs/common';
import { verifySync } from 'otplib';
import { realNow } from '../../../common/clock.js';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { FactorAnswer } from '../auth/domain/sign-in.js';
import { FactorOwnersService } from './factor-owners.service.js';
import { FactorSecretsService, recoveryCodeText } from './factor-secrets.service.js';
import { FactorsRepository } from './factors.repository.js';
import type { FactorMethod, FactorOwner } from './factors.types.js';
import { challengeOf, WebauthnService } from './webauthn.service.js';

const WINDOW_MS = 15 * MINUTE_MS;
const MAX_FAILURES = 5;
/**
 * The limit of wrong one-time codes in a day, so that slow guessing ends, too. Other answers have no such limit: they cannot be guessed,
 * and a thief with a session who sends wrong ones must not keep the owner from answering for a day.
 */
const MAX_CODES_A_DAY = 20;

/** Limits wrong answers of an owner: five of a method in fifteen minutes, and twenty one-time codes in a day. */
@Injectable()
export class FactorAttemptsService {
  constructor(
    private readonly storage: RateLimitStorage,
    private readonly rateLimits: RateLimits,
  ) {}

  /**
   * Counts the attempt before `verify` runs, so that parallel guesses are limited, and gives it back unless `verify` fails with
   * CODE_INVALID. Throws TOO_MANY_ATTEMPTS. Calls `onLastFailure` after the failure that uses up the limit; callers omit it for a
   * secret that is not confirmed and protects nothing yet.
   */
  async limitAttempts<Result>(
    { type, id }: FactorOwner,
    method: FactorMethod,
    verify: () => Promise<Result>,
    onLastFailure?: () => Promise<void>,
  ): Promise<Result> {
    const dayKey = method === 'totp' ? `second-factor-day:${type}:${id}` : undefined;
    const day = dayKey && (await this.storage.findPoints(dayKey));
    if (day && day.consumedPoints >= MAX_CODES_A_DAY) this.refuse(day.msBeforeNext);
    const key = `second-factor:${type}:${id}:${method}`;
    const began = performance.now();
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(key, WINDOW_MS);
    if (consumedPoints > MAX_FAILURES) this.refuse(msBeforeNext);
    const giveBack = async () => {
      const isSameWindow = performance.now() - began < msBeforeNext;
      if (isSameWindow) await this.storage.addPoints(key, WINDOW_MS, -1);
    };
    try {
      const result = await verify();
      await giveBack();
      return result;
    } catch (error) {
      const isWrong = error instanceof DomainError && error.code === 'CODE_INVALID';
      if (!isWrong) {
        await giveBack();
        throw error;
      }
      const codesOfDay = dayKey && (await this.storage.addPoints(dayKey, DAY_MS)).consumedPoints;
      if (consumedPoints === MAX_FAILURES || codesOfDay === MAX_CODES_A_DAY) await onLastFailure?.();
      throw error;
    }
  }

  private refuse(ms: number): never {
    return this.rateLimits.refuse('sign-in', Math.ceil(ms / 1000), 'TOO_MANY_ATTEMPTS');
  }
}

/** A code is accepted a step before and after its own, because clocks differ. */
const TOTP_TOLERANCE_SECONDS = 30;

/** Verifies answers of second factors. A code and a response of a passkey count once. */
@Injectable()
export class FactorVerificationService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly factors: FactorsRepository,
    private readonly webauthn: WebauthnService,
    private readonly secrets: FactorSecretsService,
    private readonly attempts: FactorAttemptsService,
    private readonly seals: CredentialSealsService,
    private readonly owners: FactorOwnersService,
  ) {}

  /**
   * Runs `lock`, verifies an answer and runs `onSuccess`, in one transaction. `challenge` is what a passkey has to sign. Throws
   * CODE_INVALID for a wrong or repeated answer, and TOO_MANY_ATTEMPTS.
   */
  async verifyAnswer<Locked, Result>(
    owner: FactorOwner,
    answer: FactorAnswer,
    { challenge, lock }: { challenge: string; lock: (tx: Tx) => Promise<Locked> },
    onSuccess: (tx: Tx, locked: Locked) => Promise<Result>,
  ): Promise<Result> {
    const method = methodOf(answer);
    return this.attempts.limitAttempts(
      owner,
      method,
      () =>
        this.unitOfWork.runInTransaction(async (tx) => {
          const locked = await lock(tx);
          if (answer.credential) await this.verifyPasskey(tx, owner, answer.credential, challenge);
          else if (answer.code !== undefined) await this.verifyCode(tx, owner, answer.code);
          else await this.useRecoveryCode(tx, owner, answer.recoveryCode as string);
          return onSuccess(tx, locked);
        }),
      () => this.reportFailures(owner),
    );
  }

  /** The step of 30 seconds to which a code of the secret belongs. Throws CODE_INVALID if it belongs to none that is accepted now. */
  stepOfCode(owner: FactorOwner, encrypted: Buffer, code: string): number {
    const secret = this.decrypt(owner, encrypted);
    const epoch = Math.floor(realNow().getTime() / 1000);
    const result = verifySync({ secret, token: code, epoch, epochTolerance: TOTP_TOLERANCE_SECONDS });
    if (!result.valid || !('timeStep' in result)) return throwError('CODE_INVALID');
    return result.timeStep;
  }

  /** Throws CODE_INVALID for a secret under a key that the settings do not have any more. */
  private decrypt({ type, id }: FactorOwner, encrypted: Buffer): string {
    try {
      return this.secrets.decrypt(`${type}:${id}`, encrypted);
    } catch {
      return throwError('CODE_INVALID');
    }
  }

  private async verifyPasskey(
    tx: Tx,
    owner: FactorOwner,
    credential: object,
    challenge: string,
  ): Promise<void> {
    if (challengeOf(credential) !== challenge) throwError('CODE_INVALID');
    const { id: credentialId } = credential as { id?: unknown };
    const passkeys = await this.factors.findPasskeys(owner, tx);
    const passkey = passkeys.find((each) => each.credentialId === credentialId);
    if (!passkey || !this.seals.isAuthentic('passkey', passkey)) return throwError('CODE_INVALID');
    const { newCounter } = await this.webauthn.verifyAuthentication(credential, challenge, passkey);
    await this.factors.recordPasskeyUse(tx, passkey.id, { signCount: newCounter, at: realNow() });
  }

  private async verifyCode(tx: Tx, owner: FactorOwner, code: string): Promise<void> {
    const secret = await this.factors.findTotpSecret(owner, tx);
    if (!secret?.confirmedAt || !this.seals.isAuthentic('totp_secret', secret))
      return throwError('CODE_INVALID');
    const step = this.stepOfCode(owner, secret.secret, code);
    if (!(await this.factors.useTotpStep(tx, secret, step))) throwError('CODE_INVALID');
  }

  private async useRecoveryCode(tx: Tx, owner: FactorOwner, code: string): Promise<void> {
    const stored = await this.factors.lockRecoveryCode(
      tx,
      this.seals.hashesOfToken(recoveryCodeText(owner, code)),
    );
    if (!stored || stored.usedAt !== null || !this.seals.isAuthentic('recovery_code', stored))
      return throwError('CODE_INVALID');
    const used = { ...stored, usedAt: realNow() };
    await this.factors.useRecoveryCode(tx, { ...used, seal: this.seals.sealRow('recovery_code', used) });
    await this.owners.recordStep(tx, owner, 'recovery-code-used');
  }

  private async reportFailures(owner: FactorOwner): Promise<void> {
    await this.unitOfWork.runInNewTransaction((tx) =>
      this.owners.recordStep(tx, owner, 'second-factor-failed'),
    );
  }
}

function methodOf({ credential, code }: FactorAnswer): FactorMethod {
  if (credential) return 'passkey';
  return code === undefined ? 'recovery-code' : 'totp';
}
