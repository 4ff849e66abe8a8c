import { Injectable } from '@nestjs/common';
import type { Principal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { failNotActive } from '../users/users.service.js';
import type { Claims } from './auth.types.js';
import { SessionsService } from './sessions.service.js';

/** Finds the user or admin to whom a verified token belongs. At most one query. */
@Injectable()
export class PrincipalsService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly admins: AdminDirectoryService,
  ) {}

  /** Throws TOKEN_INVALID, also if the session was revoked, and FORBIDDEN if the user or admin is not active. */
  async principalOf(claims: Claims): Promise<Principal> {
    if (!isId(claims.jti)) fail('TOKEN_INVALID');
    const session = await this.sessions.findSessionState(claims.jti);
    if (!session || session.subjectType !== claims.type || session.subjectId !== claims.sub)
      fail('TOKEN_INVALID');
    // Checked before the revocation: a suspension also revokes the sessions, and the refusal has to name the suspension.
    if (claims.type === 'user' && session.userStatus !== 'active') failNotActive();
    if (session.isRevoked) fail('TOKEN_INVALID');
    const common = {
      email: claims.email,
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
    return { type: 'admin', id: admin.id, ...common, roles: admin.roles, permissions: admin.permissions };
  }
}
