import { Money } from '../common/money.js';
import { forRehearsal, SANDBOX_SETTINGS } from '../sandbox/sandbox-settings.js';
import { type AppConfig, type ConfigError, loadConfig } from './app-config.js';
import type { Setting } from './setting.js';
import { SETTINGS } from './settings.js';

/** A complete environment: that with which the sandbox starts the API in a rehearsal. */
const REHEARSAL_ENV: Record<string, string> = {
  ...forRehearsal({
    ...SANDBOX_SETTINGS,
    DATABASE_URL: 'postgres://postgres:sandbox@127.0.0.1:5433/platform',
    IDP_ISSUER: 'http://localhost:3001/idp',
    IDP_JWKS_URL: 'http://localhost:3001/idp/.well-known/jwks.json',
    ADMINS_FILE: 'package.json',
    DEPOSIT_PROVIDER_URL: 'http://localhost:3001/deposit-provider',
    RPC_URL: 'http://localhost:8545',
    CHAIN_ID: '31337',
    USDC_CONTRACT_ADDRESS: SANDBOX_SETTINGS.CUSTODY_ADDRESS,
    CLOCK_FILE: '/tmp/clock.json',
    SANDBOX_URL: 'http://localhost:3001',
    FAUCET_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  }),
  NODE_ENV: 'production',
  PUBLIC_URL: 'http://localhost:3000',
  REHEARSAL: 'true',
};

/** The faults about these settings; other settings are missing. */
function faultsAbout(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    const isGiven = (fault: string) =>
      Object.keys(env).includes(fault.split(/[ :=]/)[0] ?? '') && !fault.includes(' is not set');
    return (error as ConfigError).faults.filter(isGiven);
  }
}

describe('Numbers in settings', () => {
  const isNumber = (value: unknown) => typeof value === 'number' || value instanceof Money;
  const numbers = Object.entries<Setting<unknown, unknown>>(SETTINGS).filter(([, { reader, fallback }]) => {
    const readsFile = reader.expects.startsWith('the path');
    const texts = readsFile ? [] : ['1', '100', '31337'];
    return [fallback, ...texts.map((text) => reader.read(text))].some(isNumber);
  });

  it('are found by this test', () => expect(numbers.length).toBeGreaterThan(40));

  it.each(numbers)(
    '%s has a least and a greatest value, which its description names',
    (_name, { reader }) => {
      const [, least = '', greatest = ''] = /from ([\d.]+) to ([\d.]+)/.exec(reader.expects) ?? [];
      expect([reader.read(least), reader.read(greatest)]).toEqual([expect.anything(), expect.anything()]);
      expect(reader.read(`1${greatest}`)).toBeUndefined();
      expect(reader.read('-1')).toBeUndefined();
      if (Number(least) > 0) expect(reader.read('0')).toBeUndefined();
    },
  );

  it.each(['0', '0.49', '2.01', '1000'])('the rate of USDT cannot be %s', (USDT_USDC_RATE) => {
    expect(faultsAbout({ USDT_USDC_RATE })).toEqual([
      `USDT_USDC_RATE: "${USDT_USDC_RATE}" is not a decimal number from 0.5 to 2, with at most six decimals.`,
    ]);
  });

  it.each(['0.5', '0.9995', '1', '2'])('the rate of USDT can be %s', (USDT_USDC_RATE) =>
    expect(faultsAbout({ USDT_USDC_RATE })).toEqual([]),
  );

  it('include ids of chains above 32 bits', () => {
    expect(faultsAbout({ CHAIN_ID: '11297108109' })).toEqual([]);
  });
});

describe('The fault of a setting', () => {
  it('advises to remove quotation marks, which some tools take as part of the value', () => {
    expect(faultsAbout({ PUBLIC_URL: '"https://app.example.com"' })).toEqual([
      expect.stringMatching(/^PUBLIC_URL: ".+" is not an address .+\. Remove the quotation marks\.$/),
    ]);
  });

  it('shows neither credentials nor the query of an address [SEC-520]', () => {
    const address = 'https://user:hunter2@idp.example.com/keys?token=hunter2 x';
    const env = { IDP_JWKS_URL: `ftp${address}`, CORS_ORIGINS: `https://a.example,${address}` };
    const faults = faultsAbout(env);
    expect(faults).toHaveLength(2);
    for (const fault of faults) expect(fault).toContain('//***@idp.example.com/keys?***');
    const rpc = faultsAbout({ RPC_URL: 'wss://rpc.example.com/v3/hunter2', NODE_ENV: 'production' });
    expect(rpc).toEqual(['RPC_URL: its value is not an address that begins with http:// or https://.']);
    expect([...faults, ...rpc].join()).not.toContain('hunter2');
  });
});

describe('CORS_ORIGINS in production', () => {
  it.each(['capacitor://localhost,ionic://localhost', 'https://localhost', 'http://localhost'])(
    'can be %s, the origin of mobile applications',
    (CORS_ORIGINS) => expect(faultsAbout({ NODE_ENV: 'production', CORS_ORIGINS })).toEqual([]),
  );

  it.each(['http://localhost:5173', 'https://localhost:443x', 'http://127.0.0.1'])(
    'cannot be %s',
    (CORS_ORIGINS) => expect(faultsAbout({ NODE_ENV: 'production', CORS_ORIGINS })).toHaveLength(1),
  );
});

describe('DATABASE_URL', () => {
  it.each([
    'postgres://u:p@db1:5432,db2:5432/platform?target_session_attrs=read-write',
    'postgresql://u:p,q@db1,[2001:db8::1]:5433/platform',
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/platform',
    'postgres://db/platform?sslmode=require&target_session_attrs=any',
  ])('can be %s', (DATABASE_URL) => expect(faultsAbout({ DATABASE_URL })).toEqual([]));

  it.each([
    'mysql://db/platform',
    'postgres://db1:5432,db2:x/platform',
    'postgres://db1,/platform',
    'postgres://db1,db2/platform?target_session_attrs=standby',
  ])('cannot be %s', (DATABASE_URL) => expect(faultsAbout({ DATABASE_URL })).toHaveLength(1));
});

describe('CALLBACK_URL', () => {
  const callbackUrl = (env: Record<string, string>) =>
    loadConfig({ ...REHEARSAL_ENV, NODE_ENV: 'test', REHEARSAL: 'false', ...env }).callbackUrl;

  it('is PUBLIC_URL when unset, otherwise its own address without a final slash', () => {
    expect(callbackUrl({ PUBLIC_URL: 'https://app.example.com' })).toBe('https://app.example.com');
    expect(callbackUrl({ CALLBACK_URL: 'https://callbacks.example.com:8443/' })).toBe(
      'https://callbacks.example.com:8443',
    );
  });

  it('is an address without a path, in production not of this machine', () => {
    const faults = (CALLBACK_URL: string) => faultsAbout({ NODE_ENV: 'production', CALLBACK_URL });
    expect(faults('https://callbacks.example.com/api')).toHaveLength(1);
    expect(faults('http://localhost:3000')).toEqual([
      'CALLBACK_URL: "http://localhost:3000" points at this machine. Set the real address.',
    ]);
    expect(faults('http://callbacks')).toEqual([]);
    expect(faults('https://localhost.example.com')).toEqual([]);
  });
});

describe('REHEARSAL', () => {
  const start = (changes: Record<string, string>): AppConfig => loadConfig({ ...REHEARSAL_ENV, ...changes });

  it('runs production with the settings of the sandbox', () => {
    expect(start({})).toMatchObject({ isProduction: true, isRehearsal: true });
    expect(() => start({ REHEARSAL: 'false' })).toThrow(/is the sandbox's value/);
  });

  it('runs against no other chain than that of the sandbox [SEC-521]', () => {
    expect(() => start({ CHAIN_ID: '1' })).toThrow(
      /REHEARSAL: "true" needs CHAIN_ID=31337, and CHAIN_ID is 1/,
    );
  });

  it('keeps the other rules of production [SEC-522]', () => {
    expect(() => start({ CLOCK_FILE: '/tmp/clock.json' })).toThrow(/CLOCK_FILE: .+ is for development only/);
    expect(() => start({ FOUR_EYES: 'off' })).toThrow(/FOUR_EYES=off lets one admin move money alone/);
    expect(() => start({ STEP_UP: 'off' })).toThrow(/STEP_UP=off lets a stolen session take the money/);
    expect(start({}).addressDelayHours).toBe(24);
  });

  it('has no meaning outside of production', () => {
    expect(() => start({ NODE_ENV: 'development' })).toThrow(/REHEARSAL: "true" has no meaning without/);
    expect(start({ NODE_ENV: 'development', REHEARSAL: 'false' }).isRehearsal).toBe(false);
  });
});
