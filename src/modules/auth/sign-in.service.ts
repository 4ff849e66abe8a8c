import { Injectable } from '@nestjs/common';
import { asDomainError } from '../../database/database-error.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { Principal } from '../../http/auth/principal.js';
import { RateLimits } from '../../http/rate-limit/rate-limits.js';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { newId } from '../../kernel/ids.js';
import { AdminDirectory, type Admin } from '../admins/admin-directory.js';
import { Users, type User } from '../users/users.service.js';
import { Devices } from './devices.js';
import { IdentityProvider } from './identity-provider.js';
import { Passwords } from './passwords.js';
import { RefreshTokens } from './refresh-tokens.js';
import { Sessions } from './sessions.js';
import { Tokens, type TokenType } from './tokens.js';

/** A token of 24 hours and the one-time token that renews it. */
export interface TokenPair {
  readonly token: string;
  readonly refreshToken: string;
}

/** Who has signed in, and the tokens made for them. `admin` is set when the e-mail is listed as an admin's. */
export interface SignedIn extends TokenPair {
  readonly user: User;
  readonly admin: Admin | undefined;
}

/** Signing in, staying in and going out. */
@Injectable()
export class SignIn {
  constructor(
    private readonly uow: UnitOfWork,
    private readonly identityProvider: IdentityProvider,
    private readonly users: Users,
    private readonly devices: Devices,
    private readonly admins: AdminDirectory,
    private readonly sessions: Sessions,
    private readonly tokens: Tokens,
    private readonly refreshTokens: RefreshTokens,
    private readonly passwords: Passwords,
    private readonly rateLimits: RateLimits,
  ) {}

  /** By the identity provider's JWT: finds or makes the user; an admin's e-mail gets an admin token (D14). */
  async byIdentityProvider(authorization: string | undefined, userAgent = ''): Promise<SignedIn> {
    if (!authorization) fail('VALIDATION_ERROR', [{ field: 'authorization', message: 'header is missing' }]);
    const [, jwt = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const { email, name } = await this.identityProvider.verify(jwt);
    const admin = this.admins.byEmail(email);
    return this.uow.run(async (tx) => {
      const user = await this.users.signIn(tx, email, name).catch(userCreationFailed);
      if (user.status !== 'active' || (admin && admin.status !== 'active')) notActive();
      if (!admin) await this.devices.seen(tx, user.id, userAgent);
      const pair = admin ? await this.adminPair(tx, admin) : await this.userPair(tx, user);
      return { ...pair, user, admin };
    });
  }

  /** By e-mail and password, for admins. Attempts are counted before the password is looked at. */
  async byPassword(email: string, password: string, address: string): Promise<TokenPair & { admin: Admin }> {
    await this.rateLimits.countSignIn(`email ${email.toLowerCase()}`, `address ${address}`);
    const admin = this.admins.byEmail(email);
    const right = await this.passwords.matches(admin?.passwordHash, password);
    if (!admin || !right) fail('INVALID_CREDENTIALS');
    if (admin.status !== 'active') fail('ACCOUNT_DISABLED');
    if (admin.permissions.length === 0) fail('INSUFFICIENT_PERMISSIONS');
    const pair = await this.uow.run((tx) => this.adminPair(tx, admin));
    return { ...pair, admin };
  }

  /**
   * A new pair for a refresh token of the right type. Throws INVALID_REFRESH_TOKEN, or REFRESH_TOKEN_REVOKED for one
   * that was used before, which ends everything that descends from the same sign-in.
   */
  async refresh(type: TokenType, refreshToken: string, ownerId?: string): Promise<TokenPair> {
    const outcome = await this.uow.run(async (tx) => {
      const worth = await this.refreshTokens.spend(tx, refreshToken);
      if ('refusal' in worth) return worth.refusal;
      const { subject, familyId } = worth;
      if (subject.type !== type || (ownerId !== undefined && subject.id !== ownerId))
        fail('INVALID_REFRESH_TOKEN');
      return type === 'admin'
        ? this.adminPair(tx, this.admins.byId(subject.id) ?? fail('INVALID_REFRESH_TOKEN'), familyId)
        : this.userPair(tx, await this.users.getIn(tx, subject.id), familyId);
    });
    return typeof outcome === 'string' ? fail(outcome) : outcome; // refused after the commit: the family has ended
  }

  /** Ends the session: its token is refused from now on, and so are its refresh tokens. */
  async signOut(principal: Principal): Promise<void> {
    await this.uow.run((tx) => this.sessions.revoke(tx, principal.sessionId));
    this.sessions.forget([principal.sessionId]);
  }

  private async userPair(tx: Tx, { id, email, status }: User, familyId = newId()): Promise<TokenPair> {
    if (status !== 'active') notActive();
    const subject = { type: 'user' as const, id };
    const jti = await this.sessions.open(tx, subject, familyId);
    return {
      token: await this.tokens.issue('user', { sub: id, email, jti }),
      refreshToken: await this.refreshTokens.issue(tx, subject, familyId),
    };
  }

  private async adminPair(tx: Tx, admin: Admin, familyId = newId()): Promise<TokenPair> {
    if (admin.status !== 'active') notActive();
    const { id, email, roles, permissions } = admin;
    const subject = { type: 'admin' as const, id };
    const jti = await this.sessions.open(tx, subject, familyId);
    return {
      token: await this.tokens.issue('admin', { sub: id, email, jti, roles, permissions }),
      refreshToken: await this.refreshTokens.issue(tx, subject, familyId),
    };
  }
}

function notActive(): never {
  fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
}

function userCreationFailed(cause: unknown): never {
  if (asDomainError(cause)) throw cause; // the database is away: that has a code of its own
  throw Object.assign(new DomainError('USER_CREATION_ERROR'), { cause });
}
