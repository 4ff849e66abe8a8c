import { MINUTE_MS } from '../../../src/common/durations.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { rpcCall } from '../../fixtures/rpc-calls.js';
import { RpcFilter } from '../../harness/rpc-filter.js';
import { skipTime } from '../../harness/skip-time.js';

const CACHE_MS = 2000; // health checks are cached for this time
/** The fields of receipts that decide nothing. */
const INFORMATIVE_FIELDS = ['effectiveGasPrice', 'gasUsed', 'cumulativeGasUsed', 'type', 'transactionIndex'];

describe('The service with a node', () => {
  let node: RpcFilter;
  let scenario: DepositScenario;

  beforeAll(async () => {
    node = await RpcFilter.startFor();
    node.requiredAuthorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    const url = node.url.replace('http://', 'http://user:p%40ss@');
    scenario = await DepositScenario.start({ RPC_URL: url });
    node.forwardTo(scenario.platform.outside.chain.rpcUrl);
  });
  afterEach(() => {
    node.lacks = {};
  });
  afterAll(async () => {
    await scenario?.stop();
    await node?.stop();
  });

  const get = (path: string) => scenario.platform.as(null).get(path);
  const chainHealth = async () => {
    skipTime(CACHE_MS);
    return get('/api/health/blockchain');
  };

  it('that demands credentials reads the chain and forwards calls with those in RPC_URL', async () => {
    expect((await get('/api/blockchain/status')).data).toMatchObject({ status: 'healthy', chainId: 31337 });
    const { body } = await scenario.platform.as(null).post('/api/blockchain/rpc', rpcCall('eth_chainId'));
    expect(body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' });
  });

  it.each([
    ['gas, type and index', INFORMATIVE_FIELDS],
    ['the status', ['status', ...INFORMATIVE_FIELDS]],
    ['the block number, which the transaction has', ['blockNumber']],
  ])('whose receipts lack %s credits deposits and accepts claims', async (_, fields) => {
    node.lacks = { fields: { eth_getTransactionReceipt: fields } };
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const { txHash } = await scenario.provider.pay(address, '600');
    await scenario.mineBlocks(11); // with the block of the payment, the required twelve
    await scenario.platform.app.get(Jobs).queue('provider-callbacks').drain();
    await scenario.pollProvider();
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'completed', confirmations: 12 });
    expect(await scenario.availableBalance(user)).toBe('600.00');
    const [record] = (await scenario.platform.as(user).get('/api/user/transactions')).data;
    const isGasKnown = !fields.includes('effectiveGasPrice');
    expect(record).toMatchObject({
      blockchainTxHash: txHash,
      blockNumber: expect.any(Number),
      gasFee: isGasKnown ? expect.any(String) : null,
    });

    const claimed = await scenario.platform.outside.chain.payUsdc(address as `0x${string}`, '700');
    const claim = { amount: '700', currency: 'USDC', txHash: claimed, fromAddress: `0x${'a1'.repeat(20)}` };
    const reply = await scenario.platform.as(user).post('/api/user/blockchain/deposit', claim);
    expect(reply.status).toBe(201);
    await scenario.mineBlocks(11);
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('1300.00'); // 600 + 700
  });

  it('whose receipts lack the logs credits nothing and fails nothing until the node shows them', async () => {
    node.lacks = { fields: { eth_getTransactionReceipt: ['logs'] } };
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    await scenario.provider.pay(address, '600');
    await scenario.mineBlocks(12);
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('0.00');
    node.lacks = {};
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('600.00');
  });

  it('that lacks eth_syncing, eth_gasPrice and block times is healthy, and its health names what the node lacks', async () => {
    node.lacks = {
      methods: ['eth_syncing', 'eth_gasPrice'],
      fields: { eth_getBlockByNumber: ['timestamp'] },
    };
    const { data } = await get('/api/blockchain/status');
    expect(data).toMatchObject({ status: 'healthy', syncing: null, gasPrice: null, blockTime: null });
    expect((await get('/api/blockchain/networks/ERC20/status')).data).toMatchObject({
      blockNumber: data.blockNumber,
      blockTime: null,
      gasPrice: null,
    });
    const health = await chainHealth();
    expect(health.status).toBe(200);
    expect(health.data).toMatchObject({
      status: 'healthy',
      details: { missing: expect.stringMatching(/^(?=.*eth_syncing)(?=.*eth_gasPrice)(?=.*block time)/) },
    });
    expect(health.data.message).toContain('lacks');
  });

  it('that refuses batches sends their calls one by one for ten minutes', async () => {
    await get('/api/blockchain/status'); // so that health no longer names what the node of the test before lacked
    node.lacks = { batches: true };
    const calls = Array.from({ length: 30 }, (_, id) => rpcCall('eth_chainId', [], id));
    for (let request = 0; request < 2; request++) {
      const { body } = await scenario.platform.as(null).post('/api/blockchain/rpc', calls);
      expect(body).toEqual(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x7a69' })));
    }
    expect(node.refusedBatches).toBe(1); // the proxy remembers the refusal
    expect((await chainHealth()).data.details.missing).toBe('batches');
    skipTime(10 * MINUTE_MS); // the proxy sends batches again
    node.lacks = {};
    await scenario.platform.as(null).post('/api/blockchain/rpc', calls);
    expect((await chainHealth()).data.details.missing).toBe('none');
  });

  it('that lacks nothing any more is healthy, and its health names nothing', async () => {
    await get('/api/blockchain/status');
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    await scenario.provider.pay(address, '600');
    await scenario.pollProvider();
    expect(await scenario.depositStatuses(user)).toEqual(['confirming']);
    expect((await chainHealth()).data).toMatchObject({ message: 'answers', details: { missing: 'none' } });
  });

  it('that does not answer eth_syncing at all is healthy', async () => {
    node.drop('response', 'eth_syncing');
    expect((await chainHealth()).data).toMatchObject({ status: 'healthy' });
    node.passAllCalls();
  });
});
