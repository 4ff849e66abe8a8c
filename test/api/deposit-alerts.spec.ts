import type { Hash } from 'viem';
import { DAY_MS } from '../../src/common/durations.js';
import { ChainFixtures } from '../fixtures/chain-fixtures.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import type { TestAdmin } from '../fixtures/given.js';
import { eventuallyTrue, newHash, newProviderId } from '../fixtures/provider-callbacks.js';

describe('Alerts about deposits', () => {
  let scenario: DepositScenario;
  let operator: TestAdmin;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    operator = await scenario.platform.given.admin('operator');
  });
  afterAll(() => scenario.stop());

  const alertsOf = async (userId: string, query = '') => {
    const { data } = await scenario.platform.as(operator).get(`/api/admin/alerts?limit=100${query}`);
    return data.filter(({ subject }: any) => subject.userId === userId);
  };

  /** Creates a deposit that is credited and then removed from the chain by a reorganisation. */
  async function reorganised() {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const chainFixtures = new ChainFixtures(scenario.platform.outside.chain);
    const mineAgain = await chainFixtures.reorganise(async () => {
      const { txHash } = await scenario.provider.pay(address, '800');
      await scenario.mineBlocks(12);
      await eventuallyTrue(async () => (await scenario.availableBalance(user)) === '800.00');
      return txHash as Hash;
    });
    const deposit = await scenario.onlyDeposit(user);
    return { user, deposit, mineAgain };
  }

  it('reports a credited deposit that a reorganisation removes, and resolves the alert when it is mined again', async () => {
    const { user, deposit, mineAgain } = await reorganised();
    await scenario.pollProvider();
    expect(await alertsOf(user.id)).toEqual([]); // the node has not reached the block of the credit yet
    await scenario.mineBlocks(20);
    await scenario.pollProvider();
    await scenario.pollProvider();
    expect(await alertsOf(user.id)).toMatchObject([
      {
        kind: 'deposit-reorganised',
        subject: { type: 'deposit', id: deposit.id, userId: user.id, txHash: deposit.txHash },
        message: expect.stringContaining('800.00 USDC over ERC20 is credited, and the chain no longer shows'),
      },
    ]);
    expect(await scenario.availableBalance(user)).toBe('800.00'); // an admin decides about the credited money
    await mineAgain();
    await scenario.pollProvider();
    expect(await alertsOf(user.id)).toEqual([]);
    expect(await alertsOf(user.id, '&status=resolved')).toMatchObject([{ resolvedBy: 'system' }]);
  });

  it('does not look up a deposit later than a day after its credit', async () => {
    const { user } = await reorganised();
    await scenario.mineBlocks(20);
    scenario.platform.clock.advance(DAY_MS);
    await scenario.pollProvider();
    expect(await alertsOf(user.id)).toEqual([]);
  });

  it.each(['TRC20', 'BEP20'])(
    'reports a second transfer in one transaction over %s, which is not credited',
    async (network) => {
      const { user, address } = await scenario.userWithAddress('USDT', network);
      const [hash, first, second, third] = [newHash(), newProviderId(), newProviderId(), newProviderId()];
      const transfer = { address, hash, network: network.toLowerCase(), amount: '600' };
      await scenario.callbacks.reportDeposit({ ...transfer, id: first });
      await scenario.callbacks.reportDeposit({
        ...transfer,
        id: second,
        status: 'Pending',
        confirmations: 0,
      });
      expect(await alertsOf(user.id)).toEqual([]);
      await scenario.callbacks.reportDeposit({ ...transfer, id: second, amount: '700' });
      await scenario.callbacks.reportDeposit({ ...transfer, id: second, amount: '700', confirmations: 21 });
      await scenario.callbacks.reportDeposit({ ...transfer, id: third });
      expect(await scenario.availableBalance(user)).toBe('600.00');
      const { id: depositId } = await scenario.onlyDeposit(user);
      expect((await alertsOf(user.id)).map(({ kind, subject }: any) => [kind, subject.id]).sort()).toEqual([
        ['second-transfer', String(second)],
        ['second-transfer', String(third)],
      ]);
      const [alert] = (await alertsOf(user.id)).filter(({ subject }: any) => subject.id === String(second));
      expect(alert).toMatchObject({
        subject: { type: 'provider-deposit', userId: user.id, txHash: hash },
        message: expect.stringContaining(`700.00 USDT over ${network}`),
      });
      expect(alert.message).toContain(depositId);
    },
  );

  it('reports a credited deposit that the provider later reports as failed', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const transfer = { address, hash: newHash(), id: newProviderId() };
    await scenario.callbacks.reportDeposit(transfer);
    await scenario.callbacks.reportDeposit({ ...transfer, status: 'Failed' });
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await alertsOf(user.id)).toMatchObject([
      {
        kind: 'deposit-reorganised',
        message: expect.stringContaining('the deposit provider now reports that it failed'),
      },
    ]);
  });
});
