import { setTimeout as sleep } from 'node:timers/promises';
import { EventProcess, type Told } from '../../test/fixtures/event-process.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { DomainEvents } from './domain-events.js';

/** A sleep of a consumer: longer than the statements of a page. */
const PAGE_MS = 50;
const BACKLOG = 225;
const AT = new Date('2026-03-02T10:00:00.000Z');

describe('The dispatcher of events between the pages of a backlog', () => {
  let database: TestDatabase;
  let dispatching: EventProcess;

  beforeEach(async () => {
    database = await freshDatabase();
    dispatching = await EventProcess.connect(database);
    await dispatching.dataSource.query('create table told (consumer text, label text)');
  });
  afterEach(async () => {
    await dispatching.stop();
    await database.drop();
  });

  const emitBacklog = () =>
    dispatching.unitOfWork.runInNewTransaction(async (tx) => {
      for (let n = 0; n < BACKLOG; n++)
        await new DomainEvents().emit<Told>(tx, { name: 'alpha.happened', at: AT, label: String(n) });
    });

  it('while more than a hundred events are left and requests begin, hands over ten at a time and waits nine times as long as a page takes', async () => {
    let isServing = false;
    let pages: { beganMs: number; endedMs: number; events: number }[] = [];
    await dispatching
      .register('one', ['alpha'], async (_tx, events) => {
        const beganMs = performance.now();
        if (isServing) dispatching.requests.begun++;
        await sleep(PAGE_MS);
        pages.push({ beganMs, endedMs: performance.now(), events: events.length });
      })
      .start();
    const handOver = async () => {
      pages = [];
      await emitBacklog();
      expect(await dispatching.dispatcher.catchUp(20_000)).toBe(true);
      const sizes = pages.map(({ events }) => events);
      const pauses = pages.slice(1).map(({ beganMs }, place) => beganMs - (pages[place]?.endedMs ?? 0));
      return { sizes, shortestPause: Math.min(...pauses.slice(0, -1)) }; // the last hundred follow without a pause
    };
    const without = await handOver();
    isServing = true;
    const beside = await handOver();
    expect(without.sizes).toEqual([100, 100, 25]);
    expect(beside.sizes).toEqual([100, 10, 10, 10, 95]); // after 130 of 225, fewer than 100 are left: one long page
    expect(beside.shortestPause).toBeGreaterThanOrEqual(9 * PAGE_MS);
    expect(without.shortestPause).toBeLessThan(beside.shortestPause);
  });

  it('stops during the pause without waiting for its end', async () => {
    const longPageMs = 10 * PAGE_MS;
    const pageEnds: number[] = [];
    await dispatching
      .register('one', ['alpha'], async () => {
        dispatching.requests.begun++;
        await sleep(longPageMs);
        pageEnds.push(performance.now());
      })
      .start();
    await emitBacklog();
    await eventually(async () => expect(pageEnds).toHaveLength(1));
    await dispatching.dispatcher.onModuleDestroy();
    expect(performance.now() - (pageEnds[0] ?? 0)).toBeLessThan(9 * longPageMs);
    expect(pageEnds).toHaveLength(1);
  });
});
