import { Big } from 'big.js';
import {
  verifyCheckpoint,
  verifyInclusion,
  verifyLiability,
  verifyPublishedLiabilities,
} from '../../../client/verify.js';
import { addDays, type Day } from '../../../src/common/days.js';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { DomainEvents } from '../../../src/events/domain-events.js';
import { ChainClient } from '../../../src/modules/providers/chain/chain.client.js';
import type { LogCheckpointEvent } from '../../../src/modules/assurance/proofs/proofs.types.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { ASSETS, LIABILITIES, LiabilitySteps, PROOF_OF_LIABILITIES } from '../../fixtures/liability-steps.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { eventually } from '../../harness/eventually.js';
import { queriesDuring } from '../../harness/queries.js';
import type { TestPlatform } from '../../harness/platform.js';

const FIRST_DAY: Day = '2026-03-02';

describe('The proof of liabilities', () => {
  let scenario: DepositScenario;
  let platform: TestPlatform;
  let steps: LiabilitySteps;
  let log: LogReader;
  let ann: TestUser;
  let bob: TestUser;
  let eve: TestUser;
  let addressOfEve: string;
  const checkpoints: LogCheckpointEvent[] = [];

  // On the first day Ann has 1500.00, invests 1000.00 of it and requests a withdrawal of 120.00; Bob has 380.00 and 2 ETH;
  // deposits of 200.00 USDC and 300.00 USDT, which are below the minimum, are held for Eve.
  beforeAll(async () => {
    scenario = await DepositScenario.start({ LOG_SEAL_SECONDS: '3600' });
    platform = scenario.platform;
    steps = new LiabilitySteps(platform);
    await steps.endJobs();
    platform.app.get(DomainEvents).subscribe<LogCheckpointEvent>('log', async (_tx, event) => {
      checkpoints.push(event);
    });
    log = new LogReader(platform);
    const events = new DomainEventFixtures(platform.app);
    await platform.given.admin(); // who is no user and has no leaf
    ann = await platform.given.user().withBalance('1500.00');
    await platform.as(ann).post('/api/user/investments', { strategyId: 'balanced-10', amount: '1000.00' });
    await events.withdraw(ann.id, '120.00');
    bob = await platform.given.user().withBalance('380.00');
    await events.deposit('deposit.completed', { userId: bob.id, amount: '2', currency: 'ETH' });
    const userWithAddress = await scenario.userWithAddress('USDC', 'TRC20');
    eve = userWithAddress.user;
    addressOfEve = userWithAddress.address;
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address: addressOfEve, amount: '200' });
    const usdtAddress = await scenario.addressOf(eve, 'USDT', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDT', address: usdtAddress, amount: '300' });
    await log.seal();
    await steps.closeDaysUpTo(FIRST_DAY, 2 * MINUTE_MS); // soon after its end, so that its assets are read from the chain
  });
  afterAll(() => scenario?.stop());

  it('proves to each user that the published total contains their money and that the log contains the total [SEC-182]', async () => {
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
      const proof = await steps.getProof(user, `day=${FIRST_DAY}&asset=${asset}`);
      expect(proof).toMatchObject({ day: FIRST_DAY, asset, userId: user.id, components, amount });
      const published = await steps.getPublishedTotals(FIRST_DAY, asset);
      await verifyLiability(proof, published, user.id);
      await verifyPublishedLiabilities(published, keys, log.tile);
    }
    const totals = ['USDC', 'USDT', 'ETH'].map(
      async (asset) => (await steps.getPublishedTotals(FIRST_DAY, asset)).total,
    );
    expect(await Promise.all(totals)).toEqual(['2080.00', '300.00', '2.00']); // 1500 + 380 + 200 = 2080
  });

  it('names for each asset the leaf in the log with its path to the checkpoint', async () => {
    const { data, headers } = await steps.readWithoutSignIn(`${LIABILITIES}/${FIRST_DAY}`);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect(data.map(({ asset }: { asset: string }) => asset)).toEqual(['USDC', 'USDT', 'ETH']);
    for (const { day, asset, root, total, leaves, size, leafIndex, path, checkpoint } of data) {
      expect({ leaves, size }).toEqual({ leaves: 3, size: 4 }); // Ann, Bob and Eve; the next power of two
      const leaf = JSON.stringify({ asset, day, kind: 'liabilities', leaves, root, total, v: 1 });
      const treeSize = Number(checkpoint.split('\n')[1]);
      await verifyInclusion({ leaf, leafIndex, treeSize, path, checkpoint }, await log.keys());
    }
  });

  it('publishes a checkpoint that contains the day, as an event of the transaction that closes it', async () => {
    const day = addDays(await steps.getLastClosedDay(), 1);
    await steps.closeDaysUpTo(day);
    const keys = await log.keys();
    const { name, day: publishedDay, checkpoint } = checkpoints.at(-1) as LogCheckpointEvent;
    expect([name, publishedDay]).toEqual(['log.checkpoint', day]);
    const { size, root } = await verifyCheckpoint(checkpoint.note, keys);
    expect([size, root]).toEqual([checkpoint.size, checkpoint.root.toString('base64')]);
    expect((await steps.getPublishedTotals(day)).leafIndex).toBeLessThan(size);
  });

  it('reads the totals of a day and the path of a user with a fixed number of statements', async () => {
    const totalsQueries = await queriesDuring(() => steps.readWithoutSignIn(`${LIABILITIES}/${FIRST_DAY}`));
    expect(totalsQueries.length).toBeLessThanOrEqual(3); // trees, checkpoint, tiles
    const pathQueries = await queriesDuring(() => platform.as(ann).get(PROOF_OF_LIABILITIES));
    expect(pathQueries.filter((text) => text.includes('liability_'))).toHaveLength(2); // tree, chunk
  });

  it('gives users with equal amounts different leaves, and a user another nonce on each day [SEC-183]', async () => {
    const laterDay = addDays(await steps.getLastClosedDay(), 1);
    await steps.closeDaysUpTo(laterDay);
    const firstProof = await steps.getProof(bob, `day=${FIRST_DAY}`);
    const laterProof = await steps.getProof(bob, `day=${laterDay}`);
    expect(laterProof.amount).toBe(firstProof.amount);
    expect(laterProof.nonce).not.toBe(firstProof.nonce);
    const equalUsers = await Promise.all([1, 2].map(() => platform.given.user().withBalance('380.00')));
    const lastDay = addDays(laterDay, 1);
    await steps.closeDaysUpTo(lastDay);
    const proofs = await Promise.all([bob, ...equalUsers].map((user) => steps.getProof(user, '')));
    for (const proof of proofs) expect(proof).toMatchObject({ day: lastDay, amount: '380.00' });
    expect(new Set(proofs.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(proofs.map(({ index }) => index)).size).toBe(3);
  });

  it('answers each user with their own leaf only [SEC-180]', async () => {
    const mine = await steps.getProof(eve, `day=${FIRST_DAY}`);
    expect(mine.userId).toBe(eve.id);
    const { data, text } = await platform
      .as(eve)
      .get(`${PROOF_OF_LIABILITIES}?day=${FIRST_DAY}&userId=${ann.id}`);
    expect(data === undefined || data.userId === eve.id).toBe(true); // the parameter `userId` is refused or ignored
    for (const id of [ann.id, bob.id]) expect(text).not.toContain(id);
    await expect(verifyLiability(mine, await steps.getPublishedTotals(FIRST_DAY), ann.id)).rejects.toThrow(
      'another user',
    );
  });

  it('reveals no user and no deposit address in its public routes [SEC-181]', async () => {
    for (const path of [LIABILITIES, ASSETS]) {
      const { text } = await steps.readWithoutSignIn(`${path}/${FIRST_DAY}`);
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
  ])(
    'answers %s, which is not a closed day, with 404 (%%00 with 400), and forbids caches to store the answer',
    async (day) => {
      const expected = day === '%00' ? [400, 'VALIDATION_ERROR'] : [404, 'PROOF_NOT_FOUND'];
      for (const path of [LIABILITIES, ASSETS]) {
        const reply = await steps.readWithoutSignIn(`${path}/${day}`);
        expect([reply.status, reply.body.error.code]).toEqual(expected);
        expect(reply.headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  it('answers PROOF_NOT_FOUND to a user without a leaf in the tree, and refuses wrong parameters', async () => {
    const newUser = await platform.given.user();
    for (const [query, status, code] of [
      [`day=${FIRST_DAY}`, 404, 'PROOF_NOT_FOUND'],
      ['day=2030-01-01', 404, 'PROOF_NOT_FOUND'],
      ['day=2026-03-02T10:00:00Z', 400, 'VALIDATION_ERROR'],
      ['day=0000-01-01', 400, 'VALIDATION_ERROR'],
      ['asset=BTC', 400, 'VALIDATION_ERROR'],
    ] as const) {
      const reply = await platform.as(newUser).get(`${PROOF_OF_LIABILITIES}?${query}`);
      expect([query, reply.status, reply.body.error.code]).toEqual([query, status, code]);
    }
  });

  it.each(['2026-02-30', '2026-02-30T12:00:00Z', '2026-03-02T12:00:00Z', 'yesterday'])(
    'refuses the day %s with an example of a day without a time',
    async (day) => {
      const { body } = await platform.as(ann).get(`${PROOF_OF_LIABILITIES}?day=${day}`);
      const message = expect.stringMatching(/^must be a .* such as 2026-01-31$/);
      expect(body.error.details.fields).toEqual([{ field: 'day', message }]);
    },
  );

  it('closes no day while the value of a strategy whose units users hold is missing', async () => {
    const day = addDays(await steps.getLastClosedDay(), 2);
    await steps.closeDaysUpTo(addDays(day, -1)); // Ann's investment first grows at the second midnight after she made it
    steps.moveClock(addDays(day, 1), HOUR_MS);
    await steps.publishNavs();
    const rowOfDay = `strategy_nav where strategy_id = 'balanced-10' and day = '${day}'`;
    await executeWithoutTriggers(
      platform,
      `create table saved_nav as select * from ${rowOfDay}`,
      `delete from ${rowOfDay}`,
    );
    // `closeDueDays` returns without an error while an older transaction is open on the server, even one of another test.
    await eventually(() =>
      expect(steps.closeDueDays()).rejects.toThrow(
        `Users hold units of strategies without a value of ${day}: balanced-10.`,
      ),
    );
    expect((await steps.readWithoutSignIn(`${LIABILITIES}/${day}`)).status).toBe(404);
    await executeWithoutTriggers(
      platform,
      'insert into strategy_nav select * from saved_nav',
      'drop table saved_nav',
    );
    await steps.closeDaysUpTo(day);
    const { invested } = (await steps.getProof(ann, `day=${day}`)).components;
    expect(Money.of('1000').isLessThan(Money.of(invested))).toBe(true);
  });

  it('lists the assets: those of custody from the chain, those of the deposit provider from the ledger', async () => {
    const { data, headers } = await steps.readWithoutSignIn(`${ASSETS}/${FIRST_DAY}`);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    const custody = platform.env.CUSTODY_ADDRESS as string;
    const chain = data.lines.find(({ source }: { source: string }) => source === 'chain');
    const [onChain] = await platform.app.get(ChainClient).balances([custody], chain.block);
    expect(chain).toEqual({
      place: 'custody',
      asset: 'USDC',
      source: 'chain',
      block: expect.any(Number),
      amount: onChain?.usdc.toExact(),
      address: custody,
    });
    expect(data.lines).toContainEqual({
      place: 'deposit-provider/TRC20',
      asset: 'USDT',
      amount: '300.00',
      source: 'books',
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
});
