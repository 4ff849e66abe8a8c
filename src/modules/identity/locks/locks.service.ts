import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock, realNow } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { AccountLocksService } from '../users/account-restrictions.service.js';
import { LOCK_LINK_DAYS, failNotActive } from '../users/domain/account-restrictions.js';
import type { User } from '../users/entities/user.entity.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { AccountLock, LockOrigin, SecurityEvent } from '../users/users.types.js';
import type { LockToken } from './entities/lock-token.entity.js';
import { LockTokensRepository } from './lock-tokens.repository.js';

/** The links of mails that lock the account of their user. Lifetimes are real time. */
@Injectable()
export class LockLinksService {
  constructor(
    private readonly tokens: LockTokensRepository,
    private readonly seals: CredentialSealsService,
    private readonly config: AppConfig,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * A new link. Its token is in the fragment, which browsers do not send, so that no log of a server has it. The table has only the hash
   * of the token, so each attempt to send a mail needs a new link.
   */
  async createLink(userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const createdAt = realNow();
    const expiresAt = new Date(createdAt.getTime() + LOCK_LINK_DAYS * DAY_MS);
    const row = { tokenHash: this.seals.hashToken(token), userId, createdAt, expiresAt };
    await this.tokens.insertToken({ ...row, seal: this.seals.sealRow('lock_token', row) });
    return `${this.config.PUBLIC_URL}/lock#${token}`;
  }

  /** Throws TOKEN_INVALID for an unknown, used or expired token, and for a row that the service has not written. */
  async getToken(token: string): Promise<LockToken> {
    const stored = await this.tokens.findToken(this.seals.hashesOfToken(token));
    if (!stored || stored.expiresAt <= realNow() || !this.seals.isAuthentic('lock_token', stored))
      return failInvalid();
    return stored;
  }

  /** Uses a token up. Throws TOKEN_INVALID if another request has done so. */
  async useToken(tx: Tx, token: LockToken): Promise<void> {
    if (!(await this.tokens.deleteToken(tx, token))) failInvalid();
  }

  /** Deletes nothing while the process's clock is wrong, because valid rows could seem expired. */
  @Job({ name: 'expired-lock-links', purpose: 'Deletes expired tokens of lock links', everySeconds: 600 })
  async deleteExpired(stopping: AbortSignal): Promise<void> {
    if (this.clock.isInSync) await this.tokens.deleteExpired(realNow(), stopping);
  }

  /** For the erasure of a user. */
  async deleteLinksOfUser(tx: Tx, userId: string): Promise<void> {
    await this.tokens.deleteTokensOfUser(tx, userId);
  }
}

function failInvalid(): never {
  return throwError('TOKEN_INVALID', undefined, {
    message: `The link was used, or is older than ${LOCK_LINK_DAYS} days. Use the link of a newer mail, or sign in and lock the account.`,
  });
}

type Session = Pick<UserPrincipal, 'id' | 'sessionId'>;

/** Locks and unlocks accounts. Locking a locked account succeeds, and ends the sessions again. */
@Injectable()
export class LocksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly locks: AccountLocksService,
    private readonly links: LockLinksService,
    private readonly sessions: SessionsService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Locks the account of a session. The session stays open, the other sessions of the account end. */
  lockFromSession({ id, sessionId }: Session): Promise<AccountLock> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, id);
      await this.sessions.revokeOtherFamilies(tx, id, sessionId);
      return this.lock(tx, user, 'session', { email: user.email });
    });
  }

  /** Locks the account of a link and ends all sessions, since any of them may be the thief's. Throws TOKEN_INVALID. */
  async lockByLink(token: string): Promise<AccountLock> {
    const stored = await this.links.getToken(token);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, stored.userId);
      await this.links.useToken(tx, stored);
      await this.sessions.revokeAllSessions(tx, user.id);
      return this.lock(tx, user, 'link', { email: user.email });
    });
  }

  /** Locks the account for an operator and ends all sessions. Throws USER_NOT_FOUND. */
  lockByAdmin(userId: string, reason: string, admin: AuditActor): Promise<AccountLock> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, userId);
      await this.sessions.revokeAllSessions(tx, userId);
      return this.lock(tx, user, 'admin', admin, reason);
    });
  }

  /**
   * Unlocks the account of a session. Throws the errors of the step-up, and INVALID_STATE if the account is not locked or only two admins
   * can unlock it.
   */
  async unlockFromSession({ id, sessionId }: Session, requireStepUp: StepUpCheck): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, id);
      await this.sessions.requireOpenSession(tx, sessionId);
      if (user.status !== 'active') failNotActive();
      await requireStepUp(tx, {});
      const lock = await this.locks.findLock(id, tx);
      if (lock?.unlock === 'admins') failState(lock.by, ONLY_ADMINS);
      await this.unlock(tx, user, { email: user.email });
    });
  }

  /** Ends and returns the lock of a user whom the caller has locked. Throws INVALID_STATE without a lock. */
  async unlock(tx: Tx, user: User, by: AuditActor, reason?: string): Promise<AccountLock> {
    const ended = (await this.locks.endLock(tx, user.id)) ?? failNotLocked();
    await this.audit.record(tx, by, {
      action: 'user.unlock',
      subject: { type: 'user', id: user.id },
      reason,
      before: { lock: ended },
      after: { lock: null },
    });
    await this.emitEvent(tx, user.id, { name: 'security.account-unlocked' });
    return ended;
  }

  private async lock(
    tx: Tx,
    { id }: User,
    origin: LockOrigin,
    by: AuditActor,
    reason?: string,
  ): Promise<AccountLock> {
    afterCommit(tx, () => this.sessions.forgetSessionsOfUser(id));
    const { former, lock } = await this.locks.startLock(tx, id, origin, reason);
    if (lock === former) return lock;
    await this.audit.record(tx, by, {
      action: 'user.lock',
      subject: { type: 'user', id },
      reason,
      before: { lock: former },
      after: { lock },
    });
    await this.emitEvent(tx, id, {
      name: 'security.account-locked',
      lockedBy: origin,
      reason: reason ?? null,
    });
    return lock;
  }

  private async emitEvent(
    tx: Tx,
    userId: string,
    event: Pick<SecurityEvent, 'name' | 'lockedBy' | 'reason'>,
  ): Promise<void> {
    await this.domainEvents.emit<SecurityEvent>(tx, { ...event, userId, at: this.clock.now() });
  }
}

const ONLY_ADMINS =
  'An operator has locked the account, or it had a security hold or a new second factor when it was locked. Ask the support to unlock it.';

/** Throws INVALID_STATE. */
export function failNotLocked(): never {
  return failState('unlocked', 'The account is not locked.');
}

function failState(status: string, message: string): never {
  return throwError('INVALID_STATE', { status, action: 'unlock', allowedFrom: ['locked'] }, { message });
}
