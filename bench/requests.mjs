// Requests on the money path with all features on, compared with a server that only sends the same statements.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { alternating } from './frame.mjs';
import { processorTime, usedBetween } from './support/cpu.mjs';
import { poolOn, startDurable } from './support/durable.mjs';
import { openCaller } from './support/http-caller.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';
import { createUsers, settingsFor, startApi, startProcess } from './support/platform.mjs';

const CLIENTS = 16;
const USERS = Number(process.env.BENCH_USERS ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const DESTINATION = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const TRIES = 5;
const PLATFORM = '00000000-0000-0000-0000-000000000000';

export const title = `${CLIENTS} connections that stay open, ${USERS} users; logs at info, limits, sessions, metrics and trace ids on; commits are on disk (fsync and synchronous_commit on).`;

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const keyed = (token) => ({ ...bearer(token), 'Idempotency-Key': randomUUID() });

/** The requests of each measure for one user. */
const CALLS = {
  balance: ({ call }, { token }) => call('GET', '/api/user/balance', { headers: bearer(token) }),
  investment: ({ call }, { token }) => {
    const body = { strategyId: 'balanced-10', amount: '10.00', currency: 'USDC' };
    return call('POST', '/api/user/investments', { headers: keyed(token), body, status: 201 });
  },
  withdrawal: async ({ call }, { token }, admin) => {
    const wish = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    const made = await call('POST', '/api/user/withdrawals', {
      headers: keyed(token),
      body: wish,
      status: 201,
    });
    const [, id] = /"id":"([^"]+)"/.exec(made);
    await call('POST', `/api/admin/withdrawals/${id}/take`, { headers: keyed(admin) });
    const body = { txHash: `bank transfer ${randomUUID()}` }; // not a transaction hash, so that the chain is not called
    await call('POST', `/api/admin/withdrawals/${id}/complete`, { headers: keyed(admin), body });
  },
};

/** Records the statements of each call after a warm-up, in which caches are filled. */
async function record(settings, folder, { users, admin }) {
  const file = join(folder, 'statements');
  writeFileSync(file, '');
  const api = await startApi({ ...settings, RECORD: file }, ['--import', './bench/support/recorder.mjs']);
  const caller = await openCaller(api.port);
  const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const [user] = users;
  const adminId = JSON.parse(Buffer.from(admin.split('.')[1], 'base64url')).sub;
  const recorded = {};
  for (const [name, once] of Object.entries(CALLS)) {
    for (let warmUp = 0; warmUp < 3; warmUp++) await once(caller, user, admin);
    await sleep(300); // waits for notifications about sessions
    const tries = [];
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const before = lines().length;
      await once(caller, user, admin);
      await sleep(50);
      tries.push(lines().slice(before));
    }
    // The shortest recording contains no statements of timers.
    const [shortest] = tries.sort((one, other) => one.length - other.length);
    const statements = shortest.map((line) => deserialize(Buffer.from(line, 'base64')));
    recorded[name] = { user: user.id, keep: [PLATFORM, adminId], requests: [statements] };
  }
  caller.close();
  await api.stop();
  writeFileSync(file, serialize(recorded));
  return { file, recorded };
}

/** Calls of `once` per second by many concurrent callers, each for a random user. */
async function load(port, users, once) {
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(port)));
  const anyUser = () => users[Math.floor(Math.random() * users.length)];
  const figure = await perSecond({ clients: CLIENTS, seconds: SECONDS }, (number) =>
    once(callers[number], anyUser()),
  );
  for (const caller of callers) caller.close();
  return figure;
}

/** Calls `work` with the API, the bare server, the variants and the recorded statements. */
export async function parts(work, nodeOptions = []) {
  const postgres = await startDurable();
  const url = await postgres.migrated('requests');
  const pool = poolOn(url, 4);
  const settings = await settingsFor(url, postgres.folder);
  const there = await createUsers(pool, settings, USERS);
  const { file, recorded } = await record(settings, postgres.folder, there);
  const api = await startApi(settings, nodeOptions);
  const bare = await startProcess(['bench/support/bare-server.mjs'], {
    env: { DATABASE_URL: url, RECORDED: file, NODE_ENV: 'production' },
    ready: '/ready',
  });
  const caller = await openCaller(api.port);
  for (const user of there.users) await CALLS.investment(caller, user);
  caller.close();
  await pool.query('vacuum analyze');
  const measures = Object.fromEntries(
    Object.entries(CALLS).map(([name, once]) => [
      name,
      {
        api: () => load(api.port, there.users, (one, user) => once(one, user, there.admin)),
        bare: () =>
          load(bare.port, there.users, ({ call }, { id }) =>
            call(name === 'balance' ? 'GET' : 'POST', `/${name}/${id}`),
          ),
      },
    ]),
  );
  try {
    return await work({ measures, recorded, api, bare, postgres, pool });
  } finally {
    await api.stop();
    await bare.stop();
    await pool.end();
    await postgres.stop();
  }
}

/** CPU milliseconds per call of the database connections and of a server. */
async function costOf(postgres, server, variant) {
  const before = await processorTime(postgres.url, server.pid);
  const began = performance.now();
  const calls = ((await variant()) * (performance.now() - began)) / 1000;
  const used = usedBetween(before, await processorTime(postgres.url, server.pid));
  return { database: used.database / calls, node: used.node / calls };
}

const WORDS = {
  balance: 'GET /api/user/balance',
  investment: 'POST /api/user/investments',
  withdrawal: 'a withdrawal: request, take, complete',
};

export async function run() {
  return parts(async ({ measures, recorded, api, bare, postgres }) => {
    const rows = [];
    const costs = [];
    for (const [name, measure] of Object.entries(measures)) {
      const figures = await alternating(measure);
      const baselineIs = 'the same statements, nothing else';
      rows.push(
        atLeastRow(WORDS[name], { figure: figures.api, baseline: figures.bare, baselineIs, least: 0.6 }),
      );
      const [ours, theirs] = [
        await costOf(postgres, api, measure.api),
        await costOf(postgres, bare, measure.bare),
      ];
      const count = recorded[name].requests.flat().length;
      const ms = ({ node, database }) => `${node.toFixed(2)} + ${database.toFixed(2)} ms`;
      costs.push(`- ${WORDS[name]}: ${count} statements; ${ms(ours)}, the baseline ${ms(theirs)}`);
    }
    return {
      rows,
      details: `CPU time per call, Node + PostgreSQL (Linux only):\n\n${costs.join('\n')}`,
    };
  });
}
