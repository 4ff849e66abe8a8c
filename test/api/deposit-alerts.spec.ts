import type { Hash } from 'viem';
import { DAY_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { AlertStatus } from '../../src/modules/alerts/alerts.types.js';
import type { AlertResponse } from '../../src/modules/alerts/dto/alert.response.js';
import { ChainDepositsService } from '../../src/modules/deposits/chain-deposits.service.js';
import { ChainFixtures } from '../fixtures/chain-fixtures.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import type { TestAdmin } from '../fixtures/given.js';
import {
  eventuallyTrue,
  newHash,
  newProviderId,
  type DepositReport,
} from '../fixtures/provider-callbacks.js';

describe('Alerts about deposits', () => {
  let scenario: DepositScenario;
  let operator: TestAdmin;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    operator = await scenario.platform.given.admin('operator');
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

  it('raises no alert about a reorganised deposit that was credited a day ago', async () => {
    const { user } = await createReorganisedDeposit();
    await scenario.mineBlocks(20);
    scenario.platform.clock.advance(DAY_MS);
    await scenario.pollProvider();
    expect(await alertsAbout(user.id)).toEqual([]);
  });

  it.each(['TRC20', 'BEP20'])(
    'raises one alert for each further transfer in the transaction of a deposit over %s, and credits none of them',
    async (network) => {
      const { user, address } = await scenario.userWithAddress('USDT', network);
      const [hash, first, second, third] = [newHash(), newProviderId(), newProviderId(), newProviderId()];
      const report = (id: number, changes: Partial<DepositReport> = {}) =>
        scenario.callbacks.reportDeposit({
          address,
          hash,
          network: network.toLowerCase(),
          amount: '600',
          id,
          ...changes,
        });
      await report(first);
      await report(second, { status: 'Pending', confirmations: 0 });
      expect(await alertsAbout(user.id)).toEqual([]); // only a successful transfer raises an alert
      await report(second, { amount: '700' });
      await report(second, { amount: '700', confirmations: 21 }); // a repeated report raises no further alert
      await report(third);
      expect(await scenario.availableBalance(user)).toBe('600.00'); // only the first; a USDT counts as one USDC
      const alerts = await alertsAbout(user.id);
      expect(alerts.map(({ kind, subject }) => [kind, subject.id]).sort()).toEqual([
        ['second-transfer', String(second)],
        ['second-transfer', String(third)],
      ]);
      const alertOfSecond = alerts.find(({ subject }) => subject.id === String(second));
      expect(alertOfSecond).toMatchObject({
        subject: { type: 'provider-deposit', userId: user.id, txHash: hash },
        message: expect.stringContaining(`700.00 USDT over ${network}`),
      });
      const { id: creditedId } = await scenario.onlyDeposit(user);
      expect(alertOfSecond?.message).toContain(creditedId);
    },
  );

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
          ...{ hash, succeeded, confirmations, blockNumber: 7, gasUsed: '90000', gasPrice: '1' },
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

  it('names amounts with up to six decimals, although a BEP20 token has eighteen', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'BEP20');
    const first = {
      address,
      hash: newHash(),
      network: 'bep20',
      amount: '600.123456789',
      id: newProviderId(),
    };
    await scenario.callbacks.reportDeposit(first);
    await scenario.callbacks.reportDeposit({ ...first, status: 'Failed' });
    await scenario.callbacks.reportDeposit({ ...first, amount: '700.123456789', id: newProviderId() });
    const messages = (await alertsAbout(user.id)).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining('reports 700.123456 USDT over BEP20'),
      expect.stringContaining('A deposit of 600.123456 USDT over BEP20 is credited'),
    ]);
  });
});
