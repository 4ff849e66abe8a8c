// Latency of a mix of requests that arrive at half of the measured capacity, and what the slowest 1 % wait for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILING_ROUNDS, alternating, markdownTable, median, percentile, printProgress } from './frame.mjs';
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
const RAMP_SECONDS = 10; // of the warm-up, in which the rate rises
const LATENCY_SECONDS = Number(process.env.BENCH_LATENCY_SECONDS ?? 65); // more than a minute, the interval of several jobs
const WINDOWS = 5;
const SHARE_OF_CAPACITY = 0.5;
const SLOWEST_SHARE = 0.01;
const FAILURE_CHARACTERS = 150;
const MAX_P99_MS = 50;
const MAX_P99_RATIO = 8;

export const title = `80 % reads (balance, dashboard, lists), 15 % investments and deposits, 5 % steps of withdrawals; arrivals in equal intervals at half of the rate that ${CLIENTS} callers reach, ${USERS} users; medians of ${WINDOWS} windows of ${LATENCY_SECONDS} s; commits are on disk.`;

/** Requests of the mix per second by callers that wait for each answer. */
async function capacityOf(api, accounts) {
  const next = mixOf(accounts);
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(api.port)));
  const { mix } = await alternating(
    {
      mix: () => perSecond({ clients: CLIENTS, seconds: SECONDS }, (number) => next().once(callers[number])),
    },
    { warmUps: COMPILING_ROUNDS },
  );
  for (const caller of callers) caller.close();
  return mix;
}

/** Sends `rate` requests of the mix per second to a new process for `seconds` after the warm-up. Returns all requests. */
async function load({ settings, accounts, rate, seconds, nodeOptions }, beside = () => () => undefined) {
  const api = await startApi(settings, { nodeOptions });
  try {
    const stop = await beside(api);
    try {
      const timing = { perSecond: rate, seconds: WARM_UP_SECONDS + seconds, rampSeconds: RAMP_SECONDS };
      return await openLoop({ port: api.port, ...timing }, mixOf(accounts));
    } finally {
      await stop(); // before the database stops: a failed sample would hide the error of the load
    }
  } finally {
    await api.stop();
  }
}

/** As `load`, on a process with support/probe.mjs. Returns the requests and their waits. */
async function loadWithProbe(surroundings, options) {
  const probe = join(surroundings.folder, 'probe.json');
  const { settings } = options;
  let samples;
  const requests = await load(
    {
      ...options,
      settings: { ...settings, PROBE: probe },
      nodeOptions: ['--import', './bench/support/probe.mjs'],
    },
    async (api) => {
      const stopSampling = await startSampling(settings.DATABASE_URL, api.pid);
      return async () => (samples = await stopSampling());
    },
  );
  return { requests, waits: waitsOf(JSON.parse(readFileSync(probe, 'utf8')), samples) };
}

/** Splits requests into those of the warm-up and those of each of the `count` windows after it. */
function splitByTime(requests, count) {
  const warmUntil = requests[0].began + WARM_UP_SECONDS * 1000;
  const warmUp = requests.filter(({ began }) => began < warmUntil);
  const windows = Array.from({ length: count }, (_, number) => {
    const from = warmUntil + number * LATENCY_SECONDS * 1000;
    return requests.filter(({ began }) => began >= from && began < from + LATENCY_SECONDS * 1000);
  });
  return { warmUp, windows };
}

const stealText = (share) =>
  `The hypervisor gave ${(share * 100).toFixed(1)} % of the machine's processor time to other machines meanwhile.`;
/** The duration of a request in milliseconds. */
const msOf = ({ began, ended }) => ended - began;
const percentileMs = (requests, part) => percentile(requests.map(msOf), part);
const KINDS = {
  balance: 'balance',
  dashboard: 'dashboard',
  investment: 'investment',
  deposit: "deposit (the provider's callback)",
  withdrawal: 'step of a withdrawal',
};

/** A table of latencies by kind of request. */
function latencyTable(warmUp, measured) {
  const byKind = new Map();
  for (const request of measured) {
    const kind = KINDS[request.name] ?? 'list';
    byKind.set(kind, [...(byKind.get(kind) ?? []), request]);
  }
  const slowFrom = percentileMs(measured, 1 - SLOWEST_SHARE);
  const line = (label, requests) => [
    label,
    requests.length,
    ...[0.5, 0.95, 0.99].map((part) => percentileMs(requests, part).toFixed(1)),
    requests.filter((request) => msOf(request) >= slowFrom).length,
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
    const settings = await surroundings.settingsOnNewDatabase('latency');
    const api = await startApi(settings);
    printProgress(`  creating ${USERS} users`);
    const accounts = await createUsers(api, surroundings, USERS);
    const capacity = await capacityOf(api, accounts);
    await api.stop();
    const rate = capacity * SHARE_OF_CAPACITY;
    printProgress(
      `  capacity ${capacity.toFixed(0)} requests/s; ${WINDOWS} windows of ${LATENCY_SECONDS} s at half of it`,
    );
    const endSteal = measureSteal();
    const seconds = WINDOWS * LATENCY_SECONDS;
    const requests = await load({ settings, accounts, rate, seconds });
    const stolen = endSteal();
    const { warmUp, windows } = splitByTime(requests, WINDOWS);
    const measured = windows.flat();
    const failed = measured.filter(({ failure }) => failure);
    const middle = median(windows.map((window) => percentileMs(window, 0.5)));
    const slow = median(windows.map((window) => percentileMs(window, 0.99)));
    const row = {
      what: `P99 at ${rate.toFixed(0)} requests/s`,
      figure: `${slow.toFixed(1)} ms`,
      baseline: `P50: ${middle.toFixed(1)} ms`,
      ratio: `${(slow / middle).toFixed(1)} ×`,
      target: `≤ ${MAX_P99_MS} ms and ≤ ${MAX_P99_RATIO} ×`,
      reached: slow <= MAX_P99_MS && slow <= MAX_P99_RATIO * middle && failed.length === 0,
    };
    printProgress(`  ${row.baseline}, P99 ${row.figure}; ${LATENCY_SECONDS} s more with the probe`);
    const endProbedSteal = measureSteal();
    const probed = await loadWithProbe(surroundings, { settings, accounts, rate, seconds: LATENCY_SECONDS });
    const probedSteal = endProbedSteal();
    const probedRequests = splitByTime(probed.requests, 1).windows.flat();
    const slowFrom = percentileMs(probedRequests, 1 - SLOWEST_SHARE);
    const slowest = probedRequests.filter((request) => msOf(request) >= slowFrom);
    const examples = [
      ...new Set(requests.map(({ failure }) => failure?.slice(0, FAILURE_CHARACTERS)).filter(Boolean)),
    ];
    const failedInWarmUp = warmUp.filter(({ failure }) => failure).length;
    const exampleTexts = examples.slice(0, 3).map((text) => `; \`${text}\``);
    const byWindow = windows.map((window) =>
      [0.5, 0.99].map((part) => percentileMs(window, part).toFixed(1)).join(' / '),
    );
    const tables = [
      `P50 / P99 of the windows in ms: ${byWindow.join(', ')}. ${stealText(stolen)}`,
      latencyTable(warmUp, measured),
      `Failed requests: ${failed.length}, in the first ${WARM_UP_SECONDS} s ${failedInWarmUp}${exampleTexts.join('')}.`,
      `Waits in ${LATENCY_SECONDS} s of the same load with a probe in the process, which makes requests slower (P50 ${percentileMs(probedRequests, 0.5).toFixed(1)} ms, P99 ${slowFrom.toFixed(1)} ms). ${stealText(probedSteal)}`,
      tableOfWaits(probed.waits, slowest, probedRequests),
    ];
    return { rows: [row], details: tables.join('\n\n') };
  } finally {
    await surroundings.stop();
  }
}
