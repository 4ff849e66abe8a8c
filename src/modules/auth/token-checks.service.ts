import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../http/auth/principal.js';
import { DomainError } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { UsersService } from '../users/users.service.js';
import type { BearerStrategy } from './bearer.strategy.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import type { Subject } from './sessions.service.js';

/** Whose a token is, or why it is nobody's. */
export type TokenCheck =
  | { readonly principal: Principal; readonly reason: null }
  | { readonly principal: null; readonly reason: 'expired' | 'invalid' | 'not_active' };

/** Until when a refresh token would be accepted; null when it would not be. */
export interface RefreshCheck {
  readonly expiresAt: Date | null;
}

const REASONS: Partial<Record<ErrorCode, 'expired' | 'invalid' | 'not_active'>> = {
  TOKEN_EXPIRED: 'expired',
  TOKEN_INVALID: 'invalid',
  FORBIDDEN: 'not_active',
};

/** Answers what tokens are worth, as an answer and not as a refusal. */
@Injectable()
export class TokenChecksService {
  constructor(
    @Inject('bearer') private readonly bearer: BearerStrategy,
    private readonly refreshTokens: RefreshTokensService,
    private readonly users: UsersService,
    private readonly admins: AdminDirectoryService,
  ) {}

  async ofToken(token: string): Promise<TokenCheck> {
    try {
      return { principal: await this.bearer.principalOf(token), reason: null };
    } catch (error) {
      const reason = error instanceof DomainError ? REASONS[error.code] : undefined;
      if (!reason) throw error;
      return { principal: null, reason };
    }
  }

  /** Without spending it. */
  async ofRefreshToken(token: string): Promise<RefreshCheck> {
    const worth = await this.refreshTokens.look(token);
    const isGood = 'subject' in worth && (await this.isActive(worth.subject));
    return { expiresAt: isGood ? worth.expiresAt : null };
  }

  private async isActive({ type, id }: Subject): Promise<boolean> {
    const account = type === 'admin' ? this.admins.byId(id) : await this.users.get(id).catch(ifGone);
    return account?.status === 'active';
  }
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof DomainError) || error.code !== 'USER_NOT_FOUND') throw error;
}
