import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretCipher } from '../../../common/secret-cipher.js';
import { AppConfig } from '../../../config/app-config.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';

const SECRET_BYTES = 32;

/** A random secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Encrypts the signing secrets of webhook subscriptions. The owner of a secret is the id of its subscription. */
@Injectable()
export class SecretEncryptionService extends SecretCipher {
  constructor(config: AppConfig, secondSecrets: SecondSecrets) {
    super({
      key: config.WEBHOOK_ENCRYPTION_KEY,
      secondKey: config.WEBHOOK_ENCRYPTION_KEY_ALSO,
      purpose: 'webhook secrets',
      onUseOfSecondKey: () => secondSecrets.recordUse('WEBHOOK_ENCRYPTION_KEY_ALSO'),
    });
  }
}
