import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { insertBulkDeposits } from '../fixtures/bulk-deposits.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';

const PATH = '/api/user/statement';
const COUNT = 100_000; // more than fits into the buffers of a connection
const MOST_GROWTH_BYTES = 16_000_000; // all of it at once would take some 50 MB
const DAY = '2026-03-02T00:00:00.000Z';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('A long statement', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let watcher: pg.Client;
  let impatient: string; // a process that waits for readers and locks for a moment only

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { REQUEST_SECONDS: '300', DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'silent' },
      at: '2026-03-03T10:00:00.000Z',
    });
    impatient = await startReplica(platform, { REQUEST_SECONDS: 2, DATABASE_LOCK_MS: 500 });
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

  /** Begins to read a statement, and has read the first piece of it; waits for the end of the one before. */
  async function begin(query: string, user = ann, at = platform.baseUrl): Promise<IncomingMessage> {
    for (;;) {
      const response = await firstPiece(at, query, user);
      if (response.statusCode === 200) return response;
      response.destroy();
      await sleep(50);
    }
  }

  function firstPiece(at: string, query: string, user: TestUser): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request(`${at}${PATH}?${query}`, {
        headers: { authorization: `Bearer ${user.token}` },
      });
      asked.once('response', (response) => {
        response.once('error', () => undefined); // Node keeps it for whoever reads on only if somebody listens
        response.once('data', () => {
          response.pause();
          resolve(response);
        });
      });
      asked.once('error', reject).end();
    });
  }

  /** Statements that are being written: their cursors are open. */
  async function open(): Promise<number> {
    const { rows } = await watcher.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
        where datname = current_database() and xact_start is not null and query ~ 'batches_\\d'`,
    );
    return rows[0]?.open ?? 0;
  }

  async function restOf(response: IncomingMessage): Promise<void> {
    for await (const _piece of response) continue;
  }

  const untilOpen = (count: number) => eventually(async () => expect(await open()).toBe(count));

  it.each(['csv', 'json'])('of 100,000 movements in %s takes memory for a few of them', async (format) => {
    const response = await fetch(`${platform.baseUrl}${PATH}?format=${format}`, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    const used = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const [before, seen] = [used(), { bytes: 0, most: 0, looked: 0, movements: 0 }];
    let carried = '';
    const [decoder, MOVEMENT] = [new TextDecoder(), /deposit,deposit|"type":"deposit"/g];
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      seen.bytes += piece.length;
      const text = carried + decoder.decode(piece, { stream: true });
      const cut = text.length - 20; // shorter than what is counted
      seen.movements += [...text.matchAll(MOVEMENT)].filter(({ index }) => index < cut).length;
      carried = text.slice(cut);
      if (seen.bytes - seen.looked < 3_000_000) continue;
      seen.looked = seen.bytes;
      seen.most = Math.max(seen.most, used() - before);
    }
    seen.movements += [...carried.matchAll(MOVEMENT)].length;
    expect(seen.movements).toBe(COUNT);
    expect(seen.bytes).toBeGreaterThan(10_000_000);
    expect(seen.most).toBeLessThan(MOST_GROWTH_BYTES);
    await untilOpen(0);
  });

  it('waits for its reader instead of piling up', async () => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
    const response = await begin('format=csv');
    await untilOpen(1);
    await sleep(500); // time to pile up, if it did
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    expect(heapUsed + external - before).toBeLessThan(MOST_GROWTH_BYTES);
    expect(await open()).toBe(1); // there is more to read
    response.destroy();
    await untilOpen(0);
  });

  it('lets its connection go when the reader goes away', async () => {
    for (let i = 0; i < 12; i++) {
      const response = await begin(i % 2 ? 'format=csv' : 'format=json');
      response.destroy();
      await untilOpen(0);
    } // twelve of ten connections
    expect((await platform.as(ann).get('/api/user/balance')).status).toBe(200);
  });

  it('lets its connection go when the reader stands still, and never looks complete', async () => {
    const response = await begin('format=json', ann, impatient);
    (await begin('format=json', ann, impatient)).destroy(); // a user's second statement waits for the end of the first
    await untilOpen(0);
    await expect(restOf(response)).rejects.toThrow(/aborted/);
    await eventually(async () =>
      expect((await platform.as(ann, impatient).get(`${PATH}?from=2026-03-03`)).status).toBe(200),
    );
  });

  describe('among several', () => {
    let ben: TestUser;
    let eve: TestUser;

    beforeAll(async () => {
      [ben, eve] = [await platform.given.user(), await platform.given.user()];
      for (const { id } of [ben, eve])
        await insertBulkDeposits(platform.env.DATABASE_URL as string, id, { count: 40_000, from: DAY });
    });

    it('is written once at a time to a user, and to a few users at once [SEC-127]', async () => {
      const first = await begin('format=csv');
      const again = await platform.as(ann).get(PATH);
      expect(again).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect(again.headers.get('retry-after')).toBe('5');
      const second = await begin('format=csv', ben);
      expect(await platform.as(eve).get(PATH)).toMatchObject({ status: 503 }); // a fifth of ten connections is two
      first.destroy();
      second.destroy();
      await untilOpen(0);
      expect((await begin('format=csv', eve)).destroy().destroyed).toBe(true);
      await untilOpen(0);
    });

    it('is broken off where its reader stands still or only sips, and the next has the place', async () => {
      const still = await begin('format=csv', ann, impatient);
      const sipped = await begin('format=csv', ben, impatient);
      const sipping = setInterval(() => sipped.read(100), 50);
      (await begin('format=csv', eve, impatient)).destroy();
      await untilOpen(0);
      clearInterval(sipping);
      for (const response of [still, sipped]) await expect(restOf(response)).rejects.toThrow(/aborted/);
    });
  });

  it('that fails before it begins is refused in the envelope', async () => {
    await watcher.query('begin');
    await watcher.query('lock table ledger_entry in access exclusive mode');
    const reply = await platform.as(ann, impatient).get(`${PATH}?format=csv`);
    await watcher.query('rollback');
    expect(reply).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await eventually(async () =>
      expect((await platform.as(ann, impatient).get(`${PATH}?from=2026-03-03`)).status).toBe(200),
    );
  });
});
