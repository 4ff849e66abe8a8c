import type { Address } from 'viem';
import { HOUR_MS } from '../../../src/common/durations.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { newHash, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';

const PATH = '/api/user/blockchain/deposit';
const START = '2026-03-02T10:00:00.000Z';
const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('A deposit claim (POST /api/user/blockchain/deposit)', () => {
  let platform: TestPlatform;
  let chainFixtures: ChainFixtures;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' }, blockIntervalMs: 0 });
    chainFixtures = new ChainFixtures(platform.outside.chain);
  });
  beforeEach(() => platform.clock.moveTo(START));
  afterEach(() => platform.outside.providers.endFault('chain'));
  afterAll(() => platform?.stop());

  const poll = () => platform.runJob('deposit-poll');
  const pay = (to: string, amount: string) => platform.outside.chain.payUsdc(to as Address, amount);
  const mine = (blocks: number) => platform.outside.chain.mine(blocks);
  const mineAndPoll = async (blocks: number) => {
    await mine(blocks);
    await poll();
  };
  const claim = (user: TestUser, txHash: string, changes: object = {}) =>
    platform
      .as(user)
      .post(PATH, { txHash, amount: '600.00', currency: 'USDC', fromAddress: SENDER, ...changes });
  const available = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/balance')).data.available;
  const depositsOf = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/deposits?orderBy=asc')).data;
  const statuses = async (user: TestUser) =>
    (await depositsOf(user)).map(({ status }: { status: string }) => status);

  async function userWithAddress(): Promise<{ user: TestUser; address: Address }> {
    const user = await platform.given.user();
    const { data } = await platform.as(user).get('/api/user/deposits/address?currency=USDC&network=ERC20');
    return { user, address: data.address };
  }

  it('is recorded as pending, with a new deposit address and normalised hash and sender, and nothing is credited', async () => {
    const user = await platform.given.user();
    const before = await platform.ledgerState();
    const txHash = newHash();
    const { status, data } = await claim(user, txHash.toUpperCase().replace('0X', '0x'), {
      fromAddress: SENDER.toLowerCase(),
    });
    expect(status).toBe(201);
    const { data: own } = await platform
      .as(user)
      .get('/api/user/deposits/address?currency=USDC&network=ERC20');
    expect(data).toEqual({
      id: expect.any(String),
      userId: user.id,
      amount: '600.00',
      currency: 'USDC',
      status: 'pending',
      fromAddress: SENDER,
      toAddress: own.address,
      txHash,
      blockNumber: null,
      confirmations: 0,
      requiredConfirmations: 12,
      createdAt: START,
      estimatedCompletionTime: '2026-03-02T10:02:24.000Z', // 12 blocks of 12 seconds
    });
    await poll();
    expect(await depositsOf(user)).toMatchObject([
      { status: 'pending', metadata: { reason: 'The chain does not show the transfer yet.' } },
    ]);
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('becomes the deposit that the chain shows, with the chain’s amount, and is credited once', async () => {
    const { user, address } = await userWithAddress();
    const hash = await pay(address, '750');
    expect((await claim(user, hash, { amount: '99999.00' })).data).toMatchObject({
      status: 'pending',
      confirmations: 0,
      blockNumber: null,
    });
    await poll();
    expect(await depositsOf(user)).toMatchObject([
      {
        status: 'confirming',
        confirmations: 1,
        amount: '750.00',
        fromAddress: platform.outside.chain.treasuryAddress,
      },
    ]);
    await mineAndPoll(11); // twelve confirmations with the block of the payment
    await poll();
    expect(await statuses(user)).toEqual(['completed']);
    expect(await available(user)).toBe('750.00');
    const callback = { currency: 'USDC', network: 'erc20', address, hash, amount: '750', confirmations: 12 };
    await new ProviderCallbacks(platform).reportDeposit(callback);
    expect(await statuses(user)).toEqual(['completed']);
    expect(await available(user)).toBe('750.00');
  });

  it('of ether is accepted and credited in ETH', async () => {
    const { user, address } = await userWithAddress();
    const hash = await chainFixtures.payEther(address, '1.5');
    await mine(11);
    expect((await claim(user, hash, { currency: 'ETH', amount: '1.50' })).status).toBe(201);
    await poll();
    expect(await depositsOf(user)).toMatchObject([{ currency: 'ETH', amount: '1.50', status: 'completed' }]);
    const accounts = await platform.dataSource.query(
      'select asset, balance from ledger_account where owner_id = $1',
      [user.id],
    );
    expect(accounts).toEqual([{ asset: 'ETH', balance: '1.5' }]);
  });

  it('of ether is credited once if the provider reports the same hash without 0x', async () => {
    const { user, address } = await userWithAddress();
    const hash = await chainFixtures.payEther(address, '1.5');
    await mine(11);
    await claim(user, hash, { currency: 'ETH', amount: '1.50' });
    await poll();
    const report = { currency: 'ETH', network: 'erc20', address, amount: '1.5', confirmations: 12 };
    await new ProviderCallbacks(platform).reportDeposit({ ...report, hash: hash.slice(2) });
    expect(await statuses(user)).toEqual(['completed']);
  });

  it.each([
    ['pays another user', (_own: Address, addressOfOther: Address) => pay(addressOfOther, '600')],
    ['transfers another token', (own: Address) => chainFixtures.payFakeToken(own, '600')],
    ['transfers ether', (own: Address) => chainFixtures.payEther(own, '1')],
  ])('fails and credits no USDC when the transaction %s', async (_what, transact) => {
    const { user, address } = await userWithAddress();
    const anotherUser = await userWithAddress();
    const hash = await transact(address, anotherUser.address);
    await claim(user, hash);
    await mineAndPoll(10);
    expect((await statuses(user))[0]).toBe('pending'); // 11 of 12 confirmations
    await mineAndPoll(1);
    const [claimed] = await depositsOf(user);
    expect(claimed).toMatchObject({
      currency: 'USDC',
      status: 'failed',
      metadata: {
        reason: 'The transaction contains no transfer to your deposit address.',
        nextStep:
          'Nothing was credited. If money left your wallet, write to support with the transaction hash.',
      },
    });
    expect(await available(user)).toBe('0.00');
  });

  it('fails if the transaction was reverted, once the block of the transaction has enough confirmations', async () => {
    const { user, address } = await userWithAddress();
    await claim(user, await chainFixtures.sendRevertedTransfer(address, '600'));
    const before = await platform.ledgerState();
    await mineAndPoll(10);
    expect(await depositsOf(user)).toMatchObject([{ status: 'pending', confirmations: 0 }]); // its block has 11 of 12
    await mineAndPoll(1);
    expect(await depositsOf(user)).toMatchObject([
      { status: 'failed', metadata: { reason: 'The transaction was reverted on chain.' } },
    ]);
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('fails when the chain does not show the transaction for 24 hours, and can then be repeated', async () => {
    const user = await platform.given.user();
    const hash = newHash();
    await claim(user, hash);
    platform.clock.advance(24 * HOUR_MS);
    await poll();
    expect(await depositsOf(user)).toMatchObject([
      { status: 'failed', metadata: { reason: 'The transaction has not been seen for 24 hours.' } },
    ]);
    expect((await claim(user, hash)).status).toBe(201);
  });

  it('returns to pending when a reorganisation removes its block, and completes when it is mined again', async () => {
    const { user, address } = await userWithAddress();
    const mineAgain = await chainFixtures.reorganise(async () => {
      const hash = await pay(address, '600');
      await mine(4);
      await claim(user, hash);
      await poll();
      expect(await depositsOf(user)).toMatchObject([{ status: 'confirming', confirmations: 5 }]);
      return hash;
    });
    await poll();
    expect(await depositsOf(user)).toMatchObject([
      { status: 'pending', confirmations: 0, blockNumber: null },
    ]);
    await mineAgain();
    await mineAndPoll(11);
    expect(await statuses(user)).toEqual(['completed']);
    expect(await available(user)).toBe('600.00');
  });

  describe('of another user’s transaction', () => {
    it('takes nothing from the owner of the transaction when the claim precedes the callback', async () => {
      const [owner, claimant] = [await userWithAddress(), await userWithAddress()];
      const hash = await pay(owner.address, '600');
      expect((await claim(claimant.user, hash)).status).toBe(201);
      const callback = {
        currency: 'USDC',
        network: 'erc20',
        address: owner.address,
        hash,
        amount: '600',
        confirmations: 12,
      };
      await mine(11);
      await new ProviderCallbacks(platform).reportDeposit(callback);
      expect([await available(owner.user), await available(claimant.user)]).toEqual(['600.00', '0.00']);
      expect(await statuses(owner.user)).toEqual(['completed']);
      expect(await statuses(claimant.user)).toEqual(['failed']);
    });

    it('does not prevent the owner from claiming it', async () => {
      const [owner, claimant] = [await userWithAddress(), await userWithAddress()];
      const hash = await pay(owner.address, '600');
      await claim(claimant.user, hash);
      expect((await claim(owner.user, hash)).status).toBe(201);
      await mineAndPoll(11);
      expect([await available(owner.user), await available(claimant.user)]).toEqual(['600.00', '0.00']);
    });

    it.each([
      ['USDC', (address: Address) => pay(address, '600')],
      ['ETH', (address: Address) => chainFixtures.payEther(address, '1')],
    ])(
      'is rejected after the transaction was recorded for its owner, without revealing the deposit: %s',
      async (currency, payOwner) => {
        const [owner, claimant] = [await userWithAddress(), await userWithAddress()];
        const hash = await payOwner(owner.address);
        await claim(owner.user, hash, { currency });
        await poll();
        const refused = await claim(claimant.user, hash);
        expect([refused.status, refused.code, refused.body.error.details]).toEqual([
          400,
          'DUPLICATE_DEPOSIT',
          undefined,
        ]);
        expect(await depositsOf(claimant.user)).toEqual([]);
      },
    );
  });

  it('is rejected if the user has claimed the hash before: of twenty concurrent claims one is accepted', async () => {
    const { user } = await userWithAddress();
    const hash = newHash();
    const replies = await Promise.all(Array.from({ length: 20 }, () => claim(user, hash)));
    const accepted = replies.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(1);
    const refused = await claim(user, hash);
    expect([refused.status, refused.code]).toEqual([400, 'DUPLICATE_DEPOSIT']);
    expect(refused.body.error.details).toEqual({ depositId: accepted[0]?.data.id });
    expect(await depositsOf(user)).toHaveLength(1);
  });

  it.each([
    ['a short hash', { txHash: '0x12' }, 'INVALID_TX_HASH'],
    ['a hash without 0x', { txHash: 'ab'.repeat(32) }, 'INVALID_TX_HASH'],
    ['a hash with non-hexadecimal letters', { txHash: `0x${'zz'.repeat(32)}` }, 'INVALID_TX_HASH'],
    ['an amount below the minimum', { amount: '499.999999' }, 'INVALID_AMOUNT'],
    ['an amount of zero ETH', { amount: '0.00', currency: 'ETH' }, 'INVALID_AMOUNT'],
    ['an amount as a number', { amount: 600 }, 'INVALID_AMOUNT'],
    ['an amount with seven decimals', { amount: '600.0000001' }, 'INVALID_AMOUNT'],
    ['a negative amount', { amount: '-600.00' }, 'INVALID_AMOUNT'],
    ['an unsupported currency', { currency: 'USDT' }, 'VALIDATION_ERROR'],
    ['an invalid sender address', { fromAddress: '0x12' }, 'INVALID_WALLET_ADDRESS'],
    ['no hash', { txHash: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['no amount', { amount: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['no currency', { currency: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['no sender', { fromAddress: undefined }, 'MISSING_REQUIRED_FIELD'],
    ['an unknown field', { confirmations: 12 }, 'VALIDATION_ERROR'],
  ])('with %s is rejected', async (_what, changes, code) => {
    const { user } = await userWithAddress();
    const before = await platform.ledgerState();
    const refused = await claim(user, newHash(), changes);
    expect([refused.status, refused.code]).toEqual([400, code]);
    expect(await depositsOf(user)).toEqual([]);
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('is answered with 503 and not recorded while the node is unavailable', async () => {
    const { user } = await userWithAddress();
    const hash = newHash();
    platform.outside.providers.faults.set('chain', 'error');
    const refused = await claim(user, hash);
    expect([refused.status, refused.code]).toEqual([503, 'BLOCKCHAIN_ERROR']);
    expect(await depositsOf(user)).toEqual([]);
    platform.outside.providers.faults.clear('chain');
    expect((await claim(user, hash)).status).toBe(201);
  });
});
