// Starts the built API with users who have balances, transactions and tokens.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { loadConfig } from '../../dist/config/app-config.js';
import { Money } from '../../dist/common/money.js';
import { DomainEvents } from '../../dist/database/domain-events.js';
import { AdminDirectoryService } from '../../dist/modules/admins/admin-directory.service.js';
import { SecondSecrets } from '../../dist/observability/second-secrets.js';
import { TokensService } from '../../dist/modules/auth/tokens.service.js';
import { LedgerRepository } from '../../dist/modules/ledger/ledger.repository.js';
import { LedgerService } from '../../dist/modules/ledger/ledger.service.js';
import { depositCompleted } from '../../dist/modules/ledger/domain/postings.js';
import { writeSampleAdmins } from '../../dist/sandbox/admins.js';
import { freePort } from '../../dist/sandbox/ports.js';
import { SANDBOX_SETTINGS } from '../../dist/sandbox/sandbox-settings.js';
import { Meters } from '../../dist/observability/meters.js';
import { productionArguments } from './production.mjs';

const UNUSED_URL = 'http://127.0.0.1:9'; // providers and the chain are not called
const ADMIN = 'admin@example.com';
const DEPOSITS = 3;
const BATCH = 200;

/** Production settings with the sandbox's secrets; rate limits are counted but never reached. */
export async function settingsFor(databaseUrl, folder) {
  const adminsFile = join(folder, 'admins.json');
  await writeSampleAdmins(adminsFile);
  return {
    ...SANDBOX_SETTINGS,
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    ADMINS_FILE: adminsFile,
    IDP_ISSUER: UNUSED_URL,
    IDP_JWKS_URL: UNUSED_URL,
    DEPOSIT_PROVIDER_URL: UNUSED_URL,
    DEPOSIT_POLL_SECONDS: '3600',
    RPC_URL: UNUSED_URL,
    CHAIN_ID: '31337',
    USDC_CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    WITHDRAWAL_DAILY_LIMIT: '1000000000',
    DATABASE_POOL_WAIT_MS: '10000', // no load shedding, since the machine may be busy
    DATABASE_LOCK_MS: '60000',
    DATABASE_STATEMENT_MS: '60000',
    RATE_LIMIT_USER: '100000000',
    RATE_LIMIT_ADMIN: '100000000',
    RATE_LIMIT_SESSION: '100000000',
    RATE_LIMIT_PUBLIC: '100000000',
  };
}

/** Starts a Node program and waits until the URL `ready` answers 200; its output is discarded. */
export async function startProcess(args, { env = {}, ready }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', process.env.BENCH_DEBUG ? 'inherit' : 'ignore'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // a measure that fails does not stop its processes
  child.once('exit', () => process.off('exit', kill));
  while (!(await fetch(url + ready).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`node ${args.join(' ')} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
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

export function startApi(settings, nodeOptions = []) {
  return startProcess([...nodeOptions, ...productionArguments()], {
    env: settings,
    ready: '/api/health/ready',
  });
}

/** Creates users with a large balance from several deposits, and tokens with sessions of the users and of an admin. */
export async function createUsers(pool, settings, count) {
  const config = loadConfig(settings);
  const tokens = new TokensService(config, new SecondSecrets(new Meters()));
  const ids = Array.from({ length: count }, () => randomUUID());
  await pool.query(
    `insert into platform_user (id, email, created_at, updated_at)
     select id, id || '@example.org', now(), now() from unnest($1::uuid[]) as id`,
    [ids],
  );
  await deposit(pool, ids);
  const admin = new AdminDirectoryService(config).byEmail(ADMIN);
  const sessions = [{ type: 'admin', id: admin.id }, ...ids.map((id) => ({ type: 'user', id }))].map(
    (owner) => ({ ...owner, jti: randomUUID() }),
  );
  await pool.query(
    `insert into session (id, family_id, subject_type, subject_id, created_at, expires_at)
     select jti, jti, type, id, now(), now() + interval '1 day'
       from jsonb_to_recordset($1) as given(jti uuid, type text, id text)`,
    [JSON.stringify(sessions)],
  );
  const [adminToken, ...userTokens] = await Promise.all(
    sessions.map(({ type, id, jti }) =>
      tokens.issueAccessToken(type, { sub: id, email: type === 'admin' ? ADMIN : `${id}@example.org`, jti }),
    ),
  );
  return { admin: adminToken, users: ids.map((id, place) => ({ id, token: userTokens[place] })) };
}

async function deposit(pool, ids) {
  const ledger = new LedgerService(new LedgerRepository(), new Meters(), new DomainEvents());
  const amount = Money.of('100000000');
  const one = (userId) =>
    depositCompleted({
      ...{ depositId: randomUUID(), userId, network: 'ERC20', asset: 'USDC' },
      ...{ received: amount, credited: amount, at: new Date() },
    });
  const all = Array.from({ length: DEPOSITS }, () => ids.map(one)).flat();
  for (let from = 0; from < all.length; from += BATCH)
    await ledger.post(pool, ...all.slice(from, from + BATCH));
}
