import {
  errorOf,
  insertNumber,
  openNumberTable,
  sendNumber,
  sendNumbers,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { eventually } from '../../test/harness/eventually.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { TcpProxy } from '../../test/harness/tcp-proxy.js';
import { DomainError } from '../common/errors/domain-error.js';
import { asDomainError } from '../common/errors/database-error.js';
import { all, read } from './statements.js';
import type { Tx, UnitOfWork } from './unit-of-work.js';

const SELECT = 'select n from number for update';

const writeAndRead = (tx: Tx) => {
  sendNumber(tx, 1);
  return read(tx, SELECT);
};

describe.each(CONNECTION_CLASSES)('A unit of work %s whose connection breaks', (_where, Client) => {
  let numbers: NumberTable;
  let unitOfWork: UnitOfWork;
  let proxy: TcpProxy;
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    numbers = await openNumberTable(Client, async (url) => {
      proxy = await TcpProxy.startFor(url);
      return proxy.url;
    });
    unitOfWork = numbers.unitOfWork;
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // Node reports unhandled rejections after the microtasks
    expect(unhandled).toEqual([]);
  });
  afterAll(async () => {
    await numbers.close();
    await proxy.close();
    process.off('unhandledRejection', onUnhandled);
  });

  /** Closes all connections through the proxy and accepts new ones. */
  const breakConnections = async () => {
    await proxy.close();
    await proxy.open();
  };
  /** Waits until the driver has noticed that the connection is lost. */
  const noticeLoss = (tx: Tx) => eventually(async () => expect(tx.queryRunner?.isReleased).toBe(true));
  const breakNoticed = (tx: Tx) => breakConnections().then(() => noticeLoss(tx));
  /** Breaks the connection while the server answers nothing. */
  const breakWithoutAnswer = async (statements: () => Promise<unknown>) => {
    proxy.stall('answers');
    const answers = statements();
    answers.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await breakConnections();
    await answers;
  };
  const terminate = async (tx: Tx) => {
    const [row] = await read<{ pid: number }>(tx, 'select pg_backend_pid() as pid');
    await numbers.watcher.query('select pg_terminate_backend($1)', [row?.pid]);
  };
  /** Nothing was written, and the next unit of work has a connection that is in no other transaction. */
  const expectNewConnection = async () => {
    expect(await numbers.written()).toEqual([]);
    await unitOfWork.runInTransaction(async (tx) => {
      await read(tx, SELECT);
      sendNumber(tx, 50);
    });
    expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, [50]]);
  };

  const WORKS: [when: string, work: (tx: Tx) => Promise<unknown>][] = [
    ['before BEGIN is answered', (tx) => breakWithoutAnswer(() => read(tx, SELECT))],
    ['before BEGIN is answered, with a write', (tx) => breakWithoutAnswer(() => writeAndRead(tx))],
    [
      'before BEGIN is answered, with several statements',
      (tx) => breakWithoutAnswer(() => all(read(tx, SELECT), insertNumber(tx, 1), read(tx, SELECT))),
    ],
    [
      'after a read, before a read',
      (tx) =>
        read(tx, SELECT)
          .then(breakConnections)
          .then(() => read(tx, SELECT)),
    ],
    [
      'after a read, before a write',
      (tx) =>
        read(tx, SELECT)
          .then(() => breakNoticed(tx))
          .then(() => sendNumber(tx, 1)),
    ],
    [
      'after an unawaited write, before a read',
      (tx) =>
        read(tx, SELECT)
          .then(() => sendNumber(tx, 1))
          .then(breakConnections)
          .then(() => read(tx, SELECT)),
    ],
    [
      'after an unawaited write, before the commit',
      (tx) =>
        read(tx, SELECT)
          .then(() => sendNumber(tx, 1))
          .then(() => breakNoticed(tx)),
    ],
    [
      'after an unawaited write that the server has executed, before the commit',
      async (tx) => {
        await read(tx, SELECT);
        sendNumber(tx, 1);
        await read(tx, SELECT);
        await breakNoticed(tx);
      },
    ],
    ['by the server, before a read', (tx) => terminate(tx).then(() => read(tx, SELECT))],
    ['by the server, before a write', (tx) => terminate(tx).then(() => writeAndRead(tx))],
    ['by the server, before a query', (tx) => terminate(tx).then(() => insertNumber(tx, 1))],
    [
      'by the server, before another query, and the driver has noticed it',
      async (tx) => {
        await insertNumber(tx, 1);
        await terminate(tx);
        await noticeLoss(tx);
        await insertNumber(tx, 2);
      },
    ],
    [
      'by the server, before the commit, and the driver has noticed it',
      async (tx) => {
        sendNumber(tx, 1);
        await terminate(tx);
        await noticeLoss(tx);
      },
    ],
  ];
  describe.each(WORKS)('%s', (_when, work) => {
    it.each<[what: string, attempt: (tx: Tx) => Promise<unknown>]>([
      ['fails with a known outcome', work],
      ['fails even if the work swallows the error', (tx) => work(tx).catch(() => sendNumber(tx, 2))],
    ])('%s, and the pool opens another connection', async (_what, attempt) => {
      const error = asDomainError(await errorOf(unitOfWork.runInTransaction(attempt)));
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: undefined });
      await expectNewConnection();
    });

    it('rolls an idempotent request back', async () => {
      const record = {
        claim: { text: 'select pg_advisory_xact_lock($1)', values: [1] },
        storeResponse: (tx: Tx) => sendNumber(tx, 100),
      };
      const request = unitOfWork.runIdempotent(() => unitOfWork.runInTransaction(work), record);
      expect(asDomainError(await errorOf(request))).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        details: undefined,
      });
      await expectNewConnection();
    });
  });

  it.each<[when: string, lose: (tx: Tx) => Promise<unknown>]>([
    ['', breakConnections],
    [' by the server', terminate],
  ])('before COMMIT%s, and the driver has not noticed it, writes nothing', async (_when, lose) => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await read(tx, SELECT);
      sendNumber(tx, 1);
      await lose(tx);
    });
    const error = await errorOf(work); // the outcome may be unknown to the driver
    expect(error instanceof DomainError ? error : asDomainError(error)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await expectNewConnection();
  });

  it.each<[what: string, work: (tx: Tx) => Promise<unknown>, written: number[]]>([
    ['writes', async (tx) => sendNumbers(tx, [1, 2]), [1, 2]],
    ['a read and a write', (tx) => read(tx, SELECT).then(() => sendNumber(tx, 1)), [1]],
    ['a query', (tx) => insertNumber(tx, 1), [1]],
  ])('after COMMIT was sent behind %s fails with an unknown outcome', async (_what, work, written) => {
    proxy.commitAnswersToDrop = 1;
    const error = await errorOf(unitOfWork.runInTransaction(work));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
    expect([await numbers.written(), await numbers.isInTransaction()]).toEqual([written, false]);
  });

  it('after a single write was sent fails with an unknown outcome', async () => {
    await numbers.isInTransaction(); // connects
    proxy.stall('answers');
    const error = errorOf(unitOfWork.runInTransaction(async (tx) => sendNumber(tx, 1)));
    await eventually(async () => expect(await numbers.written()).toEqual([1]));
    await breakConnections();
    expect(await error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
    expect(await numbers.isInTransaction()).toBe(false);
  });
});
