import { tmpdir } from 'node:os';
import { Money } from '../common/money.js';
import { SANDBOX_SETTINGS } from '../sandbox/sandbox-settings.js';
import { ConfigError, loadConfig } from './app-config.js';
import { REQUIRED, type Setting } from './setting.js';
import { SETTINGS } from './settings.js';
import { PRODUCTION_SETTINGS as VALID, SECRET } from '../../test/fixtures/production-settings.js';

function faultsOf(env: Record<string, string | undefined>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

/** The faults of a valid production configuration with these changes. */
const faultsWith = (changes: Record<string, string | undefined>) => faultsOf({ ...VALID, ...changes });

describe('Configuration', () => {
  it('has typed values and defaults', () => {
    const config = loadConfig({ ...VALID, WITHDRAWAL_MINIMUM: ' 12.50 ', TRUST_PROXY: '10.0.0.0/8, ::1' });
    expect(config.isProduction).toBe(true);
    expect(config.PORT).toBe(3000);
    expect(config.WITHDRAWAL_MINIMUM).toEqual(Money.of('12.50'));
    expect(config.WITHDRAWAL_DAILY_LIMIT.toWire()).toBe('50000.00');
    expect(config.TRUST_PROXY).toEqual(['10.0.0.0/8', '::1']);
    expect(config.INVESTMENT_APPROVAL_THRESHOLD).toBeUndefined();
  });

  it('delays new addresses by a day in production and not at all elsewhere, unless a delay is set', () => {
    const hours = (env: Record<string, string>) => loadConfig({ ...VALID, ...env }).addressDelayHours;
    expect(hours({})).toBe(24);
    expect(hours({ NODE_ENV: 'test' })).toBe(0);
    expect(hours({ ADDRESS_DELAY_HOURS: '0' })).toBe(0);
    expect(hours({ NODE_ENV: 'development', ADDRESS_DELAY_HOURS: '48' })).toBe(48);
  });

  it('cannot be changed', () => expect(Object.isFrozen(loadConfig(VALID))).toBe(true));

  it('lists all missing settings at once, each with its correction', () => {
    const required = Object.entries<Setting<unknown, unknown>>(SETTINGS)
      .filter(([, setting]) => setting.fallback === REQUIRED)
      .map(([name]) => name);
    expect(required.length).toBeGreaterThan(5);
    const faults = faultsOf({ NODE_ENV: 'development' });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([...required, 'IDP_AUDIENCE']);
    for (const fault of faults) expect(fault).toMatch(/ is not set \(.+\)\. Set it to .+\.$/);
  });

  it('treats an empty setting as a missing one', () => {
    expect(faultsWith({ RPC_URL: '  ' })).toEqual([expect.stringMatching(/^RPC_URL is not set/)]);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000x'],
    ['PORT', '0x10'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'production'], // without a value
    ['DATABASE_POOL_SIZE', '1.5'],
    ['NODE_ENV', 'prod'],
    ['LOG_LEVEL', 'verbose'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '1'], // a number of hops is not accepted
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['IDP_JWKS_URL', 'idp.example.com'],
    ['PUBLIC_URL', 'https://app.example.com/start'],
    ['PUBLIC_URL', 'https://user@app.example.com'],
    ['PUBLIC_URL', 'capacitor://localhost'], // no web site
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/start'],
    ['CORS_ORIGINS', 'https://app.example.com https://www.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com,'],
    ['USDC_CONTRACT_ADDRESS', '0x123'],
    ['IDP_NAME', '../admin'],
    ['IDP_NAME', 'wallet'], // a route of the API: /api/auth/wallet
    ['ADMINS_FILE', '/no/such/file.json'],
    ['ADMINS_FILE', tmpdir()], // a folder
    ['MANAGEMENT_FEE_PERCENT', '-0.5'],
    ['MINIMUM_DEPOSIT', '5e2'],
    ['SUSPENDED_STRATEGIES', 'balanced-11'],
  ])('reports %s with the value %s, and describes the expected value', (name, value) => {
    expect(faultsWith({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: ".+" is not .+\\.$`)),
    ]);
  });

  it('never shows a secret, even an invalid one [SEC-111]', () => {
    const [fault] = faultsWith({ JWT_USER_SECRET: 'hunter2' });
    expect(fault).toMatch(/^JWT_USER_SECRET: its value is not at least 32 characters/);
    expect(faultsWith({ DATABASE_URL: 'mysql://root:hunter2@db' }).join()).not.toContain('hunter2');
    expect(faultsWith({ CUSTODY_WEBHOOK_SECRET: 'hunter2' }).join()).not.toContain('hunter2');
  });

  it('lists faults of different kinds together, also in the error message', () => {
    const env = { ...VALID, PORT: 'x', RPC_URL: undefined, JWT_ADMIN_SECRET: VALID.JWT_USER_SECRET };
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(/[ :]/)[0])).toEqual(['PORT', 'RPC_URL', 'JWT_ADMIN_SECRET']);
    expect(() => loadConfig(env)).toThrow(/has 3 fault\(s\):\n {2}- PORT/);
  });

  it('rejects one secret for both kinds of token', () => {
    expect(faultsWith({ JWT_ADMIN_SECRET: VALID.JWT_USER_SECRET })).toEqual([
      expect.stringMatching(/^JWT_ADMIN_SECRET must differ from JWT_USER_SECRET/),
    ]);
    expect(faultsWith({ JWT_ADMIN_SECRET_ALSO: VALID.JWT_USER_SECRET })).toEqual([
      expect.stringMatching(/^JWT_ADMIN_SECRET_ALSO must differ from JWT_USER_SECRET/),
    ]);
    expect(faultsWith({ JWT_ADMIN_SECRET_ALSO: SECRET('n'), JWT_USER_SECRET_ALSO: SECRET('n') })).toEqual([
      expect.stringMatching(/^JWT_ADMIN_SECRET_ALSO must differ from JWT_USER_SECRET_ALSO/),
    ]);
  });

  it('accepts a second value of each secret that has a setting _ALSO', () => {
    const secondSecrets = {
      METRICS_TOKEN: SECRET('m'),
      METRICS_TOKEN_ALSO: SECRET('n'),
      JWT_USER_SECRET_ALSO: SECRET('v'),
      JWT_ADMIN_SECRET_ALSO: SECRET('b'),
      TOKEN_HASH_KEY_ALSO: `${SECRET('o')}, ${SECRET('p')}`,
      DEPOSIT_PROVIDER_KEY_ALSO: 'another key',
      DEPOSIT_PROVIDER_SECRET_ALSO: Buffer.from(SECRET('e')).toString('base64'),
      CUSTODY_WEBHOOK_SECRET_ALSO: `whsec_${Buffer.from(SECRET('f')).toString('base64')}`,
      WEBHOOK_ENCRYPTION_KEY_ALSO: SECRET('x'),
      SECOND_FACTOR_KEY_ALSO: SECRET('y'),
      LOG_SIGNING_KEY_ALSO: Buffer.from(SECRET('k').slice(0, 32)).toString('base64'),
    };
    expect(faultsWith(secondSecrets)).toEqual([]);
    const secondNames = Object.keys(SETTINGS).filter((name) => name.endsWith('_ALSO'));
    expect(Object.keys(secondSecrets).filter((name) => name.endsWith('_ALSO'))).toEqual(secondNames);
  });

  it('rejects a second value that equals the first or has no first', () => {
    expect(faultsWith({ WEBHOOK_ENCRYPTION_KEY_ALSO: VALID.WEBHOOK_ENCRYPTION_KEY })).toEqual([
      expect.stringMatching(/^WEBHOOK_ENCRYPTION_KEY_ALSO must differ from WEBHOOK_ENCRYPTION_KEY/),
    ]);
    expect(faultsWith({ METRICS_TOKEN_ALSO: SECRET('n') })).toEqual([
      expect.stringMatching(/^METRICS_TOKEN_ALSO must differ from METRICS_TOKEN, which must be set/),
    ]);
  });

  it('rejects a screening provider without a secret for signing requests', () => {
    const url = { SCREENING_URL: 'https://screening.example.com' };
    expect(faultsWith(url)).toEqual([
      expect.stringMatching(/^SCREENING_SECRET is not set, and SCREENING_URL is/),
    ]);
    expect(faultsWith({ ...url, SCREENING_SECRET: SECRET('s') })).toEqual([]);
  });

  it.each([
    ['JWT_USER_SECRET', 'too-short-0123456789'],
    ['JWT_ADMIN_SECRET', 'x'.repeat(64)],
    ['WEBHOOK_ENCRYPTION_KEY', 'password'.repeat(8)], // seven different characters
    ['TOKEN_HASH_KEY', 'too-short-0123456789'],
    ['METRICS_TOKEN', '0000000000000000'],
    ['DEPOSIT_PROVIDER_SECRET', Buffer.from('15 bytes short!').toString('base64')],
    ['DEPOSIT_PROVIDER_SECRET', 'A'.repeat(44)],
    ['CUSTODY_WEBHOOK_SECRET', `whsec_${Buffer.from('twenty-three bytes long').toString('base64')}`],
    ['CUSTODY_WEBHOOK_SECRET', `whsec_${'A'.repeat(44)}`],
  ])('rejects a %s that could be guessed', (name, value) => {
    for (const setting of [name, `${name}_ALSO`]) {
      const given = { METRICS_TOKEN: SECRET('m'), [setting]: value }; // METRICS_TOKEN_ALSO needs a first value
      expect(faultsWith(given)).toEqual([
        expect.stringMatching(
          new RegExp(`^${setting}: its value is not (at least|printable|a secret|whsec_ and)`),
        ),
      ]);
    }
  });
});

describe('Production', () => {
  it('accepts real settings', () => expect(faultsOf(VALID)).toEqual([]));
  const secrets = Object.entries(SANDBOX_SETTINGS).filter(
    ([, value]) =>
      Buffer.from(value.replace('whsec_', ''), 'base64').toString().startsWith('sandbox') ||
      value.startsWith('sandbox'),
  );

  it('is tested below with each of these secrets of the sandbox', () => {
    expect(secrets.map(([name]) => name).sort()).toEqual([
      'CUSTODY_WEBHOOK_SECRET',
      'DEPOSIT_PROVIDER_KEY',
      'DEPOSIT_PROVIDER_SECRET',
      'JWT_ADMIN_SECRET',
      'JWT_USER_SECRET',
      'LOG_SIGNING_KEY',
      'SCREENING_SECRET',
      'SECOND_FACTOR_KEY',
      'TOKEN_HASH_KEY',
      'WEBHOOK_ENCRYPTION_KEY',
    ]);
  });

  it.each(secrets)('rejects the sandbox’s %s [SEC-030]', (name, value) => {
    expect(faultsWith({ [name]: value })).toEqual([`${name} is the sandbox's value. Set your own.`]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'development', [name]: value })).toEqual([]);
  });

  const replaceable = secrets.filter(([name]) => `${name}_ALSO` in SETTINGS);
  it.each(replaceable)('rejects the sandbox’s %s as a second value', (name, value) => {
    expect(faultsWith({ [`${name}_ALSO`]: value })).toEqual([
      `${name}_ALSO is the sandbox's value. Set your own.`,
    ]);
  });

  it('rejects the sandbox’s database [SEC-116]', () => {
    const faults = faultsWith({ DATABASE_URL: 'postgres://postgres:sandbox@127.0.0.1:5433/platform' });
    expect(faults).toEqual(["DATABASE_URL is the sandbox's value. Set your own."]);
  });

  it('rejects the key of a faucet, and in development an invalid key, without showing the key', () => {
    const key = `0x${'1'.repeat(64)}`;
    expect(faultsWith({ FAUCET_PRIVATE_KEY: key })).toEqual([
      'FAUCET_PRIVATE_KEY: its value is for development only. Remove it.',
    ]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'development', FAUCET_PRIVATE_KEY: key })).toEqual([]);
    for (const wrong of ['0', 'f'].map((digit) => `0x${digit.repeat(64)}`)) {
      expect(faultsOf({ ...VALID, NODE_ENV: 'development', FAUCET_PRIVATE_KEY: wrong })).toEqual([
        'FAUCET_PRIVATE_KEY: its value is not 0x and the 64 hex digits of a private key.',
      ]);
    }
  });

  it('rejects CLOCK_FILE', () => {
    expect(faultsWith({ CLOCK_FILE: '/tmp/clock.json' })).toEqual([
      'CLOCK_FILE: "/tmp/clock.json" is for development only. Remove it.',
    ]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'test', CLOCK_FILE: '/tmp/clock.json' })).toEqual([]);
  });

  it('rejects private networks as targets of webhooks, and in development a list that is not in CIDR notation', () => {
    expect(faultsWith({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8, ::1/128' })).toEqual([
      'WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8, ::1/128" is for development only. Remove it.',
    ]);
    for (const wrong of ['127.0.0.1', '127.0.0.0/33', 'localhost/8']) {
      expect(faultsOf({ ...VALID, NODE_ENV: 'development', WEBHOOK_ALLOWED_NETWORKS: wrong })).toEqual([
        expect.stringMatching(/^WEBHOOK_ALLOWED_NETWORKS: ".+" is not a comma-separated list of networks/),
      ]);
    }
  });

  it.each([
    'http://localhost:8545',
    'https://localhost',
    'http://127.0.0.1:3001',
    'http://[::1]:8545',
    'http://0.0.0.0',
    'HTTP://LOCALHOST',
    'http://api.localhost:8545',
    'http://[::ffff:127.0.0.1]',
  ])('rejects the address %s', (address) => {
    expect(faultsWith({ IDP_JWKS_URL: address })).toEqual([
      `IDP_JWKS_URL: "${address}" points at this machine. Set the real address.`,
    ]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'development', IDP_JWKS_URL: address })).toEqual([]);
  });

  it('rejects an origin on this machine among several', () => {
    const settings = { CORS_ORIGINS: 'https://www.example.com, http://localhost:5173' };
    expect(faultsWith(settings)).toEqual([
      expect.stringMatching(/^CORS_ORIGINS: ".+" points at this machine/),
    ]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'development', ...settings })).toEqual([]);
  });

  it.each([undefined, 'http://app.example.com'])('rejects %s as the public address', (address) => {
    expect(faultsWith({ PUBLIC_URL: address })).toEqual([
      expect.stringMatching(/^PUBLIC_URL( is not set|: "http:.+" does not begin with https:)/),
    ]);
    expect(faultsOf({ ...VALID, NODE_ENV: 'development', PUBLIC_URL: address })).toEqual([]);
  });

  it('rejects the development chain', () =>
    expect(faultsWith({ CHAIN_ID: '31337' })).toEqual([expect.stringContaining('is a development chain')]));
});
