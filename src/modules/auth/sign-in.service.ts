import { Injectable } from '@nestjs/common';
import { asDomainError } from '../../database/database-error.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { Principal } from '../../http/auth/principal.js';
import { RateLimits } from '../../http/rate-limit/rate-limits.js';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { AdminDirectory, type Admin } from '../admins/admin-directory.js';
import { Users, type User } from '../users/users.service.js';
import { IdentityProvider } from './identity-provider.js';
import { Passwords } from './passwords.js';
import { Sessions } from './sessions.js';
import { Tokens } from './tokens.js';

/** Who has signed in, and the token made for them. `admin` is set when the e-mail is listed as an admin's. */
export interface SignedIn {
  readonly token: string;
  readonly user: User;
  readonly admin: Admin | undefined;
}

/** Signing in and out. */
@Injectable()
export class SignIn {
  constructor(
    private readonly uow: UnitOfWork,
    private readonly identityProvider: IdentityProvider,
    private readonly users: Users,
    private readonly admins: AdminDirectory,
    private readonly sessions: Sessions,
    private readonly tokens: Tokens,
    private readonly passwords: Passwords,
    private readonly rateLimits: RateLimits,
  ) {}

  /** By the identity provider's JWT: finds or makes the user; an admin's e-mail gets an admin token (D14). */
  async byIdentityProvider(authorization: string | undefined): Promise<SignedIn> {
    if (!authorization) fail('VALIDATION_ERROR', [{ field: 'authorization', message: 'header is missing' }]);
    const [, jwt = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const { email, name } = await this.identityProvider.verify(jwt);
    const admin = this.admins.byEmail(email);
    return this.uow.run(async (tx) => {
      const user = await this.users.signIn(tx, email, name).catch(userCreationFailed);
      if (user.status !== 'active' || (admin && admin.status !== 'active')) {
        fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
      }
      const token = admin ? await this.adminToken(tx, admin) : await this.userToken(tx, user);
      return { token, user, admin };
    });
  }

  /** By e-mail and password, for admins. Attempts are counted before the password is looked at. */
  async byPassword(email: string, password: string, address: string): Promise<{ token: string; admin: Admin }> {
    await this.rateLimits.countSignIn(`email ${email.toLowerCase()}`, `address ${address}`);
    const admin = this.admins.byEmail(email);
    const right = await this.passwords.matches(admin?.passwordHash, password);
    if (!admin || !right) fail('INVALID_CREDENTIALS');
    if (admin.status !== 'active') fail('ACCOUNT_DISABLED');
    if (admin.permissions.length === 0) fail('INSUFFICIENT_PERMISSIONS');
    const token = await this.uow.run((tx) => this.adminToken(tx, admin));
    return { token, admin };
  }

  /** Ends the session: its token is refused from now on. */
  async signOut(principal: Principal): Promise<void> {
    await this.uow.run((tx) => this.sessions.revoke(tx, principal.sessionId));
    this.sessions.forget([principal.sessionId]);
  }

  private async userToken(tx: Tx, { id, email }: User): Promise<string> {
    const jti = await this.sessions.open(tx, 'user', id);
    return this.tokens.issue('user', { sub: id, email, jti });
  }

  private async adminToken(tx: Tx, { id, email, roles, permissions }: Admin): Promise<string> {
    const jti = await this.sessions.open(tx, 'admin', id);
    return this.tokens.issue('admin', { sub: id, email, jti, roles, permissions });
  }
}

function userCreationFailed(cause: unknown): never {
  if (asDomainError(cause)) throw cause; // the database is away: that has a code of its own
  throw Object.assign(new DomainError('USER_CREATION_ERROR'), { cause });
}
