import { Big } from 'big.js';
import {
  type LiabilityProof,
  type PublishedLiabilities,
  verifyCheckpoint,
  verifyInclusion,
  verifyLiability,
  verifyPublishedLiabilities,
} from '../../client/verify.js';
import { createApp } from '../../src/app.setup.js';
import { addDays, type Day, startOfDay } from '../../src/common/days.js';
import { HOUR_MS } from '../../src/common/durations.js';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { loadConfig } from '../../src/config/app-config.js';
import { DomainEvents } from '../../src/database/domain-events.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { ChainClient } from '../../src/modules/blockchain/chain.client.js';
import type { DayCheckpointEvent } from '../../src/modules/liabilities/day-checkpoint.events.js';
import { DayClosingService } from '../../src/modules/liabilities/day-closing.service.js';
import { depositCompleted } from '../../src/modules/ledger/domain/postings.js';
import { LedgerService } from '../../src/modules/ledger/ledger.service.js';
import { NavsService } from '../../src/modules/strategies/navs.service.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../fixtures/given.js';
import { LogReader } from '../fixtures/log-reader.js';
import { eventually } from '../harness/eventually.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { queriesDuring } from '../harness/queries.js';
import type { TestPlatform } from '../harness/platform.js';

const FIRST_DAY: Day = '2026-03-02';
const STOPPING_NEVER = new AbortController().signal;
const LIABILITIES = '/api/proofs/liabilities';
const ASSETS = '/api/proofs/assets';
const MINE = '/api/user/proof-of-liabilities';
const UNFINISHED = 'liability_chunk where tree_id not in (select id from liability_tree)';

describe('The proof of liabilities', () => {
  let scenario: DepositScenario;
  let platform: TestPlatform;
  let log: LogReader;
  let ann: TestUser;
  let bob: TestUser;
  let eve: TestUser;
  let addressOfEve: string;
  const checkpoints: DayCheckpointEvent[] = [];

  // On the first day Ann has 1500.00, of which she invests 1000.00 and withdraws 120.00; Bob has 380.00 and 2 ETH; deposits
  // of 200.00 USDC and 300.00 USDT are held for Eve.
  beforeAll(async () => {
    scenario = await DepositScenario.start({ LOG_SEAL_SECONDS: '3600', PROOF_RETENTION_DAYS: '20' });
    platform = scenario.platform;
    // The tests decide when days are closed and values are published.
    for (const job of ['nav-roll', 'liabilities-closing']) await platform.app.get(Jobs).get(job).end();
    platform.app.get(DomainEvents).subscribe<DayCheckpointEvent>('log', async (_tx, event) => {
      checkpoints.push(event);
    });
    log = new LogReader(platform);
    const events = new DomainEventFixtures(platform.app);
    ann = await platform.given.user().withBalance('1500.00');
    await platform.as(ann).post('/api/user/investments', { strategyId: 'balanced-10', amount: '1000.00' });
    await events.withdraw(ann.id, '120.00');
    bob = await platform.given.user().withBalance('380.00');
    await events.deposit('deposit.completed', { userId: bob.id, amount: '2', currency: 'ETH' });
    const held = await scenario.userWithAddress('USDC', 'TRC20');
    eve = held.user;
    addressOfEve = held.address;
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address: addressOfEve, amount: '200' });
    const inUsdt = await scenario.addressOf(eve, 'USDT', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDT', address: inUsdt, amount: '300' });
    await log.seal();
    await closeUpTo(FIRST_DAY);
  });
  afterAll(() => scenario.stop());

  const anyone = (path: string) => platform.as(null).get(path);
  const closingOf = (app = platform.app) => app.get(DayClosingService).closeDueDays(STOPPING_NEVER);

  const moveTo = (day: Day, atMs: number) =>
    platform.clock.moveTo(new Date(startOfDay(day).getTime() + atMs));

  /** Moves the clock behind the day, publishes values and closes. Transactions of other test workers can delay it. */
  async function closeUpTo(day: Day): Promise<void> {
    moveTo(addDays(day, 1), HOUR_MS);
    await platform.app.get(NavsService).publishMissingNavs();
    await eventually(async () => {
      await closingOf();
      expect((await anyone(`${LIABILITIES}/${day}`)).status).toBe(200);
    });
  }

  async function publishedOn(day: Day, asset = 'USDC'): Promise<PublishedLiabilities & { path: string[] }> {
    const { data } = await anyone(`${LIABILITIES}/${day}`);
    return data.find((one: PublishedLiabilities) => one.asset === asset);
  }

  async function proofOf(user: TestUser, query: string): Promise<LiabilityProof> {
    const { status, data } = await platform.as(user).get(`${MINE}?${query}`);
    expect(status).toBe(200);
    return data;
  }

  const rows = async (table: string): Promise<number> =>
    (await platform.dataSource.query(`select count(*)::int as count from ${table}`))[0].count;

  it('shows each user that their money is counted in the published total, and the total is in the log [SEC-182]', async () => {
    const keys = await log.keys();
    const expected: [TestUser, string, Record<string, string>, string][] = [
      [
        ann,
        'USDC',
        { available: '380.00', reserved: '120.00', invested: '1000.00', held: '0.00' },
        '1500.00',
      ],
      [bob, 'USDC', { available: '380.00', reserved: '0.00', invested: '0.00', held: '0.00' }, '380.00'],
      [eve, 'USDC', { available: '0.00', reserved: '0.00', invested: '0.00', held: '200.00' }, '200.00'],
      [eve, 'USDT', { available: '0.00', reserved: '0.00', invested: '0.00', held: '300.00' }, '300.00'],
      [bob, 'ETH', { available: '2.00', reserved: '0.00', invested: '0.00', held: '0.00' }, '2.00'],
      [ann, 'ETH', { available: '0.00', reserved: '0.00', invested: '0.00', held: '0.00' }, '0.00'],
    ];
    for (const [user, asset, components, amount] of expected) {
      const proof = await proofOf(user, `day=${FIRST_DAY}&asset=${asset}`);
      expect(proof).toMatchObject({ day: FIRST_DAY, asset, userId: user.id, components, amount });
      const published = await publishedOn(FIRST_DAY, asset);
      await verifyLiability(proof, published, user.id);
      await verifyPublishedLiabilities(published, keys, log.tile);
    }
    const totals = ['USDC', 'USDT', 'ETH'].map(async (asset) => (await publishedOn(FIRST_DAY, asset)).total);
    expect(await Promise.all(totals)).toEqual(['2080.00', '300.00', '2.00']);
  });

  it('names for each asset the leaf in the log with its path to the checkpoint', async () => {
    const { data, headers } = await anyone(`${LIABILITIES}/${FIRST_DAY}`);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect(data.map(({ asset }: { asset: string }) => asset)).toEqual(['USDC', 'USDT', 'ETH']);
    for (const { day, asset, root, total, leaves, size, leafIndex, path, checkpoint } of data) {
      expect({ leaves, size }).toEqual({ leaves: 3, size: 4 });
      const leaf = JSON.stringify({ asset, day, kind: 'liabilities', leaves, root, total, v: 1 });
      const treeSize = Number(checkpoint.split('\n')[1]);
      await verifyInclusion({ leaf, leafIndex, treeSize, path, checkpoint }, await log.keys());
    }
  });

  it('publishes a checkpoint that contains the day, as an event of the transaction that closes it', async () => {
    const day = addDays(await lastClosed(), 1);
    await closeUpTo(day);
    const keys = await log.keys();
    const { checkpoint, ...event } = checkpoints.at(-1) as DayCheckpointEvent;
    expect(event).toMatchObject({ name: 'log.checkpoint', day });
    expect(await verifyCheckpoint(checkpoint, keys)).toMatchObject({ size: event.size, root: event.root });
    expect((await publishedOn(day)).leafIndex).toBeLessThan(event.size);
  });

  it('reads the day of all assets with a fixed number of statements, and a user’s path, too', async () => {
    const day = await queriesDuring(() => anyone(`${LIABILITIES}/${FIRST_DAY}`));
    expect(day.length).toBeLessThanOrEqual(3); // trees, checkpoint, tiles
    const mine = await queriesDuring(() => platform.as(ann).get(MINE));
    expect(mine.filter((text) => text.includes('liability_'))).toHaveLength(2); // tree, chunk
  });

  it('gives users with equal amounts different leaves, and every day other nonces [SEC-183]', async () => {
    const [first, second] = [FIRST_DAY, addDays(await lastClosed(), 1)];
    await closeUpTo(second);
    const [day, next] = await Promise.all([proofOf(bob, `day=${first}`), proofOf(bob, `day=${second}`)]);
    expect(next.amount).toBe(day.amount);
    expect(next.nonce).not.toBe(day.nonce);
    const twins = await Promise.all([1, 2].map(() => platform.given.user().withBalance('380.00')));
    await closeUpTo(addDays(second, 1));
    const proofs = await Promise.all([bob, ...twins].map((user) => proofOf(user, '')));
    expect(proofs.map(({ day: last, amount }) => [last, amount])).toEqual(
      Array(3).fill([addDays(second, 1), '380.00']),
    );
    expect(new Set(proofs.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(proofs.map(({ index }) => index)).size).toBe(3);
    const siblings = new Set(proofs.flatMap(({ path }) => path.map(({ hash }) => hash)));
    expect(siblings.size).toBeGreaterThanOrEqual(4); // no two leaves or nodes are equal
  });

  it('answers each user with their own leaf only [SEC-180]', async () => {
    const mine = await proofOf(eve, `day=${FIRST_DAY}`);
    expect(mine.userId).toBe(eve.id);
    const { data, text } = await platform.as(eve).get(`${MINE}?day=${FIRST_DAY}&userId=${ann.id}`);
    expect(data === undefined || data.userId === eve.id).toBe(true);
    for (const id of [ann.id, bob.id]) expect(text).not.toContain(id);
    await expect(verifyLiability(mine, await publishedOn(FIRST_DAY), ann.id)).rejects.toThrow('another user');
  });

  it('reveals no user and no deposit address in what is public [SEC-181]', async () => {
    for (const path of [LIABILITIES, ASSETS]) {
      const { text } = await anyone(`${path}/${FIRST_DAY}`);
      for (const secret of [ann.id, bob.id, eve.id, ann.email, addressOfEve])
        expect(text).not.toContain(secret);
    }
  });

  it.each([
    '2026-03-01',
    '2027-01-01',
    '2026-02-30',
    '0000-01-01',
    'yesterday',
    '2026-03-02T00:00:00Z',
    '%00',
  ])('answers PROOF_NOT_FOUND or a refusal for the day %s, which is not closed', async (day) => {
    for (const path of [LIABILITIES, ASSETS]) {
      const reply = await anyone(`${path}/${day}`);
      expect(reply.status).toBe(day === '%00' ? 400 : 404);
      expect(reply.body.error.code).toBe(day === '%00' ? 'VALIDATION_ERROR' : 'PROOF_NOT_FOUND');
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('answers PROOF_NOT_FOUND to a user without a leaf in the tree, and refuses wrong parameters', async () => {
    const late = await platform.given.user();
    for (const [query, status, code] of [
      [`day=${FIRST_DAY}`, 404, 'PROOF_NOT_FOUND'],
      ['day=2030-01-01', 404, 'PROOF_NOT_FOUND'],
      ['day=2026-03-02T10:00:00Z', 400, 'VALIDATION_ERROR'],
      ['day=0000-01-01', 400, 'VALIDATION_ERROR'],
      ['asset=BTC', 400, 'VALIDATION_ERROR'],
    ] as const) {
      const reply = await platform.as(late).get(`${MINE}?${query}`);
      expect([query, reply.status, reply.body.error.code]).toEqual([query, status, code]);
    }
  });

  it('shows where the assets are: custody as the chain shows it, the deposit provider as the entries say', async () => {
    const { data, headers } = await anyone(`${ASSETS}/${FIRST_DAY}`);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    const custody = platform.env.CUSTODY_ADDRESS as string;
    const chain = data.lines.find(({ source }: { source: string }) => source === 'chain');
    const [onChain] = await platform.app.get(ChainClient).balances([custody], chain.block);
    expect(chain).toEqual({
      ...{ place: 'custody', asset: 'USDC', source: 'chain', block: expect.any(Number) },
      ...{ amount: onChain?.usdc.toExact(), address: custody },
    });
    expect(data.lines).toContainEqual({
      ...{ place: 'deposit-provider/TRC20', asset: 'USDT', amount: '300.00', source: 'books' },
    });
    const usdc = data.lines.filter(({ asset }: { asset: string }) => asset === 'USDC');
    const total = data.totals.find(({ asset }: { asset: string }) => asset === 'USDC');
    expect(total.assets).toBe(
      Money.sum(usdc.map(({ amount }: { amount: string }) => Money.of(amount))).toExact(),
    );
    expect(total.liabilities).toBe('2080.00');
    const ratio = new Big(total.assets).div(total.liabilities).round(6, Big.roundDown);
    expect(new Big(total.coverage).eq(ratio)).toBe(true);
  });

  it('closes a day once if two processes close it at the same time [SEC-184]', async () => {
    const other = await createApp(loadConfig(platform.env), platform.clock);
    try {
      const [day, leaves] = [addDays(await lastClosed(), 1), await rows('proof_leaf where text is not null')];
      moveTo(addDays(day, 1), HOUR_MS);
      await platform.app.get(NavsService).publishMissingNavs();
      await eventually(async () => {
        await Promise.allSettled([closingOf(), closingOf(other)]);
        expect(await lastClosed()).toBe(day);
      });
      const trees = (await anyone(`${LIABILITIES}/${day}`)).data;
      expect(await rows('proof_leaf where text is not null')).toBe(leaves + trees.length);
      await verifyLiability(await proofOf(ann, `day=${day}`), trees[0], ann.id);
    } finally {
      await other.close();
    }
  });

  it('publishes nothing of a day whose closing was interrupted, and closes the whole day afterwards [SEC-185]', async () => {
    const day = addDays(await lastClosed(), 1);
    moveTo(addDays(day, 1), HOUR_MS);
    await platform.app.get(NavsService).publishMissingNavs();
    const before = await log.checkpoint();
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('lock table liability_tree in share row exclusive mode'); // blocks the last statement of a closing
    let ended: Promise<unknown>;
    try {
      ended = closingOf().catch((error: unknown) => error);
      let pid = 0;
      await eventually(async () => {
        const waiting = await platform.dataSource.query<{ pid: number; query: string }[]>(LOCK_WAITS);
        pid = waiting.find(({ query }) => query.includes('insert into liability_tree'))?.pid ?? 0;
        expect(pid).toBeGreaterThan(0);
      });
      expect(await rows(UNFINISHED)).toBe(3); // one chunk for each asset
      await runner.query('select pg_terminate_backend($1)', [pid]);
      expect(await ended).toBeInstanceOf(Error);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect((await anyone(`${LIABILITIES}/${day}`)).status).toBe(404);
    expect((await anyone(`${ASSETS}/${day}`)).status).toBe(404);
    expect(await log.checkpoint()).toBe(before);
    await closeUpTo(day);
    await verifyLiability(await proofOf(ann, `day=${day}`), await publishedOn(day), ann.id);
    expect(await rows(UNFINISHED)).toBe(0);
  });

  it('waits until a day has been over for a minute and its values are published', async () => {
    const day = addDays(await lastClosed(), 1);
    moveTo(addDays(day, 1), 59_000);
    await closingOf();
    expect(await lastClosed()).toBe(addDays(day, -1));

    moveTo(addDays(day, 3), HOUR_MS); // the values of two days are published in advance, those of the third are not
    await eventually(async () => {
      await closingOf();
      expect(await lastClosed()).toBe(addDays(day, 1));
    });
    await closingOf();
    expect((await anyone(`${LIABILITIES}/${addDays(day, 2)}`)).status).toBe(404);
    await closeUpTo(addDays(day, 2));
  });

  it('waits for transactions that began on the day, and counts what they post', async () => {
    const day = addDays(await lastClosed(), 1);
    moveTo(day, 23 * HOUR_MS);
    await platform.app.get(NavsService).publishMissingNavs();
    const hold = new Hold();
    const posted = platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      const [at, amount] = [platform.clock.now(), Money.of('7')];
      const deposit = { depositId: newId(), userId: bob.id, network: 'ERC20', asset: 'USDC', at };
      await platform.app
        .get(LedgerService)
        .post(tx, depositCompleted({ ...deposit, received: amount, credited: amount }));
      await hold.wait();
    });
    await hold.isReached;
    moveTo(addDays(day, 1), HOUR_MS);
    await platform.app.get(NavsService).publishMissingNavs();
    await closingOf();
    expect((await anyone(`${LIABILITIES}/${day}`)).status).toBe(404);
    hold.release();
    await posted;
    await closeUpTo(day);
    expect((await proofOf(bob, `day=${day}`)).components.available).toBe('387.00');
  });

  it('deletes leaves after PROOF_RETENTION_DAYS, and keeps the totals', async () => {
    const last = await lastClosed();
    await proofOf(ann, `day=${FIRST_DAY}`);
    moveTo(addDays(FIRST_DAY, 20), HOUR_MS);
    await platform.runJob('old-liability-leaves');
    await proofOf(ann, `day=${FIRST_DAY}`);
    moveTo(addDays(FIRST_DAY, 21), HOUR_MS);
    await platform.runJob('old-liability-leaves');
    const gone = await platform.as(ann).get(`${MINE}?day=${FIRST_DAY}`);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'PROOF_NOT_FOUND']);
    await proofOf(ann, `day=${last}`);
    expect((await publishedOn(FIRST_DAY)).total).toBe('2080.00');
  });

  async function lastClosed(): Promise<Day> {
    return (await platform.dataSource.query('select max(day) as day from liability_day'))[0].day;
  }
});

/** Holds a transaction until the test releases it. */
class Hold {
  readonly isReached: Promise<void>;
  release!: () => void;
  private reach!: () => void;
  private readonly released: Promise<void>;

  constructor() {
    this.isReached = new Promise((resolve) => (this.reach = resolve));
    this.released = new Promise((resolve) => (this.release = resolve));
  }

  wait(): Promise<void> {
    this.reach();
    return this.released;
  }
}
