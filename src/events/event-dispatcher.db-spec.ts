import { Logger } from '@nestjs/common';
import { EventProcess, labelOf, type Told } from '../../test/fixtures/event-process.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { SEED, SeededRandom } from '../../test/harness/seeded-random.js';
import type { Tx } from '../database/tx.js';
import { DomainEvents } from './domain-events.js';

const AT = new Date('2026-03-02T10:00:00.000Z');
const SESSIONS_OF_EVENTS = `application_name = 'stablecoin-platform events' and datname = current_database()`;

describe('The dispatcher of events', () => {
  let database: TestDatabase;
  let first: EventProcess;
  const processes: EventProcess[] = [];

  const connect = async (): Promise<EventProcess> => {
    const process = await EventProcess.connect(database);
    processes.push(process);
    return process;
  };

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    database = await freshDatabase();
    first = await connect();
    await sql('create table told (place bigint generated always as identity, consumer text, label text)');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const process of processes.splice(0)) await process.stop();
    await database.drop();
  });

  const sql = (text: string, parameters: unknown[] = []): Promise<any[]> =>
    first.dataSource.query(text, parameters);
  const events = new DomainEvents();
  const emitIn = (tx: Tx, label: string, topic = 'alpha') =>
    events.emit<Told>(tx, { name: `${topic}.happened`, at: AT, label });
  const emit = (label: string, topic?: string): Promise<void> =>
    first.unitOfWork.runInNewTransaction((tx) => emitIn(tx, label, topic));
  /** What the consumer has written, in the order in which it has written it. */
  const toldBy = async (consumer: string): Promise<string[]> =>
    (await sql('select label from told where consumer = $1 order by place', [consumer])).map(
      ({ label }) => label as string,
    );
  const cursors = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await sql('select name, number::int as number from event_consumer')).map(({ name, number }) => [
        name,
        number,
      ]),
    );
  const lastNumber = async (): Promise<number> =>
    (await sql('select max(number)::int as number from domain_event'))[0].number;
  const failures = () =>
    sql(`select consumer, data ->> 'label' as label, error, event_id = id as "isId"
           from event_failure join domain_event on number = event_number order by event_number`);
  const caughtUp = async (): Promise<void> => {
    expect(await first.dispatcher.catchUp(20_000)).toBe(true);
  };

  /** Begins a transaction that has drawn the number of an event, and stays open until the returned function is called. */
  async function emitAndHold(label: string): Promise<(end: 'commit' | 'rollback') => Promise<void>> {
    const runner = first.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(
      `insert into domain_event (id, type, at, data)
       values (gen_random_uuid(), 'alpha.happened', $1, jsonb_build_object('label', $2::text))`,
      [AT, label],
    );
    return async (end) => {
      await (end === 'commit' ? runner.commitTransaction() : runner.rollbackTransaction());
      await runner.release();
    };
  }

  it('hands each consumer the events of its topics once, in their order, over many pages', async () => {
    await first.register('one', ['alpha']).register('two', ['alpha', 'beta']).start();
    const labels = Array.from({ length: 1203 }, (_, n) => String(n));
    await first.unitOfWork.runInNewTransaction(async (tx) => {
      for (const label of labels) await emitIn(tx, label, Number(label) % 3 === 0 ? 'beta' : 'alpha');
    });
    await emit('unread', 'gamma');
    await caughtUp();
    expect(await toldBy('one')).toEqual(labels.filter((label) => Number(label) % 3 !== 0));
    expect(await toldBy('two')).toEqual(labels);
    const last = await lastNumber();
    expect(await cursors()).toEqual({ one: last, two: last });
  });

  it('does not delay prompt consumers until a slow summary has ended', async () => {
    let hasBegun = false;
    let endSummary = (): void => undefined;
    const summary = new Promise<void>((resolve) => (endSummary = resolve));
    const consume = () => {
      hasBegun = true;
      return summary;
    };
    first.consumers.register({ name: 'summary', topics: ['alpha'], isSummary: true, consume });
    await first.register('prompt', ['alpha']).start();
    await emit('a');
    await eventually(async () => expect(hasBegun).toBe(true));
    await emit('b');
    await eventually(async () => expect(await toldBy('prompt')).toEqual(['a', 'b']));
    endSummary();
    await caughtUp();
  });

  it('begins, for a new consumer, with the events after its first start, and goes on for a known one', async () => {
    await emit('before');
    await first.register('one', ['alpha']).start();
    await emit('after');
    await caughtUp();
    expect(await toldBy('one')).toEqual(['after']);
    await first.stop();
    processes.length = 0;
    first = await connect();
    await emit('while stopped');
    await first.register('one', ['alpha']).start();
    await caughtUp();
    expect(await toldBy('one')).toEqual(['after', 'while stopped']);
  });

  it('hands over no event before the transactions of all earlier numbers have ended', async () => {
    await first.register('one', ['alpha']).start();
    const end = await emitAndHold('first');
    await emit('second');
    expect(await first.dispatcher.catchUp(300)).toBe(false);
    expect(await toldBy('one')).toEqual([]);
    await end('commit');
    await caughtUp();
    expect(await toldBy('one')).toEqual(['first', 'second']);
  });

  it('never hands over the event of a transaction that is rolled back', async () => {
    await first.register('one', ['alpha']).start();
    const end = await emitAndHold('undone');
    await emit('kept');
    const failed = first.unitOfWork.runInNewTransaction(async (tx) => {
      await emitIn(tx, 'failed');
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    await end('rollback');
    await emit('last');
    await caughtUp();
    expect(await toldBy('one')).toEqual(['kept', 'last']);
  });

  it('moves the cursor in the transaction that writes what follows, so that a failed attempt leaves neither', async () => {
    let isBroken = true;
    const seen: [rows: number, cursor: number][] = [];
    await first
      .register('one', ['alpha'], async (tx) => {
        const [row] = await tx.query<[{ rows: number; cursor: number }]>(
          `select (select count(*) from told)::int as rows, number::int as cursor from event_consumer where name = 'one'`,
        );
        seen.push([row.rows, row.cursor]);
        if (isBroken) throw new Error('broken');
      })
      .start();
    await emit('a');
    await eventually(async () => expect(seen.length).toBeGreaterThan(2));
    expect([await toldBy('one'), await cursors()]).toEqual([[], { one: 0 }]);
    isBroken = false;
    await caughtUp();
    expect(new Set(seen.map(String))).toEqual(new Set(['1,0'])); // each attempt begins anew
    expect([await toldBy('one'), await cursors()]).toEqual([['a'], { one: await lastNumber() }]);
    expect(await failures()).toEqual([]);
  });

  it('records an event that a consumer fails to handle five times, and goes on with the next one and the other consumers', async () => {
    let attempts = 0;
    await first
      .register('weak', ['alpha'], (_tx, page) => {
        if (page.length === 1) attempts++;
        if (page.some((recorded) => labelOf(recorded) === 'bad')) throw new Error('cannot handle it');
      })
      .register('strong', ['alpha'])
      .start();
    for (const label of ['a', 'bad', 'b', 'c']) await emit(label);
    await eventually(async () => expect(await toldBy('strong')).toEqual(['a', 'bad', 'b', 'c']));
    await caughtUp();
    expect(await toldBy('weak')).toEqual(['a', 'b', 'c']);
    expect(await toldBy('strong')).toEqual(['a', 'bad', 'b', 'c']);
    expect(attempts).toBeGreaterThanOrEqual(5);
    expect(await failures()).toEqual([
      { consumer: 'weak', label: 'bad', error: 'Error: cannot handle it', isId: true },
    ]);
    const last = await lastNumber();
    expect(await cursors()).toEqual({ weak: last, strong: last });
  });

  it('does not pass over an event because the connection was lost, however often', async () => {
    let kills = 0;
    await first
      .register('one', ['alpha'], async (tx) => {
        if (++kills <= 20) await tx.query('select pg_terminate_backend(pg_backend_pid())');
      })
      .start();
    await emit('a');
    await caughtUp();
    expect(kills).toBe(21);
    expect([await toldBy('one'), await failures()]).toEqual([['a'], []]);
  });

  it('goes on after the session that finds committed events was terminated, with an event that was waiting', async () => {
    await first.register('one', ['alpha']).start();
    const end = await emitAndHold('first');
    await emit('second');
    expect(await first.dispatcher.catchUp(100)).toBe(false);
    const terminated = await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where ${SESSIONS_OF_EVENTS}`,
    );
    expect(terminated).toHaveLength(1);
    await end('commit');
    await emit('third');
    await caughtUp();
    expect(await toldBy('one')).toEqual(['first', 'second', 'third']);
  });

  it('hands over each event once if two processes do it at the same time', async () => {
    await first.register('one', ['alpha']).register('two', ['alpha']).start();
    const second = (await connect()).register('one', ['alpha']).register('two', ['alpha']);
    await second.start();
    const labels = Array.from({ length: 60 }, (_, n) => String(n));
    for (const label of labels) {
      await emit(label);
      if (Number(label) % 5 === 0)
        await Promise.all([first.dispatcher.catchUp(20_000), second.dispatcher.catchUp(20_000)]);
    }
    await caughtUp();
    expect([await toldBy('one'), await toldBy('two')]).toEqual([labels, labels]);
  });

  it('reads on for a consumer while another session holds the cursor of one behind it', async () => {
    await first.register('ahead', ['alpha']).register('behind', ['alpha']).start();
    const holder = first.dataSource.createQueryRunner();
    await holder.startTransaction();
    const [{ xid }] = (await holder.query(
      `select pg_current_xact_id()::text as xid from event_consumer where name = 'behind' for update`,
    )) as [{ xid: string }];
    first.committed.ignoredXids.add(xid); // as a transaction that writes no event, so that events need not wait for its end
    const labels = Array.from({ length: 225 }, (_, n) => String(n)); // more than two pages
    for (const label of labels) await emit(label);
    await eventually(async () => expect(await toldBy('ahead')).toEqual(labels));
    expect(await toldBy('behind')).toEqual([]);
    await holder.commitTransaction();
    await holder.release();
    await caughtUp();
    expect([await toldBy('ahead'), await toldBy('behind')]).toEqual([labels, labels]);
  });

  it('hands over every committed event once and in order while transactions race, roll back and lose their connections', async () => {
    const random = new SeededRandom(SEED);
    await first
      .register('one', ['alpha'], async (tx) => {
        if (random.next() < 0.1) await tx.query('select pg_terminate_backend(pg_backend_pid())');
      })
      .register('two', ['alpha'])
      .start();
    const emitter = await connect();
    const writers = Array.from({ length: 4 }, (_, writer) => random.fork().integer(1, 3) + writer);
    await Promise.all(
      writers.map(async (delayMs, writer) => {
        for (let n = 0; n < 40; n++)
          await emitter.unitOfWork
            .runInNewTransaction(async (tx) => {
              await emitIn(tx, `${writer} ${n}`);
              await tx.query(`select pg_sleep(${delayMs / 1000})`);
              if (n % 4 === 3) throw new Error('undone');
            })
            .catch((error: Error) => expect(error.message).toBe('undone'));
      }),
    );
    await caughtUp();
    const committed = await sql(`select data ->> 'label' as label from domain_event order by number`);
    expect(committed).toHaveLength(4 * 30);
    const labels = committed.map(({ label }) => label as string);
    expect(await toldBy('one')).toEqual(labels);
    expect(await toldBy('two')).toEqual(labels);
    expect(await failures()).toEqual([]);
  });
});
