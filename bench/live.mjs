// Live delivery: the cost of idle connections, the delay from the insertion of an event to its message, and the memory for
// connections whose clients stop reading (stopped readers).
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median, percentile, printProgress, ROUNDS } from './frame.mjs';
import { poolOn } from './support/durable.mjs';
import { openCaller } from './support/http-caller.mjs';
import { closeSockets, openSocket, openSockets } from './support/live-sockets.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';
import { bearer, createUsers, startApi, startSurroundings } from './support/platform.mjs';
import { residentMegabytes } from './support/usage.mjs';

const SOCKETS = Number(process.env.BENCH_SOCKETS ?? 2000);
const PER_USER = 5; // the default of LIVE_CONNECTIONS_PER_USER
const USERS = Math.ceil(SOCKETS / PER_USER);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CLIENTS = 8;
const SETTLE_MS = 2000;
const MAX_SOCKETS_MB = 40;
const EVENTS_PER_SECOND = 200;
const EVENTS_PER_WRITE = 2; // investment.created and the balance; notification.created follows only the first two within ten minutes
const DELIVERY_SECONDS = Number(process.env.BENCH_DELIVERY_SECONDS ?? 30);
const WARM_UP_SECONDS = 5; // V8 has compiled the code by then, as in a long-running service
const MAX_DELAY_MS = 50;
const LEAST_RATE = 0.95; // of EVENTS_PER_SECOND; below this rate the delays would be those of a lower load
const ARRIVAL_SECONDS = 10;
const STOPPED_READERS = 5;
const UNREAD_EVENTS = 12_000;
const UNREAD_BYTES = 2000; // of each event; 24 MB per connection in all, more than its socket buffers hold
const MAX_STOPPED_MB = 30;
const SAMPLE_INTERVAL_MS = 100;
const DISCONNECT_SECONDS = 30;
const MAX_SECONDS = 300;

export const title = `${SOCKETS} connections of ${USERS} users; ${EVENTS_PER_SECOND} events per second for ${DELIVERY_SECONDS} s; ${STOPPED_READERS} readers that stop. Commits are on disk (fsync and synchronous_commit on).`;

/** The answers to GET /api/user/balance per second, for random users. */
async function balancesPerSecond(port, users) {
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(port)));
  const anyUser = () => users[Math.floor(Math.random() * users.length)];
  const rate = await perSecond({ clients: CLIENTS, seconds: SECONDS }, (number) =>
    callers[number].call('GET', '/api/user/balance', { headers: bearer(anyUser().token) }),
  );
  for (const caller of callers) caller.close();
  return rate;
}

/** A process without and with idle connections: `idle` and `grown` in MB of memory, `with` and `without` in requests/s. */
async function idleRound(settings, users) {
  const api = await startApi(settings);
  try {
    await balancesPerSecond(api.port, users); // warm-up
    const before = await balancesPerSecond(api.port, users);
    await sleep(SETTLE_MS);
    const idle = residentMegabytes(api.pid);
    const sockets = await openSockets(api.url, users, SOCKETS, PER_USER);
    await sleep(SETTLE_MS);
    const open = residentMegabytes(api.pid);
    const during = await balancesPerSecond(api.port, users);
    const areOpen = sockets.every((socket) => socket.readyState === socket.OPEN);
    if (!areOpen) throw new Error('the service has closed idle connections');
    await closeSockets(sockets);
    const after = await balancesPerSecond(api.port, users);
    return { idle, grown: open - idle, with: during, without: (before + after) / 2 };
  } finally {
    await api.stop();
  }
}

/** Milliseconds from sending a NOTIFY alone in its transaction to its notification: the baseline. */
async function notifyDelays(url, isRunning) {
  const sender = new pg.Client(url);
  const listener = new pg.Client(url);
  await Promise.all([sender.connect(), listener.connect()]);
  await listener.query('listen bench_notice');
  const delays = [];
  listener.on('notification', ({ payload }) => delays.push(performance.now() - Number(payload)));
  while (isRunning()) {
    await sender.query(`select pg_notify('bench_notice', $1)`, [String(performance.now())]);
    await sleep(20);
  }
  await sleep(SETTLE_MS / 10); // the last notifications arrive
  await Promise.all([sender.end(), listener.end()]);
  return delays;
}

/** Milliseconds from the insertion of events, the last statement before their commit, to their messages; and the baseline. */
async function deliveryDelays(api, pool, url, users) {
  const arrived = new Map();
  const receive = (data) => {
    const [, id] = /"id":"([^"]+)"/.exec(data) ?? [];
    arrived.set(id, Date.now()); // the database server on this machine has the same clock; performance.now() drifts from it
  };
  const sockets = await Promise.all(users.map(({ token }) => openSocket(api.url, token, receive)));
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(api.port)));
  const body = { strategyId: 'balanced-10', amount: '10.00', currency: 'USDC' };
  const writesPerCaller = EVENTS_PER_SECOND / EVENTS_PER_WRITE / CLIENTS;
  const write = async (caller, number, forSeconds) => {
    const began = performance.now();
    for (let turn = 0; turn < writesPerCaller * forSeconds; turn++) {
      const dueMs = ((turn + number / CLIENTS) / writesPerCaller) * 1000; // the callers take turns
      await sleep(Math.max(0, dueMs - (performance.now() - began)));
      const user = users[(turn * CLIENTS + number) % users.length];
      const headers = { ...bearer(user.token), 'Idempotency-Key': randomUUID() };
      await caller.call('POST', '/api/user/investments', { headers, body, status: 201 });
    }
  };
  const writeAll = (forSeconds) =>
    Promise.all(callers.map((caller, number) => write(caller, number, forSeconds)));
  await writeAll(WARM_UP_SECONDS);
  const [{ begunAt }] = (await pool.query('select now() as "begunAt"')).rows;
  let isRunning = true;
  const notifying = notifyDelays(url, () => isRunning);
  const began = performance.now();
  await writeAll(DELIVERY_SECONDS);
  const seconds = (performance.now() - began) / 1000;
  isRunning = false;
  const notifyMs = await notifying;
  for (const caller of callers) caller.close();
  const { rows } = await pool.query(
    `select message.id, extract(epoch from written_at)::float8 * 1000 as "writtenMs" from domain_event as event
       cross join lateral (select event.id::text where type in ('investment.created', 'notification.created')
                           union all select event.id || '.balance' where balance is not null) as message (id)
      where user_id = any($1::uuid[]) and written_at >= $2`,
    [users.map(({ id }) => id), begunAt],
  );
  const deadline = performance.now() + ARRIVAL_SECONDS * 1000;
  const areMissing = () => rows.some(({ id }) => !arrived.has(id));
  while (areMissing() && performance.now() < deadline) await sleep(SAMPLE_INTERVAL_MS);
  await closeSockets(sockets);
  if (areMissing()) throw new Error('events are missing');
  const delays = rows.map(({ id, writtenMs }) => arrived.get(id) - writtenMs);
  return { delays, notifyMs, rate: delays.length / seconds };
}

/** The number of live connections to the API. */
async function connectionsOf({ url }) {
  const { data } = await (await fetch(`${url}/api/blockchain/websocket/status`)).json();
  return data.connections;
}

/** Memory before events are sent to clients that do not read, and its growth until the service has disconnected them, in MB. */
async function stoppedReaders(api, pool, user) {
  const sockets = await openSockets(api.url, [user], STOPPED_READERS, PER_USER);
  for (const socket of sockets) socket.pause();
  const idle = residentMegabytes(api.pid);
  let peak = idle;
  const sampling = setInterval(() => (peak = Math.max(peak, residentMegabytes(api.pid))), SAMPLE_INTERVAL_MS);
  try {
    await pool.query(
      `insert into domain_event (id, type, at, user_id, data)
       select gen_random_uuid(), 'notification.created', now(), $1, jsonb_build_object('notification', jsonb_build_object(
                'message', repeat('x', $2::int), 'readAt', null, 'createdAt', jsonb_build_object('$time', now())))
         from generate_series(1, $3::int)`,
      [user.id, UNREAD_BYTES, UNREAD_EVENTS],
    );
    const deadline = performance.now() + DISCONNECT_SECONDS * 1000;
    while ((await connectionsOf(api)) > 0 && performance.now() < deadline) await sleep(SAMPLE_INTERVAL_MS);
    const stillConnected = await connectionsOf(api);
    return { idle, grown: peak - idle, stillConnected };
  } finally {
    clearInterval(sampling);
    await closeSockets(sockets);
  }
}

async function idleRows(settings, users) {
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    printProgress(`  idle connections, round ${round} of ${ROUNDS}`);
    rounds.push(await idleRound(settings, users));
    const { idle, grown, with: during, without } = rounds.at(-1);
    const memory = `${idle.toFixed(0)} + ${grown.toFixed(0)} MB`;
    const rates = `${during.toFixed(0)} requests/s, ${without.toFixed(0)} without connections`;
    printProgress(`    ${memory}; ${rates}`);
  }
  const medianOf = (field) => median(rounds.map((round) => round[field]));
  return [
    {
      what: `memory of ${SOCKETS} idle connections`,
      figure: `${(medianOf('idle') + medianOf('grown')).toFixed(0)} MB`,
      baseline: `without: ${medianOf('idle').toFixed(0)} MB`,
      ratio: `+ ${medianOf('grown').toFixed(1)} MB`,
      target: `≤ + ${MAX_SOCKETS_MB} MB`,
      reached: medianOf('grown') <= MAX_SOCKETS_MB,
    },
    atLeastRow(`GET /api/user/balance beside ${SOCKETS} idle connections`, {
      figure: medianOf('with'),
      baseline: medianOf('without'),
      baselineIs: 'without them, same process',
      least: 0.95,
    }),
  ];
}

function delayRow({ delays, notifyMs, rate }) {
  const delay = percentile(delays, 0.99);
  const notify = percentile(notifyMs, 0.99);
  return {
    what: `from the last statement before the commit to the message, P99 at ${rate.toFixed(0)} events/s`,
    figure: `${delay.toFixed(1)} ms`,
    baseline: `a bare NOTIFY, P99: ${notify.toFixed(1)} ms`,
    ratio: `${(delay / notify).toFixed(1)} ×`,
    target: `≤ ${MAX_DELAY_MS} ms, ≥ ${LEAST_RATE * EVENTS_PER_SECOND} events/s`,
    reached: delay <= MAX_DELAY_MS && rate >= LEAST_RATE * EVENTS_PER_SECOND,
  };
}

/** The rows of delivery and of stopped readers, measured on one process. */
async function deliveryRows(settings, { pool, url, users }) {
  const api = await startApi(settings);
  try {
    printProgress(`  ${EVENTS_PER_SECOND} events per second for ${DELIVERY_SECONDS} s`);
    const delivered = await deliveryDelays(api, pool, url, users.slice(0, 100));
    printProgress(`  ${STOPPED_READERS} readers that stop`);
    const stopped = await stoppedReaders(api, pool, users.at(-1));
    const middle = percentile(delivered.delays, 0.5).toFixed(1);
    return {
      rows: [
        delayRow(delivered),
        {
          what: `${STOPPED_READERS} readers that stop before ${UNREAD_EVENTS} events of ${UNREAD_BYTES / 1000} kB`,
          figure: `${(stopped.idle + stopped.grown).toFixed(0)} MB, ${stopped.stillConnected} still connected`,
          baseline: `before: ${stopped.idle.toFixed(0)} MB`,
          ratio: `+ ${stopped.grown.toFixed(1)} MB`,
          target: `≤ + ${MAX_STOPPED_MB} MB, none connected`,
          reached: stopped.grown <= MAX_STOPPED_MB && stopped.stillConnected === 0,
        },
      ],
      details: `Median delay of a message: ${middle} ms; ${delivered.delays.length} messages.`,
    };
  } finally {
    await api.stop();
  }
}

async function measure(surroundings) {
  const settings = {
    ...(await surroundings.settingsOnNewDatabase('live')),
    LIVE_CONNECTIONS_PER_ADDRESS: String(SOCKETS + STOPPED_READERS),
  };
  const pool = poolOn(settings.DATABASE_URL, 4);
  try {
    const first = await startApi(settings);
    const { users } = await createUsers(first, surroundings, USERS);
    await first.stop();
    const idle = await idleRows(settings, users);
    const { rows, details } = await deliveryRows(settings, { pool, url: settings.DATABASE_URL, users });
    return { rows: [...idle, ...rows], details };
  } finally {
    await pool.end();
  }
}

/** Throws if the measure is not over after `MAX_SECONDS`. */
export async function run() {
  const surroundings = await startSurroundings();
  const tooLong = new AbortController();
  try {
    const expired = sleep(MAX_SECONDS * 1000, undefined, { signal: tooLong.signal }).then(() => {
      throw new Error(`the measure was not over after ${MAX_SECONDS} s`);
    });
    return await Promise.race([measure(surroundings), expired]);
  } finally {
    tooLong.abort();
    await surroundings.stop();
  }
}
