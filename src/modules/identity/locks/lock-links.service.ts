import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { LockToken } from './entities/lock-token.entity.js';
import { LOCK_LINK_DAYS } from '../users/domain/account-restrictions.js';
import { LockTokensRepository } from './lock-tokens.repository.js';

/** The links of mails that lock the account of their user. Lifetimes are real time. */
@Injectable()
export class LockLinksService {
  constructor(
    private readonly tokens: LockTokensRepository,
    private readonly seals: CredentialSealsService,
    private readonly config: AppConfig,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * A new link. Its token is in the fragment, which browsers do not send, so that no log of a server has it. The table has only the hash
   * of the token, so each attempt to send a mail needs a new link.
   */
  async createLink(userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const createdAt = realNow();
    const expiresAt = new Date(createdAt.getTime() + LOCK_LINK_DAYS * DAY_MS);
    const row = { tokenHash: this.seals.hashToken(token), userId, createdAt, expiresAt };
    await this.tokens.insertToken({ ...row, seal: this.seals.sealRow('lock_token', row) });
    return `${this.config.PUBLIC_URL}/lock#${token}`;
  }

  /** Throws TOKEN_INVALID for an unknown, used or expired token, and for a row that the service has not written. */
  async getToken(token: string): Promise<LockToken> {
    const stored = await this.tokens.findToken(this.seals.hashesOfToken(token));
    if (!stored || stored.expiresAt <= realNow() || !this.seals.isAuthentic('lock_token', stored))
      return failInvalid();
    return stored;
  }

  /** Uses a token up. Throws TOKEN_INVALID if another request has done so. */
  async useToken(tx: Tx, token: LockToken): Promise<void> {
    if (!(await this.tokens.deleteToken(tx, token))) failInvalid();
  }

  /** Deletes nothing while the process's clock is wrong, because valid rows could seem expired. */
  @Job({ name: 'expired-lock-links', purpose: 'Deletes expired tokens of lock links', everySeconds: 600 })
  async deleteExpired(stopping: AbortSignal): Promise<void> {
    if (this.clock.isInSync) await this.tokens.deleteExpired(realNow(), stopping);
  }

  /** For the erasure of a user. */
  async deleteLinksOfUser(tx: Tx, userId: string): Promise<void> {
    await this.tokens.deleteTokensOfUser(tx, userId);
  }
}

function failInvalid(): never {
  return throwError('TOKEN_INVALID', undefined, {
    message: `The link was used, or is older than ${LOCK_LINK_DAYS} days. Use the link of a newer mail, or sign in and lock the account.`,
  });
}
