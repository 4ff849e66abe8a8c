import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppConfig } from '../../src/config/app-config.js';
import { Crypto2bClient } from '../../src/modules/funds/deposits/deposit-provider.client.js';
import { Logger } from '@nestjs/common';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signatureMatches } from '../../src/sandbox/signature.js';

type ProviderResponse = { status?: number; body: string } | 'cut';

const DEPOSIT = `{"type": "Deposit", "id": 12345678901234567890, "status": "Success",
  "instrument": {"currencyShortName": "usdt", "transportProtocol": "trc20"},
  "address": {"address": "TAddress", "senderAddress": null},
  "transaction": {"hash": "ab", "amount": 123456789012345678.123456789012345678, "confirmations": 20}}`;

describe('The client of the deposit provider', () => {
  let server: Server;
  let provider: Crypto2bClient;
  let answers: ProviderResponse[];
  let requests: { request: IncomingMessage; body: string }[];

  beforeAll(async () => {
    Logger.overrideLogger(false); // the client logs a warning about each failed request
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        requests.push({ request, body });
        const answer = answers.shift() ?? { body: '{}' };
        if (answer === 'cut') request.socket.destroy();
        else
          response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = {
      ...SANDBOX_SETTINGS,
      DEPOSIT_PROVIDER_URL: `http://127.0.0.1:${port}/base/`,
    } as unknown as AppConfig;
    provider = new Crypto2bClient(config);
  });
  beforeEach(() => {
    answers = [];
    requests = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const INVALID_ADDRESS_RESPONSES: [string, ProviderResponse][] = [
    ['nothing', { body: '' }],
    ['no JSON', { body: '<html>' }],
    ['another shape', { body: '[]' }],
    ['a number', { body: '17' }],
    ['no address', { body: '{"id": 1}' }],
    ['an empty address', { body: '{"id": 1, "address": ""}' }],
    ['an address that is no text', { body: '{"id": 1, "address": {"a": 1}}' }],
    ['a response of 2 MB', { body: `{"id": 1, "address": "T", "more": "${'x'.repeat(2_100_000)}"}` }],
    ['100,000 nested arrays', { body: '['.repeat(100_000) }],
    ['400', { status: 400, body: '{"id": 1, "address": "T"}' }],
    ['500', { status: 500, body: '' }],
    ['a redirection', { status: 302, body: '' }],
    ['a cut connection', 'cut'],
  ];
  it.each(INVALID_ADDRESS_RESPONSES)(
    'throws CRYPTO2B_API_ERROR if the answer to the creation of an address is %s',
    async (_description, answer) => {
      answers = [answer, { body: '{"id": 1, "address": "T"}' }];
      await expect(provider.createAddress('user', 'USDT', 'TRC20')).rejects.toMatchObject({
        code: 'CRYPTO2B_API_ERROR',
        status: 503,
      });
      expect(requests).toHaveLength(1); // only reads are retried, since they have no side effect
    },
  );

  it('retries a read once, and then throws CRYPTO2B_API_ERROR', async () => {
    answers = ['cut', { body: DEPOSIT }];
    expect(await provider.findDeposit('1')).toMatchObject({ status: 'Success' });
    answers = [{ status: 500, body: '' }, { status: 500, body: '' }, { body: DEPOSIT }];
    await expect(provider.findDeposit('1')).rejects.toMatchObject({ code: 'CRYPTO2B_API_ERROR' });
    expect(requests).toHaveLength(4); // two for each read
  });

  it('keeps every digit of JSON numbers', async () => {
    answers = [{ body: DEPOSIT }];
    const deposit = await provider.findDeposit('1');
    expect(deposit).toMatchObject({
      id: '12345678901234567890',
      currency: 'USDT',
      network: 'TRC20',
      confirmations: 20,
    });
    expect(deposit?.amount.toString()).toBe('123456789012345678.123456789012345678');
  });

  it('returns no deposit if the provider answers 404', async () => {
    answers = [{ status: 404, body: '' }];
    expect(await provider.findDeposit('1')).toBeUndefined();
  });

  it('returns the valid deposits of a list that contains invalid ones, and throws CRYPTO2B_API_ERROR without a list', async () => {
    answers = [{ body: `{"items": [{"type": "Deposit"}, null, ${DEPOSIT}], "total": 3}` }];
    expect(await provider.listDeposits(0, 3)).toMatchObject({
      deposits: [{ id: '12345678901234567890' }],
      unreadable: 2,
      isLast: false,
    });
    answers = [{ body: '{"items": {}}' }];
    await expect(provider.listDeposits(0, 3)).rejects.toMatchObject({ code: 'CRYPTO2B_API_ERROR' });
  });

  it('signs the time, the window, the method, the path with its query, and the body', async () => {
    answers = [{ body: '{"id": 1, "address": "T"}' }, { body: '{"items": []}' }];
    await provider.createAddress('user-1', 'USDT', 'TRC20');
    await provider.listDeposits(100, 50);
    expect(requests.map(({ request }) => `${request.method} ${request.url}`)).toEqual([
      'POST /base/deposits/addresses',
      'GET /base/deposits/list?offset=100&limit=50',
    ]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      currencyShortName: 'USDT',
      transportProtocol: 'trc20',
      foreignId: 'user-1',
    });
    for (const { request, body } of requests) {
      const header = (name: string) => request.headers[`x-processing-${name}`] as string;
      const signed = {
        timestamp: header('timestamp'),
        recvWindow: header('recvwindow'),
        method: request.method ?? '',
        path: request.url ?? '',
        body,
      };
      expect(signatureMatches(SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET, signed, header('signature'))).toBe(
        true,
      );
      expect(header('key')).toBe(SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY);
    }
  });
});
