import { HOUR_MS } from '../../src/common/durations.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import {
  processDueCallbacks,
  eventuallyTrue,
  newHash,
  newProviderId,
} from '../fixtures/provider-callbacks.js';

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
