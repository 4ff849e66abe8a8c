import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { SecondSecrets } from '../../observability/second-secrets.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/** A random secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Encrypts the signing secrets of webhook subscriptions for the database, as nonce, tag and ciphertext. A ciphertext is bound
 * to its subscription: copied into another row it cannot be decrypted.
 */
@Injectable()
export class SecretEncryptionService {
  private readonly key: Buffer;
  private readonly secondKey: Buffer | undefined;

  constructor(
    config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const { WEBHOOK_ENCRYPTION_KEY: key, WEBHOOK_ENCRYPTION_KEY_ALSO: secondKey } = config;
    this.key = deriveKey(key);
    this.secondKey = secondKey === undefined ? undefined : deriveKey(secondKey);
  }

  /**
   * True while the key is being replaced: stored secrets are encrypted with one of the two keys, new ones with
   * WEBHOOK_ENCRYPTION_KEY.
   */
  get hasTwoKeys(): boolean {
    return this.secondKey !== undefined;
  }

  encrypt(subscriptionId: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(subscriptionId));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws if the secret was encrypted with neither key or for another subscription. */
  decrypt(subscriptionId: string, encrypted: Buffer): string {
    try {
      return decryptWith(this.key, subscriptionId, encrypted);
    } catch (error) {
      if (!this.secondKey) throw error;
    }
    const secret = decryptWith(this.secondKey, subscriptionId, encrypted);
    this.secondSecrets.recordUse('WEBHOOK_ENCRYPTION_KEY_ALSO'); // tells operators that this key is still needed
    return secret;
  }

  /** The secret, encrypted with WEBHOOK_ENCRYPTION_KEY: `encrypted` itself if that key decrypts it. Throws like `decrypt`. */
  reencrypt(subscriptionId: string, encrypted: Buffer): Buffer {
    try {
      decryptWith(this.key, subscriptionId, encrypted);
      return encrypted;
    } catch {
      return this.encrypt(subscriptionId, this.decrypt(subscriptionId, encrypted));
    }
  }
}

function deriveKey(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', 'webhook secrets', 32));
}

function decryptWith(key: Buffer, subscriptionId: string, encrypted: Buffer): string {
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(subscriptionId))
    .setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
