import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rpcCall } from '../../fixtures/rpc-calls.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const PATH = '/api/blockchain/rpc';
const UNAVAILABLE = { code: -32603, data: { code: 'BLOCKCHAIN_ERROR' } };
const ALICE = '0x00000000000000000000000000000000000000A1';

describe('The RPC proxy with a misbehaving node', () => {
  let answer: (body: string) => { status?: number; headers?: Record<string, string>; body: string };
  let node: Server;
  let replicaUrl: string;
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
    node = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { status = 200, headers, body: text } = answer(body);
        response.writeHead(status, headers).end(text);
      });
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    replicaUrl = await startReplica(platform, { RPC_URL: url });
  });
  afterAll(async () => {
    await platform?.stop();
    node?.closeAllConnections();
    node?.close();
  });

  const send = (body: unknown) => platform.as(null, replicaUrl).post(PATH, body);

  it('answers each call with an error if the response of the node exceeds a megabyte [SEC-037]', async () => {
    answer = () => ({ body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: 'x'.repeat(1_000_000) }) });
    const tooLarge = { error: { code: -32005, message: expect.stringContaining('1000000 bytes') } };
    expect((await send(rpcCall('eth_getCode', [ALICE]))).body).toMatchObject({ id: 1, ...tooLarge });
    const { body } = await send([rpcCall('eth_getCode', [ALICE], 'a'), rpcCall('eth_getCode', [ALICE], 'b')]);
    expect(body).toMatchObject([
      { id: 'a', ...tooLarge },
      { id: 'b', ...tooLarge },
    ]);
  });

  it('keeps all digits of large numbers, reorders responses and removes unknown fields', async () => {
    answer = () => ({
      body: '[{"id":1,"jsonrpc":"2.0","result":12345678901234567890},{"id":0,"error":{"code":-1,"message":"no","trace":"x"},"node":"x"}]',
    });
    const calls = [rpcCall('eth_gasPrice', [], 'a'), rpcCall('eth_gasPrice', [], 'b')];
    const { text } = await sendRequest(replicaUrl + PATH, { method: 'POST', body: calls });
    expect(text).toBe(
      '[{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no"}},{"jsonrpc":"2.0","id":"b","result":12345678901234567890}]',
    );
  });

  it.each([
    ['invalid JSON', { body: '<html>' }],
    ['invalid JSON-RPC', { body: '{"hello":1}' }],
    ['a response with another id', { body: '{"jsonrpc":"2.0","id":9,"result":"0x1"}' }],
    ['an error without a code', { body: '{"jsonrpc":"2.0","id":0,"error":{}}' }],
    ['an empty body', { body: '' }],
    ['an HTTP error', { status: 429, body: '{"jsonrpc":"2.0","id":0,"result":"0x1"}' }],
  ])('answers the error -32603 when the node returns %s', async (_, response) => {
    answer = () => response;
    expect(await send(rpcCall('eth_chainId'))).toMatchObject({
      status: 200,
      body: { id: 1, error: UNAVAILABLE },
    });
  });

  it('answers the error -32603 when the node redirects, and does not follow the redirect', async () => {
    const redirect = { status: 307, headers: { location: '/elsewhere' }, body: '' };
    let calls = 0;
    answer = () => {
      calls += 1;
      return calls === 1 ? redirect : { body: '{"jsonrpc":"2.0","id":0,"result":"0x1"}' };
    };
    expect(await send(rpcCall('eth_chainId'))).toMatchObject({
      status: 200,
      body: { id: 1, error: UNAVAILABLE },
    });
    expect(calls).toBe(1);
  });
});
