// Starts built APIs with users who have balances and tokens. The users are created over HTTP only, so that an API of
// another checkout with other tables can be measured in the same way.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSampleAdmins } from '../../dist/sandbox/admins.js';
import { newHash } from '../../dist/sandbox/deposit-addresses.js';
import { toDepositResponse, toJson } from '../../dist/sandbox/deposit-records.js';
import { freePort } from '../../dist/sandbox/ports.js';
import { startProviders } from '../../dist/sandbox/providers.js';
import { SAMPLE_PASSWORD, SANDBOX_SETTINGS } from '../../dist/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../dist/sandbox/signature.js';
import { startDurable } from './durable.mjs';
import { startEmptyChain } from './empty-chain.mjs';
import { openCaller } from './http-caller.mjs';
import { productionArguments } from './production.mjs';

const UNUSED_URL = 'http://127.0.0.1:9';
const ADMIN = 'admin@example.com';
const CURRENCY = 'USDC';
const NETWORK = 'TRC20'; // its deposits are credited by the provider's callback alone, without the chain
const CONFIRMATIONS = 20;
const AMOUNT = '100000000';
const CONCURRENT_SIGN_INS = 8;
const DEPOSIT_TIMEOUT_SECONDS = 60;
const START_TIMEOUT_SECONDS = 120; // long, since the machine may be busy
const UNREACHED_RATE_LIMIT = '100000000';

/** A PostgreSQL server with durable commits, the sandbox's identity and deposit providers, and the settings of APIs. */
export async function startSurroundings() {
  const postgres = await startDurable();
  const folder = postgres.folder;
  const chain = await startEmptyChain();
  const providers = await startProviders({
    dataDir: folder,
    chain: { rpcUrl: UNUSED_URL },
    api: { url: UNUSED_URL },
  });
  const adminsFile = join(folder, 'admins.json');
  await writeSampleAdmins(adminsFile);

  /**
   * Creates a database and returns the sandbox's settings for it, with NODE_ENV=test because production rejects the sandbox's
   * secrets. Requests count for the rate limits, but never reach them.
   */
  async function settingsOnNewDatabase(name) {
    return {
      ...SANDBOX_SETTINGS,
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      DATABASE_URL: await postgres.database(name),
      ADMINS_FILE: adminsFile,
      IDP_ISSUER: providers.issuer,
      IDP_JWKS_URL: `${providers.url}/idp/.well-known/jwks.json`,
      DEPOSIT_PROVIDER_URL: `${providers.url}/deposit-provider`,
      DEPOSIT_POLL_SECONDS: '3600', // no polls during a measure: callbacks alone report deposits
      RPC_URL: chain.url,
      CHAIN_ID: '31337',
      USDC_CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      WITHDRAWAL_DAILY_LIMIT: '1000000000',
      DATABASE_POOL_WAIT_MS: '10000', // no load shedding, since the machine may be busy
      LOG_SEAL_SECONDS: '10', // the default, not the sandbox's
      DATABASE_LOCK_MS: '60000',
      DATABASE_STATEMENT_MS: '60000',
      RATE_LIMIT_USER: UNREACHED_RATE_LIMIT,
      RATE_LIMIT_ADMIN: UNREACHED_RATE_LIMIT,
      RATE_LIMIT_SESSION: UNREACHED_RATE_LIMIT,
      RATE_LIMIT_PUBLIC: UNREACHED_RATE_LIMIT,
      RATE_LIMIT_WEBHOOK: UNREACHED_RATE_LIMIT,
    };
  }

  return {
    postgres,
    folder,
    providers,
    settingsOnNewDatabase,
    async stop() {
      await providers.stop();
      await chain.stop();
      await postgres.stop();
    },
  };
}

/**
 * Starts a Node program and waits until its path `ready` answers with a status 2xx. The program's output is discarded;
 * BENCH_DEBUG=1 shows its stderr.
 */
export async function startProcess(args, { env = {}, ready, folder }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
    cwd: folder,
    stdio: ['ignore', 'ignore', process.env.BENCH_DEBUG ? 'inherit' : 'ignore'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // for a measure that fails and does not stop its processes
  child.once('exit', () => process.off('exit', kill));
  await waitUntilReady(child, url + ready, args);
  return {
    url,
    port,
    pid: child.pid,
    readyAfterMs: performance.now() - began,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Throws if the program ends. Kills it and throws if it is not ready within START_TIMEOUT_SECONDS. */
async function waitUntilReady(child, url, args) {
  const program = `node ${args.join(' ')}`;
  const deadline = AbortSignal.timeout(START_TIMEOUT_SECONDS * 1000);
  while (!(await fetch(url, { signal: deadline }).catch(() => undefined))?.ok) {
    const end = child.exitCode ?? child.signalCode; // a child that a signal ended has no exit code
    if (end !== null) throw new Error(`${program} ended with ${end}; BENCH_DEBUG=1 shows its errors`);
    if (deadline.aborted) {
      child.kill('SIGKILL');
      throw new Error(`${program} was not ready within ${START_TIMEOUT_SECONDS} s`);
    }
    await sleep(10);
  }
}

/** Starts the built API of the checkout in `folder`, by default of this one. The API migrates its database. */
export function startApi(settings, { nodeOptions = [], folder } = {}) {
  return startProcess([...nodeOptions, ...productionArguments(folder)], {
    env: { CONNECTIONS_PER_ADDRESS: '2000', ...settings }, // all load comes from one address
    ready: '/api/health/ready',
    folder,
  });
}

export const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** Signs in an admin and `count` users with a large deposit each: `{admin: token, users: [{id, email, token, address}]}`. */
export async function createUsers(api, { providers }, count) {
  const callers = await Promise.all(Array.from({ length: CONCURRENT_SIGN_INS }, () => openCaller(api.port)));
  const dataOf = async (caller, ...request) => JSON.parse(await caller.call(...request)).data;
  const users = [];
  const signIn = async (caller) => {
    const email = `${randomUUID()}@example.org`;
    const jwt = await providers.identity.token({ email, name: 'Ann Example' });
    const { token } = await dataOf(caller, 'POST', '/api/auth/idp/login', { headers: bearer(jwt) });
    const headers = bearer(token);
    const { id } = await dataOf(caller, 'GET', '/api/auth/user/profile', { headers });
    const path = `/api/user/deposits/address?currency=${CURRENCY}&network=${NETWORK}`;
    const { address } = await dataOf(caller, 'GET', path, { headers });
    users.push({ id, email, token, address });
    await deposit(caller, users.at(-1), AMOUNT);
  };
  let begun = 0;
  const worker = async (caller) => {
    while (begun < count) {
      begun += 1;
      await signIn(caller);
    }
  };
  await Promise.all(callers.map(worker));
  const [caller] = callers;
  await waitForDeposits(users, async (token) => {
    const { available } = await dataOf(caller, 'GET', '/api/user/balance', { headers: bearer(token) });
    return available;
  });
  const body = { email: ADMIN, password: SAMPLE_PASSWORD };
  const { token: admin } = await dataOf(caller, 'POST', '/api/admin/auth/login', { body });
  for (const each of callers) each.close();
  return { admin, users };
}

/** Waits until every deposit is credited; the API processes callbacks in the background. */
async function waitForDeposits(users, availableOf) {
  const deadline = performance.now() + DEPOSIT_TIMEOUT_SECONDS * 1000;
  for (const { token } of users)
    while ((await availableOf(token)) === '0.00') {
      if (performance.now() > deadline)
        throw new Error(`a deposit was not credited within ${DEPOSIT_TIMEOUT_SECONDS} s`);
      await sleep(50);
    }
}

/** Sends the deposit provider's callback about a user's deposit with enough confirmations. */
export function deposit({ call }, { id, address }, amount) {
  const deposited = {
    id: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
    amount,
    hash: newHash(NETWORK),
    senderAddress: address,
    date: new Date().toISOString(),
  };
  const depositAddress = { address, currency: CURRENCY, network: NETWORK, foreignId: id };
  const body = toJson({ data: toDepositResponse(deposited, depositAddress, CONFIRMATIONS) });
  const path = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
  const { DEPOSIT_PROVIDER_KEY: key, DEPOSIT_PROVIDER_SECRET: secret } = SANDBOX_SETTINGS;
  const headers = signedHeaders({ key, secret }, { method: 'POST', url: `http://bench${path}`, body });
  return call('POST', path, { headers, body });
}
