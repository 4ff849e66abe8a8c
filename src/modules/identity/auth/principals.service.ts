import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../http/auth/principal.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId } from '../../../common/ids.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { failNotActive } from '../users/users.service.js';
import type { Claims } from './auth.types.js';
import { AdminSessionsService } from './admin-sessions.service.js';
import { SessionsService } from './sessions.service.js';

/** Finds the user or admin to whom a verified token belongs. At most one query, and a second one for an idle session of an admin. */
@Injectable()
export class PrincipalsService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly admins: AdminDirectoryService,
    private readonly adminSessions: AdminSessionsService,
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
    const expiresAt = await this.adminSessions.requireCurrent(claims.jti, session, common.expiresAt);
    const needsSecondFactor = this.adminSessions.needsSecondFactor(session);
    return { type: 'admin', ...common, id, expiresAt, roles, permissions, needsSecondFactor };
  }
}
