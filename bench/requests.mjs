// Requests on the money path with all features on, compared with a server that only sends the same statements, with a
// minimal server and with another checkout.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { COMPILING_ROUNDS, alternating, printProgress, ratioRow } from './frame.mjs';
import { otherCheckout } from './support/against.mjs';
import { CALLS, INVESTMENT } from './support/calls.mjs';
import { processorTime, usedBetween } from './support/cpu.mjs';
import { consumersCaughtUp } from './support/consumers.mjs';
import { poolOn } from './support/durable.mjs';
import { openCaller } from './support/http-caller.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';
import { createUsers, startApi, startProcess, startSurroundings } from './support/platform.mjs';
import { residentMegabytes } from './support/usage.mjs';

const CLIENTS = 16;
const USERS = Number(process.env.BENCH_USERS ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const TRIES = 5;
const PLATFORM = '00000000-0000-0000-0000-000000000000';

export const title = `${CLIENTS} connections that stay open, ${USERS} users; logs at info, limits, sessions, metrics and trace ids on; commits are on disk (fsync and synchronous_commit on). A round of an API ends when its consumers of events have caught up.`;

/** Records the statements of each call, after calls that fill caches, in a file for bare-server.mjs. Returns both. */
async function recordStatements(settings, folder, { users, admin }) {
  const file = join(folder, 'statements');
  writeFileSync(file, '');
  const api = await startApi(
    { ...settings, RECORD: file },
    { nodeOptions: ['--import', './bench/support/recorder.mjs'] },
  );
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
    // Timers that a request has started send statements later; the shortest recording contains none of them.
    const [shortest] = tries.sort((a, b) => a.length - b.length);
    const statements = shortest.map((line) => deserialize(Buffer.from(line, 'base64')));
    recorded[name] = { user: user.id, keptIds: [PLATFORM, adminId], statements };
  }
  caller.close();
  await api.stop();
  writeFileSync(file, serialize(recorded));
  return { file, recorded };
}

/** The completed calls of `once` per second by CLIENTS concurrent callers, each for a random user. `afterwards`: see `perSecond`. */
async function load(port, users, once, afterwards) {
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(port)));
  const anyUser = () => users[Math.floor(Math.random() * users.length)];
  const figure = await perSecond({ clients: CLIENTS, seconds: SECONDS, afterwards }, (number) =>
    once(callers[number], anyUser()),
  );
  for (const caller of callers) caller.close();
  return figure;
}

/** Creates users with an investment each. Returns them, the admin's token, the settings, a pool and a function that starts the API. */
async function startPlatform(surroundings, name, folder) {
  const settings = await surroundings.settingsOnNewDatabase(name);
  const start = () => startApi(settings, { folder });
  const first = await start();
  const accounts = await createUsers(first, surroundings, USERS);
  const caller = await openCaller(first.port);
  for (const user of accounts.users) await CALLS.investment(caller, user);
  caller.close();
  await first.stop();
  return { ...accounts, settings, pool: poolOn(settings.DATABASE_URL, 1), start };
}

/** A server that only sends the recorded statements, on a copy of the database: the original grows by its API only. */
async function startBare(surroundings, file) {
  const url = await surroundings.postgres.database('bare', 'ours');
  const env = { DATABASE_URL: url, RECORDED: file, NODE_ENV: 'production' };
  return startProcess(['bench/support/bare-server.mjs'], { env, ready: '/ready' });
}

/** The minimal server, in whose database each user has a balance and an investment. */
async function startMinimal(surroundings, users) {
  const url = await surroundings.postgres.database('minimal');
  const pool = poolOn(url, 1);
  const ids = users.map(({ id }) => id);
  await pool.query(readFileSync(new URL('support/minimal.sql', import.meta.url), 'utf8'));
  await pool.query('select open_accounts(id, 100000000) from unnest($1::uuid[]) as id', [ids]);
  await pool.query(`select invest(id, 'balanced-10', 10) from unnest($1::uuid[]) as id`, [ids]);
  await pool.end();
  const env = { DATABASE_URL: url, NODE_ENV: 'production' };
  return startProcess(['bench/support/minimal-server.mjs'], { env, ready: '/ready' });
}

/** The variants of a measure by the server that they call. */
function variantsOf(name, { api, bare, minimal, otherApi }, ours, other) {
  const method = name === 'balance' ? 'GET' : 'POST';
  const onApi = (server, { users, admin, pool }) =>
    load(
      server.port,
      users,
      (caller, user) => CALLS[name](caller, user, admin),
      () => consumersCaughtUp(pool),
    );
  const post = ({ call }, { id }) => call('POST', `/investments/${id}`, { body: INVESTMENT, status: 201 });
  return {
    api: () => onApi(api, ours),
    bare: () => load(bare.port, ours.users, ({ call }, { id }) => call(method, `/${name}/${id}`)),
    ...(name === 'investment' && { minimal: () => load(minimal.port, ours.users, post) }),
    ...(other && { other: () => onApi(otherApi, other) }),
  };
}

/** Starts all servers and calls `work` with them, the variants of each measure and the recorded statements. */
async function withServers(work) {
  const surroundings = await startSurroundings();
  const servers = {};
  let ours;
  let other;
  try {
    printProgress(`  creating ${USERS} users`);
    ours = await startPlatform(surroundings, 'ours');
    other = otherCheckout && (await startPlatform(surroundings, 'other', otherCheckout.folder));
    const { file, recorded } = await recordStatements(ours.settings, surroundings.folder, ours);
    servers.bare = await startBare(surroundings, file);
    servers.minimal = await startMinimal(surroundings, ours.users);
    servers.api = await ours.start();
    if (other) servers.otherApi = await other.start();
    for (const name of ['ours', 'bare', 'minimal', ...(other ? ['other'] : [])])
      await vacuum(surroundings.postgres.urlOf(name));
    const measures = Object.keys(CALLS).map((name) => ({
      name,
      variants: variantsOf(name, servers, ours, other),
    }));
    return await work({ measures, recorded, ...servers, postgres: surroundings.postgres });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
    for (const platform of [ours, other]) await platform?.pool.end();
    await surroundings.stop();
  }
}

async function vacuum(url) {
  const pool = poolOn(url, 1);
  await pool.query('vacuum analyze');
  await pool.end();
}

/** The CPU milliseconds that a call of the variant costs the database connections and the process of the server. */
async function costOf(postgres, server, variant) {
  const before = await processorTime(postgres.url, server.pid);
  const began = performance.now();
  const calls = ((await variant()) * (performance.now() - began)) / 1000;
  const used = usedBetween(before, await processorTime(postgres.url, server.pid));
  return { database: used.database / calls, node: used.node / calls };
}

const LABELS = {
  balance: 'GET /api/user/balance',
  investment: 'POST /api/user/investments',
  withdrawal: 'a withdrawal: request, take, complete',
};
const MINIMUMS = { bare: 0.6, minimal: 0.5 };
const MAX_MEMORY_AGAINST_OTHER = 1.1;
const MINIMUMS_AGAINST_OTHER = { balance: 1.1, investment: 1.8, withdrawal: 1.8 };
const BASELINES = {
  bare: 'the same statements, nothing else',
  minimal: 'the minimal server',
  other: otherCheckout && `source ${otherCheckout.name}`,
};

function rowsOf(name, { api, ...baselines }) {
  return Object.entries(baselines).map(([kind, baseline]) =>
    atLeastRow(LABELS[name], {
      figure: api,
      baseline,
      baselineIs: BASELINES[kind],
      least: kind === 'other' ? MINIMUMS_AGAINST_OTHER[name] : MINIMUMS[kind],
    }),
  );
}

export async function run() {
  return withServers(async ({ measures, recorded, api, bare, minimal, otherApi, postgres }) => {
    const rows = [];
    const lines = [];
    for (const { name, variants } of measures) {
      printProgress(`  ${LABELS[name]}`);
      rows.push(...rowsOf(name, await alternating(variants, { warmUps: COMPILING_ROUNDS })));
      const costs = [];
      for (const [kind, server] of Object.entries({ api, bare, minimal })) {
        if (!variants[kind]) continue;
        const { node, database } = await costOf(postgres, server, variants[kind]);
        costs.push(`${BASELINES[kind] ?? 'the API'} ${node.toFixed(2)} + ${database.toFixed(2)} ms`);
      }
      const count = recorded[name].statements.length;
      lines.push(`- ${LABELS[name]}: ${count} statements; ${costs.join(', ')}`);
    }
    if (otherApi)
      rows.push(
        ratioRow('memory of the process after these calls', {
          figure: residentMegabytes(api.pid),
          baseline: residentMegabytes(otherApi.pid),
          baselineIs: BASELINES.other,
          most: MAX_MEMORY_AGAINST_OTHER,
          unit: 'MB',
        }),
      );
    return {
      rows,
      details: `CPU time per call, Node + PostgreSQL (Linux only):\n\n${lines.join('\n')}`,
    };
  });
}
