import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { SecondSecrets } from '../../observability/second-secrets.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/** A new secret as Standard Webhooks writes it. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Secrets as they rest in the database: nonce, tag and ciphertext. Each is bound to its subscription, so that one that
 * is copied into another row opens nowhere.
 */
@Injectable()
export class SealedSecrets {
  private readonly key: Buffer;
  private readonly second: Buffer | undefined;

  constructor(
    config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const { WEBHOOK_ENCRYPTION_KEY: key, WEBHOOK_ENCRYPTION_KEY_ALSO: second } = config;
    this.key = keyFrom(key);
    this.second = second === undefined ? undefined : keyFrom(second);
  }

  /** Whether there may be secrets that another key has sealed. */
  get hasTwoKeys(): boolean {
    return this.second !== undefined;
  }

  seal(subscriptionId: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(subscriptionId));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws when it was sealed with an unknown key or for another subscription. */
  open(subscriptionId: string, sealed: Buffer): string {
    try {
      return opened(this.key, subscriptionId, sealed);
    } catch (error) {
      if (!this.second) throw error;
    }
    const secret = opened(this.second, subscriptionId, sealed);
    this.secondSecrets.needed('WEBHOOK_ENCRYPTION_KEY_ALSO');
    return secret;
  }

  /** The same secret sealed with our own key: as it was, if it is so already. Throws as `open` does. */
  resealed(subscriptionId: string, sealed: Buffer): Buffer {
    try {
      opened(this.key, subscriptionId, sealed);
      return sealed;
    } catch {
      return this.seal(subscriptionId, this.open(subscriptionId, sealed));
    }
  }
}

function keyFrom(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', 'webhook secrets', 32));
}

/** GCM vouches for key, subscription and every byte: one that does not fit throws. */
function opened(key: Buffer, subscriptionId: string, sealed: Buffer): string {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(subscriptionId))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
