import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { MINUTE_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AppConfig } from '../../../config/app-config.js';
import { all } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Principal } from '../../../http/auth/principal.js';
import {
  ADMIN_STEP_UP_ACTIONS,
  HELD_ACTIONS,
  StepUps,
  USER_STEP_UP_ACTIONS,
  type StepUpAction,
  type StepUpCheck,
} from '../../../http/auth/step-up.js';
import type { FactorAnswer } from '../auth/domain/sign-in.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { SecurityHoldsService, AccountLocksService } from '../users/account-restrictions.service.js';
import { detailsOf, hashOfDetails, type Details } from './domain/step-up-actions.js';
import type { Passkey, StepUp } from './entities/factor.entity.js';
import { FactorVerificationService } from './factor-verification.service.js';
import { FactorsRepository, StepUpsRepository, type StoredStepUp } from './factors.repository.js';
import type { Challenge, FactorMethod, FactorOwner, StepUpRefusal, StepUpSession } from './factors.types.js';
import { WebauthnService } from './webauthn.service.js';

const CHALLENGE_MS = 5 * MINUTE_MS;
/** Needs a second factor whatever STEP_UP says: a session alone must not end the lock that stopped it. */
const UNLOCK: StepUpAction = 'account.unlock';
/** The action of a challenge that a new passkey signs. */
export const PASSKEY_REGISTRATION = 'passkey.registration';
/** The action of the challenge of an admin's sign-in. */
export const SIGN_IN = 'sign-in';

const ACTIONS: Record<FactorOwner['type'], readonly StepUpAction[]> = {
  user: USER_STEP_UP_ACTIONS,
  admin: ADMIN_STEP_UP_ACTIONS,
};

/** Step-ups: a second factor proves a present person for one action with its details. Lifetimes are real time. */
@Injectable()
export class StepUpsService extends StepUps {
  constructor(
    private readonly stepUps: StepUpsRepository,
    private readonly factors: FactorsRepository,
    private readonly verification: FactorVerificationService,
    private readonly webauthn: WebauthnService,
    private readonly seals: CredentialSealsService,
    private readonly locks: AccountLocksService,
    private readonly holds: SecurityHoldsService,
    private readonly config: AppConfig,
  ) {
    super();
  }

  /** Throws VALIDATION_ERROR for an action of the other type of account, and for details that do not belong to the action. */
  async createStepUp(session: StepUpSession, action: StepUpAction, details: Details): Promise<Challenge> {
    if (!ACTIONS[session.type].includes(action))
      throwError('VALIDATION_ERROR', [
        { field: 'action', message: `must be one of ${ACTIONS[session.type].join(', ')}` },
      ]);
    return this.openChallenge(session, action, hashOfDetails(action, details));
  }

  /** Inserts a challenge and returns what can answer it. */
  async openChallenge(session: StepUpSession, action: string, detailsHash: Buffer): Promise<Challenge> {
    const { id, challenge, expiresAt } = await this.insertChallenge(session, action, detailsHash);
    const passkeys = await this.factors.findPasskeys(session);
    const methods = await this.listMethods(session, passkeys);
    const options = methods.includes('passkey')
      ? await this.webauthn.authenticationOptions(passkeys, challenge)
      : null;
    return { id, methods, options, expiresAt };
  }

  /** Inserts a challenge of five minutes. */
  async insertChallenge(session: StepUpSession, action: string, detailsHash: Buffer): Promise<StepUp> {
    const createdAt = realNow();
    const row = {
      id: newId(),
      subjectType: session.type,
      subjectId: session.id,
      familyId: session.familyId,
      action,
      detailsHash,
      challenge: randomBytes(32).toString('base64url'),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + CHALLENGE_MS),
      tokenHash: null,
      tokenExpiresAt: null,
      usedAt: null,
    };
    const stepUp = { ...row, seal: this.seals.sealRow('step_up', row) };
    await this.stepUps.insertStepUp(stepUp);
    return stepUp;
  }

  /**
   * Verifies a factor and returns the token of the step-up, once. Throws STEP_UP_INVALID for an unknown, expired or verified
   * step-up, CODE_INVALID, and TOO_MANY_ATTEMPTS.
   */
  async verifyStepUp(
    session: StepUpSession,
    id: string,
    answer: FactorAnswer,
  ): Promise<{ token: string; expiresAt: Date }> {
    const { challenge } = this.requireOwn(await this.stepUps.findStepUp(id), session);
    const lock = async (tx: Tx) => {
      const stepUp = this.requireOwn(await this.stepUps.lockStepUp(tx, id), session);
      if (stepUp.tokenHash !== null) refuse('used');
      return stepUp.expiresAt <= realNow() ? refuse('expired') : stepUp;
    };
    return this.verification.verifyAnswer(session, answer, { challenge, lock }, (tx, stepUp) => {
      const token = randomBytes(32).toString('base64url');
      const tokenExpiresAt = new Date(realNow().getTime() + this.config.STEP_UP_SECONDS * 1000);
      this.update(tx, stepUp, { tokenHash: this.seals.hashToken(token), tokenExpiresAt });
      return Promise.resolve({ token, expiresAt: tokenExpiresAt });
    });
  }

  checkOf(principal: Principal, token: string | undefined, action: StepUpAction): StepUpCheck {
    const { type, id } = principal;
    const session = sessionOf(principal, action);
    const isOff = this.modeOf(type) === 'off' && action !== UNLOCK;
    const mustBeUnlocked = type === 'user' && action !== UNLOCK;
    return async (tx, details) => {
      const account = mustBeUnlocked ? this.locks.requireUnlocked(tx, id) : Promise.resolve(undefined);
      // If several checks fail, the first one gives the error: the order is that of `StepUpCheck`.
      await all(
        account,
        session && !isOff ? this.requireStepUp(tx, session, { action, details, token }) : undefined,
        HELD_ACTIONS.includes(action)
          ? account.then((lockedAccount) => this.holds.requireUnheld(lockedAccount))
          : undefined,
      );
    };
  }

  async requireNoFactors(tx: Tx, userId: string, action: StepUpAction): Promise<void> {
    const owner: FactorOwner = { type: 'user', id: userId };
    if (this.config.STEP_UP !== 'off' && (await this.factors.hasFactors(tx, owner)))
      await this.failRequired(tx, owner, action);
  }

  private async requireStepUp(
    tx: Tx,
    session: StepUpSession,
    { action, details, token }: { action: StepUpAction; details: Details; token: string | undefined },
  ): Promise<void> {
    const [hasFactors, stepUp] = await all(
      this.factors.hasFactors(tx, session),
      token === undefined ? undefined : this.stepUps.lockByToken(tx, this.seals.hashesOfToken(token)),
    );
    // An account without a factor is exempt in the mode `if-registered`, and when it adds its first factor.
    const isExempt = this.modeOf(session.type) === 'if-registered' || action === 'factor.add';
    if (!hasFactors && isExempt && action !== UNLOCK) return;
    if (token === undefined) return this.failRequired(tx, session, action);
    const own = this.requireOwn(stepUp, session);
    if (own.usedAt !== null) refuse('used');
    if (!own.tokenExpiresAt || own.tokenExpiresAt <= realNow()) refuse('expired');
    if (own.action !== action) refuse('other_action');
    if (!own.detailsHash.equals(hashOfDetails(action, detailsOf(action, details)))) refuse('other_details');
    this.update(tx, own, { usedAt: realNow() });
  }

  /** Throws STEP_UP_INVALID unless the challenge for a new passkey is open and belongs to this session. */
  async requireOpenRegistration(session: StepUpSession, challenge: string): Promise<void> {
    this.requireRegistration(await this.stepUps.findByChallenge(challenge), session);
  }

  /** Ends a challenge for a new passkey. Throws as `requireOpenRegistration` does. */
  async useRegistration(tx: Tx, session: StepUpSession, challenge: string): Promise<void> {
    this.useChallenge(
      tx,
      this.requireRegistration(await this.stepUps.lockByChallenge(tx, challenge), session),
    );
  }

  /** The challenge of a sign-in. Throws STEP_UP_INVALID unless it is open and belongs to this first step. */
  async getSignIn(owner: FactorOwner, id: string, detailsHash: Buffer): Promise<StoredStepUp> {
    return this.requireSignIn(await this.stepUps.findStepUp(id), owner, detailsHash);
  }

  async lockSignIn(tx: Tx, owner: FactorOwner, id: string, detailsHash: Buffer): Promise<StoredStepUp> {
    return this.requireSignIn(await this.stepUps.lockStepUp(tx, id), owner, detailsHash);
  }

  /** Ends a challenge whose row the caller has locked. */
  useChallenge(tx: Tx, stepUp: StoredStepUp): void {
    this.update(tx, stepUp, { usedAt: realNow() });
  }

  private requireSignIn(
    stepUp: StoredStepUp | undefined,
    { type, id }: FactorOwner,
    detailsHash: Buffer,
  ): StoredStepUp {
    // A challenge of a sign-in belongs to no session, so its own family is compared with itself.
    const own = this.requireOwn(stepUp, { type, id, familyId: stepUp?.familyId ?? '' });
    if (own.action !== SIGN_IN) refuse('other_action');
    if (own.usedAt !== null) refuse('used');
    if (!own.detailsHash.equals(detailsHash)) refuse('other_details');
    return own.expiresAt <= realNow() ? refuse('expired') : own;
  }

  private modeOf(type: FactorOwner['type']) {
    return type === 'admin' ? this.config.adminSecondFactor : this.config.STEP_UP;
  }

  private requireRegistration(stepUp: StoredStepUp | undefined, session: StepUpSession): StoredStepUp {
    const own = this.requireOwn(stepUp, session);
    if (own.action !== PASSKEY_REGISTRATION) refuse('other_action');
    if (own.usedAt !== null) refuse('used');
    return own.expiresAt <= realNow() ? refuse('expired') : own;
  }

  private async failRequired(tx: Tx, owner: FactorOwner, action: StepUpAction): Promise<never> {
    const methods = await this.listMethods(owner, await this.factors.findPasskeys(owner, tx), tx);
    return throwError('STEP_UP_REQUIRED', { action, methods });
  }

  /** The methods that can answer. A passkey cannot if the platform has no domain. */
  private async listMethods(
    owner: FactorOwner,
    passkeys: readonly Passkey[],
    tx?: Tx,
  ): Promise<FactorMethod[]> {
    const secret = await this.factors.findTotpSecret(owner, tx);
    const codes = await this.factors.countRecoveryCodesLeft(owner, tx);
    return [
      ...(passkeys.length > 0 && this.webauthn.isAvailable ? (['passkey'] as const) : []),
      ...(secret?.confirmedAt ? (['totp'] as const) : []),
      ...(codes > 0 ? (['recovery-code'] as const) : []),
    ];
  }

  /** Throws STEP_UP_INVALID. An unknown step-up, and a row that the service has not written, counts as expired. */
  private requireOwn(stepUp: StoredStepUp | undefined, { type, id, familyId }: StepUpSession): StoredStepUp {
    if (!stepUp || !this.seals.isAuthentic('step_up', stepUp)) return refuse('expired');
    const isOwn = stepUp.subjectType === type && stepUp.subjectId === id && stepUp.familyId === familyId;
    return isOwn ? stepUp : refuse('other_session');
  }

  private update(tx: Tx, before: StoredStepUp, changes: Partial<StepUp>): void {
    const after = { ...before, ...changes };
    this.stepUps.updateStepUp(tx, before, { ...after, seal: this.seals.sealRow('step_up', after) });
  }
}

/** Undefined for an API key, which cannot step up. Throws FORBIDDEN for a key that unlocks, and for another caller without a sign-in. */
function sessionOf(principal: Principal, action: StepUpAction): StepUpSession | undefined {
  const { type, id, familyId } = principal;
  if (familyId !== undefined) return { type, id, familyId };
  const isKey = principal.type === 'user' && principal.apiKey !== undefined;
  return isKey && action !== UNLOCK ? undefined : throwError('FORBIDDEN');
}

function refuse(reason: StepUpRefusal): never {
  return throwError('STEP_UP_INVALID', { reason });
}
