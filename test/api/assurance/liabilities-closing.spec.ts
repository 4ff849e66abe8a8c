import { verifyLiability } from '../../../client/verify.js';
import { createApp } from '../../../src/app.setup.js';
import { addDays, type Day } from '../../../src/common/days.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { depositCompleted } from '../../../src/modules/core/ledger/domain/postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { ASSETS, LIABILITIES, LiabilitySteps, PROOF_OF_LIABILITIES } from '../../fixtures/liability-steps.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { eventually } from '../../harness/eventually.js';
import { Hold } from '../../harness/hold.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const FIRST_DAY: Day = '2026-03-02';
/** Leaves of the log with a text are those of liabilities; the text of a ledger transaction is not stored. */
const LIABILITY_LEAVES = 'proof_leaf where text is not null';
/** The chunks that an interrupted closing of a day has left: they belong to a tree that was not written. */
const CHUNKS_WITHOUT_TREE = 'liability_chunk where tree_id not in (select id from liability_tree)';

describe('The closing of days', () => {
  let platform: TestPlatform;
  let steps: LiabilitySteps;
  let log: LogReader;
  let ann: TestUser;
  let bob: TestUser;

  // Ann has 1700.00; Bob has 380.00 and 2 ETH.
  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', PROOF_RETENTION_DAYS: '20' } });
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    log = new LogReader(platform);
    ann = await platform.given.user().withBalance('1700.00');
    bob = await platform.given.user().withBalance('380.00');
    const events = new DomainEventFixtures(platform.app);
    await events.deposit('deposit.completed', { userId: bob.id, amount: '2', currency: 'ETH' });
    await log.seal();
    await steps.closeDaysUpTo(FIRST_DAY);
  });
  afterAll(() => platform?.stop());

  const countRows = async (source: string): Promise<number> =>
    (await platform.dataSource.query(`select count(*)::int as count from ${source}`))[0].count;

  it('closes a day once if two processes close it at the same time [SEC-184]', async () => {
    const otherApp = await createApp(loadConfig(platform.env), platform.clock);
    try {
      const day = addDays(await steps.getLastClosedDay(), 1);
      const leavesBefore = await countRows(LIABILITY_LEAVES);
      steps.moveClock(addDays(day, 1), HOUR_MS);
      await steps.publishNavs();
      // Retries: `closeDueDays` closes no day while an older transaction is open on the server, even one of another test.
      await eventually(async () => {
        await Promise.allSettled([steps.closeDueDays(), steps.closeDueDays(otherApp)]);
        expect(await steps.getLastClosedDay()).toBe(day);
      });
      const trees = (await steps.readWithoutSignIn(`${LIABILITIES}/${day}`)).data;
      expect(await countRows(LIABILITY_LEAVES)).toBe(leavesBefore + trees.length);
      await verifyLiability(await steps.getProof(ann, `day=${day}`), trees[0], ann.id);
    } finally {
      await otherApp.close();
    }
  });

  it('publishes no part of a day if the closing is interrupted, and the next closing publishes all of it [SEC-185]', async () => {
    const day = addDays(await steps.getLastClosedDay(), 1);
    steps.moveClock(addDays(day, 1), HOUR_MS);
    await steps.publishNavs();
    const before = await log.checkpoint();
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('lock table liability_tree in share row exclusive mode'); // blocks a closing that has written its chunks
    let closingError: Promise<unknown>;
    try {
      closingError = steps.closeDayOrFail(day).catch((error: unknown) => error);
      let pid = 0;
      await eventually(async () => {
        const waiting = await platform.dataSource.query<{ pid: number; query: string }[]>(LOCK_WAITS);
        pid = waiting.find(({ query }) => query.includes('insert into liability_tree'))?.pid ?? 0;
        expect(pid).toBeGreaterThan(0);
      });
      expect(await countRows(CHUNKS_WITHOUT_TREE)).toBe(2); // one chunk for each asset
      await runner.query('select pg_terminate_backend($1)', [pid]);
      expect(await closingError).toBeInstanceOf(Error);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect((await steps.readWithoutSignIn(`${LIABILITIES}/${day}`)).status).toBe(404);
    expect((await steps.readWithoutSignIn(`${ASSETS}/${day}`)).status).toBe(404);
    expect(await log.checkpoint()).toBe(before);
    await steps.closeDaysUpTo(day);
    await verifyLiability(
      await steps.getProof(ann, `day=${day}`),
      await steps.getPublishedTotals(day),
      ann.id,
    );
    expect(await countRows(CHUNKS_WITHOUT_TREE)).toBe(0);
  });

  it('waits until a day has been over for a minute and its values are published', async () => {
    const day = addDays(await steps.getLastClosedDay(), 1);
    steps.moveClock(addDays(day, 1), 59_000);
    await steps.closeDueDays();
    expect(await steps.getLastClosedDay()).toBe(addDays(day, -1));

    // The values of the next day are published, with the growth of `day`; those of the third day are not.
    steps.moveClock(addDays(day, 3), HOUR_MS);
    await eventually(async () => {
      await steps.closeDueDays();
      expect(await steps.getLastClosedDay()).toBe(day);
    });
    await steps.closeDueDays();
    expect((await steps.readWithoutSignIn(`${LIABILITIES}/${addDays(day, 1)}`)).status).toBe(404);
    await steps.closeDaysUpTo(addDays(day, 2));
  });

  it('waits for transactions that began on the day, and includes their postings', async () => {
    const day = addDays(await steps.getLastClosedDay(), 1);
    steps.moveClock(day, 23 * HOUR_MS);
    await steps.publishNavs();
    const hold = new Hold();
    const posted = platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      const [at, amount] = [platform.clock.now(), Money.of('7')];
      const deposit = { depositId: newId(), userId: bob.id, network: 'ERC20', asset: 'USDC', at };
      await platform.app
        .get(LedgerService)
        .post(tx, depositCompleted({ ...deposit, received: amount, credited: amount }));
      await tx.query('select'); // is answered after the posting is written
      await hold.wait();
    });
    await hold.reached;
    steps.moveClock(addDays(day, 1), HOUR_MS);
    await steps.publishNavs();
    await steps.closeDueDays();
    expect((await steps.readWithoutSignIn(`${LIABILITIES}/${day}`)).status).toBe(404);
    hold.release();
    await posted;
    await steps.closeDaysUpTo(day);
    expect((await steps.getProof(bob, `day=${day}`)).components.available).toBe('387.00'); // 380 + 7
  });

  it('keeps totals after PROOF_RETENTION_DAYS, when the leaves are deleted', async () => {
    const last = await steps.getLastClosedDay();
    await steps.getProof(ann, `day=${FIRST_DAY}`);
    steps.moveClock(addDays(FIRST_DAY, 20), HOUR_MS);
    await platform.runJob('old-liability-leaves');
    await steps.getProof(ann, `day=${FIRST_DAY}`);
    steps.moveClock(addDays(FIRST_DAY, 21), HOUR_MS);
    await platform.runJob('old-liability-leaves');
    const gone = await platform.as(ann).get(`${PROOF_OF_LIABILITIES}?day=${FIRST_DAY}`);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'PROOF_NOT_FOUND']);
    await steps.getProof(ann, `day=${last}`);
    expect((await steps.getPublishedTotals(FIRST_DAY)).total).toBe('2080.00'); // 1700 + 380
  });
});
