import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { realNow } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { permits } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import {
  counterKey,
  RateLimits,
  SIGN_IN_WINDOW_MS as WINDOW_MS,
  type LimitedCaller,
} from '../../../http/throttling/rate-limits.js';
import type { AuditActor } from '../../core/audit/audit.service.js';
import { AdminAccountsService, type AdminAccount } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService, type Admin } from '../admins/admin-directory.service.js';
import { ApprovalHandlersService } from '../approvals/approval-handlers.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type {
  ChangeHandler,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../approvals/approvals.types.js';
import { FourEyesService } from '../approvals/four-eyes.service.js';
import { isByIdentityProvider } from './auth.types.js';
import { SessionsService } from './sessions.service.js';

/** The limit of an e-mail address is this many times the limit of a network address. */
const EMAIL_FACTOR = 10;

/** The key of a counter, and the number of failed attempts that it allows in a window. */
interface AttemptLimit {
  readonly key: string;
  readonly limit: number;
}

/** A counter to which an attempt was added. */
interface Counter extends AttemptLimit {
  readonly used: number;
  readonly windowEndsAtMs: number;
}

/** Hashes passwords (argon2id with the library's defaults: 19 MiB, two passes) and limits failed sign-ins by password. */
@Injectable()
export class PasswordsService {
  private readonly limitOfAddress: number;
  /** Verified in place of a missing hash: an unknown e-mail address costs as much time as a known one. */
  private readonly dummyHash = hash('the password of no account');

  constructor(
    { RATE_LIMIT_SIGN_IN }: AppConfig,
    private readonly storage: RateLimitStorage,
    private readonly rateLimits: RateLimits,
  ) {
    this.limitOfAddress = RATE_LIMIT_SIGN_IN;
  }

  hashPassword(password: string): Promise<string> {
    return hash(password);
  }

  /** False without a hash, after as much time as with one. */
  async matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    const isRight = await verify(passwordHash ?? (await this.dummyHash), password).catch(() => false);
    return isRight && typeof passwordHash === 'string';
  }

  /**
   * Counts the attempt before `signIn` verifies the password, so that parallel guesses are limited, and gives it back if `signIn`
   * succeeds. An attempt that is refused with TOO_MANY_ATTEMPTS is not counted. The limit of the e-mail address is higher than that of the network address: so
   * guesses from one network address do not lock out the real admin at another address.
   */
  async limitAttempts<Result>(
    caller: LimitedCaller,
    email: string,
    signIn: () => Promise<Result>,
  ): Promise<Result> {
    const counters: Counter[] = [];
    for (const attemptLimit of [
      { key: counterKey('sign-in', caller.tracker), limit: this.limitOfAddress },
      { key: `sign-in-email:${email}`, limit: EMAIL_FACTOR * this.limitOfAddress },
    ]) {
      const counter = await this.addAttempts(attemptLimit, 1);
      counters.push(counter);
      if (counter.used <= counter.limit) continue;
      showFullest(caller, await this.giveBack(counters));
      this.rateLimits.refuse('sign-in', secondsLeft(counter), 'TOO_MANY_ATTEMPTS');
    }
    showFullest(caller, counters);
    const result = await signIn();
    showFullest(caller, await this.giveBack(counters));
    return result;
  }

  private async addAttempts({ key, limit }: AttemptLimit, count: number): Promise<Counter> {
    const nowMs = realNow().getTime();
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(key, WINDOW_MS, count);
    return { key, limit, used: consumedPoints, windowEndsAtMs: nowMs + msBeforeNext };
  }

  /** Skips counters whose window has ended: the next window does not contain the attempt. */
  private giveBack(counters: Counter[]): Promise<Counter[]> {
    return Promise.all(
      counters.map(async (counter) =>
        secondsLeft(counter) > 0 ? await this.addAttempts(counter, -1) : counter,
      ),
    );
  }
}

/** Shows the counter with the fewest attempts left in the headers of the response. */
function showFullest(caller: LimitedCaller, counters: Counter[]): void {
  const [fullest] = counters.toSorted((a, b) => a.limit - a.used - (b.limit - b.used));
  if (fullest) caller.showState({ ...fullest, secondsLeft: secondsLeft(fullest) });
}

function secondsLeft({ windowEndsAtMs }: Counter): number {
  return Math.max(0, Math.ceil((windowEndsAtMs - realNow().getTime()) / 1000));
}

interface PasswordChange {
  readonly email: string;
  readonly password: string;
  readonly currentPassword?: string;
}

/** The passwords of admins whose entry in ADMINS_FILE has none. */
@Injectable()
export class AdminPasswordsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'admin.password-set';
  readonly permission = '*';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * Sets the caller's own password, or requests the first password of another admin, which needs a step-up. Throws FORBIDDEN for an
   * e-mail address that ADMINS_FILE does not list or lists with a password, and for another admin who has a password.
   */
  setPassword(
    change: PasswordChange,
    principal: AdminPrincipal,
    caller: LimitedCaller,
    requireStepUp: StepUpCheck,
  ): Promise<AdminAccount | RequestedApproval> {
    const admin = this.admins.findAdminByEmail(change.email);
    if (!admin || admin.passwordHash !== null) return failPasswordNotSettable();
    return admin.email === principal.email
      ? this.setOwnPassword(change, principal, caller)
      : this.setFirstPassword(admin, change, principal, requireStepUp);
  }

  async prepareChange({ subject, input }: PendingChange): Promise<MakeChange> {
    const email = subject.id;
    const admin = this.admins.findAdminByEmail(email);
    if (!admin || admin.passwordHash !== null) failPasswordNotSettable();
    return (tx, by) => this.storeFirstPassword(tx, email, input.passwordHash as string, by);
  }

  /**
   * A session that the identity provider has opened proves the owner; any other session needs the current password, too. Ends the other
   * sessions of the admin, because a person who knew the former password may have opened them.
   */
  private async setOwnPassword(
    { email, password, currentPassword }: PasswordChange,
    principal: AdminPrincipal,
    caller: LimitedCaller,
  ): Promise<AdminAccount> {
    if (!(await this.isOwnerProven(principal))) {
      if (currentPassword === undefined)
        throwError('MISSING_REQUIRED_FIELD', [
          {
            field: 'currentPassword',
            message: 'is required: the identity provider does not prove the owner in this session',
          },
        ]);
      const unshown = { ...caller, showState: () => undefined }; // the headers show the limit of the route
      await this.passwords.limitAttempts(unshown, email, async () => {
        const stored = await this.accounts.findPasswordHash(email);
        if (!(await this.passwords.matches(stored, currentPassword))) throwError('INVALID_CREDENTIALS');
      });
    }
    const passwordHash = await this.passwords.hashPassword(password);
    const ended = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.setOwnPassword(tx, principal.email, passwordHash);
      await this.accounts.emitEvent(tx, 'admin.password-changed', email, { email: principal.email });
      return this.sessions.revokeOtherAdminFamilies(tx, principal);
    });
    this.sessions.forgetSessions(ended);
    return this.accounts.getAccount(principal.id);
  }

  /**
   * A session of the identity provider proves the owner, unless the account has a security hold: another account of the provider may have
   * signed in to it.
   */
  private async isOwnerProven({ email, sessionId }: AdminPrincipal): Promise<boolean> {
    if (!isByIdentityProvider(await this.sessions.findSignInMethod(sessionId))) return false;
    const { held } = await this.fourEyes.getAccountFacts();
    return !held.has(email);
  }

  private async setFirstPassword(
    admin: Admin,
    { password, currentPassword }: PasswordChange,
    { email: requestedBy, permissions }: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AdminAccount | RequestedApproval> {
    const { email } = admin;
    if (!permits(permissions, '*')) throwError('PERMISSION_DENIED', { required: '*' });
    if (currentPassword !== undefined)
      throwError('VALIDATION_ERROR', [
        { field: 'currentPassword', message: 'belongs to your own account only' },
      ]);
    if ((await this.accounts.findPasswordHash(email)) !== null) failPasswordNotSettable();
    const passwordHash = await this.passwords.hashPassword(password);
    const requested = await this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id: email });
      if (!this.fourEyes.isOn)
        return this.storeFirstPassword(tx, email, passwordHash, { email: requestedBy });
      const request = {
        kind: this.kind,
        subject: { type: 'admin', id: email, label: email },
        before: { hasPassword: false },
        after: { hasPassword: true },
        input: { passwordHash },
        reason: null,
      } as const;
      return this.approvals.requestChange(tx, request, { email: requestedBy });
    });
    return requested ?? this.accounts.getAccount(admin.id);
  }

  private async storeFirstPassword(
    tx: Tx,
    email: string,
    passwordHash: string,
    by: AuditActor,
  ): Promise<void> {
    if (!(await this.accounts.setFirstPassword(tx, email, passwordHash, by))) failPasswordNotSettable();
    await this.accounts.emitEvent(tx, 'admin.password-set', email, by);
  }
}

function failPasswordNotSettable(): never {
  throwError('FORBIDDEN', undefined, {
    message:
      'ADMINS_FILE does not list this admin or contains the password, or the admin is somebody else who has a password already.',
  });
}
