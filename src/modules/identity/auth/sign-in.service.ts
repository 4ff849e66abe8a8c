import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { asDomainError } from '../../../common/errors/database-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { Principal } from '../../../http/auth/principal.js';
import type { LimitedCaller } from '../../../http/throttling/rate-limits.js';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService, type Admin } from '../admins/admin-directory.service.js';
import type { User } from '../users/entities/user.entity.js';
import { failNotActive } from '../users/domain/account-restrictions.js';
import { UsersService } from '../users/users.service.js';
import {
  withFactor,
  type Identity,
  type SessionFamily,
  type SignInContext,
  type SignInMethod,
  type SignedIn,
  type SignedInAdmin,
  type SpentRefreshToken,
  type Subject,
  type TokenPair,
  type TokenType,
} from './auth.types.js';
import { DevicesService } from './devices.service.js';
import {
  SignInFactors,
  type FirstStep,
  type SignInAnswer,
  requireAllowedRedirectUrl,
} from './domain/sign-in.js';
import { PasswordsService } from './passwords.service.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { SessionsService } from './sessions.service.js';
import { TokensService } from './tokens.service.js';

/** Signs users and admins in and out, and exchanges refresh tokens. */
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
    private readonly passwords: PasswordsService,
    private readonly factors: SignInFactors,
    private readonly config: AppConfig,
  ) {}

  /**
   * Signs in the person of a verified identity. A person whose e-mail address ADMINS_FILE lists gets an admin's tokens, and the account
   * that is returned does not count as a user (DEC-106). Throws VALIDATION_ERROR if the client may not redirect to `redirectUrl`,
   * INSUFFICIENT_PERMISSIONS for an admin without permissions, FORBIDDEN if the user or admin is not active, and for an admin the errors
   * of `SignInFactors`, unless the provider has verified a second factor.
   */
  async signInByIdentityProvider(
    identity: Identity,
    context: SignInContext,
    {
      redirectUrl,
      secondFactor,
      language,
    }: { redirectUrl?: string; secondFactor?: SignInAnswer; language?: string } = {},
  ): Promise<SignedIn> {
    requireAllowedRedirectUrl(redirectUrl, this.config);
    const admin = this.admins.findAdminByEmail(identity.email);
    if (!admin)
      return this.unitOfWork.runInTransaction(async (tx) => {
        const { user } = await this.identifyUser(tx, identity, { language });
        return this.openUserSession(tx, user, context);
      });
    if (admin.permissions.length === 0) throwError('INSUFFICIENT_PERMISSIONS');
    if (admin.status !== 'active') failNotActive();
    const step = { admin, method: 'identity-provider', subject: identity.subject } as const;
    const open = async (tx: Tx, hasFactor: boolean) => {
      const { user, isIdentityNew } = await this.identifyUser(tx, identity, { isAdmin: true });
      if (isIdentityNew) await this.adminAccounts.recordNewIdentity(tx, admin, user.id);
      return { ...(await this.openAdminSession(tx, step, hasFactor)), user };
    };
    return identity.hasSecondFactor
      ? this.unitOfWork.runInTransaction((tx) => open(tx, true))
      : this.factors.completeSignIn(step, secondFactor, open);
  }

  /**
   * Finds the account of a verified identity, or creates it at the first sign-in. A subject that is new to the account starts a
   * security hold, which applies when the transaction commits. A first sign-in sets `language` in the profile. Throws FORBIDDEN if
   * the user is not active.
   */
  async identifyUser(
    tx: Tx,
    identity: Identity,
    { isAdmin = false, language }: { isAdmin?: boolean; language?: string | undefined } = {},
  ): Promise<{ user: User; isIdentityNew: boolean }> {
    const { formerEmail, name, subject } = identity;
    const hasFormer = formerEmail !== null && (await this.users.hasAccount(tx, formerEmail));
    const email = hasFormer ? formerEmail : identity.email;
    const user = await this.users
      .findOrCreateUser(tx, { email, emailVerified: true, name, isAdmin, language })
      .catch(failUserCreation);
    if (user.status !== 'active') failNotActive();
    return { user, isIdentityNew: await this.users.recordIdentity(tx, user.id, subject) };
  }

  /** Signs in the owner of a wallet. The wallet proves no e-mail address, and an address that was verified before stays verified. */
  async signInByWallet(
    tx: Tx,
    { email, walletId }: { readonly email: string; readonly walletId: string },
    context: SignInContext,
  ): Promise<SignedIn> {
    const user = await this.users
      .findOrCreateUser(tx, { email, emailVerified: false, name: null, isAdmin: false })
      .catch(failUserCreation);
    return this.openUserSession(tx, user, context, walletId);
  }

  /** Throws FORBIDDEN if the user is not active. `walletId` is null for a sign-in by the identity provider. */
  async openUserSession(
    tx: Tx,
    user: User,
    context: SignInContext,
    walletId: string | null = null,
  ): Promise<SignedIn> {
    await this.devices.recordSignIn(tx, user.id, context);
    const openedBy: SignInMethod = walletId === null ? 'identity-provider' : 'wallet';
    const family = { familyId: newId(), walletId, openedBy };
    return { ...(await this.issueUserPair(tx, user, family, context)), user, admin: undefined };
  }

  /**
   * Signs in an admin. Failed attempts are limited for each caller and for each e-mail address; a right password without the second
   * factor is no failed attempt. Throws the errors of `SignInFactors` only after a right password.
   */
  async signInByPassword(
    { email, password, secondFactor }: { email: string; password: string; secondFactor?: SignInAnswer },
    caller: LimitedCaller,
  ): Promise<SignedInAdmin> {
    const admin = await this.passwords.limitAttempts(caller, email, () =>
      this.checkPassword(email, password),
    );
    const step = { admin, method: 'password', subject: null } as const;
    return this.factors.completeSignIn(step, secondFactor, (tx, hasFactor) =>
      this.openAdminSession(tx, step, hasFactor),
    );
  }

  private async checkPassword(email: string, password: string): Promise<Admin> {
    const admin = this.admins.findAdminByEmail(email);
    const storedHash = await this.adminAccounts.findPasswordHash(email);
    const isRight = await this.passwords.matches(admin?.passwordHash ?? storedHash, password);
    if (!admin || !isRight) throwError('INVALID_CREDENTIALS');
    if (admin.status !== 'active') throwError('ACCOUNT_DISABLED');
    if (admin.permissions.length === 0) throwError('INSUFFICIENT_PERMISSIONS');
    return admin;
  }

  private async openAdminSession(
    tx: Tx,
    { admin, method }: Omit<FirstStep, 'admin'> & { readonly admin: Admin },
    hasFactor: boolean,
  ): Promise<SignedInAdmin> {
    const pair = await this.issueAdminPair(tx, admin, hasFactor ? withFactor(method) : method);
    await this.adminAccounts.recordSignIn(tx, admin);
    return { ...pair, admin };
  }

  /**
   * Exchanges a refresh token for a new pair. A token spent at most SUCCESSOR_REPEAT_SECONDS ago gets the same successor again;
   * one spent earlier revokes its family. Throws REFRESH_TOKEN_REVOKED for a spent or revoked token, INVALID_REFRESH_TOKEN
   * for an unknown one and if its owner is not of `type`, is not `ownerId` or is an unlisted admin, FORBIDDEN for an inactive owner.
   */
  async refreshSession(type: TokenType, refreshToken: string, ownerId?: string): Promise<TokenPair> {
    const family = (await this.refreshTokens.findFamily(refreshToken)) ?? throwError('INVALID_REFRESH_TOKEN');
    const outcome = await this.unitOfWork.runInTransaction(async (tx) => {
      // Locks the user's row before the rows of the family, as a suspension does, so that the two cannot deadlock. The owner
      // of a revoked token is not checked, so that the refusal names the revocation and not the user's status.
      if (type === 'user' && family.subject.type === 'user' && !family.isRevoked)
        await this.users.requireActive(tx, family.subject.id);
      const spent = await this.refreshTokens.spendRefreshToken(tx, refreshToken, family.familyId);
      if ('refusal' in spent) return spent.refusal;
      const { subject } = spent;
      if (subject.type !== type || (ownerId !== undefined && subject.id !== ownerId))
        throwError('INVALID_REFRESH_TOKEN'); // rolls back, so that the token is not spent
      if (type === 'user') return this.issueUserPair(tx, await this.users.get(subject.id, tx), spent);
      const admin = this.admins.findAdmin(subject.id) ?? throwError('INVALID_REFRESH_TOKEN');
      return this.issueAdminPair(tx, admin, spent);
    });
    // Fails after the commit, so that the revocation of the family stays.
    return typeof outcome === 'string' ? throwError(outcome) : outcome;
  }

  /** Revokes all sessions and refresh tokens that descend from the sign-in of the principal's session. */
  async signOut(principal: Principal): Promise<void> {
    const { sessionId } = principal;
    const ids = await this.unitOfWork.runInTransaction((tx) => this.sessions.revokeFamilyOf(tx, sessionId));
    this.sessions.forgetSessions([sessionId, ...ids]); // `ids` lacks `sessionId` if another request has revoked it
  }

  private async issueUserPair(
    tx: Tx,
    { id, email, status }: User,
    family: SessionFamily | SpentRefreshToken,
    context?: SignInContext,
  ): Promise<TokenPair> {
    if (status !== 'active') failNotActive();
    const jti = newId();
    const token = await this.tokens.issueAccessToken('user', { sub: id, email, jti });
    return {
      token,
      refreshToken: this.openSession(tx, jti, { type: 'user', id }, family, context),
      csrfToken: this.tokens.csrfToken('user', jti),
    };
  }

  private async issueAdminPair(
    tx: Tx,
    admin: Admin,
    origin: SignInMethod | SpentRefreshToken,
  ): Promise<TokenPair> {
    if (admin.status !== 'active') failNotActive();
    const { id, email, roles, permissions } = admin;
    const family =
      typeof origin === 'string' ? { familyId: newId(), walletId: null, openedBy: origin } : origin;
    const jti = newId();
    const token = await this.tokens.issueAccessToken('admin', { sub: id, email, jti, roles, permissions });
    return {
      token,
      refreshToken: this.openSession(tx, jti, { type: 'admin', id }, family),
      csrfToken: this.tokens.csrfToken('admin', jti),
    };
  }

  /**
   * Opens a session in a new family, or in the family of the refresh token that was spent for it. Returns its refresh token. Called
   * after the access token is signed, so that the rows and the commit go out together.
   */
  private openSession(
    tx: Tx,
    jti: string,
    subject: Subject,
    family: SessionFamily | SpentRefreshToken,
    context?: SignInContext,
  ): string {
    this.sessions.openSession(tx, jti, subject, family, context);
    return 'successor' in family
      ? family.successor
      : this.refreshTokens.issueRefreshToken(tx, subject, family);
  }
}

function failUserCreation(cause: unknown): never {
  if (cause instanceof DomainError || asDomainError(cause)) throw cause; // keeps the code of an unavailable database
  throw Object.assign(new DomainError('USER_CREATION_ERROR'), { cause });
}
