import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SecretCipherOptions {
  /** The value of the setting. */
  readonly key: string;
  /** Its second value, while the setting is replaced. */
  readonly secondKey: string | undefined;
  /** Separates the keys that are derived from one setting. */
  readonly purpose: string;
  readonly onUseOfSecondKey: () => void;
}

/**
 * Encrypts secrets for the database, as nonce, tag and ciphertext. A ciphertext is bound to its owner: copied into the row of
 * another owner it cannot be decrypted.
 */
export class SecretCipher {
  private readonly key: Buffer;
  private readonly secondKey: Buffer | undefined;

  constructor(private readonly options: SecretCipherOptions) {
    const { key, secondKey, purpose } = options;
    this.key = deriveKey(key, purpose);
    this.secondKey = secondKey === undefined ? undefined : deriveKey(secondKey, purpose);
  }

  /** True while the key is being replaced: stored secrets are encrypted with one of the two keys, new ones with the first. */
  get hasTwoKeys(): boolean {
    return this.secondKey !== undefined;
  }

  encrypt(owner: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(owner));
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws if the secret was encrypted with neither key or for another owner. */
  decrypt(owner: string, encrypted: Buffer): string {
    try {
      return decryptWith(this.key, owner, encrypted);
    } catch (error) {
      if (!this.secondKey) throw error;
    }
    const secret = decryptWith(this.secondKey, owner, encrypted);
    this.options.onUseOfSecondKey(); // tells operators that this key is still needed
    return secret;
  }

  /** The secret, encrypted with the first key: `encrypted` itself if that key decrypts it. Throws like `decrypt`. */
  reencrypt(owner: string, encrypted: Buffer): Buffer {
    try {
      decryptWith(this.key, owner, encrypted);
      return encrypted;
    } catch {
      return this.encrypt(owner, this.decrypt(owner, encrypted));
    }
  }
}

function deriveKey(text: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', purpose, 32));
}

function decryptWith(key: Buffer, owner: string, encrypted: Buffer): string {
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
