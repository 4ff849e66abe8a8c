import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { newHash, newProviderId, processDueCallbacks } from '../../fixtures/provider-callbacks.js';
import { makeRetriesDue } from './api-state.js';

describe('makeRetriesDue', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
  });
  afterAll(() => scenario?.stop());

  it('makes a callback whose attempt failed due at once, and leaves the domain clock as it is', async () => {
    const { platform } = scenario;
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const report = { id: newProviderId(), currency: 'USDC', network: 'erc20', address, hash: newHash() };
    scenario.faults.set('chain', 'error');
    await scenario.callbacks.reportDeposit({ ...report, status: 'Pending', confirmations: 0 });
    await scenario.endFaults();
    await processDueCallbacks(platform);
    expect(await scenario.depositsOf(user)).toEqual([]); // the retry is due in a second of the frozen clock
    const before = platform.clock.now();
    await makeRetriesDue({ databaseUrl: platform.env.DATABASE_URL as string });
    await processDueCallbacks(platform);
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'pending' });
    expect(platform.clock.now()).toEqual(before);
  });
});
