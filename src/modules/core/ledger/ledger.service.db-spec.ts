import {
  POSTED_AT,
  violatedInvariants,
  testPosting,
  openLedgerFixture,
  DEPOSIT_PROVIDER,
  errorCodeOf,
  type LedgerFixture,
} from '../../../../test/fixtures/ledger-fixtures.js';
import { OpenTransaction } from '../../../database/open-transaction.js';
import { read } from '../../../database/statements.js';
import { roundTripsDuring } from '../../../../test/harness/queries.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { platformAccount, userAccount, move, type Posting } from './domain/chart-of-accounts.js';
import { withdrawalReleased, withdrawalRequested } from './domain/postings.js';

let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture(20);
});
afterEach(async () => {
  expect(await violatedInvariants(books.dataSource)).toEqual([]);
});
afterAll(() => books.close());

const available = (userId: string) => userAccount(userId, 'user.available');
const reserved = (userId: string) => userAccount(userId, 'user.reserved');
const deposit = (userId: string, amount: string) =>
  testPosting(move(Money.of(amount), DEPOSIT_PROVIDER, available(userId)));
const reserve = (userId: string, amount: string, withdrawalId = newId()) =>
  withdrawalRequested({ withdrawalId, userId, amount: Money.of(amount), at: POSTED_AT });

/** Begins a transaction with a lock time-out; the test ends it. */
async function openTransaction(
  lockTimeout = '200ms',
): Promise<{ tx: Tx; commit(): Promise<void>; rollback(): Promise<void> }> {
  const transaction = await OpenTransaction.open(books.dataSource);
  await transaction.tx.query(`set local lock_timeout = '${lockTimeout}'`);
  return {
    tx: transaction.tx,
    commit: () => transaction.commit().finally(() => transaction.end()),
    rollback: () => transaction.end(),
  };
}

/** Posts, and waits for the answer of the database. */
async function postAndWait({ tx }: { tx: Tx }, posting: Posting): Promise<void> {
  await books.ledger.post(tx, posting);
  await read(tx, 'select 1');
}

/** Without the unit of work, which would retry after a deadlock and so hide it. */
async function runOnce(work: (tx: Tx) => Promise<void>): Promise<void> {
  const transaction = await OpenTransaction.open(books.dataSource);
  try {
    await work(transaction.tx);
    await transaction.commit();
  } finally {
    await transaction.end();
  }
}

describe('LedgerService.post', () => {
  it('opens missing accounts', async () => {
    const userId = newId();
    expect(await books.balance(available(userId))).toBeUndefined();
    await books.post(deposit(userId, '12.50'));
    expect(await books.balance(available(userId))).toBe('12.5');
    expect(await books.balance(DEPOSIT_PROVIDER)).toBeNull(); // accounts of the platform store no balance
  });

  it('opens a missing account once if two transactions need it', async () => {
    const userId = newId();
    const first = await openTransaction('5s');
    const second = await openTransaction('5s');
    await postAndWait(first, deposit(userId, '10.00'));
    const waiting = postAndWait(second, deposit(userId, '5.00'));
    await first.commit();
    await waiting;
    await second.commit();
    expect(await books.balance(available(userId))).toBe('15'); // 10.00 + 5.00
  });

  it('opens a missing account after the transaction that opened it first was rolled back', async () => {
    const userId = newId();
    const first = await openTransaction('5s');
    const second = await openTransaction('5s');
    await postAndWait(first, deposit(userId, '10.00'));
    const waiting = postAndWait(second, deposit(userId, '5.00'));
    await first.rollback();
    await waiting;
    await second.commit();
    expect(await books.balance(available(userId))).toBe('5');
  });

  it('posts several postings with one statement, each continuing the balance of the previous one', async () => {
    const userId = newId();
    const roundTrips = await roundTripsDuring(() =>
      books.post(deposit(userId, '100.00'), reserve(userId, '30.00'), deposit(userId, '1.00')),
    );
    expect(roundTrips).toBe(2); // BEGIN, then the postings with their event and COMMIT
    expect(await books.balance(available(userId))).toBe('71'); // 100.00 − 30.00 + 1.00
    const entries = (await books.dataSource.query(
      `select trim_scale(amount) as amount, trim_scale(balance_after) as after from ledger_entry
        where account_id = (select id from ledger_account where owner_id = $1 and kind = 'user.available') order by id`,
      [userId],
    )) as object[];
    expect(entries).toEqual([
      { amount: '100', after: '100' },
      { amount: '-30', after: '70' },
      { amount: '1', after: '71' },
    ]);
  });

  it('stores amounts with all digits', async () => {
    const userId = newId();
    const units = userAccount(userId, 'user.units', 'UNIT:balanced-10');
    const issued = platformAccount('strategy.units', 'UNIT:balanced-10');
    await books.post(
      deposit(userId, '999999999999999999.999999'),
      testPosting(move(Money.of('123456789012345678.123456789012345678901234'), issued, units)),
    );
    expect(await books.balance(available(userId))).toBe('999999999999999999.999999');
    expect(await books.balance(units)).toBe('123456789012345678.123456789012345678901234');
  });

  it('does nothing for postings without entries', async () => {
    const before = await books.state();
    await books.post(testPosting([]), testPosting(move(Money.ZERO, DEPOSIT_PROVIDER, available(newId()))));
    expect(await books.state()).toEqual(before);
  });

  it('posts none of several postings if one of them fails', async () => {
    const userId = await books.user('5.00');
    const before = await books.state();
    const userWithoutAccount = newId();
    const outcome = await errorCodeOf(
      books.post(deposit(userWithoutAccount, '7.00'), reserve(userId, '5.01')),
    );
    expect(outcome).toBe('INSUFFICIENT_BALANCE');
    expect(await books.state()).toEqual(before);
  });
});

describe('Concurrent transactions', () => {
  it('post to the same account of the platform without waiting for each other', async () => {
    const ann = await books.user('1.00');
    const ben = await books.user('1.00');
    const first = await openTransaction();
    const second = await openTransaction();
    await postAndWait(first, deposit(ann, '10.00'));
    await postAndWait(second, deposit(ben, '20.00')); // waiting would fail after the lock time-out of 200 ms
    await second.commit();
    await first.commit();
    expect([await books.balance(available(ann)), await books.balance(available(ben))]).toEqual(['11', '21']);
  });

  it('wait for each other on the same account of a user', async () => {
    const userId = await books.user('1.00');
    const first = await openTransaction();
    const second = await openTransaction();
    await postAndWait(first, deposit(userId, '10.00'));
    expect(await errorCodeOf(postAndWait(second, deposit(userId, '20.00')))).toBe(
      'SERVICE_UNAVAILABLE', // after the lock time-out of 200 ms
    );
    await second.rollback();
    await first.commit();
    expect(await books.balance(available(userId))).toBe('11');
  });

  it('do not deadlock, regardless of the order of their entries', async () => {
    const ann = await books.user('1000.00');
    const ben = await books.user('1000.00');
    const one = Money.of('1');
    const annToBen = () => testPosting(move(one, available(ann), available(ben)));
    const benToAnn = () => testPosting(move(one, available(ben), available(ann)));
    const bothReserve = () =>
      testPosting([...move(one, available(ben), reserved(ben)), ...move(one, available(ann), reserved(ann))]);
    const post = (make: typeof annToBen) => runOnce((tx) => books.ledger.post(tx, make()));
    const work = Array.from({ length: 120 }, (_, i) =>
      post([annToBen, benToAnn, bothReserve][i % 3] as typeof annToBen),
    );
    const failures = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected');
    expect(failures).toEqual([]);
    expect(await books.balance(available(ann))).toBe('960'); // 1000 − 40 to Ben + 40 from Ben − 40 reserved
  });

  it('do not deadlock if some of them lock the available balance before they post', async () => {
    const userId = await books.user('1000.00');
    const spend = () =>
      runOnce(async (tx) => {
        await books.ledger.requireAvailable(tx, userId, Money.of('1'));
        await books.ledger.post(tx, reserve(userId, '1.00'));
      });
    const spendAndRelease = () =>
      runOnce((tx) => {
        const withdrawal = { withdrawalId: newId(), userId, amount: Money.of('1'), at: POSTED_AT };
        return books.ledger.post(tx, withdrawalRequested(withdrawal), withdrawalReleased(withdrawal));
      });
    const work = Array.from({ length: 80 }, (_, i) => (i % 2 ? spend() : spendAndRelease()));
    const failures = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected');
    expect(failures).toEqual([]);
    expect(await books.balance(reserved(userId))).toBe('40'); // 40 kept, 40 released again
  });
});

describe('Forty concurrent postings that each spend the whole balance', () => {
  it('succeed exactly once, by the constraint of the database alone', async () => {
    const userId = await books.user('100.00');
    const spend = () => errorCodeOf(books.post(reserve(userId, '100.00')));
    const outcomes = await Promise.all(Array.from({ length: 40 }, spend));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'INSUFFICIENT_BALANCE')).toHaveLength(39);
    expect(await books.balance(available(userId))).toBe('0');
    expect(await books.balance(reserved(userId))).toBe('100');
  });
});

describe('LedgerService', () => {
  it('reads an available balance of zero for a user without an account', async () => {
    await books.unitOfWork.runInTransaction(async (tx) => {
      expect((await books.ledger.lockAvailable(tx, newId())).toWire()).toBe('0.00');
    });
  });

  it('refuses to spend more than is available, and names the available, the requested and the missing amount', async () => {
    const userId = await books.user('40.00');
    const request = books.unitOfWork.runInTransaction((tx) =>
      books.ledger.requireAvailable(tx, userId, Money.of('100.50')),
    );
    await expect(request).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { available: '40.00', requested: '100.50', shortfall: '60.50' }, // 100.50 − 40.00
    });
  });

  it('locks the available balance until the commit, so that a concurrent spender reads the reduced balance', async () => {
    const userId = await books.user('100.00');
    const first = await openTransaction();
    const second = await openTransaction('5s');
    await books.ledger.requireAvailable(first.tx, userId, Money.of('70'));
    const waiting = books.ledger.lockAvailable(second.tx, userId);
    await postAndWait(first, reserve(userId, '70.00'));
    await first.commit();
    expect((await waiting).toWire()).toBe('30.00'); // 100.00 − 70.00
    await second.rollback();
  });
});
