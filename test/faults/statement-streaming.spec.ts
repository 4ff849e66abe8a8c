import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { StreamingReads } from '../../src/lists/streaming-reads.js';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { insertBulkDeposits } from '../fixtures/bulk-deposits.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../harness/replica.js';

const PATH = '/api/user/statement';
const COUNT = 100_000; // more than the buffers of a connection hold
const MAX_GROWTH_BYTES = 16_000_000; // the whole statement would take about 50 MB
const DAY = '2026-03-02T00:00:00.000Z';
/** Matches each deposit of a statement once, in CSV or JSON. */
const MOVEMENT = /deposit,deposit|"type":"deposit"/g;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('A long statement', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let watcher: pg.Client;
  let shortTimeoutUrl: string; // URL of an instance with short time-outs for readers and locks

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { REQUEST_SECONDS: '300', DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'silent' },
      at: '2026-03-03T10:00:00.000Z',
    });
    shortTimeoutUrl = await startReplica(platform, { REQUEST_SECONDS: 2, DATABASE_LOCK_MS: 500 });
    ann = await platform.given.user();
    await insertBulkDeposits(platform.env.DATABASE_URL as string, ann.id, {
      count: COUNT,
      from: DAY,
    });
    watcher = new pg.Client(platform.env.DATABASE_URL);
    await watcher.connect();
  });
  afterAll(async () => {
    await watcher.end();
    await platform.stop();
  });

  /** Requests a statement and reads its first chunk. Repeats the request while it is refused because of earlier statements. */
  async function startReading(
    query: string,
    user = ann,
    baseUrl = platform.baseUrl,
  ): Promise<IncomingMessage> {
    for (;;) {
      const response = await requestFirstChunk(baseUrl, query, user);
      if (response.statusCode === 200) return response;
      response.destroy();
      await sleep(50);
    }
  }

  /** Resolves with the paused response after its first chunk. */
  function requestFirstChunk(baseUrl: string, query: string, user: TestUser): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = request(`${baseUrl}${PATH}?${query}`, {
        headers: { authorization: `Bearer ${user.token}` },
      });
      call.once('response', (response) => {
        response.once('error', () => undefined); // without a listener the error would be unhandled
        response.once('data', () => {
          response.pause();
          resolve(response);
        });
      });
      call.once('error', reject).end();
    });
  }

  /** Number of statements in progress: open cursors. */
  async function openStatements(): Promise<number> {
    const { rows } = await watcher.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
        where datname = current_database() and xact_start is not null and query ~ 'batches_\\d'`,
    );
    return rows[0]?.open ?? 0;
  }

  async function readRest(response: IncomingMessage): Promise<void> {
    for await (const _chunk of response) continue;
  }

  const waitForOpenStatements = (count: number) =>
    eventually(async () => expect(await openStatements()).toBe(count));

  function usedBytes(): number {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  it.each(['csv', 'json'])('of 100,000 movements in %s takes a bounded amount of memory', async (format) => {
    const response = await fetch(`${platform.baseUrl}${PATH}?format=${format}`, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    const before = usedBytes();
    const decoder = new TextDecoder();
    let bytes = 0;
    let bytesAtMeasurement = 0;
    let maxGrowth = 0;
    let movements = 0;
    let rest = ''; // the end of the text so far: a movement may begin in one chunk and end in the next
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      bytes += chunk.length;
      const text = rest + decoder.decode(chunk, { stream: true });
      const restStart = text.length - 20; // longer than a match of MOVEMENT
      movements += [...text.matchAll(MOVEMENT)].filter(({ index }) => index < restStart).length;
      rest = text.slice(restStart);
      if (bytes - bytesAtMeasurement < 3_000_000) continue;
      bytesAtMeasurement = bytes;
      maxGrowth = Math.max(maxGrowth, usedBytes() - before);
    }
    movements += [...rest.matchAll(MOVEMENT)].length;
    expect(movements).toBe(COUNT);
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(maxGrowth).toBeLessThan(MAX_GROWTH_BYTES);
    await waitForOpenStatements(0);
  });

  it('pauses while its reader does not read (back pressure)', async () => {
    const before = usedBytes();
    const response = await startReading('format=csv');
    await waitForOpenStatements(1);
    await sleep(500); // without back pressure all rows would be read meanwhile
    expect(usedBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await openStatements()).toBe(1); // not read to the end
    response.destroy();
    await waitForOpenStatements(0);
  });

  it('releases its database connection when the reader disconnects', async () => {
    for (let i = 0; i < 12; i++) {
      const response = await startReading(i % 2 ? 'format=csv' : 'format=json');
      response.destroy();
      await waitForOpenStatements(0);
    } // twelve times, with a pool of ten connections
    expect((await platform.as(ann).get('/api/user/balance')).status).toBe(200);
  });

  it('releases its database connection when the reader stops reading, and aborts the response', async () => {
    const response = await startReading('format=json', ann, shortTimeoutUrl);
    (await startReading('format=json', ann, shortTimeoutUrl)).destroy(); // served when the user's first one has ended
    await waitForOpenStatements(0);
    await expect(readRest(response)).rejects.toThrow(/aborted/);
    await eventually(async () =>
      expect((await platform.as(ann, shortTimeoutUrl).get(`${PATH}?from=2026-03-03`)).status).toBe(200),
    );
  });

  describe('with concurrent statements', () => {
    let ben: TestUser;
    let eve: TestUser;

    beforeAll(async () => {
      ben = await platform.given.user();
      eve = await platform.given.user();
      for (const { id } of [ben, eve])
        await insertBulkDeposits(platform.env.DATABASE_URL as string, id, { count: 40_000, from: DAY });
    });

    it('is refused to a user whose other statement is being read, and beyond a few users at a time [SEC-127]', async () => {
      const first = await startReading('format=csv');
      const refusal = await platform.as(ann).get(PATH);
      expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect(refusal.headers.get('retry-after')).toBe('5');
      const second = await startReading('format=csv', ben);
      expect(await platform.as(eve).get(PATH)).toMatchObject({ status: 503 }); // limit: two, a fifth of ten connections
      first.destroy();
      second.destroy();
      await waitForOpenStatements(0);
      (await startReading('format=csv', eve)).destroy(); // is served now
      await waitForOpenStatements(0);
    });

    it('is ended for another reader if its client has kept it waiting, so that slow clients do not block others [SEC-461]', async () => {
      const app = await startReplicaWithoutPort(platform);
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      const { timings } = app.get(StreamingReads);
      expect(timings).toEqual({ patienceMs: 10_000 });
      const first = await startReading('format=csv', ann, url);
      const second = await startReading('format=csv', ben, url); // both hold the two places of the process
      timings.patienceMs = 100; // shorter, to not wait for ten seconds
      await readRest(await startReading('format=csv', eve, url));
      timings.patienceMs = 10_000;
      const ends = await Promise.allSettled([readRest(first), readRest(second)]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await waitForOpenStatements(0);
      (await startReading('format=csv', ann, url)).destroy(); // the ended reader is served again
      await waitForOpenStatements(0);
    });

    it('is aborted if its reader stops or reads too slowly, and the next statement starts', async () => {
      const unread = await startReading('format=csv', ann, shortTimeoutUrl);
      const readSlowly = await startReading('format=csv', ben, shortTimeoutUrl);
      const reading = setInterval(() => readSlowly.read(100), 50);
      (await startReading('format=csv', eve, shortTimeoutUrl)).destroy();
      await waitForOpenStatements(0);
      clearInterval(reading);
      for (const response of [unread, readSlowly])
        await expect(readRest(response)).rejects.toThrow(/aborted/);
    });
  });

  it('that cannot be read from the database gets an error response in the envelope', async () => {
    await watcher.query('begin');
    await watcher.query('lock table ledger_entry in access exclusive mode');
    const reply = await platform.as(ann, shortTimeoutUrl).get(`${PATH}?format=csv`);
    await watcher.query('rollback');
    expect(reply).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await eventually(async () =>
      expect((await platform.as(ann, shortTimeoutUrl).get(`${PATH}?from=2026-03-03`)).status).toBe(200),
    );
  });
});
