import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import {
  requireOneAnswer,
  SignInFactors,
  type FirstStep,
  type OpenSession,
  type SignInAnswer,
} from '../auth/domain/sign-in.js';
import { FactorVerificationService } from './factor-verification.service.js';
import { FactorsRepository } from './factors.repository.js';
import type { FactorOwner } from './factors.types.js';
import { SIGN_IN, StepUpsService } from './step-ups.service.js';

/** Second factors at the sign-in of admins. */
@Injectable()
export class SignInFactorsService extends SignInFactors {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly factors: FactorsRepository,
    private readonly stepUps: StepUpsService,
    private readonly verification: FactorVerificationService,
    private readonly config: AppConfig,
  ) {
    super();
  }

  async completeSignIn<Session extends object>(
    step: FirstStep,
    answer: SignInAnswer | undefined,
    openSession: OpenSession<Session>,
  ): Promise<Session> {
    const isOff = this.config.adminSecondFactor === 'off';
    if (answer && !isOff) return this.verifyAnswer(step, answer, openSession);
    const session = await this.unitOfWork.runInTransaction(async (tx) => {
      if (isOff) return openSession(tx, false);
      const owner = ownerOf(step);
      // Adding a first factor takes the same lock and ends the other sessions: it ends this session, or the factor is found here.
      await this.factors.lockAdmin(tx, owner.id);
      return (await this.factors.hasFactors(tx, owner)) ? undefined : openSession(tx, false);
    });
    return session ?? this.failRequired(step);
  }

  private async verifyAnswer<Session>(
    step: FirstStep,
    { id, ...answer }: SignInAnswer,
    openSession: OpenSession<Session>,
  ): Promise<Session> {
    requireOneAnswer(answer);
    const owner = ownerOf(step);
    const hash = hashOf(step);
    const { challenge } = await this.stepUps.getSignIn(owner, id, hash);
    const lock = (tx: Tx) => this.stepUps.lockSignIn(tx, owner, id, hash);
    return this.verification.verifyAnswer(owner, answer, { challenge, lock }, (tx, stepUp) => {
      this.stepUps.useChallenge(tx, stepUp);
      return openSession(tx, true);
    });
  }

  /** The challenge gets the id of a new session family, so that no session can answer it. */
  private async failRequired(step: FirstStep): Promise<never> {
    const session = { ...ownerOf(step), familyId: newId() };
    const { id, methods, options, expiresAt } = await this.stepUps.openChallenge(
      session,
      SIGN_IN,
      hashOf(step),
    );
    return throwError('SECOND_FACTOR_REQUIRED', { id, methods, options, expiresAt: expiresAt.toISOString() });
  }
}

function ownerOf({ admin }: FirstStep): FactorOwner {
  return { type: 'admin', id: admin.id };
}

function hashOf({ method, subject }: FirstStep): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([method, subject]))
    .digest();
}
