import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rpcCall } from '../../fixtures/rpc-calls.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { stopServer } from '../../harness/stop-server.js';

const PATH = '/api/blockchain/rpc';
const ALICE = '0x00000000000000000000000000000000000000A1';
const CODE = { to: ALICE, data: '0x5b600056' }; // a contract call with the bytecode of an endless loop

interface NodeCall {
  id: number;
  method: string;
  params: any[];
}

/** A node that, unless it is quick, never finishes contract calls and answers nothing else meanwhile. */
class BusyNode {
  /** All calls in the order of their arrival. */
  readonly calls: NodeCall[] = [];
  /** Whether the node answers eth_call. */
  isQuick = true;
  private readonly executing = new Set<ServerResponse>();
  private waiting: (() => void)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<BusyNode> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => node.receive(body, response));
    });
    const node = new BusyNode(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  private receive(body: string, response: ServerResponse): void {
    const calls = [JSON.parse(body)].flat() as NodeCall[];
    this.calls.push(...calls);
    if (!this.isQuick && calls.some(({ method }) => method === 'eth_call')) {
      this.executing.add(response);
      response.on('close', () => {
        this.executing.delete(response);
        if (this.executing.size === 0) this.waiting.splice(0).forEach((answer) => answer());
      });
      return;
    }
    const answer = () => {
      const answers = calls.map(({ id, method }) => ({
        jsonrpc: '2.0',
        id,
        result: RESULTS[method] ?? '0x1',
      }));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body.startsWith('[') ? answers : answers[0]));
    };
    if (this.executing.size > 0) this.waiting.push(answer);
    else answer();
  }
}

const RESULTS: Record<string, unknown> = {
  eth_chainId: '0x7a69',
  eth_blockNumber: '0x7d0', // 2000
  eth_syncing: false,
  eth_getLogs: [],
  eth_getBlockByNumber: { number: '0x7d0', timestamp: '0x69a56150', transactions: [] },
};

describe('The RPC proxy', () => {
  let node: BusyNode;
  let platform: TestPlatform;
  let replicaUrl: string;

  beforeAll(async () => {
    platform = await startPlatform();
    node = await BusyNode.start();
    replicaUrl = await startReplica(platform, {
      RPC_URL: node.url,
      RPC_NODE_SECONDS: 1, // node time per minute and client address: one call that does not end uses it up
      TRUST_PROXY: ['127.0.0.1'],
    });
  });
  beforeEach(() => {
    node.isQuick = true;
    node.calls.length = 0;
  });
  afterAll(async () => {
    await platform?.stop();
    await node?.stop();
  });

  const send = (body: unknown, from = '198.51.100.1') =>
    platform.as(null, replicaUrl).post(PATH, body, { headers: { 'x-forwarded-for': from } });
  const forwarded = (method: string) => node.calls.filter((nodeCall) => nodeCall.method === method);

  it.each([
    ['a call with a higher limit', { gas: '0xffffffffffff' }],
    ['a call without a limit', {}],
  ])('limits the gas to 50 million for %s', async (_, gas) => {
    expect((await send(rpcCall('eth_call', [{ ...CODE, ...gas }, 'latest']))).body).toMatchObject({
      result: '0x1',
    });
    expect(forwarded('eth_call')[0]?.params).toEqual([{ ...CODE, gas: '0x2faf080' }, 'latest']); // 50 million
  });

  it('keeps the gas of a call that specifies less than the limit', async () => {
    await send(rpcCall('eth_estimateGas', [{ ...CODE, gas: '0x5208', from: null }]));
    expect(forwarded('eth_estimateGas')[0]?.params).toEqual([{ ...CODE, gas: '0x5208' }]);
  });

  it.each([
    ['a state override', 'eth_call', [CODE, 'latest', { [ALICE]: { code: '0x5b600056' } }]],
    ['a block override', 'eth_call', [CODE, 'latest', {}, { gasLimit: '0xffffffffffff' }]],
    ['a state override of an estimate', 'eth_estimateGas', [CODE, 'latest', { [ALICE]: { code: '0x' } }]],
    ['an unknown field', 'eth_call', [{ ...CODE, gasLimit: '0xffffffffffff' }]],
    ['a field in another case', 'eth_call', [{ ...CODE, GAS: '0xffffffffffff' }]],
    ['gas that is not a number', 'eth_call', [{ ...CODE, gas: '-0x1' }]],
    ['gas that is not text', 'eth_call', [{ ...CODE, gas: 21000 }]],
    ['a long fee history', 'eth_feeHistory', ['0x3e9', 'latest', []]],
    ['params of a method without any', 'eth_blockNumber', [{}]],
    ['too few params', 'eth_getBalance', []],
    ['an invalid block', 'eth_getBalance', [ALICE, { blocknumber: '0x1' }]],
    ['an invalid percentile', 'eth_feeHistory', ['0x1', 'latest', ['50']]],
  ])('rejects %s without a call to the node', async (_, method, params) => {
    expect((await send(rpcCall(method, params))).body).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(node.calls).toEqual([]);
  });

  it('replaces block tags in a range of logs by numbers', async () => {
    await send(
      rpcCall('eth_getLogs', [{ fromBlock: '0x3e9', toBlock: 'latest', blockHash: null, address: ALICE }]),
    );
    expect(forwarded('eth_getLogs')[0]?.params).toEqual([
      { address: ALICE, fromBlock: '0x3e9', toBlock: '0x7d0' },
    ]);
  });

  it('forwards the contract calls of a batch one after the other', async () => {
    const { body } = await send([
      rpcCall('eth_call', [CODE], 'a'),
      rpcCall('eth_chainId', [], 'b'),
      rpcCall('eth_call', [CODE], 'c'),
      rpcCall('eth_blockNumber', [], 'd'),
    ]);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c', 'd']);
    // One batch of two calls, then two requests of one call.
    expect(node.calls.map(({ method, id }) => [method, id])).toEqual([
      ['eth_chainId', 0],
      ['eth_blockNumber', 1],
      ['eth_call', 0],
      ['eth_call', 0],
    ]);
  });

  it('rejects calls of an address that has used up its node time, and no other calls', async () => {
    const from = '198.51.100.2';
    node.isQuick = false;
    const error = { code: -32005, message: expect.stringContaining('node time') };
    const interrupted = await send(rpcCall('eth_call', [CODE]), from);
    expect([interrupted.status, interrupted.body]).toMatchObject([200, { error }]);
    node.isQuick = true;
    node.calls.length = 0;
    const batch = [rpcCall('eth_call', [CODE], 'a'), rpcCall('eth_chainId', [], 'b')];
    const { status, body } = await send(batch, from);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: 'a', error },
      { id: 'b', error },
    ]);
    expect(node.calls).toEqual([]);
    expect((await send(rpcCall('eth_chainId'), '198.51.100.3')).body).toMatchObject({ result: '0x7a69' });
  });
});

describe('A node that is busy with a call of the RPC proxy', () => {
  it('answers calls of the platform first', async () => {
    const platform = await startPlatform();
    const node = await BusyNode.start();
    try {
      const replicaUrl = await startReplica(platform, { RPC_URL: node.url });
      node.isQuick = false;
      const called = platform.as(null, replicaUrl).post(PATH, rpcCall('eth_call', [CODE]));
      await eventually(async () => expect(node.calls.map(({ method }) => method)).toContain('eth_call'));
      const { status, data } = await platform.as(null, replicaUrl).get('/api/blockchain/status');
      expect([status, data.blockNumber]).toEqual([200, 2000]);
      // The platform has aborted the forwarded call to make its own.
      expect((await called).body).toMatchObject({
        error: { code: -32603, data: { code: 'BLOCKCHAIN_ERROR' } },
      });
    } finally {
      await platform.stop();
      await node.stop();
    }
  });
});
