import type { Address } from 'viem';
import { DAY_MS } from '../../../src/common/durations.js';
import {
  ChainClient,
  type ChainTransaction,
  NOT_MINED,
} from '../../../src/modules/providers/chain/chain.client.js';
import { PROCESSED } from '../../../src/modules/funds/callbacks/domain/webhook-event.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestUser } from '../../fixtures/given.js';
import { newHash, newProviderId } from '../../fixtures/provider-callbacks.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const PATH = '/api/user/blockchain/deposit';
const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const LIMIT = 20; // open claims of a user

describe('Deposit claims', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => scenario?.stop());

  const claim = (user: TestUser, txHash: string = newHash(), amount = '600.00') =>
    scenario.platform.as(user).post(PATH, { txHash, amount, currency: 'USDC', fromAddress: SENDER });
  /** Makes one claim and inserts copies, because the API refuses more than LIMIT open claims. Returns all hashes. */
  const claimMany = async (user: TestUser, count: number): Promise<string[]> => {
    const hash = newHash();
    expect((await claim(user, hash)).status).toBe(201);
    const copies = Array.from({ length: count - 1 }, () => newHash());
    await scenario.platform.dataSource.query(
      `insert into deposit
       select (jsonb_populate_record(deposit, jsonb_build_object('id', gen_random_uuid(), 'tx_hash', copy))).*
         from deposit, unnest($2::text[]) as copy where tx_hash = $1`,
      [hash, copies],
    );
    return [hash, ...copies];
  };
  /** Deletes what `claimMany` has inserted; the first hash is that of the claim made over the API. */
  const removeCopies = (hashes: string[]) =>
    queryWithoutTriggers(scenario.platform, 'delete from deposit where tx_hash = any($1)', [hashes.slice(1)]);
  /** A transaction that waits for its block. */
  const inPool = (hash: string): ChainTransaction => ({
    hash,
    succeeded: null,
    transfers: [],
    ...NOT_MINED,
  });
  const failAllOpenClaims = async () => {
    scenario.platform.clock.advance(DAY_MS);
    await scenario.pollProvider();
  };

  const payEther = (address: Address, amount: string) =>
    new ChainFixtures(scenario.platform.outside.chain).payEther(address, amount);
  const payUsdc = (address: Address, amount: string) =>
    scenario.platform.outside.chain.payUsdc(address, amount);

  it.each([
    { currency: 'ETH', amount: '1.5', pay: payEther },
    { currency: 'USDC', amount: '600.5', pay: payUsdc },
  ])(
    'are rejected for a deposit of $currency whose hash an earlier version has stored without 0x, and the deposit is credited once',
    async ({ currency, amount, pay }) => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const hash = await pay(address as Address, amount);
      const report = { id: newProviderId(), currency, network: 'erc20', address, hash, amount };
      await scenario.callbacks.reportDeposit({ ...report, status: 'Processing', confirmations: 1 });
      await queryWithoutTriggers(
        scenario.platform,
        'update deposit set tx_hash = substr(tx_hash, 3) where tx_hash = $1',
        [hash],
      );
      await scenario.platform.outside.chain.mine(11); // twelve confirmations with the block of the payment
      await scenario.callbacks.reportDeposit({ ...report, confirmations: 12 });
      expect(await scenario.onlyDeposit(user)).toMatchObject({ currency, status: 'completed' });
      const callbacks = await scenario.platform.dataSource.query(
        'select status, reason from webhook_event where strpos(body, $1) > 0',
        [hash],
      );
      expect(callbacks).toEqual([PROCESSED, PROCESSED]);
      const body = { txHash: hash, amount, currency, fromAddress: SENDER };
      const refused = await scenario.platform.as(user).post(PATH, body);
      expect([refused.status, refused.code]).toEqual([400, 'DUPLICATE_DEPOSIT']);
    },
  );

  it('are rejected while their user has twenty open ones, also when thirty are made concurrently', async () => {
    const { user } = await scenario.userWithAddress('USDC', 'ERC20');
    const replies = await Promise.all(Array.from({ length: 30 }, () => claim(user)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(30 - LIMIT);
    for (const reply of refused) expect(reply).toMatchObject({ status: 422, code: 'LIMIT_REACHED' });
    expect(refused[0]?.body.error.details).toEqual({ limit: LIMIT });
    expect(
      await scenario.platform.dataSource.query('select id from deposit where user_id = $1', [user.id]),
    ).toHaveLength(LIMIT);

    const { user: secondUser } = await scenario.userWithAddress('USDC', 'ERC20');
    expect((await claim(secondUser)).status).toBe(201);
    await failAllOpenClaims();
    expect((await claim(user)).status).toBe(201);
  });

  it('do not count against the limit when the chain shows the payment', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const claimed = await claimMany(user, LIMIT);
    const hash = await scenario.platform.outside.chain.payUsdc(address as Address, '750');
    await scenario.mineBlocks(11); // twelve confirmations with the block of the payment
    expect((await claim(user, hash)).status).toBe(201);
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('750.00');
    expect((await claim(user)).code).toBe('LIMIT_REACHED');
    await removeCopies(claimed);
  });

  it('are not included in totals until the chain shows the payment', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const summary = async (query = '') =>
      (await scenario.platform.as(user).get(`/api/user/deposits?${query}`)).body.summary;
    const depositStatus = async () => (await scenario.platform.as(null).get('/api/blockchain/deposits')).data;
    const before = await depositStatus();
    await claim(user, newHash(), '1000000.00');
    const zeros = {
      totalDeposited: '0.00',
      totalCompleted: '0.00',
      totalPending: '0.00',
      currency: 'USDC',
    };
    expect(await summary()).toEqual(zeros);
    expect(await summary('currency=USDC&status=pending')).toEqual(zeros);
    const { blockNumber: _blockNumber, ...counts } = before; // the number of the newest block, which is not compared
    expect(await depositStatus()).toMatchObject(counts);

    const hash = await scenario.platform.outside.chain.payUsdc(address as Address, '750');
    await claim(user, hash, '99999.00');
    expect(await summary()).toEqual(zeros);
    await scenario.pollProvider();
    expect(await summary()).toEqual({ ...zeros, totalDeposited: '750.00', totalPending: '750.00' });
  });

  it('are included in totals with the provider’s amount when the provider reports the transfer', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const hash = newHash();
    await claim(user, hash, '99999.00');
    const report = { id: newProviderId(), currency: 'USDC', network: 'erc20', address, hash, amount: '750' };
    await scenario.callbacks.reportDeposit({ ...report, status: 'Pending', confirmations: 0 });
    expect(await scenario.onlyDeposit(user)).toMatchObject({
      status: 'pending',
      amount: '750.00',
      metadata: { reason: 'The transaction waits for its first confirmation.' },
    });
    const { body } = await scenario.platform.as(user).get('/api/user/deposits');
    expect(body.summary).toMatchObject({ totalDeposited: '750.00', totalPending: '750.00' });
  });

  it('are looked up after deposits that were seen, fifty in each poll', async () => {
    await failAllOpenClaims(); // of earlier tests
    const hashes = await claimMany(await scenario.platform.given.user(), 60);
    const claimed = new Set(hashes);
    const { address } = await scenario.userWithAddress('USDC', 'ERC20');
    const seen = await scenario.platform.outside.chain.payUsdc(address as Address, '600');
    const report = {
      currency: 'USDC',
      network: 'erc20',
      address,
      hash: seen,
      amount: '600',
      confirmations: 1,
    };
    await scenario.callbacks.reportDeposit({ ...report, status: 'Processing' });

    const chain = scenario.platform.app.get(ChainClient);
    const lookUp = chain.transaction.bind(chain);
    const lookups = jest
      .spyOn(chain, 'transaction')
      .mockImplementation(async (hash) => (claimed.has(hash) ? undefined : lookUp(hash))); // saves calls of the node
    const pollOnce = async () => {
      lookups.mockClear();
      await scenario.pollProvider();
      return lookups.mock.calls.map(([hash]) => hash);
    };
    const claimsIn = (lookedUp: string[]) => lookedUp.filter((hash) => claimed.has(hash));
    const first = await pollOnce();
    expect(first.slice(-50)).toEqual(claimsIn(first)); // the last fifty lookups are the only ones of claims
    expect(first).toContain(seen);
    const second = await pollOnce();
    expect(second.slice(-50)).toEqual(claimsIn(second));
    expect(new Set(claimsIn([...first, ...second])).size).toBe(60); // all 60 claims were looked up
    await removeCopies(hashes);
  });

  it('fail after 24 hours while their transactions are still in the pool, and can be repeated', async () => {
    const user = await scenario.platform.given.user();
    const hash = newHash();
    const { data } = await claim(user, hash);
    jest
      .spyOn(scenario.platform.app.get(ChainClient), 'transaction')
      .mockImplementation(async (lookedUp) => inPool(lookedUp));
    const pollAndReadClaim = async () => {
      await scenario.pollProvider();
      return (await scenario.depositsOf(user)).find(({ id }) => id === data.id);
    };
    scenario.platform.clock.advance(DAY_MS - 1);
    expect(await pollAndReadClaim()).toMatchObject({ status: 'pending' });
    scenario.platform.clock.advance(1);
    expect(await pollAndReadClaim()).toMatchObject({
      status: 'failed',
      metadata: { reason: 'The transaction was not mined within 24 hours.' },
    });
    expect((await claim(user, hash)).status).toBe(201);
  });
});
