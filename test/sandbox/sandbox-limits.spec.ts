import { loadConfig, type AppConfig } from '../../src/config/app-config.js';
import { RATE_LIMIT_SETTINGS } from '../../src/config/rate-limit-settings.js';
import { sandboxSettings } from '../../src/sandbox/sandbox-settings.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';

type Limit = keyof typeof RATE_LIMIT_SETTINGS;
const NAMES = Object.keys(RATE_LIMIT_SETTINGS) as Limit[];

describe('The rate limits of the sandbox', () => {
  let platform: TestPlatform;
  let config: AppConfig;
  let replica: string;

  beforeAll(async () => {
    platform = await startPlatform();
    config = loadConfig(platform.outside.env); // the settings that the sandbox gives to the API
    const limits = Object.fromEntries(NAMES.map((name) => [name, config[name]]));
    replica = await startReplica(platform, limits as Partial<AppConfig>);
  });
  afterAll(() => platform?.stop());

  it('are 10,000 for RATE_LIMIT_SESSION and RATE_LIMIT_PUBLIC, and the defaults of the service for the other settings', () => {
    expect(Object.fromEntries(NAMES.map((name) => [name, config[name]]))).toEqual({
      RATE_LIMIT_SESSION: 10_000,
      RATE_LIMIT_PUBLIC: 10_000,
      RATE_LIMIT_USER: 1000,
      RATE_LIMIT_ADMIN: 10_000,
      RATE_LIMIT_RPC: 100,
      RATE_LIMIT_FAUCET: 100,
      RATE_LIMIT_PROOFS: 5000,
      RATE_LIMIT_ADDRESS: 10,
      RATE_LIMIT_WEBHOOK: 60,
      RATE_LIMIT_KEY: 1000,
      RATE_LIMIT_SIGN_IN: 5,
    });
  });

  it.each([
    ['GET', '/api/deposits/status', '10000'],
    ['POST', '/api/auth/refresh', '10000'],
    ['POST', '/api/blockchain/rpc', '100'],
  ] as const)('appear in the headers of %s %s as %s', async (method, path, limit) => {
    const caller = platform.as(null, replica);
    const { headers } = method === 'GET' ? await caller.get(path) : await caller.post(path, {});
    expect(headers.get('x-ratelimit-limit')).toBe(limit);
  });

  it('follow variables of the environment', () => {
    const settings = sandboxSettings({ RATE_LIMIT_PUBLIC: '7' });
    expect([settings.RATE_LIMIT_PUBLIC, settings.RATE_LIMIT_SESSION]).toEqual(['7', '10000']);
  });
});
