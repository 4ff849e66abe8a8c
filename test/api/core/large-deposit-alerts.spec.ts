import { newHash } from '../../fixtures/provider-callbacks.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';

describe('The credit of a deposit', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ LARGE_DEPOSIT_ALERT: '20000.00', USDT_USDC_RATE: '0.5' });
  });
  afterAll(() => scenario?.stop());

  /** Credits a deposit by a callback of the provider; returns it with the alerts about its user. */
  async function credit(amount: string, currency: string, network: string, on = scenario) {
    const { user, address } = await on.userWithAddress(currency, network);
    const hash = network === 'TRC20' ? newHash().slice(2) : newHash();
    await on.callbacks.reportDeposit({ address, hash, currency, network, amount, confirmations: 100 });
    const deposit = await on.onlyDeposit(user);
    return { user, hash, deposit, alerts: await alertsOf(user.id, on) };
  }
  async function alertsOf(userId: string, on = scenario) {
    const admin = on.platform.as(await on.platform.given.admin('admin'));
    const { data } = await admin.get('/api/admin/alerts?limit=100');
    return data.filter(({ subject }: any) => subject.userId === userId);
  }

  it.each([
    ['USDC', 'TRC20', '20000'],
    ['USDC', 'BEP20', '20000.000001'],
    ['USDT', 'ERC20', '40000'], // 20000.00 USDC at the rate 0.5
  ])(
    'raises an alert if it is large and the service does not read its chain: %s over %s, amount %s [SEC-315]',
    async (currency, network, amount) => {
      const { user, hash, deposit, alerts } = await credit(amount, currency, network);
      expect(deposit.status).toBe('completed');
      expect(alerts).toMatchObject([
        {
          kind: 'large-deposit',
          subject: { type: 'deposit', id: deposit.id, userId: user.id, txHash: hash },
          resolvedAt: null,
        },
      ]);
      for (const part of [currency, network, hash, '20000.00']) expect(alerts[0].message).toContain(part);
      expect(alerts[0].nextStep).toContain("deposit provider's console");
    },
  );

  it.each([
    ['below the threshold', '19999.999999', 'USDC'],
    ['worth less than the threshold in USDC', '39999.99', 'USDT'],
  ])('raises no alert if the amount is %s', async (_what, amount, currency) => {
    const { deposit, alerts } = await credit(amount, currency, 'TRC20');
    expect([deposit.status, alerts]).toEqual(['completed', []]);
  });

  it('raises no alert if the service reads the deposit on chain', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    await scenario.provider.pay(address, '25000');
    await scenario.mineBlocks(15);
    await scenario.pollProvider();
    expect(await scenario.depositStatuses(user)).toEqual(['completed']);
    expect(await alertsOf(user.id)).toEqual([]);
  });

  it('raises the alert once, and not before the deposit has the required confirmations', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    const report = { address, id: 9_000_001, hash: newHash().slice(2), currency: 'USDC', amount: '30000' };
    await scenario.callbacks.reportDeposit({ ...report, confirmations: 1 });
    expect(await alertsOf(user.id)).toEqual([]);
    await scenario.callbacks.reportDeposit({ ...report, confirmations: 20 });
    await scenario.callbacks.reportDeposit({ ...report, confirmations: 21 });
    expect(await alertsOf(user.id)).toHaveLength(1);
  });

  it('raises no alert with LARGE_DEPOSIT_ALERT=off', async () => {
    const quiet = await DepositScenario.start({ LARGE_DEPOSIT_ALERT: 'off' });
    try {
      const { deposit, alerts } = await credit('900000', 'USDC', 'TRC20', quiet);
      expect([deposit.status, alerts]).toEqual(['completed', []]);
    } finally {
      await quiet.stop();
    }
  });
});
