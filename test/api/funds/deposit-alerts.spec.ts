import type { Address, Hash } from 'viem';
import { DAY_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import type { AlertStatus } from '../../../src/modules/core/alerts/alerts.types.js';
import type { AlertResponse } from '../../../src/modules/core/alerts/dto/alert.response.js';
import { ChainDepositsService } from '../../../src/modules/funds/deposits/chain-deposits.service.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { eventuallyTrue, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';

describe('The deposits service', () => {
  let scenario: DepositScenario;
  let operator: TestAdmin;
  let steps: TreasurySteps;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ FOUR_EYES: 'off' });
    operator = await scenario.platform.given.admin('operator');
    steps = await treasurySteps(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  const alertsAbout = async (userId: string, status: AlertStatus = 'open'): Promise<AlertResponse[]> => {
    const { data } = await scenario.platform.as(operator).get(`/api/admin/alerts?limit=100&status=${status}`);
    return (data as AlertResponse[]).filter(({ subject }) => subject.userId === userId);
  };

  /**
   * Creates a deposit of 800 USDC whose transaction a reorganisation removes after the deposit was credited. The chain then
   * ends before the block of the transaction. `sendAgain` puts the transaction on the chain again.
   */
  async function createReorganisedDeposit() {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const chainFixtures = new ChainFixtures(scenario.platform.outside.chain);
    const sendAgain = await chainFixtures.reorganise(async () => {
      const { txHash } = await scenario.provider.pay(address, '800');
      await scenario.mineBlocks(12);
      await eventuallyTrue(async () => (await scenario.availableBalance(user)) === '800.00');
      return txHash as Hash;
    });
    const deposit = await scenario.onlyDeposit(user);
    return { user, deposit, sendAgain };
  }

  it('raises one alert while the chain does not show a credited deposit, and resolves it when the chain shows it again', async () => {
    const { user, deposit, sendAgain } = await createReorganisedDeposit();
    await scenario.pollProvider();
    expect(await alertsAbout(user.id)).toEqual([]); // a node whose chain is that short may only be behind
    await scenario.mineBlocks(20);
    for (let poll = 1; poll <= 2; poll++) await scenario.pollProvider(); // the second poll must not raise a second alert
    expect(await alertsAbout(user.id)).toMatchObject([
      {
        kind: 'deposit-reorganised',
        subject: { type: 'deposit', id: deposit.id, userId: user.id, txHash: deposit.txHash },
        message: expect.stringContaining('800.00 USDC over ERC20 is credited, and the chain no longer shows'),
      },
    ]);
    expect(await scenario.availableBalance(user)).toBe('800.00'); // the credit stays until an admin reverses it
    await sendAgain();
    await scenario.pollProvider();
    expect(await alertsAbout(user.id)).toEqual([]);
    expect(await alertsAbout(user.id, 'resolved')).toMatchObject([{ resolvedBy: 'system' }]);
  });

  const violations = async () => {
    const { data } = await scenario.platform.as(steps.admin).get('/api/admin/integrity');
    return data.laws.filter(({ status }: { status: string }) => status !== 'holds');
  };

  it('lets admins take a reorganised deposit back, as its alert says', async () => {
    const atProvider = await steps.platformBalance('asset.deposit-provider');
    const { user, deposit } = await createReorganisedDeposit();
    await scenario.mineBlocks(20);
    await scenario.pollProvider();
    const [alert] = await alertsAbout(user.id);
    expect(alert?.nextStep).toContain(`with the type reversal and the depositId ${deposit.id}`);

    const takeBack = { type: 'reversal', depositId: deposit.id, amount: '800.00' };
    const created = await steps.create({ ...takeBack, description: 'The chain does not show it' });
    expect(created.data).toMatchObject({
      type: 'reversal',
      userID: user.id,
      byAdmins: { depositId: deposit.id, withdrawalId: null },
    });
    const { id } = created.data;
    expect((await steps.approve(id, steps.admin)).code).toBe('FOUR_EYES_REQUIRED'); // also with FOUR_EYES=off
    // A pause of withdrawals does not stop a reversal.
    await scenario.platform
      .as(steps.admin)
      .post('/api/admin/integrity/pause', { reason: 'No money leaves the platform' });
    expect((await steps.approve(id)).status).toBe(200);
    await scenario.platform.as(steps.admin).post('/api/admin/integrity/resume', { reason: 'Go on' });
    expect((await steps.confirm(id, { transactionHash: newHash() })).code).toBe('VALIDATION_ERROR'); // nothing is paid
    expect((await steps.confirm(id)).status).toBe(200);

    expect(await steps.balance(user)).toMatchObject({
      available: '0.00',
      deposits: '0.00',
      withdrawals: '0.00',
    });
    expect(await steps.platformBalance('asset.deposit-provider')).toBe(atProvider);
    expect(await steps.platformBalance('asset.custody')).toBe('0.00');
    expect((await steps.generateWithRetry()).data.transactions).toEqual([]); // no money to move
    const { stats } = (await scenario.platform.as(steps.admin).get(`/api/admin/users/${user.id}`)).data;
    expect(stats.totalWithdrawn).toBe('0.00');
    const [shown] = (await scenario.platform.as(user).get('/api/user/transactions')).data;
    expect(shown).toMatchObject({ type: 'reversal', metadata: { balanceChange: '-800.00' } });
    const [note] = (await scenario.platform.as(user).get('/api/user/notifications')).data;
    expect(note).toMatchObject({
      title: 'Deposit taken back',
      message:
        '800.00 USDC that were credited for a deposit have been taken back. Note: The chain does not show it',
    });
    expect((await steps.create(takeBack)).body.error).toMatchObject({
      code: 'INVALID_AMOUNT',
      details: { maximum: '0.00' },
    });
    expect(await violations()).toEqual([]);
  });

  it('lets admins take a deposit of USDT back in parts, through the conversion accounts', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { address, hash: newHash(), id: newProviderId(), amount: '600.123456789' };
    await scenario.callbacks.reportDeposit(report);
    const { id: depositId } = await scenario.onlyDeposit(user);
    const request = (amount: string) => ({ type: 'reversal', depositId, amount });
    const first = await steps.createApproved(request('500.00'));
    const [reply, other] = await Promise.all([
      steps.create(request('100.00')),
      steps.create(request('100.00')),
    ]);
    expect([reply.status, other.status].sort()).toEqual([201, 422]); // 200 would exceed the remaining 100.123456
    expect((await steps.confirm(first)).status).toBe(200);
    expect(await scenario.availableBalance(user)).toBe('100.123456');
    const entries = await scenario.platform.dataSource.query(
      `select account.kind, account.asset, sum(amount)::numeric(30,2)::text as amount
         from ledger_transaction as posted join ledger_entry as entry on entry.transaction_id = posted.id
         join ledger_account as account on account.id = account_id
        where reference_id = $1 group by 1, 2 order by 1, 2`,
      [first],
    );
    // Credit is positive.
    expect(entries).toEqual([
      { kind: 'asset.deposit-provider', asset: 'USDT', amount: '500.00' },
      { kind: 'conversion', asset: 'USDC', amount: '500.00' },
      { kind: 'conversion', asset: 'USDT', amount: '-500.00' },
      { kind: 'user.available', asset: 'USDC', amount: '-500.00' },
    ]);
    expect(await violations()).toEqual([]);
  });

  it('does not let admins take back a deposit that is not credited, a deposit of another user than the named one, or more than the user has', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    await scenario.callbacks.reportDeposit({ address, currency: 'USDC', amount: '600', confirmations: 1 });
    const { id: depositId } = await scenario.onlyDeposit(user);
    expect((await steps.create({ type: 'reversal', depositId })).code).toBe('INVALID_STATE');

    const spent = await createReorganisedDeposit();
    await steps.withdrawals.request(spent.user, '300.00'); // 800 − 300 = 500 remain
    const request = { type: 'reversal', depositId: spent.deposit.id, amount: '800.00' };
    expect((await steps.create({ ...request, userId: user.id })).code).toBe('VALIDATION_ERROR');
    const id = await steps.createApproved(request);
    expect((await steps.confirm(id)).code).toBe('INSUFFICIENT_BALANCE');
  });

  it('raises no alert about a reorganised deposit that was credited a day ago', async () => {
    const { user } = await createReorganisedDeposit();
    await scenario.mineBlocks(20);
    scenario.platform.clock.advance(DAY_MS);
    await scenario.pollProvider();
    expect(await alertsAbout(user.id)).toEqual([]);
  });

  it('raises one alert when the provider reports a transfer of ether under a second id, and credits it once', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const chainFixtures = new ChainFixtures(scenario.platform.outside.chain);
    const hash = await chainFixtures.payEther(address as Address, '1.5');
    await scenario.mineBlocks(11);
    const claim = { txHash: hash, amount: '1.50', currency: 'ETH', fromAddress: `0x${'a1'.repeat(20)}` };
    await scenario.platform.as(user).post('/api/user/blockchain/deposit', claim);
    await scenario.pollProvider();
    const [first, second] = [newProviderId(), newProviderId()];
    const report = { currency: 'ETH', network: 'erc20', address, hash, amount: '1.5', confirmations: 12 };
    await scenario.callbacks.reportDeposit({ ...report, id: first });
    await scenario.callbacks.reportDeposit({ ...report, id: second, status: 'Pending', confirmations: 0 });
    expect(await alertsAbout(user.id)).toEqual([]); // only a successful transfer raises an alert
    await scenario.callbacks.reportDeposit({ ...report, id: second });
    await scenario.callbacks.reportDeposit({ ...report, id: second, confirmations: 13 }); // raises no further alert
    const { id: creditedId } = await scenario.onlyDeposit(user);
    expect(await alertsAbout(user.id)).toMatchObject([
      {
        kind: 'second-transfer',
        subject: { type: 'provider-deposit', id: String(second), userId: user.id, txHash: hash },
        message: expect.stringContaining(creditedId),
      },
    ]);
  });

  it('raises an alert of the kind deposit-reorganised when the provider reports a credited deposit as failed', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { address, hash: newHash(), id: newProviderId() };
    await scenario.callbacks.reportDeposit(report);
    await scenario.callbacks.reportDeposit({ ...report, status: 'Failed' });
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await alertsAbout(user.id)).toMatchObject([
      {
        kind: 'deposit-reorganised', // the kind of every credited deposit that is no longer confirmed; the message says why
        message: expect.stringContaining('the deposit provider now reports that it failed'),
      },
    ]);
  });

  it('raises one alert when the provider reports a deposit as successful that it had rejected', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { address, hash: newHash(), id: newProviderId() };
    await scenario.callbacks.reportDeposit({ ...report, status: 'Rejected' });
    for (const confirmations of [20, 21])
      await scenario.callbacks.reportDeposit({ ...report, confirmations });
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'failed' });
    expect(await alertsAbout(user.id)).toMatchObject([
      {
        kind: 'deposit-reorganised',
        message:
          'A deposit of 600.00 USDT over TRC20 has failed, and the deposit provider now reports that it succeeded. It is not credited.',
        nextStep: expect.stringContaining('with the type deposit'),
      },
    ]);
  });

  it('raises an alert when the chain confirms a transfer whose deposit failed because the transaction was reverted', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const { chain } = scenario.platform.outside;
    const transfer = { token: chain.usdcAddress, from: chain.treasuryAddress, to: address, logIndex: 0 };
    const hash = newHash();
    const applyTransaction = (succeeded: boolean, confirmations: number) =>
      scenario.platform.app.get(UnitOfWork).runInTransaction((tx) =>
        scenario.platform.app.get(ChainDepositsService).applyTransaction(tx, hash, {
          hash,
          succeeded,
          confirmations,
          blockNumber: 7,
          gasUsed: '90000',
          gasPrice: '1',
          transfers: succeeded ? [{ ...transfer, amount: Money.of('600') }] : [],
        }),
      );
    await applyTransaction(true, 3);
    await applyTransaction(false, 11);
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'pending', confirmations: 0 });
    await applyTransaction(false, 12);
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'failed' });
    await applyTransaction(true, 11);
    expect(await alertsAbout(user.id)).toEqual([]); // a reorganisation can replace the block
    await applyTransaction(true, 12);
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'failed' });
    expect(await alertsAbout(user.id)).toMatchObject([
      { message: expect.stringContaining('has failed, and the chain now reports that it succeeded') },
    ]);
  });

  it('names amounts in alerts with up to six decimals, although a BEP20 token has eighteen', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'BEP20');
    const report = {
      address,
      hash: newHash(),
      network: 'bep20',
      amount: '600.123456789',
      id: newProviderId(),
    };
    await scenario.callbacks.reportDeposit(report);
    await scenario.callbacks.reportDeposit({ ...report, status: 'Failed' });
    const messages = (await alertsAbout(user.id)).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining('A deposit of 600.123456 USDT over BEP20 is credited'),
    ]);
  });
});
