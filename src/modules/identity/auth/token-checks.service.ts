import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { UsersService } from '../users/users.service.js';
import type { AccessTokenCheck, Subject } from './auth.types.js';
import type { BearerStrategy } from './auth.strategy.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

const REASONS: Partial<Record<ErrorCode, AccessTokenCheck['reason']>> = {
  TOKEN_EXPIRED: 'expired',
  TOKEN_INVALID: 'invalid',
  FORBIDDEN: 'not_active',
};

/** Checks tokens for the routes that report validity, for which an invalid token is a result and not an error. */
@Injectable()
export class TokenChecksService {
  constructor(
    @Inject('bearer') private readonly bearer: BearerStrategy,
    private readonly refreshTokens: RefreshTokensService,
    private readonly users: UsersService,
    private readonly admins: AdminDirectoryService,
  ) {}

  async checkAccessToken(token: string): Promise<AccessTokenCheck> {
    try {
      return { principal: await this.bearer.getPrincipal(token), reason: null };
    } catch (error) {
      const reason = error instanceof DomainError ? REASONS[error.code] : undefined;
      if (!reason) throw error;
      return { principal: null, reason };
    }
  }

  /** The expiry of a refresh token; null if it is not valid or its owner is not active. Does not spend the token. */
  async findRefreshTokenExpiry(token: string): Promise<Date | null> {
    const check = await this.refreshTokens.checkRefreshToken(token);
    return 'subject' in check && (await this.isActive(check.subject)) ? check.expiresAt : null;
  }

  private async isActive({ type, id }: Subject): Promise<boolean> {
    const account = type === 'admin' ? this.admins.findAdmin(id) : await this.users.find(id);
    return account?.status === 'active';
  }
}
