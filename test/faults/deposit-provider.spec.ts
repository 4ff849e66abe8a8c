import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppConfig } from '../../src/config/app-config.js';
import { Crypto2bClient } from '../../src/modules/deposits/crypto2b.client.js';
import { Logger } from '@nestjs/common';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signatureMatches } from '../../src/sandbox/signature.js';

type EnvelopedResponse = { status?: number; body: string } | 'cut';

const DEPOSIT = `{"type": "Deposit", "id": 12345678901234567890, "status": "Success",
  "instrument": {"currencyShortName": "usdt", "transportProtocol": "trc20"},
  "address": {"address": "TAddress", "senderAddress": null},
  "transaction": {"hash": "ab", "amount": 123456789012345678.123456789012345678, "confirmations": 20}}`;

describe('the deposit provider, when it answers oddly', () => {
  let server: Server;
  let provider: Crypto2bClient;
  let answers: EnvelopedResponse[];
  let asked: { request: IncomingMessage; body: string }[];

  beforeAll(async () => {
    Logger.overrideLogger(false); // its warnings are what is provoked here
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push({ request, body });
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
    asked = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const NO_ADDRESS: [string, EnvelopedResponse][] = [
    ['nothing', { body: '' }],
    ['no JSON', { body: '<html>' }],
    ['another shape', { body: '[]' }],
    ['a number', { body: '17' }],
    ['no address', { body: '{"id": 1}' }],
    ['an empty address', { body: '{"id": 1, "address": ""}' }],
    ['an address that is no text', { body: '{"id": 1, "address": {"a": 1}}' }],
    ['an endless answer', { body: `{"id": 1, "address": "T", "more": "${'x'.repeat(2_100_000)}"}` }],
    ['nesting without end', { body: '['.repeat(100_000) }],
    ['400', { status: 400, body: '{"id": 1, "address": "T"}' }],
    ['500', { status: 500, body: '' }],
    ['a redirection', { status: 302, body: '' }],
    ['a cut connection', 'cut'],
  ];
  it.each(NO_ADDRESS)('is CRYPTO2B_API_ERROR for an address: %s', async (_what, answer) => {
    answers = [answer, { body: '{"id": 1, "address": "T"}' }];
    await expect(provider.createAddress('user', 'USDT', 'TRC20')).rejects.toMatchObject({
      code: 'CRYPTO2B_API_ERROR',
      status: 503,
    });
    expect(asked).toHaveLength(1); // making an address is not repeated
  });

  it('is asked a second time for what can be read again', async () => {
    answers = ['cut', { body: DEPOSIT }];
    expect(await provider.findDeposit('1')).toMatchObject({ status: 'Success' });
    answers = [{ status: 500, body: '' }, { status: 500, body: '' }, { body: DEPOSIT }];
    await expect(provider.findDeposit('1')).rejects.toMatchObject({ code: 'CRYPTO2B_API_ERROR' });
    expect(asked).toHaveLength(4);
  });

  it('keeps every digit of its numbers', async () => {
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

  it('knows no deposit where it answers 404', async () => {
    answers = [{ status: 404, body: '' }];
    expect(await provider.findDeposit('1')).toBeUndefined();
  });

  it('hides no deposit behind an odd one in its list', async () => {
    answers = [{ body: `{"items": [{"type": "Deposit"}, null, ${DEPOSIT}], "total": 3}` }];
    expect(await provider.listDeposits(0, 3)).toMatchObject({
      deposits: [{ id: '12345678901234567890' }],
      unreadable: 2,
      isLast: false,
    });
    answers = [{ body: '{"items": {}}' }];
    await expect(provider.listDeposits(0, 3)).rejects.toMatchObject({ code: 'CRYPTO2B_API_ERROR' });
  });

  it('is asked with a signature over time, window, method, path with query, and body', async () => {
    answers = [{ body: '{"id": 1, "address": "T"}' }, { body: '{"items": []}' }];
    await provider.createAddress('user-1', 'USDT', 'TRC20');
    await provider.listDeposits(100, 50);
    expect(asked.map(({ request }) => `${request.method} ${request.url}`)).toEqual([
      'POST /base/deposits/addresses',
      'GET /base/deposits/list?offset=100&limit=50',
    ]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      currencyShortName: 'USDT',
      transportProtocol: 'trc20',
      foreignId: 'user-1',
    });
    for (const { request, body } of asked) {
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
