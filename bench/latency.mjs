// Latency of a mix of requests that arrive at half of the measured capacity, and what the slowest 1 % wait for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILING_ROUNDS, alternating, markdownTable, percentile, printProgress } from './frame.mjs';
import { mixOf } from './support/calls.mjs';
import { measureSteal } from './support/cpu.mjs';
import { openCaller } from './support/http-caller.mjs';
import { openLoop, perSecond } from './support/load.mjs';
import { createUsers, startApi, startSurroundings } from './support/platform.mjs';
import { startSampling, tableOfWaits, waitsOf } from './support/waits.mjs';

const CLIENTS = 16;
const USERS = Number(process.env.BENCH_USERS ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const WARM_UP_SECONDS = 30; // in which V8 compiles the code of all requests
const LATENCY_SECONDS = Number(process.env.BENCH_LATENCY_SECONDS ?? 65); // longer than the interval of the minute's jobs
const SHARE = 0.5;
const SLOWEST = 0.01;
const FAILURE_CHARACTERS = 150;
const MAX_P99_MS = 50;
const MAX_P99_RATIO = 8;

export const title = `80 % reads (balance, dashboard, lists), 15 % investments and deposits, 5 % steps of withdrawals; arrivals in equal intervals for ${LATENCY_SECONDS} s at half of the rate that ${CLIENTS} callers reach, ${USERS} users; commits are on disk.`;

/** Requests of the mix per second by callers that wait for each answer. */
async function capacityOf(api, there) {
  const next = mixOf(there);
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(api.port)));
  const { rate } = await alternating(
    {
      rate: () => perSecond({ clients: CLIENTS, seconds: SECONDS }, (number) => next().once(callers[number])),
    },
    { warmUps: COMPILING_ROUNDS },
  );
  for (const caller of callers) caller.close();
  return rate;
}

/** The requests of the mix at a fixed rate from the start of a new process, and their waits. */
async function measure(surroundings, settings, there, rate) {
  const probe = join(surroundings.folder, 'probe.json');
  const api = await startApi(
    { ...settings, PROBE: probe },
    { nodeOptions: ['--import', './bench/support/probe.mjs'] },
  );
  const stopSampling = await startSampling(settings.DATABASE_URL, api.pid);
  const seconds = WARM_UP_SECONDS + LATENCY_SECONDS;
  const endSteal = measureSteal();
  const done = await openLoop({ port: api.port, perSecond: rate, seconds }, mixOf(there));
  const stolen = endSteal();
  const samples = await stopSampling();
  await api.stop();
  return { done, stolen, waits: waitsOf(JSON.parse(readFileSync(probe, 'utf8')), samples) };
}

const msOf = ({ began, ended }) => ended - began;
const share = (requests, part) => percentile(requests.map(msOf), part);
const KINDS = {
  balance: 'balance',
  dashboard: 'dashboard',
  investment: 'investment',
  deposit: "deposit (the provider's callback)",
  withdrawal: 'step of a withdrawal',
};

function percentiles(warmUp, measured) {
  const byKind = new Map();
  for (const one of measured) {
    const kind = KINDS[one.name] ?? 'list';
    byKind.set(kind, [...(byKind.get(kind) ?? []), one]);
  }
  const slowFrom = share(measured, 1 - SLOWEST);
  const line = (words, requests) => [
    ...[words, requests.length],
    ...[0.5, 0.95, 0.99].map((part) => share(requests, part).toFixed(1)),
    requests.filter((one) => msOf(one) >= slowFrom).length,
  ];
  return markdownTable(
    ['request', 'number', 'P50 ms', 'P95 ms', 'P99 ms', 'among the slowest 1 %'],
    [
      line('all', measured),
      ...[...byKind].map(([kind, requests]) => line(kind, requests)),
      [
        ...line(`first ${WARM_UP_SECONDS} s after the start, not in the other lines`, warmUp).slice(0, -1),
        '',
      ],
    ],
  );
}

export async function run() {
  const surroundings = await startSurroundings();
  try {
    const settings = await surroundings.settingsFor('latency');
    const api = await startApi(settings);
    printProgress(`  creating ${USERS} users`);
    const there = await createUsers(api, surroundings, USERS);
    const capacity = await capacityOf(api, there);
    await api.stop();
    printProgress(`  capacity ${capacity.toFixed(0)} requests/s; ${LATENCY_SECONDS} s at half of it`);
    const { done, stolen, waits } = await measure(surroundings, settings, there, capacity * SHARE);
    const warmUntil = done[0].began + WARM_UP_SECONDS * 1000;
    const measured = done.filter(({ began }) => began >= warmUntil);
    const warmUp = done.filter(({ began }) => began < warmUntil);
    const failed = measured.filter(({ failure }) => failure);
    const [middle, slow] = [share(measured, 0.5), share(measured, 0.99)];
    const slowest = measured.filter((one) => msOf(one) >= share(measured, 1 - SLOWEST));
    const row = {
      what: `P99 at ${(capacity * SHARE).toFixed(0)} requests/s`,
      figure: `${slow.toFixed(1)} ms`,
      baseline: `P50: ${middle.toFixed(1)} ms`,
      ratio: `${(slow / middle).toFixed(1)} ×`,
      reach: `≤ ${MAX_P99_MS} ms and ≤ ${MAX_P99_RATIO} ×`,
      reached: slow <= MAX_P99_MS && slow <= MAX_P99_RATIO * middle && failed.length === 0,
    };
    const examples = [
      ...new Set(done.map(({ failure }) => failure?.slice(0, FAILURE_CHARACTERS)).filter(Boolean)),
    ];
    const tables = [
      percentiles(warmUp, measured),
      `Failed requests: ${failed.length}, in the first ${WARM_UP_SECONDS} s ${warmUp.filter(({ failure }) => failure).length}${examples
        .slice(0, 3)
        .map((text) => `; \`${text}\``)
        .join('')}.`,
      `${tableOfWaits(waits, slowest, measured)}\n- The hypervisor gave ${(stolen * 100).toFixed(1)} % of the machine's processor time to other machines meanwhile.`,
    ];
    return { rows: [row], details: tables.join('\n\n') };
  } finally {
    await surroundings.stop();
  }
}
