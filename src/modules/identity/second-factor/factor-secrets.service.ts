import { Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '../../../common/durations.js';
import { SecretCipher } from '../../../common/secret-cipher.js';
import { AppConfig } from '../../../config/app-config.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import type { FactorOwner } from './factors.types.js';

const LOG_INTERVAL_MS = HOUR_MS;

/** Encrypts the secrets of one-time codes. The owner of a secret is `user:` or `admin:` and an id. */
@Injectable()
export class FactorSecretsService extends SecretCipher {
  private readonly log = new Logger('FactorSecrets');
  private loggedAt = -Infinity;

  constructor(config: AppConfig, secondSecrets: SecondSecrets) {
    super({
      key: config.SECOND_FACTOR_KEY,
      secondKey: config.SECOND_FACTOR_KEY_ALSO,
      purpose: 'secrets of one-time codes',
      onUseOfSecondKey: () => secondSecrets.recordUse('SECOND_FACTOR_KEY_ALSO'),
    });
  }

  /** Logs a secret that no configured key decrypts, at most once an hour: its owner only sees that the code is refused. */
  override decrypt(owner: string, encrypted: Buffer): string {
    try {
      return super.decrypt(owner, encrypted);
    } catch (error) {
      const now = performance.now();
      if (now - this.loggedAt >= LOG_INTERVAL_MS) {
        this.loggedAt = now;
        this.log.error('one-time codes are refused: SECOND_FACTOR_KEY does not decrypt their secret');
      }
      throw error;
    }
  }
}

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Six groups of four characters: 120 random bits. */
export function newRecoveryCode(): string {
  const characters = [...randomBytes(24)].map((byte) => BASE_32[byte % 32]).join('');
  return (characters.match(/.{4}/g) as string[]).join('-');
}

/** Codes of different owners have different hashes. Spaces, dashes and case do not matter. */
export function recoveryCodeText({ type, id }: FactorOwner, code: string): string {
  return `recovery code of ${type}:${id}:${code.replace(/[\s-]/g, '').toUpperCase()}`;
}
