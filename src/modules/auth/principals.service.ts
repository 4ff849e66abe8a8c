import { Injectable } from '@nestjs/common';
import type { Principal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { SessionsService } from './sessions.service.js';
import type { Claims } from './tokens.service.js';

/** Finds who a verified token belongs to: its session, then the status of its user or admin. One query. */
@Injectable()
export class PrincipalsService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly admins: AdminDirectoryService,
  ) {}

  /** Throws TOKEN_INVALID, also if the session has ended, and FORBIDDEN if the user or admin is not active. */
  async principalOf(claims: Claims): Promise<Principal> {
    if (!isId(claims.jti)) fail('TOKEN_INVALID');
    const session = await this.sessions.state(claims.jti);
    if (!session || session.subjectType !== claims.type || session.subjectId !== claims.sub)
      fail('TOKEN_INVALID'); // a session is its owner's alone, whatever else a token says
    if (claims.type === 'user' && session.userStatus !== 'active')
      fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
    if (session.revoked) fail('TOKEN_INVALID');
    const common = {
      email: claims.email,
      sessionId: claims.jti,
      issuedAt: new Date(claims.iat * 1000),
      expiresAt: new Date(claims.exp * 1000),
    };
    if (claims.type === 'user') return { type: 'user', id: claims.sub, ...common };
    const admin = this.admins.byId(claims.sub);
    if (!admin) fail('TOKEN_INVALID');
    if (admin.status !== 'active') fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
    return { type: 'admin', id: admin.id, ...common, roles: admin.roles, permissions: admin.permissions };
  }
}
