import type { Address } from 'viem';
import { DAY_MS } from '../../../src/common/durations.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { newHash, newProviderId } from '../../fixtures/provider-callbacks.js';

const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('The transaction of a claimed deposit', () => {
  let scenario: DepositScenario;
  let admin: TestAdmin;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    admin = await scenario.platform.given.admin('admin');
  });
  afterAll(() => scenario?.stop());

  const claim = (user: TestUser, txHash: string) =>
    scenario.platform.as(user).post('/api/user/blockchain/deposit', {
      txHash,
      amount: '600.00',
      currency: 'USDC',
      fromAddress: SENDER,
    });

  /** Reads the user's only transaction, the `processedAt` that admins see, and the user's notifications. */
  async function readTransaction(user: TestUser) {
    const caller = scenario.platform.as(user);
    const [{ id }] = (await caller.get('/api/user/transactions')).data;
    const { data } = await caller.get(`/api/user/transactions/${id}`);
    const notifications = (await caller.get('/api/user/notifications')).data;
    const listed = (await scenario.platform.as(admin).get(`/api/admin/transactions?user_id=${user.id}`)).data
      .transactions;
    return {
      timeline: data.timeline.map(({ description }: { description: string }) => description),
      amount: data.amount,
      submittedAt: data.submittedAt,
      processedAt: listed[0].processedAt,
      notified: notifications.map(({ title }: { title: string }) => title),
    };
  }

  it('shows the claim first, and `Seen on chain` once the chain shows the transfer', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const hash = await scenario.platform.outside.chain.payUsdc(address as Address, '750');
    await claim(user, hash);
    expect(await readTransaction(user)).toEqual({
      timeline: ['Claim received'],
      amount: '600.00',
      submittedAt: null,
      processedAt: null,
      notified: [],
    });

    await scenario.pollProvider();
    const now = scenario.platform.clock.now().toISOString();
    expect(await readTransaction(user)).toEqual({
      timeline: ['Claim received', 'Seen on chain', 'Waiting for more confirmations'],
      amount: '750.00',
      submittedAt: now,
      processedAt: now,
      notified: ['Deposit seen'],
    });
  });

  it('shows `Seen on chain` when the provider reports the transfer before the chain shows it', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const hash = newHash();
    await claim(user, hash);
    await scenario.callbacks.reportDeposit({
      id: newProviderId(),
      currency: 'USDC',
      network: 'erc20',
      address,
      hash,
      amount: '750',
      status: 'Pending',
      confirmations: 0,
    });
    expect(await readTransaction(user)).toMatchObject({
      timeline: ['Claim received', 'Seen on chain'],
      amount: '750.00',
      submittedAt: expect.any(String),
      notified: ['Deposit seen'],
    });
  });

  it('never shows `Seen on chain` for a claim that fails without a transfer', async () => {
    const { user } = await scenario.userWithAddress('USDC', 'ERC20');
    await claim(user, newHash());
    scenario.platform.clock.advance(DAY_MS);
    await scenario.pollProvider();
    expect(await readTransaction(user)).toEqual({
      timeline: ['Claim received', 'The transaction has not been seen for 24 hours.'],
      amount: '600.00',
      submittedAt: null,
      processedAt: null,
      notified: ['Deposit failed'],
    });
  });
});
