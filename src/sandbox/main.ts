import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiEnvFile, writeApiEnv } from './api-env.js';
import { banner, bannerWithoutApi } from './banner.js';
import { lockData } from './data-lock.js';
import { postgresFolder, startOutsideWorld } from './outside-world.js';
import type { OutsideWorld } from './outside-world.js';
import { isReady, startPlatform } from './platform.js';
import type { Platform } from './platform.js';
import { isFree } from './ports.js';
import { endOrphanedPostgres } from './postgres.js';
import { DEFAULT_PORTS, forRehearsal } from './sandbox-settings.js';
import { watchShutdownSignals } from './shutdown-signals.js';
import type { ShutdownSignals } from './shutdown-signals.js';

type Ports = Record<keyof typeof DEFAULT_PORTS, number>;

/** A problem that the developer can correct; printed as one line without a stack. */
class UserError extends Error {}

// The supervised processes of a killed run end within this time: the API has 15 seconds (DRAIN_MS).
const LEFTOVERS_END_WITHIN_MS = 20_000;

/** `npm run sandbox`: the API is started by `npm run start:dev`, with the settings that this process writes to a file. */
const WITHOUT_API = process.argv.includes('--without-api');
/** The API runs as in production, with its own settings instead of those that are for development only. */
const IS_REHEARSAL = process.env.REHEARSAL === 'true';
const COMMAND = WITHOUT_API ? 'npm run sandbox' : 'npm start';

const print = (line: string) => console.log(line);

function portsOf(environment: NodeJS.ProcessEnv): Ports {
  const ports: Ports = { ...DEFAULT_PORTS };
  for (const name of Object.keys(ports) as (keyof Ports)[]) {
    const value = environment[name];
    if (!value) continue;
    const port = Number(value);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new UserError(`${name} must be a port from 1 to 65535, not "${value}".`);
    }
    ports[name] = port;
  }
  return ports;
}

/** Seconds between blocks without transactions; undefined if none are mined. */
function blockSecondsOf({ SANDBOX_BLOCK_SECONDS: value }: NodeJS.ProcessEnv): number | undefined {
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600) return seconds;
  throw new UserError(`SANDBOX_BLOCK_SECONDS must be a whole number from 1 to 3600, not "${value}".`);
}

/** Throws if two ports are equal, or if one of them is not free within `timeoutMs`. */
async function checkPorts(ports: Ports, required: (keyof Ports)[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const name of required) {
    const duplicates = required.filter((other) => other !== name && ports[other] === ports[name]);
    if (duplicates.length > 0)
      throw new UserError(`${name} and ${duplicates.join(', ')} are the same port, ${ports[name]}.`);
    while (!(await isFree(ports[name]))) {
      if (Date.now() > deadline) {
        throw new UserError(`Port ${ports[name]} is taken. Choose another with ${name}=<port> ${COMMAND}.`);
      }
      await sleep(200);
    }
  }
}

/**
 * Locks the data folder, ends PostgreSQL of a killed run, and checks the ports of the parts that this process starts, which
 * the other processes of a killed run may still use for a while. Returns the function that unlocks the folder.
 */
async function prepareRun(dataDir: string, ports: Ports): Promise<() => void> {
  const lock = await lockData(dataDir);
  if (!lock.isAcquired) {
    throw new UserError(
      `A sandbox (process ${lock.holderPid}) is running on ${dataDir}. Stop it, or choose another folder with DATA_DIR.`,
    );
  }
  try {
    if (lock.lastRunWasKilled) print('· the last run was killed; ending its processes');
    await endOrphanedPostgres(postgresFolder(dataDir));
    const required = (Object.keys(ports) as (keyof Ports)[]).filter((name) => {
      if (name === 'PORT') return !WITHOUT_API;
      return name !== 'DATABASE_PORT' || !process.env.DATABASE_URL;
    });
    await checkPorts(ports, required, lock.lastRunWasKilled ? LEFTOVERS_END_WITHIN_MS : 0);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock.release;
}

/** Starts all parts, waits for a request to stop or a failure, stops all parts, and returns the exit code. */
async function run(signals: ShutdownSignals): Promise<number> {
  const ports = portsOf(process.env);
  const blockSeconds = blockSecondsOf(process.env);
  const dataDir = resolve(process.env.DATA_DIR || '.data');
  const unlockData = await prepareRun(dataDir, ports);
  const apiUrl = `http://localhost:${ports.PORT}`;
  const apiLog = join(dataDir, 'api.log');
  let world: OutsideWorld | undefined;
  let platform: Platform | undefined;
  try {
    world = await startOutsideWorld({
      dataDir,
      api: { url: process.env.CALLBACK_URL || apiUrl },
      ports: { sandbox: ports.SANDBOX_PORT, chain: ports.CHAIN_PORT, database: ports.DATABASE_PORT },
      environment: process.env,
      blockSeconds,
      checks: { api: () => requireReady(apiUrl) },
      log: (line) => print(`· ${line}`),
    });
    if (signals.isStopRequested()) return 0;
    const { url: control, chainUrl } = world.providers;
    const database = world.env.DATABASE_URL ?? '';
    const addresses = { api: apiUrl, control, chain: chainUrl, database, dataDir };
    const defaults = { NODE_ENV: IS_REHEARSAL ? 'production' : 'development', PUBLIC_URL: apiUrl };
    const settings = {
      ...(IS_REHEARSAL ? forRehearsal(world.env) : withLoopbackOrigin(world.env, ports.PORT)),
      PORT: String(ports.PORT),
    };
    if (WITHOUT_API) {
      print(bannerWithoutApi(addresses, writeApiEnv(dataDir, { ...defaults, ...settings })));
      return await waitForEnd(world, signals);
    }
    print('· starting the API: migrations first');
    platform = startPlatform(apiUrl, { ...defaults, ...process.env, ...settings }, apiLog);
    const outcome = await Promise.race([platform.ready, signals.stopRequested]);
    if (outcome === 'stop') return 0;
    if (outcome)
      print(banner(addresses, apiLog, { fourEyes: process.env.FOUR_EYES, isRehearsal: IS_REHEARSAL }));
    return await waitForEnd(world, signals, { platform, apiLog });
  } finally {
    if (world) print(`· stopping${platform ? ': the API first, then the rest' : ''}`);
    rmSync(apiEnvFile(dataDir), { force: true });
    await platform?.stop();
    await world?.stop();
    unlockData();
    if (world) print('· stopped');
  }
}

/** Allows the origin http://127.0.0.1:<port>, too, because the pages opened by it would otherwise get no live updates. */
function withLoopbackOrigin(env: Record<string, string>, port: number): Record<string, string> {
  if (process.env.CORS_ORIGINS) return env;
  return { ...env, CORS_ORIGINS: `${env.CORS_ORIGINS},http://127.0.0.1:${port}` };
}

async function requireReady(apiUrl: string): Promise<void> {
  if (!(await isReady(apiUrl))) throw new Error('not ready');
}

/** Waits for a request to stop (exit code 0) or for the unexpected end of a part (exit code 1). */
async function waitForEnd(
  world: OutsideWorld,
  signals: ShutdownSignals,
  api?: { platform: Platform; apiLog: string },
): Promise<number> {
  const apiExit = api ? [api.platform.exited.then((code) => `the API (exit code ${code})`)] : [];
  const cause = await Promise.race([signals.stopRequested, world.partGone, ...apiExit]);
  if (cause === 'stop') return 0;
  const log = api ? ` The last lines of ${api.apiLog}:\n${api.platform.lastLines()}` : '';
  console.error(`\nUnexpected end of ${cause}.${log}\n`);
  return 1;
}

// The reader of the output may have ended (npm was killed, the pipe was closed). The shutdown must continue.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const shutdownSignals = watchShutdownSignals(() => {
  console.error('Forced: the remaining processes end by themselves within seconds.');
  process.exit(1);
});
void run(shutdownSignals)
  .catch((error: unknown) => {
    console.error(error instanceof UserError ? error.message : error);
    return 1;
  })
  .then((code) => process.exit(code));
