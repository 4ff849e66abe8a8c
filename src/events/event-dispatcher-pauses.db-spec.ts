import { setTimeout as sleep } from 'node:timers/promises';
import { EventProcess, type Told } from '../../test/fixtures/event-process.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { DomainEvents } from './domain-events.js';

/** A sleep of a consumer: longer than the statements of a page. */
const PAGE_MS = 50;
const EVENTS_OF_FIVE_PAGES = 45;
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
      for (let n = 0; n < EVENTS_OF_FIVE_PAGES; n++)
        await new DomainEvents().emit<Told>(tx, { name: 'alpha.happened', at: AT, label: String(n) });
    });

  it('waits nine times as long as a page takes if requests begin meanwhile', async () => {
    let isServing = false;
    let pages: { beganMs: number; endedMs: number }[] = [];
    await dispatching
      .register('one', ['alpha'], async () => {
        const beganMs = performance.now();
        if (isServing) dispatching.requests.begun++;
        await sleep(PAGE_MS);
        pages.push({ beganMs, endedMs: performance.now() });
      })
      .start();
    const pausesOfBacklog = async (): Promise<number[]> => {
      pages = [];
      await emitBacklog();
      expect(await dispatching.dispatcher.catchUp(20_000)).toBe(true);
      expect(pages).toHaveLength(5);
      return pages.slice(1).map(({ beganMs }, place) => beganMs - (pages[place]?.endedMs ?? 0));
    };
    const without = await pausesOfBacklog();
    isServing = true;
    const beside = await pausesOfBacklog();
    expect(Math.min(...beside)).toBeGreaterThanOrEqual(9 * PAGE_MS);
    expect(Math.min(...without)).toBeLessThan(Math.min(...beside));
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
