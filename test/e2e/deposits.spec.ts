import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { Money } from '../../src/kernel/money.js';
import { ChainVerification } from '../../src/modules/deposits/chain-verification.js';
import { DepositPoller } from '../../src/modules/deposits/deposit-poller.js';
import type { Word } from '../../src/modules/deposits/observation.js';
import { Deposits } from '../../src/modules/deposits/deposits.service.js';
import {
  fieldsOf,
  parseMessage,
  readDeposit,
} from '../../src/modules/deposits/provider/crypto2b-messages.js';
import { WebhookInbox } from '../../src/modules/webhooks/webhook-inbox.js';
import type { TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import {
  eventually,
  newHash,
  newProviderId,
  ProviderCallbacks,
  depositBody,
} from '../support/provider-callbacks.js';

const HOUR_MS = 3_600_000;

interface Row {
  amount: string;
  status: string;
}

function wordOf(address: string, hash: string, amount: string): Word {
  return {
    id: String(newProviderId()),
    outcome: 'underway',
    network: 'ERC20',
    currency: 'USDC',
    hash,
    address,
    senderAddress: null,
    amount: Money.of(amount),
    confirmations: 0,
    error: null,
  };
}

describe('deposits', () => {
  let platform: TestPlatform;
  let callbacks: ProviderCallbacks;

  beforeAll(async () => {
    const settings = { DEPOSIT_POLL_SECONDS: '3600', USDT_USDC_RATE: '0.999' };
    platform = await startPlatform({ settings, blockIntervalMs: 0 });
    callbacks = new ProviderCallbacks(platform);
  });
  afterEach(async () => {
    for (const party of ['deposit', 'chain'] as const) await platform.outside.providers.endFault(party);
  });
  afterAll(() => platform.stop());

  const poll = () => platform.app.get(DepositPoller).poll();
  const provider = () => platform.outside.providers.deposits;
  const mine = async (blocks: number) => {
    await platform.outside.chain.mine(blocks);
    await provider().observe();
  };
  const available = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/balance')).data.available;
  const depositsOf = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/deposits?orderBy=asc')).data;
  const onlyDeposit = async (user: TestUser) => {
    const deposits = await depositsOf(user);
    expect(deposits).toHaveLength(1);
    return deposits[0];
  };
  const postingsOf = (depositId: string) =>
    platform.dataSource.query(`select type from ledger_transaction where reference_id = $1 order by id`, [
      depositId,
    ]);

  async function userWithAddress(
    currency: string,
    network: string,
  ): Promise<{ user: TestUser; address: string }> {
    const user = await platform.given.user();
    const { data } = await platform
      .as(user)
      .get(`/api/user/deposits/address?currency=${currency}&network=${network}`);
    return { user, address: data.address };
  }

  describe('USDC over ERC20, which the chain decides', () => {
    it('is seen, confirms, completes after 12 confirmations and is credited once', async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      const { txHash } = await provider().pay(address, '1000.000001');
      await eventually(async () => (await depositsOf(user))[0]?.status === 'confirming');
      expect(await onlyDeposit(user)).toMatchObject({
        userId: user.id,
        amount: '1000.000001',
        currency: 'USDC',
        txHash,
        toAddress: address,
        fromAddress: platform.outside.chain.treasuryAddress,
        confirmations: 1,
        requiredConfirmations: 12,
        network: 'ERC20',
        chainId: 31337,
        gasUsed: expect.stringMatching(/^\d{5}$/),
        confirmedAt: null,
        metadata: {
          depositAddress: address,
          derivationPath: null,
          contractAddress: platform.outside.chain.usdcAddress,
          estimatedCompletionTime: '2026-03-02T10:02:12.000Z', // 11 blocks of 12 seconds after 10:00
          reason: '1 of 12 confirmations have come.',
          nextStep: 'Nothing to do: it is credited after 12 confirmations.',
          holdReason: null,
        },
      });
      expect(await available(user)).toBe('0.00');
      await mine(10);
      await poll();
      expect(await onlyDeposit(user)).toMatchObject({ status: 'confirming', confirmations: 11 });
      await mine(1);
      await poll();
      expect(await onlyDeposit(user)).toMatchObject({
        status: 'completed',
        confirmations: 12,
        confirmedAt: '2026-03-02T10:00:00.000Z',
        metadata: { reason: null, nextStep: null, estimatedCompletionTime: null },
      });
      await mine(5);
      await poll();
      expect(await available(user)).toBe('1000.000001');
      expect(await postingsOf((await onlyDeposit(user)).id)).toEqual([{ type: 'deposit' }]);
    });

    it('is credited by callbacks alone', async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      await provider().pay(address, '600');
      await mine(12);
      await eventually(async () => (await available(user)) === '600.00');
    });

    it('does not believe a callback that the chain does not bear out', async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      const other = await userWithAddress('USDC', 'ERC20');
      const paidToOther = await platform.outside.chain.payUsdc(other.address as `0x${string}`, '600');
      await platform.outside.chain.mine(12);
      const word = { currency: 'USDC', network: 'erc20', address, amount: '9000', confirmations: 12 };
      await callbacks.tell({ ...word, hash: newHash() });
      await callbacks.tell({ ...word, hash: paidToOther });
      const [unknown] = await depositsOf(user);
      expect(await depositsOf(user)).toHaveLength(1);
      expect(unknown).toMatchObject({ status: 'pending', confirmations: 0 });
      expect(await available(user)).toBe('0.00');
      expect(await available(other.user)).toBe('600.00'); // the hash was a good hint all the same
    });

    it('records each transfer of a transaction that pays several times, for its own address', async () => {
      const [one, two] = [await userWithAddress('USDC', 'ERC20'), await userWithAddress('USDC', 'ERC20')];
      const hash = newHash();
      const pays = (to: string, amount: string, logIndex: number) => ({
        token: platform.outside.chain.usdcAddress,
        from: platform.outside.chain.treasuryAddress,
        to,
        amount: Money.of(amount),
        logIndex,
      });
      const transfers = [
        pays(one.address, '600', 0),
        pays(two.address, '700', 2),
        pays(one.address, '800', 5),
      ];
      const mined = { succeeded: true, blockNumber: 7, confirmations: 12, gasUsed: '90000', gasPrice: '1' };
      const [uow, verification] = [platform.app.get(UnitOfWork), platform.app.get(ChainVerification)];
      const waiting = { hash, ...mined, succeeded: null, blockNumber: null, confirmations: 0, transfers: [] };
      await uow.run((tx) => verification.apply(tx, hash, waiting, wordOf(one.address, hash, '800')));
      expect(await onlyDeposit(one.user)).toMatchObject({ status: 'pending', amount: '800.00' });
      for (let time = 1; time <= 2; time++) {
        await uow.run((tx) =>
          verification.apply(tx, hash, { hash, ...mined, transfers }, wordOf(one.address, hash, '600')),
        );
      }
      expect((await depositsOf(one.user)).map(({ amount, status }: Row) => [amount, status])).toEqual([
        ['600.00', 'completed'],
        ['800.00', 'completed'],
      ]);
      expect([await available(one.user), await available(two.user)]).toEqual(['1400.00', '700.00']); // 600 + 800; 700
    });

    it("takes the amount from the chain, not from the provider's word", async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      const hash = await platform.outside.chain.payUsdc(address as `0x${string}`, '600');
      await platform.outside.chain.mine(12);
      await callbacks.tell({ currency: 'USDC', network: 'erc20', address, hash, amount: '60000' });
      expect(await onlyDeposit(user)).toMatchObject({ amount: '600.00', status: 'completed' });
      expect(await available(user)).toBe('600.00');
    });
  });

  describe('USDT over TRC20, where the provider is believed', () => {
    it('is credited at the rate, rounded down, once the provider says so with enough confirmations', async () => {
      const { user, address } = await userWithAddress('USDT', 'TRC20');
      const [id, hash] = [newProviderId(), newHash()];
      const word = { id, hash, address, amount: '1000.000001' };
      await callbacks.tell({ ...word, status: 'Pending', confirmations: 0 });
      expect(await onlyDeposit(user)).toMatchObject({
        status: 'pending',
        confirmations: 0,
        requiredConfirmations: 20,
      });
      await callbacks.tell({ ...word, status: 'Success', confirmations: 19 });
      expect(await onlyDeposit(user)).toMatchObject({ status: 'confirming', confirmations: 19 });
      expect(await available(user)).toBe('0.00');
      await callbacks.tell({ ...word, status: 'Success', confirmations: 20 });
      expect(await onlyDeposit(user)).toMatchObject({
        status: 'completed',
        amount: '1000.000001',
        currency: 'USDT',
      });
      expect(await available(user)).toBe('999.00'); // 1000.000001 × 0.999 = 999.000000999, rounded down
    });

    it('is credited once when the provider tells of it under two ids', async () => {
      const { user, address } = await userWithAddress('USDT', 'TRC20');
      const word = { hash: newHash(), address, amount: '1000' };
      await callbacks.tell({ id: newProviderId(), ...word });
      await callbacks.tell({ id: newProviderId(), ...word });
      await onlyDeposit(user);
      expect(await available(user)).toBe('999.00'); // 1000 × 0.999
    });

    it('is credited to each of two users whom one transaction pays', async () => {
      const [one, two] = [await userWithAddress('USDT', 'TRC20'), await userWithAddress('USDT', 'TRC20')];
      const hash = newHash();
      await callbacks.tell({ hash, address: one.address, amount: '1000' });
      await callbacks.tell({ hash, address: two.address, amount: '2000' });
      expect([await available(one.user), await available(two.user)]).toEqual(['999.00', '1998.00']);
    });
  });

  it('floors a token of 18 decimals to six; the dust stands in the rounding account', async () => {
    const { user, address } = await userWithAddress('USDC', 'BEP20');
    const dust = async () => {
      const [row] = await platform.dataSource.query(
        `select coalesce(sum(amount), 0)::text as sum from ledger_entry join ledger_account as account on account.id = account_id
          where kind = 'rounding'`,
      );
      return row.sum;
    };
    expect(await dust()).toBe('0');
    await callbacks.tell({
      currency: 'USDC',
      network: 'bep20',
      address,
      amount: '1234.567890123456789012',
      confirmations: 15,
    });
    expect(await onlyDeposit(user)).toMatchObject({ status: 'completed', amount: '1234.56789' });
    expect(await available(user)).toBe('1234.56789');
    expect(await dust()).toBe('0.000000123456789012');
  });

  it('records ETH and holds it in an account that the balance does not show', async () => {
    const { user, address } = await userWithAddress('USDC', 'ERC20');
    await callbacks.tell({
      currency: 'ETH',
      network: 'erc20',
      address,
      amount: '1.123456789012345678',
      confirmations: 12,
    });
    expect(await onlyDeposit(user)).toMatchObject({
      currency: 'ETH',
      status: 'completed',
      amount: '1.123456',
    });
    expect(await available(user)).toBe('0.00');
    const accounts = await platform.dataSource.query(
      'select asset, balance from ledger_account where owner_id = $1',
      [user.id],
    );
    expect(accounts).toEqual([{ asset: 'ETH', balance: '1.123456789012345678' }]);
  });

  describe('below the minimum of 500.00', () => {
    it('is held in suspense and says why; a later one to the same address releases both', async () => {
      const { user, address } = await userWithAddress('USDC', 'TRC20');
      await callbacks.tell({ currency: 'USDC', address, amount: '200' });
      await callbacks.tell({ currency: 'USDC', address, amount: '299.999999' });
      for (const held of await depositsOf(user)) {
        expect(held).toMatchObject({
          status: 'confirming',
          confirmedAt: null,
          metadata: {
            holdReason: 'BELOW_MINIMUM',
            reason: 'It is below the minimum deposit of 500.00.',
            nextStep:
              'Send more to the same address: once 500.00 have arrived there together, all of it is credited.',
          },
        });
      }
      expect(await available(user)).toBe('0.00'); // 200 + 299.999999 = 499.999999
      await callbacks.tell({ currency: 'USDC', address, amount: '0.000001' });
      const completed = await depositsOf(user);
      expect(completed.map(({ status }: { status: string }) => status)).toEqual([
        'completed',
        'completed',
        'completed',
      ]);
      expect(completed[0].metadata.holdReason).toBeNull();
      expect(await available(user)).toBe('500.00');
      expect(await postingsOf(completed[0].id)).toEqual([{ type: 'deposit-held' }, { type: 'deposit' }]);
      expect(await suspense()).toBe('0');
    });

    it('does not count what came to another address', async () => {
      const { user, address } = await userWithAddress('USDC', 'TRC20');
      const other = (await platform.as(user).get('/api/user/deposits/address?currency=USDC&network=BEP20'))
        .data.address;
      await callbacks.tell({ currency: 'USDC', address, amount: '300' });
      await callbacks.tell({
        currency: 'USDC',
        network: 'bep20',
        address: other,
        amount: '300',
        confirmations: 15,
      });
      expect(await available(user)).toBe('0.00');
      await callbacks.tell({ currency: 'USDC', address, amount: '200' });
      await callbacks.tell({
        currency: 'USDC',
        network: 'bep20',
        address: other,
        amount: '200',
        confirmations: 15,
      });
      expect(await available(user)).toBe('1000.00'); // 300 + 200 at each
    });

    it('never leaves two that arrive at once both held, nor credits one twice', async () => {
      const deposits = platform.app.get(Deposits);
      for (let round = 1; round <= 20; round++) {
        const { user, address } = await userWithAddress('USDC', 'TRC20');
        const told = ['250', '250'].map((amount) =>
          readDeposit(fieldsOf(parseMessage(depositBody({ currency: 'USDC', address, amount }))).data),
        );
        await Promise.all(
          [...told, ...told].map((deposit) => deposits.observe(deposit as NonNullable<typeof deposit>)),
        );
        expect(await available(user)).toBe('500.00'); // 250 + 250
        expect(await depositsOf(user)).toHaveLength(2);
      }
      expect(await suspense()).toBe('0');
    });

    const suspense = async () => {
      const [row] = await platform.dataSource.query(
        `select coalesce(sum(amount), 0)::text as sum from ledger_entry join ledger_account as account on account.id = account_id
          where kind = 'suspense'`,
      );
      return String(Number(row.sum));
    };
  });

  describe('the poller', () => {
    it.each([
      ['USDC', 'ERC20', '600', '600.00'],
      ['USDT', 'TRC20', '600', '599.40'], // 600 × 0.999
    ])('heals missed callbacks of %s over %s', async (currency, network, amount, credited) => {
      const { user, address } = await userWithAddress(currency, network);
      platform.outside.providers.faults.set('deposit', 'drop');
      await provider().pay(address, amount);
      await mine(20);
      await platform.app.get(WebhookInbox).drain();
      expect(await depositsOf(user)).toEqual([]);
      await poll();
      expect(await onlyDeposit(user)).toMatchObject({ status: 'completed' });
      expect(await available(user)).toBe(credited);
    });

    it('does not credit twice what the callbacks told, when several polls run at once', async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      platform.outside.providers.faults.set('deposit', 'duplicate');
      await provider().pay(address, '600');
      await mine(12);
      await Promise.all([poll(), poll(), poll()]);
      await eventually(async () => (await available(user)) === '600.00');
      await poll();
      expect(await available(user)).toBe('600.00');
    });

    it('gets over a provider and a chain that fail, and heals when they are back', async () => {
      const { user, address } = await userWithAddress('USDC', 'ERC20');
      platform.outside.providers.faults.set('deposit', 'drop');
      await provider().pay(address, '600');
      await mine(12);
      platform.outside.providers.faults.set('deposit', 'error');
      await poll();
      platform.outside.providers.faults.clear('deposit');
      platform.outside.providers.faults.set('chain', 'error');
      await poll();
      expect(await available(user)).toBe('0.00');
      platform.outside.providers.faults.clear('chain');
      await poll();
      expect(await available(user)).toBe('600.00');
    });

    it('fails what nobody has known of for 24 hours; should it turn up after all, it is recorded anew and credited', async () => {
      const { user, address } = await userWithAddress('USDT', 'TRC20');
      const word = { id: newProviderId(), hash: newHash(), address, amount: '1000' };
      await callbacks.tell({ ...word, status: 'Pending', confirmations: 0 });
      platform.clock.advance(24 * HOUR_MS - 1);
      await poll();
      expect(await onlyDeposit(user)).toMatchObject({ status: 'pending' });
      platform.clock.advance(1);
      await poll();
      expect(await onlyDeposit(user)).toMatchObject({
        status: 'failed',
        metadata: { reason: 'The transaction has not been seen for 24 hours.' },
      });
      await callbacks.tell({ ...word, status: 'Success', confirmations: 20 });
      expect((await depositsOf(user)).map(({ status }: { status: string }) => status)).toEqual([
        'failed',
        'completed',
      ]);
      expect(await available(user)).toBe('999.00'); // 1000 × 0.999
    });
  });
});
