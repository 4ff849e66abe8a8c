import { TREASURY_ADDRESS } from './anvil.js';

/**
 * The fixed settings of the sandbox. All are public; production rejects the secrets among them (`isSandboxSecret`).
 * Variables of the environment that are not empty override them.
 */
export const SANDBOX_SETTINGS = {
  JWT_USER_SECRET: 'sandbox-user-token-secret-not-for-production',
  JWT_ADMIN_SECRET: 'sandbox-admin-token-secret-not-for-production',
  TOKEN_HASH_KEY: 'sandbox-token-hash-key-not-for-production',
  IDP_NAME: 'idp',
  IDP_AUDIENCE: 'stablecoin-platform',
  DEPOSIT_PROVIDER_NAME: 'crypto2b',
  DEPOSIT_PROVIDER_KEY: 'sandbox-deposit-provider-key',
  // base64 of "sandbox-deposit-provider-secret-0"
  DEPOSIT_PROVIDER_SECRET: 'c2FuZGJveC1kZXBvc2l0LXByb3ZpZGVyLXNlY3JldC0w',
  CUSTODY_PROVIDER_NAME: 'custody',
  // whsec_ and base64 of "sandbox-custody-webhook-secret-0"
  CUSTODY_WEBHOOK_SECRET: 'whsec_c2FuZGJveC1jdXN0b2R5LXdlYmhvb2stc2VjcmV0LTA=',
  SCREENING_SECRET: 'sandbox-screening-secret-not-for-production',
  // accounts of the development chain without another use
  CUSTODY_ADDRESS: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  DEPOSIT_PROVIDER_ADDRESS: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  WEBHOOK_ENCRYPTION_KEY: 'sandbox-webhook-encryption-key-not-for-production',
  SECOND_FACTOR_KEY: 'sandbox-second-factor-key-not-for-production',
  HOLD_AFTER_FIRST_FACTOR: 'false', // so that the first calls stay short
  ADMIN_SECOND_FACTOR: 'if-registered', // `npm run sandbox:factor` registers one
  // base64 of "sandbox-transparency-log-key-000"
  LOG_SIGNING_KEY: 'c2FuZGJveC10cmFuc3BhcmVuY3ktbG9nLWtleS0wMDA=',
  LOG_SEAL_SECONDS: '1',
  CORS_ORIGINS: 'http://localhost:5173,http://localhost:8080', // the usual ports of development servers
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  // Test suites and load tools send from one address. The other limits are those of production.
  RATE_LIMIT_SESSION: '10000',
  RATE_LIMIT_PUBLIC: '10000',
} as const;

export type SandboxSettings = Record<keyof typeof SANDBOX_SETTINGS, string>;

/** The fixed settings, overridden by variables of the environment. */
export function sandboxSettings(environment: NodeJS.ProcessEnv): SandboxSettings {
  const settings: SandboxSettings = { ...SANDBOX_SETTINGS };
  for (const name of Object.keys(SANDBOX_SETTINGS) as (keyof SandboxSettings)[]) {
    settings[name] = environment[name] || SANDBOX_SETTINGS[name];
  }
  return settings;
}

const DEVELOPMENT_ONLY = new Set([
  'CLOCK_FILE',
  'FAUCET_PRIVATE_KEY',
  'SANDBOX_URL',
  'WEBHOOK_ALLOWED_NETWORKS',
]);

/** The address of custody, and the one from which `POST /chain/transfer` of the control port pays. */
const PAYING_ADDRESSES = `${SANDBOX_SETTINGS.CUSTODY_ADDRESS},${TREASURY_ADDRESS}`;

/** Leaves out the settings that NODE_ENV=production with REHEARSAL=true refuses, and adds one that it requires. */
export function forRehearsal(env: Record<string, string>): Record<string, string> {
  const accepted = Object.entries(env).filter(([name]) => !DEVELOPMENT_ONLY.has(name));
  return { CUSTODY_ADDRESSES: PAYING_ADDRESSES, ...Object.fromEntries(accepted) };
}

export const DEFAULT_PORTS = {
  PORT: 3000,
  SANDBOX_PORT: 3001,
  CHAIN_PORT: 8545,
  DATABASE_PORT: 5433,
} as const;

export const SAMPLE_PASSWORD = 'sandbox-password';

export const SAMPLE_ADMINS = [
  { email: 'admin@example.com', name: 'Ada Admin', roles: ['admin'] },
  { email: 'admin2@example.com', name: 'Amir Admin', roles: ['admin'] },
  { email: 'operator@example.com', name: 'Olga Operator', roles: ['operator'] },
  { email: 'support@example.com', name: 'Sam Support', roles: ['support'] },
  { email: 'readonly@example.com', name: 'Rita Readonly', roles: ['readonly'] },
] as const;
