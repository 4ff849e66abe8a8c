import { ConfigError, loadConfig } from './app-config.js';

/** The faults of the settings of the log; the other required settings are missing. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig({ LOG_SIGNING_KEY: KEY, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).faults.filter((fault) => /^(LOG|PROOF)_/.test(fault));
  }
}

const keyOf = (text: string) => Buffer.from(text).toString('base64');
const KEY = keyOf('0123456789-0123456789-0123456789');

describe('The settings of the transparency log', () => {
  it('require a key of 32 bytes, and accept a second, different key while the first is replaced', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ LOG_SIGNING_KEY_ALSO: keyOf('abcdefghij-0123456789-0123456789') })).toEqual([]);
    expect(faultsOf({ LOG_SIGNING_KEY: '' })).toEqual([expect.stringMatching(/^LOG_SIGNING_KEY is not set/)]);
    expect(faultsOf({ LOG_SIGNING_KEY_ALSO: KEY })).toEqual([
      expect.stringMatching(/^LOG_SIGNING_KEY_ALSO must differ from LOG_SIGNING_KEY/),
    ]);
  });

  it.each([
    ['of 31 bytes', keyOf('0123456789-0123456789-012345678')],
    ['of 33 bytes', keyOf('0123456789-0123456789-01234567890')],
    ['of zeros', Buffer.alloc(32).toString('base64')],
    ['without padding', KEY.replace('=', '')],
    [
      'in base64url',
      `${Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index)).toString('base64url')}=`,
    ],
  ])('reject a key %s and do not show it', (_, key) => {
    const [fault, ...others] = faultsOf({ LOG_SIGNING_KEY: key });
    expect(fault).toMatch(/^LOG_SIGNING_KEY: its value is not 32 random bytes in base64/);
    expect(fault).not.toContain(key);
    expect(others).toEqual([]);
  });

  it('report an invalid first key once, not also as missing, if a second key is set', () => {
    expect(faultsOf({ LOG_SIGNING_KEY: 'short', LOG_SIGNING_KEY_ALSO: KEY })).toEqual([
      expect.stringMatching(/^LOG_SIGNING_KEY: its value is not/),
    ]);
  });

  it.each(['a b', 'a+b', 'x'.repeat(201)])('reject the origin %p', (origin) => {
    expect(faultsOf({ LOG_ORIGIN: origin })).toEqual([expect.stringMatching(/^LOG_ORIGIN: /)]);
  });
});
