import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { writeSampleAdmins } from './admins.js';
import { startChain } from './chain.js';
import type { RunningChain } from './chain.js';
import { PLATFORM_DATABASE, startPostgres } from './postgres.js';
import { startProviders } from './providers.js';
import type { RunningProviders } from './providers.js';
import { screeningEnvironment } from './screening-provider.js';
import { sandboxSettings } from './sandbox-settings.js';
import type { SandboxSettings } from './sandbox-settings.js';

export interface OutsideWorldOptions {
  dataDir: string;
  /** The platform's address for callbacks; may be set after the start. */
  api: { url: string };
  /** A free port is chosen for each that is 0 or absent. */
  ports?: { sandbox?: number; chain?: number; database?: number };
  /** false makes the database faster and not crash-safe, for tests. */
  durable?: boolean;
  blockIntervalMs?: number;
  /** The interval in which the node mines blocks without transactions; see `ChainOptions`. */
  blockSeconds?: number;
  /** A running EVM node, which the caller stops. Without it a node is started. */
  chain?: RunningChain;
  /** Overrides the sandbox's settings. If it contains DATABASE_URL, no PostgreSQL is started. */
  environment?: NodeJS.ProcessEnv;
  /** Additional checks of GET /health by name. */
  checks?: Record<string, () => Promise<unknown>>;
  log?: (line: string) => void;
}

export interface OutsideWorld {
  /** The settings of the platform. */
  env: Record<string, string>;
  chain: RunningChain;
  providers: RunningProviders;
  /** Resolves with the name of the first part that has ended. */
  partGone: Promise<string>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL, the EVM node and the providers, without the platform itself. */
export async function startOutsideWorld(options: OutsideWorldOptions): Promise<OutsideWorld> {
  const { api, ports = {}, environment = {}, durable, blockIntervalMs, blockSeconds } = options;
  const { log = () => undefined } = options;
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true });
  const settings = sandboxSettings(environment);
  const started: { stop(): Promise<void> }[] = [];
  const ends: Promise<string>[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) await part.stop();
  };

  try {
    const databaseUrl = environment.DATABASE_URL || (await startDatabase());
    const chain = options.chain ?? (await startNode());
    log('starting the identity, deposit, custody and screening providers, and the mail server');
    const providers = await startProviders({
      dataDir,
      chain,
      api,
      settings,
      blockIntervalMs,
      port: ports.sandbox,
      chainPort: ports.chain,
      checks: { database: () => ping(databaseUrl), ...options.checks },
    });
    started.push(providers);
    const adminsFile = join(dataDir, ADMINS_FILE);
    await writeSampleAdmins(adminsFile);
    const env = environmentOf({ settings, databaseUrl, chain, providers, adminsFile });
    return { env: overriddenBy(environment, env), chain, providers, partGone: Promise.race(ends), stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function startNode(): Promise<RunningChain> {
    log('starting the EVM node with the test USDC');
    const chain = await startChain({ dataDir: join(dataDir, 'chain'), blockSeconds });
    started.push(chain);
    ends.push(chain.exited.then(() => 'the EVM node'));
    return chain;
  }

  async function startDatabase(): Promise<string> {
    log('starting PostgreSQL');
    const postgres = await startPostgres({
      dataDir: postgresFolder(dataDir),
      port: ports.database,
      durable,
      log,
    });
    started.push(postgres);
    ends.push(postgres.exited.then(() => 'PostgreSQL'));
    return postgres.url(PLATFORM_DATABASE);
  }
}

/** The name of the file of the admins inside the sandbox's data. */
export const ADMINS_FILE = 'admins.json';

/** The folder of PostgreSQL inside the sandbox's data. */
export function postgresFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

async function ping(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

function environmentOf(world: {
  settings: SandboxSettings;
  databaseUrl: string;
  chain: RunningChain;
  providers: RunningProviders;
  adminsFile: string;
}): Record<string, string> {
  const { settings, databaseUrl, chain, providers, adminsFile } = world;
  return {
    ...settings,
    DATABASE_URL: databaseUrl,
    IDP_ISSUER: providers.issuer,
    IDP_JWKS_URL: `${providers.url}/idp/.well-known/jwks.json`,
    ADMINS_FILE: adminsFile,
    CLOCK_FILE: providers.clock.file,
    SANDBOX_URL: providers.url,
    ...screeningEnvironment(providers.url, settings),
    ...providers.mail.environment,
    DEPOSIT_PROVIDER_URL: `${providers.url}/deposit-provider`,
    RPC_URL: providers.chainUrl,
    CHAIN_ID: String(chain.chainId),
    USDC_CONTRACT_ADDRESS: chain.usdcAddress,
    FAUCET_PRIVATE_KEY: chain.faucetPrivateKey,
  };
}

/** The settings `env`; variables of the environment with the same name override them. */
function overriddenBy(environment: NodeJS.ProcessEnv, env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, environment[name] || value]));
}
