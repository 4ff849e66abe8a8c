import { DepositProvider } from '../../src/modules/funds/deposits/deposit-provider.client.js';
import { DepositsService } from '../../src/modules/funds/deposits/deposits.service.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

const PAYMENTS = 20;

describe('A deposit whose COMMIT was carried out without an answer', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let scenario: DepositScenario;

  beforeAll(async () => {
    database = await freshDatabase();
    proxy = await TcpProxy.startFor(database.url);
    scenario = await DepositScenario.start({ DATABASE_URL: proxy.url, LOG_SEAL_SECONDS: '3600' });
  });
  afterAll(async () => {
    await scenario?.stop();
    await proxy?.close();
    await database?.drop();
  });

  it.each([
    ['USDT', 'TRC20'],
    ['USDC', 'ERC20'],
  ])(
    'is recorded and credited once when callbacks and polls report it again at once (%s over %s)',
    async (currency, network) => {
      const deposits = scenario.platform.app.get(DepositsService);
      const provider = scenario.platform.app.get(DepositProvider);
      scenario.faults.set('deposit', 'drop'); // no callback arrives: the test calls the service instead
      let isLost = false;
      // The dropped answer can be that of a COMMIT in the background.
      for (let payment = 1; payment <= PAYMENTS && !isLost; payment++) {
        const { user, address } = await scenario.userWithAddress(currency, network);
        const { depositId } = await scenario.provider.pay(address, '600');
        await scenario.mineBlocks(20);
        const report = await provider.findDeposit(String(depositId));
        if (!report) throw new Error('The provider does not know the payment.');
        proxy.commitAnswersToDrop = 1;
        isLost = await deposits.recordProviderDeposit(report).then(
          () => false,
          () => true,
        );
        proxy.commitAnswersToDrop = 0;
        const again = [1, 2, 3].map(() => deposits.recordProviderDeposit(report));
        await Promise.all([...again, scenario.pollProvider(), scenario.pollProvider()]);
        expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'completed' });
        expect(await scenario.availableBalance(user)).toBe('600.00');
      }
      expect(isLost).toBe(true);
    },
  );
});
