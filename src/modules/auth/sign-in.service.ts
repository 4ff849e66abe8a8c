import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { asDomainError } from '../../database/database-error.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal, Principal } from '../../http/auth/principal.js';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { newId } from '../../common/ids.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService, type Admin } from '../admins/admin-directory.service.js';
import type { User } from '../users/entities/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { DevicesService } from './devices.service.js';
import type { Identity } from './identity-provider.client.js';
import { PasswordsService } from './passwords.service.js';
import { Passwords } from './passwords.js';
import { RefreshTokensService, type SpentToken } from './refresh-tokens.service.js';
import { SessionsService, type SessionFamily, type Subject } from './sessions.service.js';
import { TokensService, type TokenType } from './tokens.service.js';

/** A token of 24 hours and the one-time token that renews it. */
export interface TokenPair {
  readonly token: string;
  readonly refreshToken: string;
  /** For a session whose token is kept in a cookie. */
  readonly csrfToken: string;
}

/** Who has signed in, and the tokens made for them. `admin` is set when the e-mail is listed as an admin's. */
export interface SignedIn extends TokenPair {
  readonly user: User;
  readonly admin: Admin | undefined;
}

/** What a sign-in by password can be refused with. */
export const PASSWORD_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'INVALID_EMAIL',
  'INVALID_CREDENTIALS',
  'ACCOUNT_DISABLED',
  'INSUFFICIENT_PERMISSIONS',
  'TOO_MANY_ATTEMPTS',
];

/** What a sign-in by the identity provider can be refused with. */
export const IDENTITY_ERRORS: ErrorCode[] = [
  'VALIDATION_ERROR',
  'SUPABASE_JWT_INVALID',
  'EMAIL_MANDATORY',
  'EMAIL_NOT_VERIFIED',
  'FORBIDDEN',
  'USER_CREATION_ERROR',
  'JWT_GENERATION_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** Signing in, staying in and going out. */
@Injectable()
export class SignInService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly users: UsersService,
    private readonly devices: DevicesService,
    private readonly admins: AdminDirectoryService,
    private readonly adminAccounts: AdminAccountsService,
    private readonly sessions: SessionsService,
    private readonly tokens: TokensService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly passwords: Passwords,
    private readonly attempts: PasswordsService,
  ) {}

  /** By the identity provider's JWT: finds or makes the user; an admin's e-mail gets an admin token. */
  async byIdentityProvider(identity: Identity, userAgent?: string): Promise<SignedIn> {
    const admin = this.admins.byEmail(identity.email);
    if (admin?.permissions.length === 0) fail('INSUFFICIENT_PERMISSIONS');
    return this.unitOfWork.runInTransaction(async (tx) => {
      if (!admin) return this.asUser(tx, identity, userAgent);
      const user = await this.users.signIn(tx, identity).catch(userCreationFailed);
      if (user.status !== 'active') notActive();
      const pair = await this.adminPair(tx, admin);
      await this.adminAccounts.signedIn(tx, admin);
      return { ...pair, user, admin };
    });
  }

  /**
   * Signs in the user of a verified identity, and creates the user if there is none. `walletId` is the wallet that signed.
   * Throws FORBIDDEN if not active.
   */
  async asUser(
    tx: Tx,
    identity: Identity,
    userAgent = '',
    walletId: string | null = null,
  ): Promise<SignedIn> {
    const user = await this.users.signIn(tx, identity).catch(userCreationFailed);
    await this.devices.seen(tx, user.id, userAgent);
    const family = { familyId: newId(), walletId };
    return { ...(await this.userPair(tx, user, family)), user, admin: undefined };
  }

  /** By e-mail and password, for admins. Failed attempts are limited. */
  byPassword(
    { email, password }: { email: string; password: string },
    response: Response,
  ): Promise<TokenPair & { admin: Admin }> {
    return this.attempts.runCounted(response, email, () => this.checkPassword(email, password));
  }

  private async checkPassword(email: string, password: string): Promise<TokenPair & { admin: Admin }> {
    const admin = this.admins.byEmail(email);
    const setHere = await this.adminAccounts.passwordHashOf(email);
    const right = await this.passwords.matches(admin?.passwordHash ?? setHere, password);
    if (!admin || !right) fail('INVALID_CREDENTIALS');
    if (admin.status !== 'active') fail('ACCOUNT_DISABLED');
    if (admin.permissions.length === 0) fail('INSUFFICIENT_PERMISSIONS');
    return this.unitOfWork.runInTransaction(async (tx) => {
      const pair = await this.adminPair(tx, admin);
      await this.adminAccounts.signedIn(tx, admin);
      return { ...pair, admin };
    });
  }

  /**
   * Sets the password of a listed admin who has none. Throws FORBIDDEN for anybody else, so that neither a
   * stranger can be made an admin nor a password be taken over.
   */
  async setAdminPassword(email: string, password: string, setBy: AdminPrincipal): Promise<Admin> {
    const admin = this.admins.byEmail(email);
    if (!admin || admin.passwordHash !== null) noPasswordToSet();
    const passwordHash = await this.passwords.hash(password);
    const isSet = await this.unitOfWork.runInTransaction((tx) =>
      this.adminAccounts.setFirstPassword(tx, admin, passwordHash, setBy.email),
    );
    return isSet ? admin : noPasswordToSet();
  }

  /**
   * A new pair for a refresh token of the right type. Throws INVALID_REFRESH_TOKEN, or REFRESH_TOKEN_REVOKED for one
   * that was used before, which ends everything that descends from the same sign-in; for some seconds after its use it
   * answers the same successor instead.
   */
  async refresh(type: TokenType, refreshToken: string, ownerId?: string): Promise<TokenPair> {
    const origin = (await this.refreshTokens.originOf(refreshToken)) ?? fail('INVALID_REFRESH_TOKEN');
    const outcome = await this.unitOfWork.runInTransaction(async (tx) => {
      // The user's row is locked before the family, in the order of a suspension: the two cannot pass each other or deadlock.
      if (type === 'user' && origin.subject.type === 'user' && !origin.isRevoked)
        await this.users.requireActive(tx, origin.subject.id);
      const spent = await this.refreshTokens.spend(tx, refreshToken, origin.familyId);
      if ('refusal' in spent) return spent.refusal;
      const { subject } = spent;
      if (subject.type !== type || (ownerId !== undefined && subject.id !== ownerId))
        fail('INVALID_REFRESH_TOKEN');
      return type === 'admin'
        ? this.adminPair(tx, this.admins.byId(subject.id) ?? fail('INVALID_REFRESH_TOKEN'), spent)
        : this.userPair(tx, await this.users.getIn(tx, subject.id), spent);
    });
    return typeof outcome === 'string' ? fail(outcome) : outcome; // refused after the commit: the family has ended
  }

  /** Ends the session: its token is refused from now on, and so are its refresh tokens. */
  async signOut(principal: Principal): Promise<void> {
    await this.unitOfWork.runInTransaction((tx) => this.sessions.revoke(tx, principal.sessionId));
    this.sessions.forget([principal.sessionId]);
  }

  private async userPair(
    tx: Tx,
    { id, email, status }: User,
    family: SessionFamily | SpentToken,
  ): Promise<TokenPair> {
    if (status !== 'active') notActive();
    const { jti, refreshToken } = await this.openSession(tx, { type: 'user', id }, family);
    return {
      token: await this.tokens.issue('user', { sub: id, email, jti }),
      refreshToken,
      csrfToken: this.tokens.csrfToken('user', jti),
    };
  }

  private async adminPair(tx: Tx, admin: Admin, renewed?: SpentToken): Promise<TokenPair> {
    if (admin.status !== 'active') notActive();
    const { id, email, roles, permissions } = admin;
    const family = renewed ?? { familyId: newId(), walletId: null };
    const { jti, refreshToken } = await this.openSession(tx, { type: 'admin', id }, family);
    return {
      token: await this.tokens.issue('admin', { sub: id, email, jti, roles, permissions }),
      refreshToken,
      csrfToken: this.tokens.csrfToken('admin', jti),
    };
  }

  /** A session of a new family, or of the family whose refresh token was spent for it. */
  private async openSession(
    tx: Tx,
    subject: Subject,
    family: SessionFamily | SpentToken,
  ): Promise<{ jti: string; refreshToken: string }> {
    const jti = await this.sessions.open(tx, subject, family);
    return {
      jti,
      refreshToken:
        'successor' in family ? family.successor : await this.refreshTokens.issue(tx, subject, family),
    };
  }
}

function noPasswordToSet(): never {
  fail('FORBIDDEN', undefined, {
    message: 'Only an admin whom the configuration lists and who has no password can be given one.',
  });
}

function notActive(): never {
  fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
}

function userCreationFailed(cause: unknown): never {
  if (asDomainError(cause)) throw cause; // the database is away: that has a code of its own
  throw Object.assign(new DomainError('USER_CREATION_ERROR'), { cause });
}
