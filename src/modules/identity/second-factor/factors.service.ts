import { Injectable } from '@nestjs/common';
import { generateSecret, generateURI } from 'otplib';
import { realNow } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { Principal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { SessionsService } from '../auth/sessions.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { SecondFactor } from '../users/users.types.js';
import { NO_DETAILS } from './domain/step-up-actions.js';
import type { Passkey } from './entities/factor.entity.js';
import { FactorOwnersService } from './factor-owners.service.js';
import { FactorSecretsService, newRecoveryCode, recoveryCodeText } from './factor-secrets.service.js';
import { FactorVerificationService, FactorAttemptsService } from './factor-verification.service.js';
import { FactorsRepository } from './factors.repository.js';
import { NAME_OF_PLATFORM, type FactorOwner, type StepUpSession } from './factors.types.js';
import { PASSKEY_REGISTRATION, StepUpsService } from './step-ups.service.js';
import { challengeOf, knownTransports, WebauthnService } from './webauthn.service.js';

const MAX_PASSKEYS = 10;
const RECOVERY_CODES = 10;

export interface Factors {
  readonly passkeys: readonly Passkey[];
  /** When the time-based codes were confirmed; null without them. */
  readonly totpSince: Date | null;
  readonly recoveryCodesLeft: number;
}

/** The secret of one-time codes, which is shown once. */
interface NewTotpSecret {
  readonly secret: string;
  readonly otpauthUrl: string;
}

/** Recovery codes that were made with the first factor; null for a further one. */
type FirstCodes = readonly string[] | null;

/** The second factors of users and admins. Every change locks the account first and is reported to its owner. */
@Injectable()
export class FactorsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly factors: FactorsRepository,
    private readonly stepUps: StepUpsService,
    private readonly verification: FactorVerificationService,
    private readonly attempts: FactorAttemptsService,
    private readonly owners: FactorOwnersService,
    private readonly webauthn: WebauthnService,
    private readonly secrets: FactorSecretsService,
    private readonly seals: CredentialSealsService,
    private readonly sessions: SessionsService,
  ) {}

  async getFactors(owner: FactorOwner): Promise<Factors> {
    const secret = await this.factors.findTotpSecret(owner);
    return {
      passkeys: await this.factors.findPasskeys(owner),
      totpSince: secret?.confirmedAt ?? null,
      recoveryCodesLeft: await this.factors.countRecoveryCodesLeft(owner),
    };
  }

  /** The options of `navigator.credentials.create`. Throws LIMIT_REACHED, and INVALID_STATE if passkeys have no domain. */
  async startPasskey(principal: Principal): Promise<object> {
    const session = sessionOf(principal);
    const passkeys = await this.factors.findPasskeys(session);
    if (passkeys.length >= MAX_PASSKEYS) throwError('LIMIT_REACHED', { limit: MAX_PASSKEYS });
    const { challenge } = await this.stepUps.insertChallenge(session, PASSKEY_REGISTRATION, NO_DETAILS);
    return this.webauthn.registrationOptions({ ...session, email: principal.email }, passkeys, challenge);
  }

  /**
   * Registers a passkey. Throws STEP_UP_REQUIRED if there is a factor already, STEP_UP_INVALID for a challenge of another session,
   * CODE_INVALID, LIMIT_REACHED, and INVALID_STATE for a passkey that is registered already.
   */
  async addPasskey(
    principal: Principal,
    { name, credential }: { name: string; credential: object },
    requireStepUp: StepUpCheck,
  ): Promise<{ passkey: Passkey; recoveryCodes: FirstCodes }> {
    const session = sessionOf(principal);
    const challenge = challengeOf(credential) ?? throwError('CODE_INVALID');
    await this.stepUps.requireOpenRegistration(session, challenge);
    const { credential: registered, credentialBackedUp } = await this.webauthn.verifyRegistration(
      credential,
      challenge,
    );
    const row = {
      id: newId(),
      subjectType: session.type,
      subjectId: session.id,
      credentialId: registered.id,
      publicKey: Buffer.from(registered.publicKey),
      createdAt: realNow(),
    };
    const passkey: Passkey = {
      ...row,
      name,
      signCount: registered.counter,
      transports: knownTransports(registered.transports),
      backedUp: credentialBackedUp,
      lastUsedAt: null,
      seal: this.seals.sealRow('passkey', row),
    };
    return this.changeFactors(principal, async (tx) => {
      await requireStepUp(tx, { kind: 'passkey' });
      await this.stepUps.useRegistration(tx, session, challenge);
      if ((await this.factors.findPasskeys(session, tx)).length >= MAX_PASSKEYS)
        throwError('LIMIT_REACHED', { limit: MAX_PASSKEYS });
      const recoveryCodes = await this.addFirstCodes(tx, principal);
      if (!(await this.factors.insertPasskey(tx, passkey)))
        failState('add', 'registered', 'This passkey is registered already.');
      await this.owners.recordStep(tx, session, 'factor-added', 'passkey');
      return { passkey, recoveryCodes };
    });
  }

  /** Throws PASSKEY_NOT_FOUND and STEP_UP_REQUIRED. */
  async removePasskey(principal: Principal, id: string, requireStepUp: StepUpCheck): Promise<void> {
    const session = sessionOf(principal);
    await this.changeFactors(principal, async (tx) => {
      await requireStepUp(tx, { kind: 'passkey', id });
      if (!(await this.factors.deletePasskey(tx, session, id))) throwError('PASSKEY_NOT_FOUND');
      await this.afterRemoval(tx, session, 'passkey');
    });
  }

  /** Makes a secret that a code has to confirm. Throws INVALID_STATE if codes are confirmed already, and STEP_UP_REQUIRED. */
  async startTotp(principal: Principal, requireStepUp: StepUpCheck): Promise<NewTotpSecret> {
    const session = sessionOf(principal);
    const secret = generateSecret();
    const row = {
      subjectId: session.id,
      subjectType: session.type,
      secret: this.secrets.encrypt(`${session.type}:${session.id}`, secret),
      createdAt: realNow(),
      confirmedAt: null,
    };
    await this.changeFactors(principal, async (tx) => {
      const stored = await this.factors.findTotpSecret(session, tx);
      if (stored?.confirmedAt) failConfirmed(session);
      await requireStepUp(tx, { kind: 'totp' });
      await this.factors.saveTotpSecret(tx, {
        ...row,
        usedStep: null,
        seal: this.seals.sealRow('totp_secret', row),
      });
    });
    return { secret, otpauthUrl: generateURI({ issuer: NAME_OF_PLATFORM, label: principal.email, secret }) };
  }

  /** Confirms the secret by one of its codes. Throws INVALID_STATE, CODE_INVALID, TOO_MANY_ATTEMPTS and STEP_UP_REQUIRED. */
  async confirmTotp(principal: Principal, code: string, requireStepUp: StepUpCheck): Promise<FirstCodes> {
    const session = sessionOf(principal);
    const confirm = () =>
      this.changeFactors(principal, async (tx) => {
        const stored = await this.factors.findTotpSecret(session, tx);
        if (!stored || !this.seals.isAuthentic('totp_secret', stored))
          return failState('confirm', null, `Ask for a secret first: POST /api/${session.type}/totp.`);
        if (stored.confirmedAt) failConfirmed(session);
        const usedStep = this.verification.stepOfCode(session, stored.secret, code);
        await requireStepUp(tx, { kind: 'totp' });
        const recoveryCodes = await this.addFirstCodes(tx, principal);
        const row = { ...stored, confirmedAt: realNow(), usedStep };
        await this.factors.saveTotpSecret(tx, { ...row, seal: this.seals.sealRow('totp_secret', row) });
        await this.owners.recordStep(tx, session, 'factor-added', 'totp');
        return recoveryCodes;
      });
    return this.attempts.limitAttempts(session, 'totp', confirm);
  }

  /** Throws INVALID_STATE without confirmed codes, and STEP_UP_REQUIRED. */
  async removeTotp(principal: Principal, requireStepUp: StepUpCheck): Promise<void> {
    const session = sessionOf(principal);
    await this.changeFactors(principal, async (tx) => {
      await requireStepUp(tx, { kind: 'totp' });
      if (!(await this.factors.deleteTotpSecret(tx, session)))
        failState('remove', null, 'The account has no one-time codes.');
      await this.afterRemoval(tx, session, 'totp');
    });
  }

  /** Replaces all recovery codes. Throws INVALID_STATE without a factor, and STEP_UP_REQUIRED. */
  async renewRecoveryCodes(principal: Principal, requireStepUp: StepUpCheck): Promise<readonly string[]> {
    const session = sessionOf(principal);
    return this.changeFactors(principal, async (tx) => {
      if (!(await this.factors.hasFactors(tx, session)))
        failState('renew', null, 'Add a passkey or one-time codes first.');
      await requireStepUp(tx, {});
      await this.factors.deleteRecoveryCodes(tx, session);
      const codes = await this.insertRecoveryCodes(tx, session);
      await this.owners.recordStep(tx, session, 'factor-added', 'recovery-codes');
      return codes;
    });
  }

  /**
   * Removes all factors and recovery codes of a user whom the caller has locked, and starts a hold. Returns what the user had, for the
   * audit log.
   */
  async resetFactors(tx: Tx, userId: string): Promise<{ passkeys: number; totp: boolean }> {
    const owner: FactorOwner = { type: 'user', id: userId };
    const passkeys = await this.factors.findPasskeys(owner, tx);
    const secret = await this.factors.findTotpSecret(owner, tx);
    await this.factors.deleteAll(tx, owner);
    await this.owners.recordReset(tx, userId);
    return { passkeys: passkeys.length, totp: Boolean(secret?.confirmedAt) };
  }

  /** For the erasure of a user. */
  async deleteFactorsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.factors.deleteAll(tx, { type: 'user', id: userId });
  }

  private async changeFactors<Result>(
    principal: Principal,
    change: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.owners.lockOwner(tx, principal);
      return change(tx);
    });
  }

  /** The first factor of an account comes with recovery codes. */
  private async addFirstCodes(tx: Tx, principal: Principal): Promise<FirstCodes> {
    const session = sessionOf(principal);
    if (await this.factors.hasFactors(tx, session)) return null;
    const endedSessions = await this.owners.startFirstFactor(tx, principal);
    afterCommit(tx, () => this.sessions.forgetSessions(endedSessions));
    return this.insertRecoveryCodes(tx, session);
  }

  /** Makes recovery codes, which are stored as hashes. */
  private async insertRecoveryCodes(tx: Tx, { type, id }: FactorOwner): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const createdAt = realNow();
    const rows = codes.map((code) => {
      const codeHash = this.seals.hashToken(recoveryCodeText({ type, id }, code));
      const row = { codeHash, subjectType: type, subjectId: id, createdAt, usedAt: null };
      return { ...row, seal: this.seals.sealRow('recovery_code', row) };
    });
    await this.factors.insertRecoveryCodes(tx, rows);
    return codes;
  }

  /** Without another factor the recovery codes end, too, and the account has no second factor any more. */
  private async afterRemoval(tx: Tx, owner: FactorOwner, factor: SecondFactor): Promise<void> {
    const secret = await this.factors.findTotpSecret(owner, tx);
    const hasOther = Boolean(secret?.confirmedAt) || (await this.factors.findPasskeys(owner, tx)).length > 0;
    if (!hasOther) await this.factors.deleteRecoveryCodes(tx, owner);
    await this.owners.recordStep(tx, owner, 'factor-removed', factor);
  }
}

/** The routes refuse API keys, so that every request has a session. */
export function sessionOf({ type, id, familyId }: Principal): StepUpSession {
  return { type, id, familyId: familyId ?? throwError('FORBIDDEN') };
}

function failConfirmed({ type }: FactorOwner): never {
  return failState(
    'add',
    'confirmed',
    `The account has one-time codes already. Remove them first: DELETE /api/${type}/totp.`,
  );
}

function failState(action: string, status: string | null, message: string): never {
  return throwError('INVALID_STATE', { action, status, allowedFrom: [] }, { message });
}
