import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { Webhook } from 'standardwebhooks';
import { DAY_MS } from '../../src/common/durations.js';
import { startChain } from '../../src/sandbox/chain.js';
import type { RunningChain } from '../../src/sandbox/chain.js';
import { IDENTITY_KEYS_FILE } from '../../src/sandbox/identity-provider.js';
import { startProviders } from '../../src/sandbox/providers.js';
import type { RunningProviders } from '../../src/sandbox/providers.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signatureMatches, signedHeaders } from '../../src/sandbox/signature.js';
import { CallbackReceiver } from '../fixtures/callback-receiver.js';
import { testFolder } from '../harness/test-folder.js';

const CREDENTIALS = {
  key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY,
  secret: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
};

describe('The providers of the sandbox', () => {
  let chain: RunningChain;
  let providers: RunningProviders;
  let receiver: CallbackReceiver;
  let dataDir: string;
  /** Reused by all providers of this file: generating keys takes longer than starting the providers. */
  let identityKeys: string | undefined;
  const api = { url: '' };

  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain?.stop());

  async function start(): Promise<RunningProviders> {
    const retry = { attempts: 5, firstDelayMs: 10, longestDelayMs: 40 };
    return startProviders({ dataDir, chain, api, retry, blockIntervalMs: 5 });
  }
  beforeEach(async () => {
    dataDir = testFolder('sandbox-providers');
    const keysFile = join(dataDir, IDENTITY_KEYS_FILE);
    if (identityKeys) writeFileSync(keysFile, identityKeys);
    receiver = new CallbackReceiver();
    api.url = await receiver.start();
    providers = await start();
    identityKeys ??= readFileSync(keysFile, 'utf8');
  });
  afterEach(async () => {
    await providers.stop();
    receiver.stop();
  });

  /** Calls the control API of the sandbox. */
  async function control(
    path: string,
    body: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(providers.url + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  /** Calls the API of the deposit provider with a valid signature, unless `headers` replace it. */
  async function callProvider(method: string, path: string, body = '', headers: Record<string, string> = {}) {
    const url = `${providers.url}/deposit-provider${path}`;
    const signed = signedHeaders(CREDENTIALS, { method, url, body });
    const content = body === '' ? {} : { body };
    return fetch(url, { method, headers: { ...signed, ...headers }, ...content });
  }
  /** Returns the deposit address of a user; the first call creates it. */
  async function depositAddress(currencyShortName: string, transportProtocol: string): Promise<string> {
    const body = JSON.stringify({ currencyShortName, transportProtocol, foreignId: 'user-1' });
    const answer = await callProvider('POST', '/deposits/addresses', body);
    return ((await answer.json()) as { address: string }).address;
  }
  /** The confirmations in the received callbacks, in the order of arrival. */
  const confirmationsOfCallbacks = () =>
    receiver.received.map(({ body }) => JSON.parse(body).data.transaction.confirmations as number);

  it('transfer USDC on ERC20 and send signed callbacks until the deposit is final', async () => {
    const to = await depositAddress('USDC', 'ERC20');
    const paid = await control('/deposits', { address: to, amount: '500.00' });
    expect(paid.status).toBe(200);
    const received = await receiver.waitForCallbacks(4);

    // Callbacks are sent at 0, a third, two thirds and all of the 12 confirmations after which a deposit on ERC20 is final.
    expect(confirmationsOfCallbacks()).toEqual([0, 4, 8, 12]);
    expect(received.map(({ body }) => JSON.parse(body).data.status)).toEqual([
      'Pending',
      'Processing',
      'Processing',
      'Success',
    ]);
    for (const { path, headers, body } of received) {
      const signed = {
        timestamp: String(headers['x-processing-timestamp']),
        recvWindow: String(headers['x-processing-recvwindow']),
        method: 'POST',
        path,
        body,
      };
      expect(path).toBe('/api/webhooks/crypto2b/deposit');
      expect(signatureMatches(CREDENTIALS.secret, signed, String(headers['x-processing-signature']))).toBe(
        true,
      );
      // The exact digits, as a JSON number.
      expect(body).toContain('"amount":500.00,');
    }
    expect(await chain.usdcBalance(to as `0x${string}`)).toBe(500_000_000n);
    expect(JSON.parse(received[0]?.body ?? '').data).toMatchObject({
      address: { address: to, foreignId: 'user-1' },
      transaction: { hash: paid.body.txHash },
    });
  });

  it('keep every digit of amounts that a float cannot represent, on the simulated networks TRC20 and BEP20', async () => {
    const tron = await depositAddress('USDT', 'TRC20');
    const bsc = await depositAddress('USDC', 'BEP20');
    expect(tron).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    await control('/deposits', { address: tron, amount: '0.000001' });
    await control('/deposits', { address: bsc, amount: '9007199254740993.123456789012345678' });
    const list = await (await callProvider('GET', '/deposits/list?limit=10')).text();
    expect(list).toContain('"amount":0.000001,');
    expect(list).toContain('"amount":9007199254740993.123456789012345678,');
    // Addresses and deposits are numbered together: the ids 1 and 2 are those of the addresses.
    expect(JSON.parse(list)).toMatchObject({ total: 2, items: [{ id: 4 }, { id: 3 }] });
    const deposit = await (await callProvider('GET', '/deposits/3')).text();
    expect(deposit).toContain('"amount":0.000001,');
  });

  it('refuse requests without a valid signature', async () => {
    const outdated = { 'X-Processing-Timestamp': String(Date.now() - 6_000) }; // the window is 5 s
    expect((await callProvider('GET', '/deposits/list', '', outdated)).status).toBe(401);
    expect((await callProvider('GET', '/deposits/list', '', { 'X-Processing-Key': 'other' })).status).toBe(
      401,
    );
    expect(
      (await callProvider('GET', '/deposits/list', '', { 'X-Processing-Signature': 'AAAA' })).status,
    ).toBe(401);
    expect((await callProvider('GET', '/deposits/list')).status).toBe(200);
  });

  it('repeat callbacks that were not answered with 2xx, in the same order', async () => {
    receiver.errorsLeft = 3;
    await control('/deposits', { address: await depositAddress('USDC', 'ERC20'), amount: '1' });
    await receiver.waitForCallbacks(4);
    expect(confirmationsOfCallbacks()).toEqual([0, 4, 8, 12]);
  });

  it('continue to send the callbacks of a deposit after a restart', async () => {
    const to = await depositAddress('USDC', 'TRC20');
    receiver.responsesLeft = 1;
    await control('/deposits', { address: to, amount: '1' });
    await receiver.waitForCallbacks(2);
    await providers.stop();
    receiver.responsesLeft = Infinity;
    providers = await start();
    expect(await depositAddress('USDC', 'TRC20')).toBe(to);
    await receiver.waitForCallbacks(5);
    // Of the 20 confirmations of TRC20; the callback whose answer was cut off is repeated.
    expect(confirmationsOfCallbacks()).toEqual([0, 6, 6, 13, 20]);
  });

  it.each([
    ['duplicate', [0, 0, 4, 4, 8, 8, 12, 12]],
    ['reorder', [4, 0, 12, 8]],
    ['none', [0, 4, 8, 12]],
  ])('with the fault %s send callbacks with the confirmations %j', async (mode, expected) => {
    await control('/faults', { provider: 'deposit', mode });
    await control('/deposits', { address: await depositAddress('USDC', 'ERC20'), amount: '1' });
    await receiver.waitForCallbacks(expected.length);
    expect(confirmationsOfCallbacks()).toEqual(expected);
  });

  it('omit as many callbacks as the fault drop counts, but list the deposit as final', async () => {
    await control('/faults', { provider: 'deposit', mode: 'drop', count: 3 });
    await control('/deposits', { address: await depositAddress('USDC', 'ERC20'), amount: '1' });
    await receiver.waitForCallbacks(1);
    expect(confirmationsOfCallbacks()).toEqual([12]);
    const list = (await (await callProvider('GET', '/deposits/list')).json()) as { items: unknown[] };
    expect(list.items).toMatchObject([{ status: 'Success', transaction: { confirmations: 12 } }]);
  });

  it('can fail a single response, and drop calls at the address of the chain while the node keeps running', async () => {
    await control('/faults', { provider: 'deposit', mode: 'error', count: 1 });
    expect((await callProvider('GET', '/deposits/list')).status).toBe(503);
    expect((await callProvider('GET', '/deposits/list')).status).toBe(200);

    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const ask = () => fetch(providers.chainUrl, { method: 'POST', body });
    expect(await (await ask()).json()).toMatchObject({ result: '0x7a69' });
    await control('/faults', { provider: 'chain', mode: 'drop' });
    await expect(ask()).rejects.toThrow();
    expect((await control('/chain/mine', { blocks: 1 })).status).toBe(200);
    await control('/faults', { provider: 'chain', mode: 'none' });
    expect((await ask()).status).toBe(200);
  });

  it('report a yield with a signature that the Standard Webhooks library verifies', async () => {
    const report = { strategyId: 'balanced-10', day: '2026-01-31', apy: '9.75' };
    expect((await control('/custody/yield', report)).body).toMatchObject({ outcome: 'sent', status: 200 });
    const [received] = await receiver.waitForCallbacks(1);
    const webhook = new Webhook(SANDBOX_SETTINGS.CUSTODY_WEBHOOK_SECRET);
    const verified = webhook.verify(received?.body ?? '', received?.headers as Record<string, string>);
    expect(verified).toEqual({ type: 'yield.reported', data: report });
    expect(received?.path).toBe('/api/webhooks/custody/yield');
  });

  it('report a failed withdrawal', async () => {
    const withdrawalId = '0190a1b2-0000-7000-8000-000000000001';
    await control('/withdrawals/report', { withdrawalId, status: 'Failed', error: 'refused' });
    const [received] = await receiver.waitForCallbacks(1);
    expect(received?.path).toBe('/api/webhooks/crypto2b/withdrawal');
    const expected = { type: 'Withdrawal', status: 'Failed', foreignId: withdrawalId, error: 'refused' };
    expect(JSON.parse(received?.body ?? '').data).toMatchObject(expected);
  });

  it('can advance the domain clock', async () => {
    const { body } = await control('/clock/advance', { days: 3 });
    await control('/clock/advance', { days: 1 });
    expect(body.offsetMs).toBe(3 * DAY_MS);
    const clock = JSON.parse(readFileSync(join(dataDir, 'clock.json'), 'utf8')) as unknown;
    expect(clock).toEqual({ offsetMs: 4 * DAY_MS });
  });

  it('can move the domain clock to the next midnight', async () => {
    const before = (await control('/clock/advance', { days: 1 })).body;
    const { now, offsetMs } = (await control('/clock/midnight', {})).body;
    expect(Date.parse(String(now)) % DAY_MS).toBeLessThan(10_000);
    const movedMs = Number(offsetMs) - Number(before.offsetMs);
    expect(movedMs > 0 && movedMs <= DAY_MS).toBe(true);
  });

  it('issue tokens with the given subject and claims, and by default one subject per e-mail address', async () => {
    const claimsOf = async (body: object) =>
      decodeJwt((await control('/idp/token', { email: 'ann@example.org', ...body })).body.token as string);
    const { sub } = await claimsOf({});
    expect((await claimsOf({ name: 'Ann' })).sub).toBe(sub);
    expect((await claimsOf({ email: 'bob@example.org' })).sub).not.toBe(sub);
    const claims = { email_verified: 'true', user_metadata: { level: 2, tags: ['a'] } };
    expect(await claimsOf({ sub: 'auth0|1', claims })).toMatchObject({ sub: 'auth0|1', ...claims });
  });

  it.each([
    ['/deposits', { address: 'nobody’s', amount: '1' }, 404, 'not a deposit address'],
    ['/deposits', { address: '0x1', amount: '-1' }, 400, 'amount must be'],
    ['/deposits', { address: '0x1', amount: '0.00' }, 400, 'amount must be'],
    ['/chain/mine', { blocks: 0 }, 400, 'blocks must be'],
    ['/chain/transfer', { to: '0x12', amount: '1' }, 400, 'to must be'],
    ['/clock/advance', { days: 1.5 }, 400, 'days must be'],
    ['/faults', { provider: 'nobody', mode: 'none' }, 400, 'provider must be one of'],
    ['/faults', { provider: 'chain', mode: 'duplicate' }, 400, 'mode of chain must be one of'],
    ['/custody/yield', { strategyId: 'x', day: '31.1.', apy: '1' }, 400, 'day must be'],
    ['/idp/token', {}, 400, 'email must be'],
    ['/idp/token', { email: 'ann@example.org', sub: 7 }, 400, 'sub must be'],
    ['/idp/token', { email: 'ann@example.org', claims: [] }, 400, 'claims must be'],
    ['/idp/token', { email: 'ann@example.org', claims: 7 }, 400, 'claims must be'],
    ['/nothing', {}, 404, 'There is no POST /nothing'],
  ])('answer POST %s %j with %i: %s', async (path, body, status, message) => {
    const answer = await control(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toContain(message);
  });
});
