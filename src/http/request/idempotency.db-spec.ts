import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, lastValueFrom } from 'rxjs';
import {
  insertNumber,
  openNumberTable,
  sendNumber,
  type NumberTable,
} from '../../../test/fixtures/number-table.js';
import { eventually } from '../../../test/harness/eventually.js';
import { LOCK_WAITS } from '../../../test/harness/lock-waits.js';
import { CONNECTION_CLASSES, connectWithPoolOfOne } from '../../../test/harness/pool-of-one.js';
import { SystemClock } from '../../common/clock.js';
import { asDomainError } from '../../common/errors/database-error.js';
import { DatabaseClock } from '../../database/database-clock.js';
import { PreparingClient } from '../../database/prepared.js';
import { all, read } from '../../database/statements.js';
import { savepoint, UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Meters } from '../../observability/meters.js';
import { ROUTE_RULE } from '../auth/route.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const SELECT = 'select n from number for update';
const ROUTE = '/api/numbers';
const codeOf = (error: unknown) => asDomainError(error)?.code;

/** The interceptor of one process, without HTTP. */
function processOn(dataSource: NumberTable['dataSource']) {
  const unitOfWork = new UnitOfWork(dataSource);
  const repository = new IdempotencyRepository(dataSource, new DatabaseClock(dataSource, new SystemClock()));
  const interceptor = new IdempotencyInterceptor(new Reflector(), unitOfWork, repository, new Meters());
  const route = Object.assign(() => undefined);
  Reflect.defineMetadata(ROUTE_RULE, { idempotent: true }, route);
  /** Handles a request with the key, and returns the data of its response. */
  const request = async (key: string, handle: (unitOfWork: UnitOfWork) => Promise<unknown>) => {
    const headers: Record<string, string> = {};
    const response = {
      statusCode: 201,
      status: () => response,
      setHeader: (name: string, value: string) => (headers[name] = value),
    };
    const incoming = {
      headers: { 'idempotency-key': key },
      principal: { type: 'user', id: '1' },
      method: 'POST',
      route: { path: ROUTE },
      params: {},
      query: {},
      body: {},
    };
    const context = {
      getHandler: () => route,
      switchToHttp: () => ({ getRequest: () => incoming, getResponse: () => response }),
    } as unknown as ExecutionContext;
    const handler = { handle: () => from(handle(unitOfWork)) };
    const answer = (await lastValueFrom(interceptor.intercept(context, handler))) as { data: unknown };
    return { data: answer.data, isReplayed: headers['Idempotency-Replayed'] === 'true' };
  };
  return { request };
}

const inTransaction = (work: (tx: Tx) => unknown) => (unitOfWork: UnitOfWork) =>
  unitOfWork.runInTransaction(async (tx) => work(tx));

/** Sends a number and answers with the text. */
const sendingAndAnswering = (n: number, text: string) =>
  inTransaction((tx) => {
    sendNumber(tx, n);
    return text;
  });

describe.each(CONNECTION_CLASSES)('The claim of an idempotency key %s', (_where, Client) => {
  let numbers: NumberTable;
  let otherSource: NumberTable['dataSource'];
  let [first, second]: [ReturnType<typeof processOn>?, ReturnType<typeof processOn>?] = [];
  let key: string;
  let keyCount = 0;

  beforeAll(async () => {
    numbers = await openNumberTable(Client);
    otherSource = await connectWithPoolOfOne(numbers.url, Client);
    [first, second] = [processOn(numbers.dataSource), processOn(otherSource)];
  });
  beforeEach(async () => {
    key = `key-${++keyCount}`;
    await numbers.watcher.query('truncate number; insert into number (n) values (1)');
  });
  afterAll(async () => {
    await otherSource.destroy();
    await numbers.close();
  });

  const storedKeys = () =>
    numbers.watcher.query('select status from idempotency_result where key = $1', [key]);
  /** Calls `whileRunning` while the first process has locked the row of `number` and holds the key. */
  const whileFirstRuns = async (whileRunning: () => Promise<void>) => {
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let lock!: () => void;
    const locked = new Promise<void>((resolve) => (lock = resolve));
    const running = first!.request(
      key,
      inTransaction(async (tx) => {
        await read(tx, SELECT);
        lock();
        await finished;
        sendNumber(tx, 2);
        return 'first';
      }),
    );
    await locked;
    await whileRunning().finally(finish);
    expect(await running).toEqual({ data: 'first', isReplayed: false });
  };

  const WORKS: [name: string, work: (tx: Tx) => Promise<unknown>][] = [
    ['only a write', async (tx) => sendNumber(tx, 9)],
    ['a read that would wait for a row', (tx) => read(tx, SELECT)],
    ['a read and a write', (tx) => read(tx, SELECT).then(() => sendNumber(tx, 9))],
    [
      'a write and a read',
      (tx) => {
        sendNumber(tx, 9);
        return read(tx, SELECT);
      },
    ],
    ['several statements at once', (tx) => all(read(tx, SELECT), insertNumber(tx, 9), read(tx, SELECT))],
    ['a query', (tx) => insertNumber(tx, 9)],
    ['a savepoint', (tx) => savepoint(tx, (part) => insertNumber(part, 9))],
    ['no statement', async () => undefined],
  ];
  describe.each(WORKS)('with %s', (_name, work) => {
    it.each<[what: string, attempt: (tx: Tx) => Promise<unknown>]>([
      ['', work],
      [' although the work swallows the error', (tx) => work(tx).catch(() => sendNumber(tx, 8))],
    ])(
      'is refused at once while another process has the key, and writes nothing%s',
      async (_what, attempt) => {
        await whileFirstRuns(async () => {
          const error: unknown = await second!
            .request(key, inTransaction(attempt))
            .catch((thrown: unknown) => thrown);
          expect(codeOf(error)).toBe('IDEMPOTENCY_IN_PROGRESS');
          expect(await numbers.written()).toEqual([1]); // the first request has not been committed
        });
        expect([await numbers.written(), await storedKeys()]).toEqual([[1, 2], [{ status: 201 }]]);
      },
    );

    it.each<[what: string, attempt: (tx: Tx) => Promise<unknown>]>([
      ['', work],
      [' although the work swallows the error', (tx) => work(tx).catch(() => sendNumber(tx, 8))],
    ])(
      'replays the response that another process has stored since the look-up, and writes nothing%s',
      async (_what, attempt) => {
        const answer = await second!.request(key, async (unitOfWork) => {
          await first!.request(key, sendingAndAnswering(2, 'first'));
          return unitOfWork.runInTransaction(attempt);
        });
        expect(answer).toEqual({ data: 'first', isReplayed: true });
        expect(await numbers.written()).toEqual([1, 2]);
      },
    );
  });

  it('is released if the work fails, so that the key can be used again', async () => {
    const fails = first!.request(
      key,
      inTransaction(async (tx) => {
        sendNumber(tx, 2);
        await read(tx, SELECT);
        throw new Error('refused');
      }),
    );
    await expect(fails).rejects.toThrow('refused');
    expect(await second!.request(key, sendingAndAnswering(3, 'second'))).toEqual({
      data: 'second',
      isReplayed: false,
    });
    expect(await numbers.written()).toEqual([1, 3]);
  });

  it('replaces a response that has expired', async () => {
    const answerWith = (text: string) => first!.request(key, sendingAndAnswering(2, text));
    await answerWith('old');
    expect(await answerWith('new')).toEqual({ data: 'old', isReplayed: true });
    await numbers.watcher.query(`update idempotency_result set created_at = now() - interval '25 hours'`);
    expect(await answerWith('new')).toEqual({ data: 'new', isReplayed: false });
    expect(await answerWith('newer')).toEqual({ data: 'new', isReplayed: true });
    expect(await numbers.written()).toEqual([1, 2, 2]);
  });

  it('is made again with the whole request after a deadlock with another transaction', async () => {
    // The rival has inserted the request's key and waits for the row that the request has locked. The deadlock begins when the
    // request stores its response.
    const rivalSource = await connectWithPoolOfOne(numbers.url, PreparingClient);
    const rival = rivalSource.createQueryRunner();
    await rival.startTransaction();
    await rival.query(`set local deadlock_timeout = '60s'`); // the request's session detects the deadlock
    await rival.query(
      `insert into idempotency_result values ('user:1', 'POST ${ROUTE}', $1, sha256('other'), 200, '{}', now())`,
      [key],
    );
    let runs = 0;
    let rivalUpdate: Promise<unknown> | undefined;
    const answer = await first!.request(
      key,
      inTransaction(async (tx) => {
        await read(tx, SELECT);
        sendNumber(tx, 2);
        rivalUpdate ??= rival.query('update number set n = 3').then(() => rival.rollbackTransaction());
        if (++runs === 1)
          await eventually(async () => expect(await numbers.watcher.query(LOCK_WAITS)).toHaveLength(1));
        return `run ${runs}`;
      }),
    );
    await rivalUpdate;
    await rival.release();
    await rivalSource.destroy();
    expect(answer).toEqual({ data: 'run 2', isReplayed: false });
    expect([await numbers.written(), await storedKeys()]).toEqual([[1, 2], [{ status: 201 }]]);
  });
});
