import { FaucetScenario, newAddress } from '../../fixtures/faucet-scenario.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import { startReplica } from '../../harness/replica.js';

const NOW = '2026-03-02T10:00:00.000Z';
const TOMORROW = '2026-03-03T10:00:00.000Z';

describe('The faucet', () => {
  let scenario: FaucetScenario;

  beforeAll(async () => {
    scenario = await FaucetScenario.start();
  });
  beforeEach(() => scenario.platform.clock.moveTo(NOW));
  afterAll(() => scenario?.stop());

  it('pays test USDC on the chain and returns the transaction', async () => {
    const walletAddress = newAddress();
    const reply = await scenario.request({ walletAddress, amount: '250.5', reason: 'to try it' });
    expect(reply.status).toBe(200);
    const receipt = await scenario.node.getTransactionReceipt({ hash: reply.data.transactionHash });
    expect(reply.data).toEqual({
      transactionHash: receipt.transactionHash,
      walletAddress,
      amount: '250.50',
      currency: 'USDC',
      status: 'completed',
      blockNumber: Number(receipt.blockNumber),
      confirmations: 1,
      gasUsed: receipt.gasUsed.toString(),
      gasCost: expect.stringMatching(/^0\.\d{5,18}$/),
      timestamp: NOW,
      nextAllowedRequest: TOMORROW,
      explorerUrl: null, // no explorer for a development chain
    });
    const [whole = '', decimals = ''] = reply.data.gasCost.split('.');
    const inWei = BigInt(whole + decimals.padEnd(18, '0'));
    expect(inWei).toBe(receipt.gasUsed * receipt.effectiveGasPrice);
    expect(receipt).toMatchObject({ status: 'success', from: scenario.address.toLowerCase() });
    expect(await scenario.usdcBalance(walletAddress)).toBe(250_500_000n);
  });

  it.each([{}, { amount: null }])('pays 1000.00 to a request with no amount or null: %j', async (fields) => {
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress, ...fields })).data.amount).toBe('1000.00');
    expect(await scenario.usdcBalance(walletAddress)).toBe(1_000_000_000n);
  });

  it.each(['100', '100.000001', '10000.00'])('pays the amount %s', async (amount) => {
    expect(await scenario.request({ walletAddress: newAddress(), amount })).toMatchObject({ status: 200 });
  });

  it.each(['99.999999', '10000.000001', '0', '-100', '1e3', 'ten', '', ' 100', '100.0000001', 100, true])(
    'rejects the amount %j and starts no cooldown of the address',
    async (amount) => {
      const walletAddress = newAddress();
      expect(await scenario.request({ walletAddress, amount })).toMatchObject({
        status: 400,
        code: 'INVALID_AMOUNT',
      });
      expect(await scenario.usdcBalance(walletAddress)).toBe(0n);
      expect((await scenario.request({ walletAddress })).status).toBe(200);
    },
  );

  it.each([
    '0x123',
    '70997970C51812dc3A010C7d01b50e0d17dc79C8',
    `0x${'g'.repeat(40)}`,
    `0x${'a'.repeat(41)}`,
    `0X${'a'.repeat(40)}`,
    `0x${'0'.repeat(40)}`,
    '',
    7,
  ])('rejects the address %j', async (walletAddress) => {
    expect(await scenario.request({ walletAddress })).toMatchObject({
      status: 400,
      code: 'INVALID_WALLET_ADDRESS',
    });
  });

  it('rejects a request without an address, with unknown fields, or with a long reason', async () => {
    expect((await scenario.request({ amount: '100' })).code).toBe('MISSING_REQUIRED_FIELD');
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress, currency: 'USDC' })).code).toBe('VALIDATION_ERROR');
    expect((await scenario.request({ walletAddress, reason: 'x'.repeat(201) })).code).toBe(
      'VALIDATION_ERROR',
    );
  });

  describe('limits an address to one payout in 24 hours', () => {
    it('regardless of letter case, and returns the time of the next allowed request', async () => {
      const walletAddress = newAddress();
      expect((await scenario.request({ walletAddress })).status).toBe(200);
      scenario.platform.clock.advance(3_661_000); // 1 h 1 min 1 s
      for (const spelling of [
        walletAddress,
        walletAddress.toLowerCase(),
        `0x${walletAddress.slice(2).toUpperCase()}`,
      ]) {
        const refused = await scenario.request({ walletAddress: spelling, amount: '100' });
        expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
        expect(refused.body.error.details).toEqual({
          lastRequest: NOW,
          nextAllowedRequest: TOMORROW,
          remainingTime: '22h58m59s', // 24 h − 1 h 1 min 1 s
        });
        expect(refused.headers.get('retry-after')).toBe('82739'); // 86,400 − 3,661
      }
      expect(await scenario.usdcBalance(walletAddress)).toBe(1_000_000_000n);
    });

    it('and pays again exactly when 24 hours are over', async () => {
      const walletAddress = newAddress();
      expect((await scenario.request({ walletAddress })).status).toBe(200);
      scenario.platform.clock.moveTo('2026-03-03T09:59:59.999Z');
      expect((await scenario.request({ walletAddress })).status).toBe(429);
      scenario.platform.clock.moveTo(TOMORROW);
      expect((await scenario.request({ walletAddress })).status).toBe(200);
      expect((await scenario.request({ walletAddress })).status).toBe(429);
      expect(await scenario.usdcBalance(walletAddress)).toBe(2_000_000_000n);
    });
  });

  it('lists payouts, newest first, with a constant number of statements', async () => {
    scenario.platform.clock.moveTo('2026-03-01T10:00:00.000Z'); // before the payouts of other tests
    await scenario.request({ walletAddress: newAddress(), amount: '250.5', reason: 'to try it' });
    scenario.platform.clock.moveTo(NOW);
    for (let count = 0; count < 2; count++) await scenario.request({ walletAddress: newAddress() });
    const page = await scenario.read('history', '?limit=2');
    expect(page.records).toHaveLength(2);
    expect(page.pagination).toMatchObject({ page: 1, limit: 2, hasNext: true, hasPrevious: false });
    const all = await scenario.read('history', '?limit=100');
    expect(all.records).toHaveLength(page.pagination.total);
    const times = all.records.map(({ timestamp }: { timestamp: string }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(all.records.at(-1)).toMatchObject({ amount: '250.50', reason: 'to try it', status: 'completed' });
    const few = await fewestQueriesDuring(() => scenario.read('history', '?limit=1'));
    const many = await fewestQueriesDuring(() => scenario.read('history', '?limit=100'));
    expect([few.length, many.length]).toEqual([2, 2]); // the rows and the total
    const reply = await scenario.platform.as(null).get('/api/faucet/history?limit=101');
    expect(reply).toMatchObject({ status: 400, code: 'INVALID_PAGINATION' });
  });

  it('answers FAUCET_DISABLED to every request in production', async () => {
    const production = await startReplica(scenario.platform, { NODE_ENV: 'production' });
    const anonymous = scenario.platform.as(null, production);
    for (const reply of [
      await anonymous.post('/api/faucet/request', { walletAddress: newAddress() }),
      await anonymous.post('/api/faucet/request', { walletAddress: 'nonsense', amount: '1' }),
      await anonymous.get('/api/faucet/status'),
      await anonymous.get('/api/faucet/balance'),
      await anonymous.get('/api/faucet/history?page=0'),
    ]) {
      expect(reply).toMatchObject({ status: 503, code: 'FAUCET_DISABLED' });
    }
  });

  it('answers FAUCET_DISABLED without a configured account', async () => {
    const withoutAccount = await startReplica(scenario.platform, { FAUCET_PRIVATE_KEY: undefined });
    expect(await scenario.request({ walletAddress: newAddress() }, withoutAccount)).toMatchObject({
      status: 503,
      code: 'FAUCET_DISABLED',
    });
  });

  it('has a rate limit of its own, which does not affect other routes', async () => {
    const strict = await startReplica(scenario.platform, { RATE_LIMIT_FAUCET: 2 });
    const replies = [];
    for (let i = 0; i < 3; i++) replies.push(await scenario.request({ walletAddress: newAddress() }, strict));
    expect(replies.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    expect((await scenario.platform.as(null, strict).get('/api/faucet/history')).status).toBe(429);
    expect((await scenario.platform.as(null, strict).get('/api/deposits/status')).status).toBe(200);
  });
});
