import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestClient, http, publicActions } from 'viem';
import { ANVIL_CHAIN } from '../../../src/sandbox/anvil-chain.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { sendRequest } from '../../harness/http-client.js';
import { startReplica } from '../../harness/replica.js';

/** The paths that also answer HEAD. Only the first fails without the node. */
const HEAD_PATHS = ['status', 'deposits', 'websocket/status'];

describe('Under /api/blockchain,', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    await scenario.pollProvider(); // the status of networks is unknown before the first poll
  });
  afterEach(() => scenario.endFaults());
  afterAll(() => scenario?.stop());

  const get = (path: string, at?: string) => scenario.platform.as(null, at).get(`/api/blockchain/${path}`);
  const node = () =>
    createTestClient({
      chain: ANVIL_CHAIN,
      mode: 'anvil',
      transport: http(scenario.platform.outside.chain.rpcUrl),
    }).extend(publicActions);

  describe('GET status', () => {
    it('returns the current state of the node', async () => {
      await scenario.mineBlocks(3);
      const block = await node().getBlock();
      const { status, data } = await get('status');
      expect(status).toBe(200);
      expect(data).toEqual({
        status: 'healthy',
        chainId: 31337,
        expectedChainId: 31337,
        blockNumber: Number(block.number),
        blockTime: new Date(Number(block.timestamp) * 1000).toISOString(),
        gasPrice: expect.stringMatching(/^\d+(\.\d{1,9})?$/),
        syncing: false,
        latencyMs: expect.any(Number),
        checkedAt: scenario.platform.clock.now().toISOString(),
      });
      await scenario.mineBlocks(2);
      expect((await get('status')).data.blockNumber).toBe(data.blockNumber + 2);
    });

    it('is degraded when the chain id of the node differs from the configured one', async () => {
      const at = await startReplica(scenario.platform, { CHAIN_ID: 1 });
      expect((await get('status', at)).data).toMatchObject({
        status: 'degraded',
        chainId: 31337,
        expectedChainId: 1,
      });
    });

    it.each(['error', 'drop', 'timeout'] as const)(
      'fails with BLOCKCHAIN_ERROR when the node is unavailable (%s)',
      async (mode) => {
        scenario.faults.set('chain', mode);
        const replies = await Promise.all([get('status'), get('networks/ERC20/status')]);
        for (const reply of replies) expect(reply).toMatchObject({ status: 503, code: 'BLOCKCHAIN_ERROR' });
      },
    );
  });

  it('GET contracts lists the contracts that the service reads', async () => {
    expect((await get('contracts')).data).toEqual({
      chainId: 31337,
      contracts: [
        {
          symbol: 'USDC',
          standard: 'ERC-20',
          address: scenario.platform.outside.chain.usdcAddress,
          decimals: 6,
        },
      ],
    });
  });

  it('GET websocket/status reports the live delivery of the process', async () => {
    expect((await get('websocket/status')).data).toEqual({
      enabled: true,
      status: 'available',
      message: expect.stringContaining('POST /api/user/live/ticket'),
      path: '/api/live',
      connections: 0,
      delivered: 0,
      oldestUndeliveredMs: expect.any(Number),
    });
  });

  describe('GET networks', () => {
    it('lists the networks for deposits with their conditions', async () => {
      const { data } = await get('networks');
      expect(data.map(({ id, chainId, readBy }: Record<string, unknown>) => [id, chainId, readBy])).toEqual([
        ['TRC20', 728126428, 'provider'],
        ['ERC20', 31337, 'node'],
        ['BEP20', 56, 'provider'],
      ]);
      expect(data[1]).toMatchObject({
        name: 'Ethereum',
        requiredConfirmations: 12,
        blockTimeSeconds: 12,
        tokens: [
          { currency: 'USDT', contractAddress: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
          { currency: 'USDC', contractAddress: scenario.platform.outside.chain.usdcAddress },
        ],
      });
    });

    it.each(['ERC20', 'erc20', '31337'])(
      'with /%s/status returns the newest block of the node',
      async (id) => {
        const blockNumber = Number(await scenario.platform.outside.chain.blockNumber());
        expect((await get(`networks/${id}/status`)).data).toMatchObject({
          id: 'ERC20',
          chainId: 31337,
          status: 'operational',
          readBy: 'node',
          blockNumber,
          blockTime: expect.any(String),
          gasPrice: expect.any(String),
        });
      },
    );

    it.each(['TRC20', 'bep20', '56'])(
      'with /%s/status depends on the provider’s answer to the last poll and not on the node',
      async (id) => {
        scenario.faults.set('chain', 'error');
        expect((await get(`networks/${id}/status`)).data).toMatchObject({
          status: 'operational',
          readBy: 'provider',
          blockNumber: null,
          blockTime: null,
          gasPrice: null,
        });
        scenario.faults.set('deposit', 'error');
        await scenario.pollProvider();
        expect((await get(`networks/${id}/status`)).data.status).toBe('delayed');
        await scenario.endFaults();
        await scenario.pollProvider();
        expect((await get(`networks/${id}/status`)).data.status).toBe('operational');
      },
    );

    // A lookup in an object would find `toString`, which every object inherits.
    it.each(['SOL', '1', 'toString', '%20', 'a'.repeat(500)])(
      'with /%s/status answers 422, because the network is unknown',
      async (id) => {
        const reply = await get(`networks/${id}/status`);
        expect(reply).toMatchObject({ status: 422, code: 'DEPOSIT_NETWORK_ERROR' });
        expect(reply.body.error.details).toEqual({ supported: ['TRC20', 'ERC20', 'BEP20'] });
      },
    );
  });

  describe('GET deposits', () => {
    const depositStatus = async () => (await get('deposits')).data;

    it('counts deposits in progress and shows no personal data', async () => {
      const blockNumber = Number(await scenario.platform.outside.chain.blockNumber());
      expect(await depositStatus()).toEqual({
        network: 'ERC20',
        chainId: 31337,
        currency: 'USDC',
        requiredConfirmations: 12,
        contractAddress: scenario.platform.outside.chain.usdcAddress,
        blockNumber,
        pending: 0,
        confirming: 0,
      });
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      await scenario.provider.pay(address, '600');
      await scenario.pollProvider();
      expect(await scenario.depositStatuses(user)).toEqual(['confirming']);
      expect(await depositStatus()).toMatchObject({ pending: 0, confirming: 1 });
      await scenario.mineBlocks(12);
      await scenario.pollProvider();
      expect(await scenario.depositStatuses(user)).toEqual(['completed']);
      expect(await depositStatus()).toMatchObject({ pending: 0, confirming: 0 });
    });

    it('has no block number while the node is unavailable', async () => {
      scenario.faults.set('chain', 'error');
      expect(await depositStatus()).toMatchObject({ blockNumber: null, confirming: 0 });
    });
  });

  describe('HEAD', () => {
    /** Reads the response from a socket, because Node's HTTP client would drop the body of a response to HEAD. */
    async function raw(
      method: string,
      path: string,
    ): Promise<{ status: number; headers: Record<string, string>; bytes: number }> {
      const { hostname, port } = new URL(scenario.platform.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
      const response = await text(socket);
      const bodyStart = response.indexOf('\r\n\r\n') + 4;
      const [statusLine = '', ...lines] = response.slice(0, bodyStart).trim().split('\r\n');
      return {
        status: Number(statusLine.split(' ')[1]),
        headers: Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2))),
        bytes: response.length - bodyStart,
      };
    }

    it.each(HEAD_PATHS)('of %s has the headers of GET and no body', async (path) => {
      const [head, got] = [
        await raw('HEAD', `/api/blockchain/${path}`),
        await raw('GET', `/api/blockchain/${path}`),
      ];
      expect([head.status, head.bytes]).toEqual([200, 0]);
      expect(got.bytes).toBeGreaterThan(0);
      expect(Object.keys(head.headers).sort()).toEqual(Object.keys(got.headers).sort());
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
      // Each request counts once, and GET was sent after HEAD.
      expect(Number(head.headers['x-ratelimit-remaining'])).toBe(
        Number(got.headers['x-ratelimit-remaining']) + 1,
      );
    });

    it('has the status of GET while the node is unavailable', async () => {
      scenario.faults.set('chain', 'error');
      const seen = await Promise.all(HEAD_PATHS.map((path) => raw('HEAD', `/api/blockchain/${path}`)));
      expect(seen.map(({ status, bytes }) => [status, bytes])).toEqual([
        [503, 0],
        [200, 0],
        [200, 0],
      ]);
    });

    it('is part of the OpenAPI document, without a body', async () => {
      const { body } = await sendRequest(`${scenario.platform.baseUrl}/api/openapi.json`);
      const { paths } = body as {
        paths: Record<string, Record<string, { responses: Record<string, { content?: unknown }> }>>;
      };
      for (const path of HEAD_PATHS) {
        const responses = paths[`/api/blockchain/${path}`]?.head?.responses ?? {};
        expect(Object.keys(responses)).toContain('200');
        expect(Object.values(responses).filter(({ content }) => content !== undefined)).toEqual([]);
      }
    });
  });
});
