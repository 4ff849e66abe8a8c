// Consumers of events: the delay from an event to its notification, its live message and the first attempt of its webhook, and how
// consumers that were held up catch up.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, printProgress, ratioRow } from './frame.mjs';
import { CALLS } from './support/calls.mjs';
import { consumersCaughtUp, lastEventNumber } from './support/consumers.mjs';
import { poolOn } from './support/durable.mjs';
import { openCaller } from './support/http-caller.mjs';
import { closeSockets, openSocket } from './support/live-sockets.mjs';
import { openLoop } from './support/load.mjs';
import { bearer, createUsers, startApi, startSurroundings } from './support/platform.mjs';

const USERS = Number(process.env.BENCH_USERS ?? 400);
const READERS = 40; // users with a live connection and a webhook
const EVENTS_PER_SECOND = 200;
const WARM_UP_SECONDS = 10;
const SECONDS = Number(process.env.BENCH_DELIVERY_SECONDS ?? 20);
const SETTLE_MS = 2000;
const MAX_DELAY_MS = 100;
const BACKLOG = 10_000;
const BACKLOG_CALLERS = 16;
const MAX_CATCH_UP_SECONDS = 5;
const REQUESTS_PER_SECOND = 50; // beside the catch-up
const REQUEST_SECONDS = 5;
const MAX_SLOWDOWN = 1.1;

const STEPS = [
  'the event reaches the consumer after',
  'a process claims the delivery after',
  'the request arrives after',
  'the result is recorded after',
];

export const title = `${EVENTS_PER_SECOND} events per second for ${SECONDS} s, ${READERS} users with a live connection and a webhook; then twice ${BACKLOG} events that wait for their consumers. Commits are on disk.`;

/** A receiver of webhooks: the moment at which each investment's event arrived, by the id of the investment. */
async function startReceiver() {
  const arrivals = new Map();
  const server = createServer(async (request, response) => {
    const at = Date.now();
    let body = '';
    for await (const piece of request) body += piece;
    const { data } = JSON.parse(body);
    if (!arrivals.has(data.investmentId)) arrivals.set(data.investmentId, at);
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/`, arrivals, stop: () => server.close() };
}

/** Invests at the rate for the readers and other users. Every second event is a change of a balance. */
function investAtRate(api, users, seconds) {
  let turn = 0;
  const next = () => {
    const user = users[turn++ % users.length];
    return { name: 'investment', once: (caller) => CALLS.investment(caller, user) };
  };
  return openLoop({ port: api.port, perSecond: EVENTS_PER_SECOND / 2, seconds }, next);
}

/** Milliseconds from the insertion of an event, the last statement before its commit, to what follows from it. */
async function measureDelays(api, pool, users) {
  const readers = users.slice(0, READERS);
  const receiver = await startReceiver();
  const messages = new Map();
  const receive = (data) => messages.set(/"id":"([^"]+)"/.exec(data)?.[1], Date.now()); // the clock of the database server
  const sockets = await Promise.all(readers.map(({ token }) => openSocket(api.url, token, receive)));
  const caller = await openCaller(api.port);
  const webhookIds = [];
  for (const { token } of readers) {
    const body = { url: receiver.url, events: ['investment.created'] };
    const created = await caller.call('POST', '/api/user/webhooks', {
      headers: bearer(token),
      body,
      status: 201,
    });
    webhookIds.push(JSON.parse(created).data.id);
  }
  const half = users.length / 2; // users who were not notified of investments within the last ten minutes
  await investAtRate(api, users.slice(half), WARM_UP_SECONDS);
  const { rows: [{ begun }] } = await pool.query('select clock_timestamp() as begun'); // prettier-ignore
  await investAtRate(api, users.slice(0, half), SECONDS);
  await sleep(SETTLE_MS);
  const { rows } = await pool.query(
    `select event.id, event.user_id as "userId", data ->> 'investmentId' as "investmentId",
            extract(epoch from event.written_at)::float8 * 1000 as "writtenMs", notified.ms as "notifiedMs",
            extract(epoch from delivery.created_at)::float8 * 1000 as "insertedMs",
            extract(epoch from delivery.attempted_at)::float8 * 1000 as "claimedMs",
            extract(epoch from delivery.settled_at)::float8 * 1000 as "settledMs"
       from domain_event as event
       left join webhook_delivery as delivery
              on delivery.user_id = event.user_id and body::json #>> '{data,investmentId}' = data ->> 'investmentId'
       left join lateral (select extract(epoch from told.written_at)::float8 * 1000 as ms from domain_event as told
                           where told.type = 'notification.created' and told.user_id = event.user_id
                             and told.number > event.number order by told.number limit 1) as notified on true
      where type = 'investment.created' and event.written_at > $1`,
    [begun],
  );
  await closeSockets(sockets);
  for (const [place, { token }] of readers.entries())
    await caller.call('DELETE', `/api/user/webhooks/${webhookIds[place]}`, { headers: bearer(token) });
  caller.close();
  receiver.stop();
  const ofReaders = rows.filter(({ userId }) => readers.some(({ id }) => id === userId));
  const delaysTo = (events, arrivedMs) =>
    events.map((event) => arrivedMs(event) - event.writtenMs).filter((delay) => !Number.isNaN(delay));
  // Later investments of a user within ten minutes are counted in the same notification.
  const first = new Map(rows.toReversed().map((event) => [event.userId + event.notifiedMs, event]));
  const attempts = ofReaders
    .map((event) => ({ ...event, arrivedMs: receiver.arrivals.get(event.investmentId) }))
    .filter(({ arrivedMs, claimedMs }) => arrivedMs !== undefined && claimedMs !== null);
  const steps = ['writtenMs', 'insertedMs', 'claimedMs', 'arrivedMs', 'settledMs'];
  return {
    events: ofReaders.length,
    /** The milliseconds of each step from an event to the stored result of the first attempt. */
    steps: steps.slice(1).map((step, place) => attempts.map((event) => event[step] - event[steps[place]])),
    notification: delaysTo([...first.values()].filter(({ notifiedMs }) => notifiedMs !== null), ({ notifiedMs }) => notifiedMs), // prettier-ignore
    'live message': delaysTo(ofReaders, ({ id }) => messages.get(id)),
    'first attempt of a webhook': delaysTo(ofReaders, ({ investmentId }) =>
      receiver.arrivals.get(investmentId),
    ),
  };
}

/** The P95 of reads of balances that begin at a fixed rate, in milliseconds. */
async function readsAtRate(api, users, seconds = REQUEST_SECONDS) {
  let turn = 0;
  const next = () => {
    const user = users[turn++ % users.length];
    return { name: 'balance', once: (caller) => CALLS.balance(caller, user) };
  };
  const done = await openLoop({ port: api.port, perSecond: REQUESTS_PER_SECOND, seconds }, next);
  return percentile(
    done.map(({ began, ended }) => ended - began),
    0.95,
  );
}

/** Writes events while the cursors are locked, and then lets the consumers read them. Returns how long they take. */
async function writeBacklog(api, pool, users) {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from event_consumer for update');
  const end = (await lastEventNumber(pool)) + BACKLOG;
  const investments = async () => {
    const caller = await openCaller(api.port);
    for (let count = 0; count % 50 !== 0 || (await lastEventNumber(pool)) < end; count++)
      await CALLS.investment(caller, users[Math.floor(Math.random() * users.length)]);
    caller.close();
  };
  await Promise.all(Array.from({ length: BACKLOG_CALLERS }, investments));
  await sleep(SETTLE_MS);
  return async () => {
    await holder.query('commit');
    holder.release();
    const began = performance.now();
    await consumersCaughtUp(pool);
    return (performance.now() - began) / 1000;
  };
}

/** How long consumers take for events that have waited: while the service does nothing else, and while it answers reads. */
async function measureCatchUp(api, pool, users) {
  const catchUpAlone = await writeBacklog(api, pool, users);
  const alone = await catchUpAlone();
  const catchUpBesideReads = await writeBacklog(api, pool, users);
  const without = await readsAtRate(api, users);
  const catchingUp = catchUpBesideReads();
  const p95 = await readsAtRate(api, users);
  return { alone, without, beside: { p95, seconds: await catchingUp } };
}

export async function run() {
  const surroundings = await startSurroundings();
  let api;
  let pool;
  try {
    const settings = await surroundings.settingsOnNewDatabase('events');
    api = await startApi(settings);
    printProgress(`  creating ${USERS} users`);
    const { users } = await createUsers(api, surroundings, USERS);
    pool = poolOn(settings.DATABASE_URL, 4);
    printProgress(`  ${EVENTS_PER_SECOND} events per second for ${SECONDS} s`);
    const { events, steps, ...delays } = await measureDelays(api, pool, users);
    printProgress(`  two backlogs of ${BACKLOG} events`);
    const { alone, without, beside } = await measureCatchUp(api, pool, users);
    return {
      rows: [
        ...Object.entries(delays).map(([what, list]) => ({
          what: `from an event to its ${what}: P99`,
          figure: `${percentile(list, 0.99)?.toFixed(0)} ms`,
          baseline: `median: ${percentile(list, 0.5)?.toFixed(0)} ms, ${list.length} of them`,
          ratio: '',
          target: `≤ ${MAX_DELAY_MS} ms`,
          reached: list.length > 0 && percentile(list, 0.99) <= MAX_DELAY_MS,
        })),
        {
          what: `${BACKLOG} events are caught up in`,
          figure: `${alone.toFixed(1)} s`,
          baseline: '',
          ratio: '',
          target: `≤ ${MAX_CATCH_UP_SECONDS} s`,
          reached: alone <= MAX_CATCH_UP_SECONDS,
        },
        ratioRow(
          `GET /api/user/balance beside a catch-up, which then takes ${beside.seconds.toFixed(1)} s: P95`,
          {
            figure: beside.p95,
            baseline: without,
            baselineIs: 'without it',
            most: MAX_SLOWDOWN,
          },
        ),
      ],
      details: `${events} events of users with a live connection and a webhook. The steps of a first attempt, median and P99 in ms: ${STEPS.map(
        (step, place) =>
          `${step} ${percentile(steps[place], 0.5)?.toFixed(0)} and ${percentile(steps[place], 0.99)?.toFixed(0)}`,
      ).join('; ')}.`,
    };
  } finally {
    await pool?.end();
    await api?.stop();
    await surroundings.stop();
  }
}
