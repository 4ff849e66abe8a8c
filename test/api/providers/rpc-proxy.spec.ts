import { createPublicClient, erc20Abi, http, parseAbiItem, type Address } from 'viem';
import { rpcCall } from '../../fixtures/rpc-calls.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/blockchain/rpc';
const ALICE = '0x00000000000000000000000000000000000000A1';
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

describe('The RPC proxy', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterEach(() => platform.outside.providers.endFault('chain'));
  afterAll(() => platform?.stop());

  const send = (body: unknown) => platform.as(null).post(PATH, body);
  const hex = (number: bigint | number) => `0x${number.toString(16)}`;
  /** Returns the response as text, because JavaScript would round its numbers. */
  const text = async (body: string) =>
    (await sendRequest(platform.baseUrl + PATH, { method: 'POST', body })).text;

  describe('with a wallet library', () => {
    it.each([false, { batchSize: 20, wait: 5 }])('behaves like a node (batch: %j)', async (batch) => {
      const client = createPublicClient({
        transport: http(platform.baseUrl + PATH, { batch, retryCount: 0 }),
      });
      const direct = createPublicClient({ transport: http(platform.outside.chain.rpcUrl) });
      const hash = await platform.outside.chain.payUsdc(ALICE, '1.5');
      const token = { address: platform.outside.chain.usdcAddress, abi: erc20Abi } as const;
      const [chainId, balance, decimals, receipt, ether, logs, block] = await Promise.all([
        client.getChainId(),
        client.readContract({ ...token, functionName: 'balanceOf', args: [ALICE] }),
        client.readContract({ ...token, functionName: 'decimals' }),
        client.getTransactionReceipt({ hash }),
        client.getBalance({ address: platform.outside.chain.treasuryAddress }),
        client.getLogs({ event: TRANSFER, fromBlock: 0n, args: { to: ALICE } }),
        client.getBlock(),
      ]);
      expect([chainId, decimals, balance]).toEqual([
        31337,
        6,
        await platform.outside.chain.usdcBalance(ALICE),
      ]);
      expect(receipt).toEqual(await direct.getTransactionReceipt({ hash }));
      expect(ether).toBe(await direct.getBalance({ address: platform.outside.chain.treasuryAddress }));
      expect(logs.at(-1)).toMatchObject({ transactionHash: hash, args: { value: 1_500_000n } });
      expect(block).toEqual(await direct.getBlock());
    });

    it('returns the error of a reverted call', async () => {
      const client = createPublicClient({ transport: http(platform.baseUrl + PATH, { retryCount: 0 }) });
      const token = { address: platform.outside.chain.usdcAddress, abi: erc20Abi } as const;
      const simulation = client.simulateContract({
        ...token,
        functionName: 'transfer',
        args: [ALICE, 1n],
        account: '0x00000000000000000000000000000000000000B0' as Address,
      });
      await expect(simulation).rejects.toThrow(/reverted/);
    });
  });

  describe('as a server of JSON-RPC', () => {
    it('answers a single call', async () => {
      const reply = await send(rpcCall('eth_chainId'));
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' }); // 31337, the chain of the tests
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.headers.get('x-ratelimit-limit')).not.toBeNull();
    });

    it('answers a batch in the order of its calls with their ids', async () => {
      const reply = await send([
        rpcCall('net_version', [], 'b'),
        rpcCall('eth_chainId', [], null),
        rpcCall('eth_chainId', [], 'b'),
      ]);
      expect(reply.body).toEqual([
        { jsonrpc: '2.0', id: 'b', result: '31337' },
        { jsonrpc: '2.0', id: null, result: '0x7a69' },
        { jsonrpc: '2.0', id: 'b', result: '0x7a69' },
      ]);
    });

    it.each(['12345678901234567890', '1.50', '-7', '1e3', '"1e3"', 'null'])(
      'returns the id %s unchanged',
      async (id) => {
        expect(await text(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)).toBe(
          `{"jsonrpc":"2.0","id":${id},"result":"0x7a69"}`,
        );
      },
    );

    it('returns errors of the node', async () => {
      const { body } = await send(rpcCall('eth_getBalance', [ALICE, hex(2n ** 60n)]));
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: expect.any(Number) } });
    });

    it('answers notifications with 204', async () => {
      const { id: _none, ...notification } = rpcCall('eth_chainId');
      for (const body of [
        notification,
        [notification, notification],
        { ...notification, params: 'nonsense' },
      ]) {
        const reply = await send(body);
        expect([reply.status, reply.body]).toEqual([204, undefined]);
      }
      expect((await send([notification, rpcCall('eth_chainId')])).body).toHaveLength(1);
    });

    const INVALID = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } };

    it.each([
      ['a number', 7],
      ['an empty batch', []],
      ['an empty object', {}],
      ['an unknown version', { ...rpcCall('eth_chainId'), jsonrpc: '1.0' }],
      ['no method', { jsonrpc: '2.0', id: 1 }],
      ['a method that is not text', { jsonrpc: '2.0', id: 1, method: 7 }],
      ['an id that is an object', rpcCall('eth_chainId', [], {})],
      ['an id that is true', rpcCall('eth_chainId', [], true)],
    ])('answers %s with Invalid Request', async (_, body) => {
      expect((await send(JSON.stringify(body))).body).toEqual(INVALID);
    });

    it('answers an empty body with Invalid Request', async () => {
      expect((await send(undefined)).body).toEqual(INVALID);
    });

    it('answers each invalid call of a batch with Invalid Request and performs the valid ones', async () => {
      const { body } = await send([1, rpcCall('eth_chainId'), { foo: 'boo' }]);
      expect(body).toEqual([INVALID, { jsonrpc: '2.0', id: 1, result: '0x7a69' }, INVALID]);
    });

    it('rejects params that are not a list', async () => {
      const { body } = await send({ ...rpcCall('eth_getBalance'), params: { address: ALICE } });
      expect(body).toMatchObject({ id: 1, error: { code: -32602 } });
    });

    it('answers a batch of up to 100 calls', async () => {
      const { body } = await send(Array.from({ length: 100 }, (_, id) => rpcCall('eth_chainId', [], id)));
      expect(body).toEqual(
        Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, result: '0x7a69' })),
      );
    });

    it('rejects a batch of more than 100 calls with an error for each id', async () => {
      const { id: _none, ...notification } = rpcCall('eth_chainId');
      const calls = Array.from({ length: 101 }, (_, id) => rpcCall('eth_chainId', [], id));
      const { status, body } = await send([...calls, notification, 7]);
      const message = 'A batch has at most 100 calls';
      expect(status).toBe(200);
      expect(body).toEqual(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32600, message } })));
      expect((await send(Array(101).fill(7))).body).toMatchObject([{ id: null, error: { code: -32600 } }]);
    });
  });

  describe('as a filter that permits only reads', () => {
    it.each([
      'eth_sendRawTransaction',
      'eth_sendTransaction',
      'eth_sign',
      'eth_accounts',
      'personal_unlockAccount',
      'debug_traceTransaction',
      'anvil_setBalance',
      'evm_mine',
      'eth_newFilter',
      'web3_clientVersion',
      'ETH_CHAINID',
      'eth_chainId ',
      '',
      'toString',
    ])('rejects the method %j', async (method) => {
      const before = await platform.outside.chain.blockNumber();
      const refusal = { code: -32601, data: { code: 'RPC_METHOD_NOT_ALLOWED' } };
      const single = await send(rpcCall(method));
      expect(single).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, error: refusal } });
      expect(single.body.error.data.allowed).toContain('eth_call');
      const { status, body } = await send([rpcCall(method, [], 'x'), rpcCall('eth_chainId', [], 'y')]);
      expect(status).toBe(200);
      expect(body).toMatchObject([
        { id: 'x', error: refusal },
        { id: 'y', result: '0x7a69' },
      ]);
      expect(await platform.outside.chain.blockNumber()).toBe(before);
    });

    it('rejects a forbidden method with the error -32601, even if its params are no list', async () => {
      const forbidden = { ...rpcCall('eth_sendRawTransaction', [], 'x'), params: {} };
      expect((await send(forbidden)).body).toMatchObject({ id: 'x', error: { code: -32601 } });
      const { body } = await send([forbidden, { ...rpcCall('eth_chainId', [], 'y'), params: {} }]);
      expect(body).toMatchObject([
        { id: 'x', error: { code: -32601 } },
        { id: 'y', error: { code: -32602 } },
      ]);
    });

    it('does not call the node for a batch without valid calls', async () => {
      platform.outside.providers.faults.set('chain', 'error');
      expect((await send([rpcCall('eth_sendTransaction')])).body).toMatchObject([
        { error: { code: -32601 } },
      ]);
    });

    it('accepts unknown members of a call', async () => {
      const extra = { ...rpcCall('eth_chainId'), url: 'http://127.0.0.1:1/', to: 'elsewhere' };
      expect((await send(extra)).body.result).toBe('0x7a69');
    });
  });

  describe('for eth_getLogs', () => {
    let newest: bigint;

    beforeAll(async () => {
      // In steps, because the node is slow at mining many blocks.
      for (let i = 0; i < 6; i++) await platform.outside.chain.mine(200);
      newest = await platform.outside.chain.blockNumber();
    });

    const logs = (filter: object | string) => send(rpcCall('eth_getLogs', [filter]));

    it.each([
      ['the newest block', () => ({})],
      ['1000 blocks by number', () => ({ fromBlock: '0x1', toBlock: hex(1000) })],
      ['the last 1000 blocks', () => ({ fromBlock: hex(newest - 999n) })],
      ['the first block', () => ({ fromBlock: 'earliest', toBlock: 'earliest' })],
      ['up to a block behind the newest', () => ({ fromBlock: hex(newest - 10n), toBlock: 'safe' })],
    ])('returns logs of %s', async (_, filter) => {
      expect((await logs(filter())).body).toMatchObject({ id: 1, result: expect.any(Array) });
    });

    it('returns logs of a block by its hash', async () => {
      const hash = await platform.outside.chain.payUsdc(ALICE, '1');
      const { body } = await send(rpcCall('eth_getTransactionReceipt', [hash]));
      const found = (await logs({ blockHash: body.result.blockHash })).body.result;
      expect(found).toMatchObject([{ transactionHash: hash }]);
    });

    it.each([
      ['1001 blocks by number', () => ({ fromBlock: '0x1', toBlock: hex(1001) })],
      ['all blocks', () => ({ fromBlock: 'earliest' })],
      ['all blocks, with the hash null', () => ({ blockHash: null, fromBlock: '0x0' })],
      ['the last 1001 blocks', () => ({ fromBlock: hex(newest - 1000n), toBlock: 'latest' })],
      ['an unlimited range', () => ({ fromBlock: 'latest', toBlock: '0xffffffffffffffff' })],
    ])('rejects more than 1000 blocks: %s', async (_, filter) => {
      newest = await platform.outside.chain.blockNumber(); // payments of other tests have mined blocks
      const message = 'eth_getLogs covers at most 1000 blocks: choose a smaller range';
      expect((await logs(filter())).body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32005, message },
      });
    });

    it.each([
      ['a block number that is not text', { fromBlock: 1 }],
      ['an unknown tag', { fromBlock: 'first' }],
      ['an invalid end', { toBlock: {} }],
      ['an unsupported tag', { fromBlock: 'finalized' }],
      ['keys in another case', { FROMBLOCK: '0x0', toBlock: 'latest' }],
      ['an unknown key', { fromBlock: '0x0', blocks: 5 }],
      ['a hash and a number', { blockHash: `0x${'0'.repeat(64)}`, fromBlock: '0x0' }],
      ['a tag in another case', { fromBlock: 'LATEST' }],
      ['text instead of a filter', 'all'],
    ])('rejects the invalid filter: %s', async (_, filter) => {
      expect((await logs(filter)).body).toMatchObject({ id: 1, error: { code: -32602 } });
    });
  });

  describe('while the node is unavailable', () => {
    it.each(['error', 'drop', 'timeout'] as const)(
      'answers the error -32603 to single calls and to each call of a batch (fault %s)',
      async (mode) => {
        platform.outside.providers.faults.set('chain', mode);
        const replies = await Promise.all([
          send(rpcCall('eth_chainId')),
          send([rpcCall('eth_chainId', [], 'a'), rpcCall('eth_call', [], 'b'), rpcCall('eth_sign', [], 'c')]),
        ]);
        const error = { code: -32603, data: { code: 'BLOCKCHAIN_ERROR' } };
        expect(replies.map(({ status }) => status)).toEqual([200, 200]);
        expect(replies.map(({ body }) => body)).toMatchObject([
          { id: 1, error },
          [
            { id: 'a', error },
            { id: 'b', error: { code: -32602 } },
            { id: 'c', error: { code: -32601 } },
          ],
        ]);
      },
    );
  });
});
