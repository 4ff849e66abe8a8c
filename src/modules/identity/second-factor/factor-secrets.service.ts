import { Injectable, Logger } from '@nestjs/common';
import { HOUR_MS } from '../../../common/durations.js';
import { SecretCipher } from '../../../common/secret-cipher.js';
import { AppConfig } from '../../../config/app-config.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';

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
