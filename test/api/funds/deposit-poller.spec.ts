import { HOUR_MS } from '../../../src/common/durations.js';
import type { AlertResponse } from '../../../src/modules/core/alerts/dto/alert.response.js';
import { DepositsService } from '../../../src/modules/funds/deposits/deposits.service.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestUser } from '../../fixtures/given.js';
import {
  processDueCallbacks,
  eventuallyTrue,
  newHash,
  newProviderId,
} from '../../fixtures/provider-callbacks.js';

describe('The deposit poller', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ USDT_USDC_RATE: '0.999' });
  });
  afterEach(() => scenario.endFaults());
  afterAll(() => scenario?.stop());

  it.each([
    ['USDC', 'ERC20', '600', '600.00'],
    ['USDT', 'TRC20', '600', '599.40'], // 600 × 0.999
  ])(
    'credits deposits of %s over %s whose callbacks were lost',
    async (currency, network, amount, credited) => {
      const { user, address } = await scenario.userWithAddress(currency, network);
      scenario.faults.set('deposit', 'drop');
      await scenario.provider.pay(address, amount);
      await scenario.mineBlocks(20);
      await processDueCallbacks(scenario.platform);
      expect(await scenario.depositsOf(user)).toEqual([]);
      await scenario.pollProvider();
      expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'completed' });
      expect(await scenario.availableBalance(user)).toBe(credited);
    },
  );

  it('credits a deposit once when callbacks and several polls run concurrently', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    scenario.faults.set('deposit', 'duplicate');
    await scenario.provider.pay(address, '600');
    await scenario.mineBlocks(12);
    await Promise.all([scenario.pollProvider(), scenario.pollProvider(), scenario.pollProvider()]);
    await eventuallyTrue(async () => (await scenario.availableBalance(user)) === '600.00');
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('600.00');
  });

  describe('reads in the list of the provider, if the last callback about a deposit was lost,', () => {
    const alertsAbout = async (user: TestUser): Promise<AlertResponse[]> => {
      const operator = await scenario.platform.given.admin('operator');
      const { data } = await scenario.platform.as(operator).get('/api/admin/alerts');
      return data.filter(({ subject }: AlertResponse) => subject.userId === user.id);
    };

    /** Polls twice; returns how often the polls recorded the deposit. */
    async function countRecordings(depositId: number): Promise<number> {
      const recordReport = jest.spyOn(scenario.platform.app.get(DepositsService), 'recordProviderDeposit');
      for (let poll = 1; poll <= 2; poll++) await scenario.pollProvider();
      const count = recordReport.mock.calls.filter(([{ id }]) => id === String(depositId)).length;
      recordReport.mockRestore();
      return count;
    }

    it.each([
      ['credited', '600', 'completed', 1], // the credit stays, and an alert reports the contradiction
      ['held', '400', 'failed', 0], // below the minimum of 500.00
    ])(
      'that a %s deposit has failed, and records the failure once',
      async (_state, amount, status, alertCount) => {
        const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
        const { depositId } = await scenario.provider.pay(address, amount);
        await scenario.mineBlocks(20);
        await processDueCallbacks(scenario.platform);
        await scenario.pollProvider();
        const list = scenario.provider.list.bind(scenario.provider);
        const listFailed = jest.spyOn(scenario.provider, 'list').mockImplementation((page) => {
          const answer = list(page);
          const listed = answer.items.find(({ id }) => id === depositId);
          if (listed) Object.assign(listed, { status: 'Failed' });
          return answer;
        });
        expect(await countRecordings(depositId)).toBe(1);
        listFailed.mockRestore();
        expect(await scenario.onlyDeposit(user)).toMatchObject({ status });
        expect(await alertsAbout(user)).toHaveLength(alertCount);
      },
    );

    it('that a rejected deposit has succeeded, records the success once and raises one alert', async () => {
      const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
      scenario.faults.set('deposit', 'drop');
      const { depositId, txHash } = await scenario.provider.pay(address, '600');
      await scenario.mineBlocks(20);
      await scenario.callbacks.reportDeposit({ id: depositId, hash: txHash, address, status: 'Rejected' });
      expect(await countRecordings(depositId)).toBe(1);
      expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'failed' });
      expect(await alertsAbout(user)).toMatchObject([{ kind: 'deposit-reorganised' }]);
    });
  });

  it('continues after failures of the provider and the chain, and credits the deposit when both are available', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    scenario.faults.set('deposit', 'drop');
    await scenario.provider.pay(address, '600');
    await scenario.mineBlocks(12);
    scenario.faults.set('deposit', 'error');
    await scenario.pollProvider();
    scenario.faults.clear('deposit');
    scenario.faults.set('chain', 'error');
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('0.00');
    scenario.faults.clear('chain');
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('600.00');
  });

  it('fails a deposit that was not seen for 24 hours; a later callback credits it as a new deposit', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { id: newProviderId(), hash: newHash(), address, amount: '1000' };
    await scenario.callbacks.reportDeposit({ ...report, status: 'Pending', confirmations: 0 });
    scenario.platform.clock.advance(24 * HOUR_MS - 1);
    await scenario.pollProvider();
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'pending' });
    scenario.platform.clock.advance(1);
    await scenario.pollProvider();
    expect(await scenario.onlyDeposit(user)).toMatchObject({
      status: 'failed',
      metadata: { reason: 'The transaction has not been seen for 24 hours.' },
    });
    await scenario.callbacks.reportDeposit({ ...report, status: 'Success', confirmations: 20 });
    expect((await scenario.depositsOf(user)).map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(await scenario.availableBalance(user)).toBe('999.00'); // 1000 × 0.999
  });
});
