// What requests wait for: the notes of probe.mjs and samples of pg_stat_activity, millisecond by millisecond.
import { existsSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { markdownTable } from '../frame.mjs';

const SAMPLE_MS = 15;
const STATEMENT_CHARACTERS = 50;
const TOP_STATEMENTS = 3;

/** Samples the waits of all connections to a database, and the time that the main thread of a process has waited for a core. */
export async function startSampling(url, pid) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  const samples = [];
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      const { rows } = await client.query({
        name: 'sample',
        text: `select pid, state, wait_event_type as type, wait_event as event from pg_stat_activity
                where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      });
      const waitedMs = existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6 : NaN;
      samples.push({
        at: performance.timeOrigin + performance.now(),
        waitedMs,
        connections: new Map(rows.map((row) => [row.pid, waitIn(row)])),
      });
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
    await client.end();
  })();
  return async () => {
    isRunning = false;
    await sampling;
    return samples;
  };
}

const UNREAD = "Node: to read PostgreSQL's answer";

/** What a connection waits for in a sample. An idle one has answered its statement, so that Node is late to read the answer. */
function waitIn({ state, type, event }) {
  if (type === 'Client' || state?.startsWith('idle')) return UNREAD;
  return type ? `PostgreSQL: ${type} ${event}` : 'PostgreSQL: runs the statement';
}

const covers = (moment) => (interval) => interval.began <= moment && moment < interval.ended;

/** Returns a function that finds the intervals that overlap with a period. `intervals` are sorted by `began`. */
function overlapping(intervals) {
  const longest = intervals.reduce((most, { began, ended }) => Math.max(most, ended - began), 0);
  return (from, to) => {
    let low = 0;
    let high = intervals.length;
    // Binary search for the first interval that can reach `from`: none lasts longer than `longest`.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (intervals[middle].began < from - longest) low = middle + 1;
      else high = middle;
    }
    const overlaps = [];
    for (let index = low; index < intervals.length && intervals[index].began < to; index++)
      if (intervals[index].ended > from) overlaps.push(intervals[index]);
    return overlaps;
  };
}

const sorted = (intervals) => [...intervals].sort((a, b) => a.began - b.began);

/** Functions that summarise the waits of a list of requests `{number, began, ended}`, from what probe.mjs has noted. */
export function waitsOf({ requests, background, collections, delays }, samples) {
  const notesByNumber = new Map(requests.map((request) => [request.number, request]));
  const nearby = {
    collections: overlapping(sorted(collections)),
    delays: overlapping(sorted(delays)),
    background: overlapping(sorted(background)),
    samples: overlapping(
      samples.map((sample) => ({ ...sample, began: sample.at, ended: sample.at + SAMPLE_MS })),
    ),
  };

  /** The milliseconds of one request by wait. */
  function waitsOfRequest({ number, began, ended }) {
    const notes = notesByNumber.get(number);
    const [collected, late, sampled] = ['collections', 'delays', 'samples'].map((kind) =>
      nearby[kind](began - SAMPLE_MS, ended + SAMPLE_MS),
    );
    const waitAt = (moment) => {
      const isIn = covers(moment);
      if (collected.some(isIn)) return 'Node: garbage collection';
      if (!notes || moment < notes.began) return 'Node: to read the request';
      if (moment > notes.ended) return 'the caller: to read the answer';
      if (notes.pool.some(isIn)) return 'a free connection of the pool';
      const statement = notes.statements.find(isIn);
      if (!statement)
        return late.some(isIn) ? 'Node: event loop busy for 2 ms or more' : 'Node: own code, short turns';
      const distance = ({ at }) => Math.abs(at - moment);
      const near = sampled
        .filter((sample) => sample.at >= statement.began && sample.at <= statement.ended)
        .sort((a, b) => distance(a) - distance(b));
      return near[0]?.connections.get(statement.pid) ?? 'PostgreSQL: statement between two samples';
    };
    const waits = new Map();
    for (let moment = began; moment < ended; moment++) {
      const wait = waitAt(moment);
      const ms = Math.min(1, ended - moment);
      waits.set(wait, (waits.get(wait) ?? 0) + ms);
    }
    return waits;
  }

  /** Mean milliseconds of a request by wait. */
  function means(list) {
    const sums = new Map();
    for (const request of list)
      for (const [wait, ms] of waitsOfRequest(request))
        sums.set(wait, (sums.get(wait) ?? 0) + ms / list.length);
    return sums;
  }

  /** The part of the requests during which a slow statement of a job ran, and the most frequent of these statements. */
  function besideJobs(list) {
    const statementsBeside = list.map(({ began, ended }) => nearby.background(began, ended));
    const counts = new Map();
    for (const statements of statementsBeside) {
      const distinctTexts = new Set(statements.map(({ text }) => text));
      for (const text of distinctTexts) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, TOP_STATEMENTS);
    return {
      part: statementsBeside.filter((statements) => statements.length > 0).length / list.length,
      top: top.map(([text]) => `\`${text.replace(/\s+/g, ' ').trim().slice(0, STATEMENT_CHARACTERS)}\``),
    };
  }

  /** Part of the time of the requests in which the API's main thread was ready to run and had no core. */
  function withoutCore(list) {
    let waitedMs = 0;
    let allMs = 0;
    for (const { began, ended } of list) {
      const within = nearby.samples(began - SAMPLE_MS, ended + SAMPLE_MS);
      if (within.length < 2) continue;
      waitedMs += within.at(-1).waitedMs - within[0].waitedMs;
      allMs += within.at(-1).at - within[0].at;
    }
    return waitedMs / allMs;
  }

  return { means, besideJobs, withoutCore };
}

const percent = (part) => `${(part * 100).toFixed(0)} %`;

/** Markdown: what the slowest requests wait for, beside all requests. */
export function tableOfWaits(waits, slowest, all) {
  const slow = waits.means(slowest);
  const usual = waits.means(all);
  const total = (sums) => [...sums.values()].reduce((sum, ms) => sum + ms, 0);
  const cells = (sums, wait) => {
    const ms = sums.get(wait) ?? 0;
    return [ms.toFixed(1), percent(ms / total(sums))];
  };
  const waitsInOrder = [...slow.keys()].sort((a, b) => slow.get(b) - slow.get(a));
  const jobs = [waits.besideJobs(slowest), waits.besideJobs(all)];
  return [
    markdownTable(
      ['what the slowest 1 % wait for', 'ms each', 'share', 'ms of all requests', 'share'],
      waitsInOrder.map((wait) => [wait, ...cells(slow, wait), ...cells(usual, wait)]),
    ),
    [
      `- Beside a statement of a job that takes 5 ms or more: ${percent(jobs[0].part)} of the slowest, ${percent(jobs[1].part)} of all requests. The most frequent: ${jobs[0].top.join(', ') || 'none'}.`,
      `- While they were served, the API's main thread was ready to run without a core in ${percent(waits.withoutCore(slowest))} of the time (all requests: ${percent(waits.withoutCore(all))}).`,
    ].join('\n'),
  ].join('\n\n');
}
