import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Principal } from '../../../http/auth/principal.js';
import { realNow } from '../../../common/clock.js';
import { HOUR_MS, MINUTE_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId, timeOfId } from '../../../common/ids.js';
import { WriteBehindBuffer } from '../../../common/write-behind-buffer.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { failNotActive } from '../users/domain/account-restrictions.js';
import { hasFactor, type Claims, type SessionState } from './auth.types.js';
import { SessionsService } from './sessions.service.js';

const MAX_UNSTORED_SESSIONS = 10_000;
/** With this value of ADMIN_SESSION_HOURS a session ends with its token, and refreshing the token continues it. */
const HOURS_OF_TOKEN = 24;

/**
 * Finds the user or admin to whom a verified token belongs, and ends a session of an admin before its token expires. At most one query,
 * and a second one for an idle session of an admin. Times are real time.
 */
@Injectable()
export class PrincipalsService {
  /** Times of admins' last requests to this process, by the ids of the sessions. `SessionActivityJob` stores them. */
  readonly unstoredAdminActivity = new WriteBehindBuffer<Date>(MAX_UNSTORED_SESSIONS);

  constructor(
    private readonly config: AppConfig,
    private readonly sessions: SessionsService,
    private readonly admins: AdminDirectoryService,
  ) {}

  /**
   * Throws TOKEN_INVALID, also if the session was revoked, FORBIDDEN if the user or admin is not active, and TOKEN_EXPIRED for a
   * session of an admin that has ended before its token.
   */
  async getPrincipal(claims: Claims): Promise<Principal> {
    if (!isId(claims.jti)) throwError('TOKEN_INVALID');
    const session = await this.sessions.findSessionState(claims.jti);
    if (!session || session.subjectType !== claims.type || session.subjectId !== claims.sub)
      throwError('TOKEN_INVALID');
    // Checked before the revocation: a suspension also revokes the sessions, and the refusal has to name the suspension.
    if (claims.type === 'user' && session.userStatus !== 'active') failNotActive();
    if (session.isRevoked) throwError('TOKEN_INVALID');
    const common = {
      email: claims.email,
      familyId: session.familyId,
      sessionId: claims.jti,
      issuedAt: new Date(claims.iat * 1000),
      expiresAt: new Date(claims.exp * 1000),
    };
    if (claims.type === 'user') {
      this.sessions.recordActivity(session.familyId);
      return { type: 'user', id: claims.sub, ...common };
    }
    const admin = this.admins.getAdmin(claims.sub);
    if (admin.status !== 'active') failNotActive();
    const { id, roles, permissions } = admin;
    const expiresAt = await this.requireCurrent(claims.jti, session, common.expiresAt);
    // A session without a second factor can only register one while ADMIN_SECOND_FACTOR requires one.
    const needsSecondFactor = this.config.adminSecondFactor === 'required' && !hasFactor(session.openedBy);
    return { type: 'admin', ...common, id, expiresAt, roles, permissions, needsSecondFactor };
  }

  /**
   * Records a request of an admin, and returns the end of the session, at latest the end of its token. Throws TOKEN_EXPIRED if
   * ADMIN_SESSION_HOURS have passed since the sign-in, or ADMIN_SESSION_IDLE_MINUTES since the last request.
   */
  private async requireCurrent(id: string, session: SessionState, tokenExpiresAt: Date): Promise<Date> {
    const now = realNow();
    const expiresAt = this.endOf(session, tokenExpiresAt);
    if (expiresAt <= now) throwError('TOKEN_EXPIRED');
    const idleMs = this.config.ADMIN_SESSION_IDLE_MINUTES * MINUTE_MS;
    if (idleMs === 0) return expiresAt;
    const isIdle = (lastSeenAt: Date) => now.getTime() - lastSeenAt.getTime() > idleMs;
    // Another process may have served the session meanwhile.
    if (isIdle(session.lastSeenAt) && isIdle((await this.sessions.findLastSeen(id)) ?? session.lastSeenAt))
      throwError('TOKEN_EXPIRED');
    session.lastSeenAt = now;
    this.unstoredAdminActivity.setValue(id, now);
    return expiresAt;
  }

  /** The time of the sign-in is in the id of the family, which is sealed. */
  private endOf({ familyId }: SessionState, tokenExpiresAt: Date): Date {
    const hours = this.config.ADMIN_SESSION_HOURS;
    if (hours === HOURS_OF_TOKEN) return tokenExpiresAt;
    return new Date(Math.min(tokenExpiresAt.getTime(), timeOfId(familyId) + hours * HOUR_MS));
  }
}
