// Loaded into the API with `--import`: notes when each request with the header X-Bench waits for a connection of the pool or
// for a statement, slow statements outside of such requests, garbage collections and delays of the event loop. Writes them as
// JSON to the file that PROBE names when the process ends. Times are milliseconds since 1970, which processes share.
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { Server } from 'node:http';
import { PerformanceObserver } from 'node:perf_hooks';
import pg from 'pg';

const TIMER_MS = 5;
const MIN_DELAY_MS = 2;
const SLOW_STATEMENT_MS = 5;

const requests = new AsyncLocalStorage();
const noted = { requests: [], background: [], collections: [], delays: [] };
/** Milliseconds since 1970 of a time by `performance.now()`. */
const at = (time = performance.now()) => performance.timeOrigin + time;

const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...args) {
  const [request, response] = args;
  const number = event === 'request' && request.headers['x-bench'];
  if (!number) return emit.call(this, event, ...args);
  const notes = { number: Number(number), began: at(), statements: [], pool: [] };
  response.once('finish', () => noted.requests.push({ ...notes, ended: at() }));
  return requests.run(notes, () => emit.call(this, event, ...args));
};

/** Calls `method`, and `done` when it has called the callback in its last argument or has settled its promise. */
function observed(method, self, args, done) {
  const callback = args.at(-1);
  if (typeof callback === 'function') {
    const last = (...results) => {
      done();
      callback(...results);
    };
    return method.apply(self, [...args.slice(0, -1), last]);
  }
  const result = method.apply(self, args);
  result?.then?.(done, done);
  return result;
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [first] = args;
  // A cursor or query object takes no callback and returns no promise that could be observed.
  if (typeof first?.submit === 'function') return query.apply(this, args);
  const text = typeof first === 'string' ? first : first.text;
  const statement = { pid: this.processID, began: at(), ended: Infinity };
  const request = requests.getStore();
  request?.statements.push(statement);
  return observed(query, this, args, () => {
    statement.ended = at();
    const isSlow = statement.ended - statement.began >= SLOW_STATEMENT_MS;
    if (!request && isSlow) noted.background.push({ ...statement, text });
  });
};

const { connect } = pg.Pool.prototype;
pg.Pool.prototype.connect = function (...args) {
  const wait = { began: at(), ended: Infinity };
  requests.getStore()?.pool.push(wait);
  return observed(connect, this, args, () => (wait.ended = at()));
};

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    noted.collections.push({ began: at(startTime), ended: at(startTime + duration) });
}).observe({ entryTypes: ['gc'] });

let due = performance.now() + TIMER_MS;
function noteDelay() {
  const now = performance.now();
  if (now - due >= MIN_DELAY_MS) noted.delays.push({ began: at(due), ended: at(now) });
  due = now + TIMER_MS;
  setTimeout(noteDelay, TIMER_MS).unref();
}
noteDelay();

process.on('exit', () => writeFileSync(process.env.PROBE, JSON.stringify(noted)));
