import { eventually } from '../../harness/eventually.js';
import { FaucetScenario, newAddress } from '../../fixtures/faucet-scenario.js';

const NOW = '2026-03-02T10:00:00.000Z';

describe('The faucet', () => {
  let scenario: FaucetScenario;

  // Each test starts a platform, because payouts cannot be undone.
  const start = async (usdc: string) => {
    scenario = await FaucetScenario.start({ usdc, eth: '0.05', settings: { FAUCET_DAILY_LIMIT: '9000' } });
  };
  afterEach(() => scenario?.stop());

  const payOut = async (amount: string) =>
    expect((await scenario.request({ walletAddress: newAddress(), amount })).status).toBe(200);

  it('reports its status and balance before the first payout', async () => {
    await start('13000');
    const status = await eventually(async () => {
      const read = await scenario.read('status');
      expect(read.network.gasPrice).not.toBeNull(); // null while a busy machine's node answers too late
      return read;
    });
    const block = await scenario.node.getBlock();
    expect(status).toEqual({
      enabled: true,
      environment: 'test',
      configuration: {
        usdcContractAddress: scenario.platform.outside.chain.usdcAddress,
        defaultAmount: '1000.00',
        minAmount: '100.00',
        maxAmount: '10000.00',
        rateLimitPeriod: '24h',
        maxRequestsPerAddress: 1,
      },
      balance: { usdc: '13000.00', eth: '0.05', lowBalanceThreshold: '100000.00', needsRefill: true },
      statistics: {
        totalDistributed: '0.00',
        totalRequests: 0,
        uniqueAddresses: 0,
        lastDistribution: null,
        averageRequestAmount: '0.00',
      },
      limits: { dailyLimit: '9000.00', distributedToday: '0.00', remainingToday: '9000.00' },
      network: {
        chainId: 31337,
        blockNumber: Number(block.number),
        gasPrice: expect.stringMatching(/^\d+(\.\d+)?$/),
      },
    });
    expect((await scenario.read('balance')).estimatedRemaining).toEqual({ requests: 13, days: null }); // 13000 / 1000
  });

  it('includes its payouts in the status', async () => {
    await start('13000');
    scenario.platform.clock.moveTo('2026-03-01T23:59:59.000Z');
    await payOut('500');
    scenario.platform.clock.moveTo(NOW);
    await payOut('1000');
    const { statistics, limits, balance } = await scenario.read('status');
    expect(statistics).toEqual({
      totalDistributed: '1500.00', // 500 + 1000
      totalRequests: 2,
      uniqueAddresses: 2,
      lastDistribution: NOW,
      averageRequestAmount: '750.00', // 1500 / 2
    });
    // Only the second payout was made since midnight: 9000 − 1000 = 8000.
    expect(limits).toEqual({ dailyLimit: '9000.00', distributedToday: '1000.00', remainingToday: '8000.00' });
    expect(balance.usdc).toBe('11500.00'); // 13000 − 1500
  });

  it('shows balances, thresholds and the last refill', async () => {
    await start('13000');
    await payOut('500');
    await payOut('1000');
    const txHash = await scenario.platform.outside.chain.payUsdc(scenario.address, '250');
    const { blockNumber } = await scenario.node.getTransactionReceipt({ hash: txHash });
    const { timestamp } = await scenario.node.getBlock({ blockNumber });
    const balance = await scenario.read('balance');
    expect(balance).toEqual({
      contractAddress: scenario.platform.outside.chain.usdcAddress,
      balances: {
        usdc: { balance: '11750.00', decimals: 6, symbol: 'USDC' }, // 13000 − 500 − 1000 + 250
        eth: { balance: expect.stringMatching(/^0\.04\d+$/), decimals: 18, symbol: 'ETH' }, // 0.05 less gas
      },
      thresholds: {
        usdc: { low: '100000.00', critical: '10000.00', status: 'low' },
        eth: { low: '0.10', critical: '0.01', status: 'low' },
      },
      lastRefill: {
        usdc: { amount: '250.00', timestamp: new Date(Number(timestamp) * 1000).toISOString(), txHash },
      },
      // Requests of 1000: 11750 / 1000 → 11. Days, at 1500 in 7 days: 11750 / (1500 / 7) = 54.8 → 54.
      estimatedRemaining: { requests: 11, days: 54 },
    });
  });

  it('limits the payouts of a day over all addresses', async () => {
    await start('13000');
    await payOut('1000');
    const walletAddress = newAddress();
    const refused = await scenario.request({ walletAddress, amount: '8000.01' });
    expect(refused).toMatchObject({ status: 422, code: 'INSUFFICIENT_FAUCET_BALANCE' });
    expect(refused.body.error.details).toEqual({
      requested: '8000.01',
      available: '8000.00', // 9000 − 1000
      suggestion: 'Ask for at most 8000.00, or ask again tomorrow (UTC).',
    });
    // The rejected request has started no cooldown and used nothing of the daily limit.
    expect((await scenario.request({ walletAddress, amount: '8000' })).status).toBe(200);
    expect((await scenario.read('status')).limits).toMatchObject({ remainingToday: '0.00' });
    expect((await scenario.request({ walletAddress: newAddress() })).body.error.details).toMatchObject({
      available: '0.00',
      suggestion: 'Please ask again tomorrow (UTC).',
    });
  });

  it('limits a payout to its balance', async () => {
    await start('3750');
    const walletAddress = newAddress();
    const refused = await scenario.request({ walletAddress, amount: '5000' });
    expect(refused).toMatchObject({ status: 422, code: 'INSUFFICIENT_FAUCET_BALANCE' });
    expect(refused.body.error.details).toEqual({
      requested: '5000.00',
      available: '3750.00',
      suggestion: `Ask for at most 3750.00, or send test USDC to ${scenario.address}.`,
    });
    expect((await scenario.request({ walletAddress, amount: '3700' })).status).toBe(200);
    expect((await scenario.read('balance')).thresholds.usdc.status).toBe('critical'); // 50 remain
    expect(
      (await scenario.request({ walletAddress: newAddress(), amount: '100' })).body.error.details,
    ).toMatchObject({
      available: '50.00',
      suggestion: `Please send test USDC to ${scenario.address}.`,
    });
  });

  it('makes no payout without ether for gas', async () => {
    await start('13000');
    await scenario.node.setBalance({ address: scenario.address, value: 1n });
    const refused = await scenario.request({ walletAddress: newAddress(), amount: '100' });
    expect(refused).toMatchObject({ status: 422, code: 'INSUFFICIENT_FAUCET_BALANCE' });
    expect(refused.body.error.details.suggestion).toMatch(
      new RegExp(`^Please send 0\\.\\d+ ETH to ${scenario.address} for gas\\.$`),
    );
  });
});
