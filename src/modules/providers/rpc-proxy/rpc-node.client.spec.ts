import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { NodeCapabilities } from '../chain/node-state.service.js';
import { RpcNodeClient } from './rpc-node.client.js';

describe('RpcNodeClient', () => {
  let node: Server;
  let reply: { status: number; body: string };

  beforeAll(async () => {
    node = createServer((_, response) => response.writeHead(reply.status).end(reply.body));
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    node.closeAllConnections();
    node.close();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['an HTTP error', { status: 429, body: '' }],
    ['invalid JSON', { status: 200, body: '<html>' }],
    ['no result for the call', { status: 200, body: '[]' }],
  ])('logs one warning and throws BLOCKCHAIN_ERROR when the node answers %s', async (_, badReply) => {
    reply = badReply;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { port } = node.address() as AddressInfo;
    const config = new AppConfig({ RPC_URL: `http://127.0.0.1:${port}` } as AppConfig);
    const client = new RpcNodeClient(config, new NodeCapabilities());
    const outcome = client.forward([{ method: 'eth_chainId', params: [] }], new AbortController().signal);
    await expect(outcome).rejects.toMatchObject({ code: 'BLOCKCHAIN_ERROR' });
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
