import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { loadConfig } from '../../src/config/app-config.js';
import { SETTINGS, type SettingName } from '../../src/config/settings.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { FrozenClock } from '../../src/common/clock.js';
import { IDENTITY_KEYS_FILE } from '../../src/sandbox/identity-provider.js';
import { ADMINS_FILE, startOutsideWorld, type OutsideWorld } from '../../src/sandbox/outside-world.js';
import { growthPosted, sumsComputed } from './caught-up.js';
import { Caller } from './http-client.js';
import { OpenApiContract } from './contract.js';
import { freshDatabase } from './database.js';
import { Given } from '../fixtures/given.js';
import { EventReads } from './event-reads.js';
import { providerTraffic } from './provider-contract.js';
import { acquireChain, type AcquiredChain } from './shared-chain.js';
import { testFolder } from './test-folder.js';

/** Rate limits that no test reaches, and the longest permitted time of the EVM node for one caller of the RPC proxy. */
export const HIGH_RATE_LIMITS = {
  RATE_LIMIT_USER: '1000000',
  RATE_LIMIT_ADMIN: '1000000',
  RATE_LIMIT_SESSION: '1000000',
  RATE_LIMIT_RPC: '1000000',
  RATE_LIMIT_PUBLIC: '1000000',
  RATE_LIMIT_PROOFS: '1000000',
  RATE_LIMIT_ADDRESS: '1000000',
  RATE_LIMIT_FAUCET: '1000000',
  RATE_LIMIT_WEBHOOK: '1000000',
  RATE_LIMIT_SIGN_IN: '1000000',
  RPC_NODE_SECONDS: '60',
};

/** The longest permitted time-outs: on a busy machine short ones would cause 503 in unrelated tests. */
const LONG_TIMEOUTS = {
  DATABASE_POOL_WAIT_MS: '10000',
  DATABASE_LOCK_MS: '60000',
  DATABASE_STATEMENT_MS: '600000',
  REQUEST_WAIT_MS: '10000',
};

/** The default time-outs, for tests about them. */
export const PRODUCTION_TIMEOUTS = Object.fromEntries(
  Object.keys(LONG_TIMEOUTS).map((name) => [name, String(SETTINGS[name as SettingName].fallback)]),
);

interface PlatformOptions {
  /** Settings that differ from the sandbox's. */
  settings?: Record<string, string>;
  /** Start time of the frozen domain clock. */
  at?: string;
  /** Interval at which the sandbox's deposit provider mines a block and reports deposits; with 0 the test does both. */
  blockIntervalMs?: number;
  /** The name of a migrated database to copy instead of the template, which has no users. */
  template?: string;
  /** Enables e-mail through the sandbox's mail server. */
  mail?: boolean;
  /** Enables screening of users and addresses by the sandbox's compliance provider. */
  screening?: boolean;
}

/** The whole service on a new database, with an EVM node and the sandbox's providers. */
export interface TestPlatform {
  readonly app: NestExpressApplication;
  readonly clock: FrozenClock;
  readonly dataSource: DataSource;
  readonly outside: OutsideWorld;
  readonly given: Given;
  readonly baseUrl: string;
  /** Settings of this platform; a process started with them uses the same database and providers. */
  readonly env: Record<string, string>;
  /**
   * A client with the caller's token, or without a token for null; `at` is the address of another instance. Before it reads
   * sums, it waits until they include all changes.
   */
  as(caller: { token: string } | null, at?: string): Caller;
  /** Counts and balances of the whole ledger, to compare before and after a refused request. */
  ledgerState(snapshot?: EntityManager): Promise<unknown>;
  /** Resolves when the consumers have handled every event that is committed now; false if they have to wait for a transaction. */
  caughtUp(): Promise<boolean>;
  /** Makes `caughtUp` wait for the events of another instance, too. */
  watchEvents(instance: INestApplicationContext): void;
  /** Runs a job of docs/jobs.md once, after `caughtUp`. */
  runJob(name: string): Promise<void>;
  /** Calls `stopPart` when the platform stops, before its own parts stop. */
  beforeStop(stopPart: () => Promise<void>): void;
  /** Stops all parts, even if one fails to stop, and throws the first error. */
  stop(): Promise<void>;
}

// Shared by all platforms of a test worker, because creating them takes longer than starting a platform.
let contract: OpenApiContract | undefined;
/** The contents of files of the sandbox, by name: keys of the identity provider, admins with hashes of their password. */
const sharedFiles = new Map<string, string>();

/** Returns the OpenAPI document, and writes it for catalogue-reporter.mjs; all workers write the same. */
function writeDocument(app: NestExpressApplication): OpenAPIObject {
  const document = openApiDocument(app, 'test');
  writeFileSync(process.env.OPENAPI_FILE as string, JSON.stringify(document));
  return document;
}

export async function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
  const stopFunctions: StopFunction[] = [];
  try {
    return await startParts(options, stopFunctions);
  } catch (error) {
    await runInReverse(stopFunctions).catch(() => undefined); // the first error is the cause
    throw error;
  }
}

/** Starts the parts in order; after each of them it appends the function that stops it to `stopFunctions`. */
async function startParts(options: PlatformOptions, stopFunctions: StopFunction[]): Promise<TestPlatform> {
  const dataDir = testFolder('world');
  stopFunctions.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const database = await freshDatabase(options.template);
  stopFunctions.push(() => database.drop());
  const acquired = await acquireChain();
  stopFunctions.push(() => acquired.release());
  const api = { url: '' }; // where the providers send callbacks; known when the service listens
  const outside = await startProviders(acquired, { dataDir, api, databaseUrl: database.url, options });
  stopFunctions.push(() => outside.stop());
  const {
    CLOCK_FILE: _unused, // the clock is frozen
    SCREENING_URL: screeningUrl,
    SMTP_URL,
    MAIL_FROM,
    ...env
  } = outside.env;
  const settings = {
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...env,
    ...HIGH_RATE_LIMITS,
    ...LONG_TIMEOUTS,
    ...(options.screening && screeningUrl ? { SCREENING_URL: screeningUrl } : {}),
    ...(options.mail && SMTP_URL && MAIL_FROM ? { SMTP_URL, MAIL_FROM } : {}),
    ...options.settings,
  };
  const clock = new FrozenClock(new Date(options.at ?? '2026-03-02T10:00:00.000Z'));
  const app = await createApp(loadConfig(settings), clock);
  stopFunctions.push(() => app.close());
  await app.listen(0, '127.0.0.1');
  await app.get(Jobs).started; // the runs at the start, with the integrity check
  const baseUrl = await app.getUrl();
  api.url = baseUrl;
  stopFunctions.push(providerTraffic().watch(baseUrl, outside.providers.url));
  contract ??= new OpenApiContract(writeDocument(app));
  const dataSource = app.get(DataSource);
  const eventReads = new EventReads(app, dataSource);
  eventReads.watch(app);
  const beforeRead = async (at: string, method: string, path: string) => {
    await growthPosted(app, method, path);
    await (at === baseUrl ? eventReads.caughtUp() : eventReads.catchUp());
    await sumsComputed(app, method, path);
  };
  return {
    app,
    clock,
    dataSource,
    outside,
    baseUrl,
    env: settings,
    given: new Given(app, outside, baseUrl),
    as: (caller, at = baseUrl) =>
      new Caller(at, contract as OpenApiContract, caller?.token, (method, path) =>
        beforeRead(at, method, path),
      ),
    caughtUp: eventReads.caughtUp,
    watchEvents: (instance) => eventReads.watch(instance),
    ledgerState: (snapshot = dataSource.manager) =>
      snapshot.query(`
        select (select count(*) from ledger_transaction) as transactions,
               (select count(*) from ledger_entry) as entries,
               (select json_agg(json_build_array(owner_id, kind, asset, balance) order by id)
                  from ledger_account where balance is not null) as balances`),
    runJob: async (name) => {
      await eventReads.caughtUp();
      await app.get(Jobs).get(name).runOnce();
    },
    beforeStop: (stopPart) => void stopFunctions.push(stopPart),
    stop: () => runInReverse(stopFunctions),
  };
}

type StopFunction = () => Promise<void> | void;

/** Runs all functions, even if one fails, and throws the first error. */
async function runInReverse(stopFunctions: StopFunction[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stopPart of stopFunctions.splice(0).reverse()) {
    try {
      await stopPart();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function startProviders(
  { chain }: AcquiredChain,
  parts: { dataDir: string; api: { url: string }; databaseUrl: string; options: PlatformOptions },
): Promise<OutsideWorld> {
  for (const [name, content] of sharedFiles) writeFileSync(join(parts.dataDir, name), content);
  const outside = await startOutsideWorld({
    dataDir: parts.dataDir,
    api: parts.api,
    chain,
    blockIntervalMs: parts.options.blockIntervalMs ?? 20,
    environment: { DATABASE_URL: parts.databaseUrl },
  });
  for (const name of [IDENTITY_KEYS_FILE, ADMINS_FILE])
    sharedFiles.set(name, readFileSync(join(parts.dataDir, name), 'utf8'));
  return outside;
}
