import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { UserSession } from './auth.types.js';
import type { SignIn } from './entities/session.entity.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInsRepository } from './sign-ins.repository.js';

const LISTED_SESSIONS = 100;
const LISTED_SIGN_INS = 100;

type Owner = Pick<UserPrincipal, 'id' | 'sessionId'>;

/** The sessions that users see: one per sign-in, with all access and refresh tokens that descend from it. */
@Injectable()
export class UserSessionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly signIns: SignInsRepository,
    private readonly sessions: SessionsService,
    private readonly repository: SessionsRepository,
    private readonly users: UserAccountsService,
  ) {}

  /** The current session first, then the newest first. Without `sessionId`, for an admin, none is the current one. */
  async listSessions({
    id,
    sessionId,
  }: Pick<Owner, 'id'> & { readonly sessionId: string | null }): Promise<UserSession[]> {
    const signIns = await this.signIns.findOpenSignIns(id, sessionId, LISTED_SESSIONS);
    return signIns.map((signIn) => this.withActivity(signIn));
  }

  /** The last hundred sign-ins of the last 90 days, open or ended, the newest first. */
  listSignIns(userId: string): Promise<SignIn[]> {
    return this.signIns.findSignIns(userId, LISTED_SIGN_INS);
  }

  /** Ends a session, possibly the current one. Throws SESSION_NOT_FOUND, also if it has ended or belongs to another user. */
  async endSession({ id: userId, sessionId }: Owner, familyId: string): Promise<UserSession> {
    const getOpenSignIn = async (tx: Tx) =>
      (await this.signIns.findOpenSignIn(tx, userId, sessionId, familyId)) ?? throwError('SESSION_NOT_FOUND');
    const { ended, ids } = await this.unitOfWork.runInTransaction(async (tx) => {
      await getOpenSignIn(tx); // only a family of this user is locked
      await this.repository.lockFamily(tx, familyId);
      // Checked again: another request may have ended the session while this one waited for the lock.
      return { ended: await getOpenSignIn(tx), ids: await this.repository.revokeFamily(tx, familyId) };
    });
    this.sessions.forgetSessions(ids);
    return this.withActivity(ended);
  }

  /** Ends all sessions but the current one and returns their number. Throws TOKEN_INVALID if the current session has ended. */
  async endOtherSessions({ id: userId, sessionId }: Owner): Promise<number> {
    const { ended, ids } = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.users.lockIfExists(tx, userId);
      // Another session may have ended this one while this transaction waited for the user's row.
      await this.sessions.requireOpenSession(tx, sessionId);
      const otherSignIns = await this.signIns.countOpenSignIns(tx, userId, sessionId);
      return { ended: otherSignIns, ids: await this.sessions.revokeOtherFamilies(tx, userId, sessionId) };
    });
    this.sessions.forgetSessions(ids);
    return ended;
  }

  /** Ends all sessions of a user and returns their number. The caller has locked the user's row. */
  async endAllSessions(tx: Tx, userId: string): Promise<number> {
    const ended = await this.signIns.countOpenSignIns(tx, userId, null);
    await this.sessions.revokeAllSessions(tx, userId);
    return ended;
  }

  /** Returns the session with the time of its last request to this process, if that is later than the stored time. */
  private withActivity(signIn: UserSession): UserSession {
    const unstored = this.sessions.unstoredActivity.valueOf(signIn.id);
    return unstored && unstored > signIn.lastSeenAt ? { ...signIn, lastSeenAt: unstored } : signIn;
  }
}
