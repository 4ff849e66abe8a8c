import { Injectable } from '@nestjs/common';
import { NotifiedCache } from '../../../http/auth/notified-cache.js';
import { PgNotifications } from '../../../database/pg-notifications.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { realNow } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { WriteBehindBuffer } from '../../../common/write-behind-buffer.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import {
  ACCESS_TOKEN_TTL_SECONDS,
  DEVICE_LENGTH,
  REFRESH_TOKEN_TTL_MS,
  type SessionFamily,
  type SessionState,
  type SignInMethod,
  type SignInContext,
  type Subject,
} from './auth.types.js';
import { SessionsRepository, type StoredSession } from './sessions.repository.js';
import { SignInsRepository } from './sign-ins.repository.js';

const MAX_CACHED_SESSIONS = 50_000;
const MAX_UNSTORED_SIGN_INS = 50_000;

/**
 * The context of refreshes. `SignInsRepository` stores it only for a token family without a row in `sign_in`, which an earlier
 * version has opened.
 */
const UNKNOWN_CONTEXT: SignInContext = { kind: 'bearer', userAgent: '', address: null, network: 'unknown' };

/** The sessions behind access tokens. Their states are cached (`NotifiedCache`), so that a request costs no query. */
@Injectable()
export class SessionsService {
  /** Real times of users' last requests to this process, by the ids of the token families. `SessionActivityJob` stores them. */
  readonly unstoredActivity = new WriteBehindBuffer<Date>(MAX_UNSTORED_SIGN_INS);
  private readonly cache: NotifiedCache<SessionState>;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly signIns: SignInsRepository,
    private readonly seals: CredentialSealsService,
    notifications: PgNotifications,
  ) {
    this.cache = new NotifiedCache(notifications, {
      topic: 'session',
      maxEntries: MAX_CACHED_SESSIONS,
      idsOf: ({ subjectId }, id) => [id, subjectId],
    });
  }

  /**
   * Opens a session in a family; `id` is the token's claim `jti`. `context` describes the sign-in of a new family of a user.
   */
  openSession(
    tx: Tx,
    id: string,
    subject: Subject,
    { familyId, walletId, openedBy }: SessionFamily,
    { kind, userAgent, address }: SignInContext = UNKNOWN_CONTEXT,
  ): void {
    const createdAt = realNow();
    const expiresAt = new Date(createdAt.getTime() + ACCESS_TOKEN_TTL_SECONDS * 1000);
    const { type: subjectType, id: subjectId } = subject;
    const columns = { id, familyId, walletId, openedBy, subjectType, subjectId, createdAt, expiresAt };
    const session = { ...columns, seal: this.seals.sealRow('session', columns) };
    if (subjectType === 'admin') return this.sessions.insertSession(tx, session);
    const device = userAgent.slice(0, DEVICE_LENGTH);
    const refreshableUntil = new Date(createdAt.getTime() + REFRESH_TOKEN_TTL_MS);
    this.signIns.insertUserSession(tx, session, {
      familyId,
      userId: subjectId,
      kind,
      // Null for a family from an earlier version; the other methods are those of admins.
      method: openedBy === 'identity-provider' || openedBy === 'wallet' ? openedBy : null,
      device,
      address,
      createdAt,
      lastSeenAt: createdAt,
      expiresAt: refreshableUntil,
    });
  }

  /** Undefined if there is no session of this id that the service has opened. */
  findSessionState(id: string): Promise<SessionState | undefined> {
    return this.cache.find(id, async () => {
      const session = await this.findAuthenticSession(id);
      if (!session) return undefined;
      const { familyId, openedBy, revokedAt, subjectType, subjectId, userStatus } = session;
      const lastSeenAt = session.lastSeenAt ?? session.createdAt;
      return {
        familyId,
        openedBy,
        lastSeenAt,
        isRevoked: revokedAt !== null,
        subjectType,
        subjectId,
        userStatus,
      };
    });
  }

  recordActivity(familyId: string): void {
    this.unstoredActivity.setValue(familyId, realNow());
  }

  /** The time of the latest request in a session of an admin, as the database has it; undefined if there is no such session. */
  async findLastSeen(id: string): Promise<Date | undefined> {
    const session = await this.sessions.findSession(id);
    return session && (session.lastSeenAt ?? session.createdAt);
  }

  /** The ids, among `ids`, of sessions that are revoked or deleted, or whose user is not active. Reads the database, not the cache. */
  async listEndedSessions(ids: readonly string[]): Promise<string[]> {
    const sessions = await this.sessions.findSessions(ids);
    const open = new Set(sessions.filter((session) => this.isOpen(session)).map(({ id }) => id));
    return ids.filter((id) => !open.has(id));
  }

  /**
   * Throws TOKEN_INVALID if the session is revoked. Reads in `tx`, not in the cache: sees a revocation that was committed while
   * the caller waited for a lock.
   */
  async requireOpenSession(tx: Tx, id: string): Promise<void> {
    const session = await this.findAuthenticSession(id, tx);
    if (!session || session.revokedAt !== null) throwError('TOKEN_INVALID');
  }

  /** Revokes all sessions and refresh tokens of a session's family and returns the ids of the sessions that it revoked. */
  async revokeFamilyOf(tx: Tx, sessionId: string): Promise<string[]> {
    const familyId = await this.sessions.findFamilyId(tx, sessionId);
    if (familyId === undefined) return [];
    await this.sessions.lockFamily(tx, familyId);
    return this.sessions.revokeFamily(tx, familyId);
  }

  /**
   * Revokes all families of a user but that of `sessionId`, and returns the ids of the revoked sessions. The caller has locked
   * the user's row, as for `revokeAllSessions`.
   */
  revokeOtherFamilies(tx: Tx, userId: string, sessionId: string): Promise<string[]> {
    return this.sessions.revokeOtherFamilies(tx, { type: 'user', id: userId }, sessionId);
  }

  /** As `revokeOtherFamilies`, for an admin. Locks the families, since admins have no row that a refresh in progress would lock. */
  async revokeOtherAdminFamilies(tx: Tx, { id, sessionId }: AdminPrincipal): Promise<string[]> {
    const admin = { type: 'admin', id } as const;
    await this.sessions.lockFamiliesOfSubject(tx, admin);
    return this.sessions.revokeOtherFamilies(tx, admin, sessionId);
  }

  /** Revokes all families of an admin, which it locks as `revokeOtherAdminFamilies` does. */
  async revokeAdminFamilies(tx: Tx, id: string): Promise<void> {
    const admin = { type: 'admin', id } as const;
    await this.sessions.lockFamiliesOfSubject(tx, admin);
    await this.sessions.revokeSessionsOfSubject(tx, admin);
  }

  async findSignInMethod(sessionId: string): Promise<SignInMethod | null> {
    return (await this.findAuthenticSession(sessionId))?.openedBy ?? null;
  }

  /**
   * Revokes every session and refresh token of a user. The caller has locked the user's row, which every sign-in and
   * refresh locks first, so that none is in progress.
   */
  async revokeAllSessions(tx: Tx, userId: string): Promise<void> {
    await this.sessions.revokeSessionsOfSubject(tx, { type: 'user', id: userId });
  }

  /** Revokes all families that a wallet has opened. The caller has locked the row of the wallet's user. */
  async revokeSessionsOfWallet(tx: Tx, walletId: string): Promise<void> {
    await this.sessions.revokeFamiliesOfWallet(tx, walletId);
  }

  /** For the erasure of a user. */
  async deleteSessionsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.sessions.deleteSessionsOfUser(tx, userId);
    await this.signIns.deleteSignInsOfUser(tx, userId);
  }

  /** Deletes expired sessions and refresh tokens of test users, a batch of each. */
  async deleteExpiredOfTestUsers(
    tx: Tx,
    adminEmails: readonly string[],
    until: Date,
  ): Promise<{ sessions: number; refreshTokens: number }> {
    return {
      sessions: await this.sessions.deleteExpiredOfTestUsers(tx, 'session', adminEmails, until),
      refreshTokens: await this.sessions.deleteExpiredOfTestUsers(tx, 'refresh_token', adminEmails, until),
    };
  }

  /** Removes states from the cache. Called after a change by this process, whose notification arrives a moment later. */
  forgetSessions(ids: Iterable<string>): void {
    this.cache.forget(ids);
  }

  /** As `forgetSessions`, for all sessions of a user or an admin. */
  forgetSessionsOfUser(userId: string): void {
    this.cache.forget([userId]);
  }

  /** Undefined for an unknown session, and for a row that the service has not written. A revoked one opens nothing. */
  private async findAuthenticSession(id: string, tx?: Tx): Promise<StoredSession | undefined> {
    const session = await this.sessions.findSession(id, tx);
    const isRevoked = session && session.revokedAt !== null;
    return session && (isRevoked || this.seals.isAuthentic('session', session)) ? session : undefined;
  }

  private isOpen(session: StoredSession): boolean {
    const { revokedAt, subjectType, userStatus } = session;
    const isActive = subjectType !== 'user' || userStatus === 'active';
    return revokedAt === null && isActive && this.seals.isAuthentic('session', session);
  }
}
