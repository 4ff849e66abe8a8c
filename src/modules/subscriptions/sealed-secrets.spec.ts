import { Logger } from '@nestjs/common';
import type { AppConfig } from '../../config/app-config.js';
import { Meters } from '../../observability/meters.js';
import { SecondSecrets } from '../../observability/second-secrets.js';
import { newSecret, SealedSecrets } from './sealed-secrets.js';

const meters = new Meters();
beforeAll(() => Logger.overrideLogger(false));

const sealedBy = (key: string, second?: string) =>
  new SealedSecrets(
    { WEBHOOK_ENCRYPTION_KEY: key, WEBHOOK_ENCRYPTION_KEY_ALSO: second } as AppConfig,
    new SecondSecrets(meters),
  );

describe('A sealed secret', () => {
  const secrets = sealedBy('k'.repeat(40));
  const secret = newSecret();

  it('opens for its subscription, and shows nothing of itself', () => {
    const sealed = secrets.seal('a', secret);
    expect(secrets.open('a', sealed)).toBe(secret);
    expect(sealed.toString('latin1')).not.toContain(secret.slice(6));
    expect(secrets.seal('a', secret)).not.toEqual(sealed); // another nonce
  });

  it('opens neither for another subscription, nor with another key, nor changed [SEC-112]', () => {
    const sealed = secrets.seal('a', secret);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
    expect(() => secrets.open('b', sealed)).toThrow();
    expect(() => sealedBy('l'.repeat(40)).open('a', sealed)).toThrow();
    expect(() => secrets.open('a', changed)).toThrow();
  });

  it('opens with either of two keys, and is brought over to the first', () => {
    const [before, both, after] = [
      secrets,
      sealedBy('l'.repeat(40), 'k'.repeat(40)),
      sealedBy('l'.repeat(40)),
    ];
    const sealed = before.seal('a', secret);
    expect(both.open('a', sealed)).toBe(secret);
    expect(meters.of('second-secret')).toEqual(new Map([['WEBHOOK_ENCRYPTION_KEY_ALSO', 1]]));

    const resealed = both.resealed('a', sealed);
    expect(after.open('a', resealed)).toBe(secret);
    expect(() => before.open('a', resealed)).toThrow();
    expect(both.resealed('a', resealed)).toBe(resealed); // nothing to do
    expect(() => both.open('b', sealed)).toThrow();
    expect(() => both.resealed('a', sealedBy('m'.repeat(40)).seal('a', secret))).toThrow();
  });
});
