import { Logger } from '@nestjs/common';
import type { AppConfig } from '../../../config/app-config.js';
import { Meters } from '../../../observability/meters.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { newSecret, SecretEncryptionService } from './secret-encryption.service.js';

const meters = new Meters();
beforeAll(() => {
  jest.spyOn(Logger.prototype, 'log').mockImplementation(); // of the use of the second key
});
afterAll(() => jest.restoreAllMocks());

const encryptionWith = (key: string, second?: string) =>
  new SecretEncryptionService(
    { WEBHOOK_ENCRYPTION_KEY: key, WEBHOOK_ENCRYPTION_KEY_ALSO: second } as AppConfig,
    new SecondSecrets(meters),
  );

describe('SecretEncryptionService', () => {
  const encryption = encryptionWith('k'.repeat(40));
  const secret = newSecret();

  it('decrypts a secret for its subscription; the ciphertext does not contain it', () => {
    const encrypted = encryption.encrypt('a', secret);
    expect(encryption.decrypt('a', encrypted)).toBe(secret);
    expect(encrypted.toString('latin1')).not.toContain(secret.slice(6));
    expect(encryption.encrypt('a', secret)).not.toEqual(encrypted); // another nonce
  });

  it('refuses another subscription, another key and a changed ciphertext [SEC-112]', () => {
    const encrypted = encryption.encrypt('a', secret);
    const changed = Buffer.from(encrypted);
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
    expect(() => encryption.decrypt('b', encrypted)).toThrow();
    expect(() => encryptionWith('l'.repeat(40)).decrypt('a', encrypted)).toThrow();
    expect(() => encryption.decrypt('a', changed)).toThrow();
  });

  it('decrypts with either of two keys and re-encrypts with the first', () => {
    const withBothKeys = encryptionWith('l'.repeat(40), 'k'.repeat(40));
    const withNewKey = encryptionWith('l'.repeat(40));
    const encrypted = encryption.encrypt('a', secret);
    expect(withBothKeys.decrypt('a', encrypted)).toBe(secret);
    expect(meters.readCounts('second-secret')).toEqual(new Map([['WEBHOOK_ENCRYPTION_KEY_ALSO', 1]]));

    const reencrypted = withBothKeys.reencrypt('a', encrypted);
    expect(withNewKey.decrypt('a', reencrypted)).toBe(secret);
    expect(() => encryption.decrypt('a', reencrypted)).toThrow();
    expect(withBothKeys.reencrypt('a', reencrypted)).toBe(reencrypted); // no change
    expect(() => withBothKeys.decrypt('b', encrypted)).toThrow();
    expect(() => withBothKeys.reencrypt('a', encryptionWith('m'.repeat(40)).encrypt('a', secret))).toThrow();
  });
});
