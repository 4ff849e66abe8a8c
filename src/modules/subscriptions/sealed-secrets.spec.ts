import type { AppConfig } from '../../config/app-config.js';
import { newSecret, SealedSecrets } from './sealed-secrets.js';

const sealedBy = (key: string) => new SealedSecrets({ WEBHOOK_ENCRYPTION_KEY: key } as AppConfig);

describe('A sealed secret', () => {
  const secrets = sealedBy('k'.repeat(40));
  const secret = newSecret();

  it('opens for its subscription, and shows nothing of itself', () => {
    const sealed = secrets.seal('a', secret);
    expect(secrets.open('a', sealed)).toBe(secret);
    expect(sealed.toString('latin1')).not.toContain(secret.slice(6));
    expect(secrets.seal('a', secret)).not.toEqual(sealed); // another nonce
  });

  it('opens neither for another subscription, nor with another key, nor changed', () => {
    const sealed = secrets.seal('a', secret);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
    expect(() => secrets.open('b', sealed)).toThrow();
    expect(() => sealedBy('l'.repeat(40)).open('a', sealed)).toThrow();
    expect(() => secrets.open('a', changed)).toThrow();
  });
});
