// Closed-loop load: a number of callers, each with one operation at a time. Open-loop load: operations at a fixed rate.
import { setTimeout as sleep } from 'node:timers/promises';
import { openCaller } from './http-caller.mjs';

/** The completed calls of `once` per second; the time includes that of `afterwards`. `once` gets the number of its caller. */
export async function perSecond({ clients, seconds, afterwards = async () => undefined }, once) {
  const began = performance.now();
  const end = began + seconds * 1000;
  let done = 0;
  const caller = async (number) => {
    while (performance.now() < end) {
      await once(number);
      done++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => caller(number)));
  await afterwards();
  return (done * 1000) / (performance.now() - began);
}

const MAX_CONNECTIONS = 500;

/**
 * Starts `perSecond` operations a second in equal intervals, whether earlier ones have ended or not; in the first
 * `rampSeconds` their rate rises evenly from zero. `next` returns `{name, once}`. Returns `{number, name, began, ended,
 * failure?}` of each operation. Times are milliseconds since 1970; `began` is when the operation has its connection.
 */
export async function openLoop({ port, perSecond: rate, seconds, rampSeconds = 0 }, next) {
  const idle = [];
  const opened = new Set();
  let opening = 0;
  const running = [];
  const begun = performance.now();
  const now = () => performance.timeOrigin + performance.now();
  const openConnection = async () => {
    if (opening + opened.size >= MAX_CONNECTIONS)
      throw new Error(`${MAX_CONNECTIONS} requests wait for an answer`);
    opening++;
    const caller = await openCaller(port);
    opening--;
    opened.add(caller);
    return caller;
  };
  /** An open idle connection, or undefined. The server closes connections that were idle for some seconds. */
  const takeIdle = () => {
    let caller = idle.pop();
    while (caller && !caller.isOpen()) {
      opened.delete(caller);
      caller = idle.pop();
    }
    return caller;
  };
  const operate = async (number) => {
    const { name, once } = next();
    const caller = takeIdle() ?? (await openConnection());
    const operation = { number, name, began: now() };
    const call = (method, path, options) => caller.call(method, path, numbered(options, number));
    const failure = await once({ call }).then(
      () => undefined,
      ({ message }) => message,
    );
    if (caller.isOpen()) idle.push(caller);
    else opened.delete(caller);
    return { ...operation, ended: now(), failure };
  };
  const startsInRamp = (rate * rampSeconds) / 2;
  const secondsUntil = (number) =>
    number < startsInRamp ? Math.sqrt((2 * number * rampSeconds) / rate) : rampSeconds / 2 + number / rate;
  for (let number = 1; secondsUntil(number) <= seconds; number++) {
    const waitMs = begun + secondsUntil(number) * 1000 - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const operation = operate(number);
    operation.catch(() => undefined); // Node would end the process; `Promise.all` below throws the error
    running.push(operation);
  }
  const done = await Promise.all(running);
  for (const caller of opened) caller.close();
  return done;
}

/** Adds the header by which probe.mjs knows the request. */
const numbered = (options = {}, number) => ({
  ...options,
  headers: { ...options.headers, 'X-Bench': String(number) },
});

const rate = (figure) => `${figure.toFixed(figure < 100 ? 1 : 0)}/s`;

/** A table row for rates per second. The target is at least `least` times the baseline. */
export function atLeastRow(what, { figure, baseline, baselineIs, least }) {
  const ratio = figure / baseline;
  return {
    what,
    figure: rate(figure),
    baseline: `${baselineIs}: ${rate(baseline)}`,
    ratio: `${ratio.toFixed(2)} ×`,
    target: `≥ ${least} ×`,
    reached: ratio >= least,
  };
}
