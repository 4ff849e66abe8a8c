import { randomBytes } from 'node:crypto';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../src/sandbox/signature.js';
import { ApiProcess } from '../harness/api-process.js';
import {
  Canaries,
  sendApiKeySecrets,
  sendTickets,
  sendWebhookSecrets,
} from '../verification/secrets/canaries.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { depositBody } from '../fixtures/provider-callbacks.js';
import { EchoServer } from '../harness/echo-server.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

// Sends requests that succeed and requests that fail, with a unique text (canary) as the secret in every part. No canary may
// appear in the output of the process with LOG_LEVEL=debug.

const PASSWORD = 'sandbox-password';
const METRICS_TOKEN = 'canary-metrics-token-0123456789';
const DEPOSIT_HOOK = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
const YIELD_HOOK = `/api/webhooks/${SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME}/yield`;
const TABLES = [
  'session',
  'refresh_token',
  'notification',
  'webhook_event',
  'withdrawal',
  'idempotency_result',
  'wallet_nonce',
  'wallet',
  'api_key',
  'live_ticket',
];

let database: TestDatabase;
let proxy: TcpProxy;
let platform: TestPlatform;
let api: ApiProcess;
let echoServer: EchoServer;
let logOfEndedProcesses = '';

const canaries = new Canaries();
const { addSecret, canary, findLeaks } = canaries;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await TcpProxy.startFor(database.url);
  echoServer = await EchoServer.start();
  platform = await startPlatform({ at: new Date().toISOString(), settings: { DATABASE_URL: proxy.url } });
  for (const [name, value] of Object.entries(platform.env)) if (/SECRET|_KEY$/.test(name)) addSecret(value);
});
afterAll(async () => {
  await api.kill();
  await platform.stop();
  await proxy.close();
  await database.drop();
  await echoServer.stop();
});

async function startApi(settings: Record<string, string> = {}): Promise<void> {
  api = await ApiProcess.launch({
    ...platform.env,
    LOG_LEVEL: 'debug',
    METRICS_TOKEN: addSecret(METRICS_TOKEN),
    ...settings,
  });
  await api.waitUntilReady();
}

async function send(
  method: string,
  path: string,
  request: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; data: any; headers: Headers }> {
  const { status, headers, body } = await sendRequest(api.url + path, { method, ...request });
  return { status, data: body?.data, headers };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Calls every route that takes a secret, with valid and invalid secrets; returns the status codes. */
async function sendAllSecrets(): Promise<number[]> {
  const statuses: number[] = [];
  const ask = async (...request: Parameters<typeof send>) => {
    const reply = await send(...request);
    statuses.push(reply.status);
    return reply;
  };
  const email = addSecret(`canary-${randomBytes(6).toString('hex')}@example.org`);
  const jwt = addSecret(await platform.outside.providers.identity.token({ email, name: canary('name') }));
  const signIn = await ask('POST', '/api/auth/idp/login', { headers: bearer(jwt) });
  const userId = signIn.data?.user?.id as string | undefined;
  if (userId) await platform.given.deposit(userId, '1000.00').catch(() => undefined); // fails while a table is missing
  const token = addSecret((signIn.data?.token as string | undefined) ?? canary('token'));
  const refreshToken = addSecret(
    (signIn.data?.refreshToken as string | undefined) ?? randomBytes(32).toString('base64url'),
  );

  const cookie = await ask('POST', '/api/auth/idp/login', {
    headers: bearer(jwt),
    body: { session: 'cookie' },
  });
  const session = /session=([^;]+)/.exec(cookie.headers.get('set-cookie') ?? '')?.[1] ?? canary('cookie');
  const csrf = (cookie.data?.csrfToken as string | undefined) ?? canary('csrf');
  const withCookie = { cookie: `session=${addSecret(session)}`, 'x-csrf-token': addSecret(csrf) };
  await ask('GET', '/api/user/balance', { headers: withCookie });
  await ask('GET', '/api/user/balance', { headers: { ...withCookie, 'x-csrf-token': canary('csrf') } });

  for (const headers of [
    bearer(token),
    bearer(`${token}x`),
    bearer(canary('bearer')),
    { authorization: `Basic ${addSecret(Buffer.from(canary('basic')).toString('base64'))}` },
    { cookie: `session=${canary('session')}; ${canary('name')}=${canary('value')}` },
  ]) {
    await ask('GET', `/api/user/notifications?limit=5&apiKey=${canary('query')}`, { headers });
    await ask('GET', '/api/user/notifications?limit=5', { headers });
    await ask('GET', `/api/user/withdrawals/${canary('id')}`, { headers });
  }
  await sendApiKeySecrets(canaries, ask, bearer(token));
  statuses.push(...(await sendTickets(canaries, ask, { url: api.url, headers: bearer(token) })));
  await ask('GET', `/api/${canary('path')}/${canary('path')}?token=${canary('query')}`);
  await ask('GET', `/api/user/balance?x=%00${canary('nul')}`, { headers: bearer(token) });
  await ask('GET', `/api/user/balance?x=%zz${canary('broken')}`, { headers: bearer(token) });

  const withdrawal = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
  const keyed = { ...bearer(token), 'idempotency-key': canary('idempotency-key') };
  await ask('POST', '/api/user/withdrawals', { headers: keyed, body: withdrawal });
  await ask('POST', '/api/user/withdrawals', { headers: keyed, body: { ...withdrawal, amount: '11.00' } });
  await ask('POST', '/api/user/withdrawals', {
    headers: keyed,
    body: { ...withdrawal, [canary('field')]: canary('value') },
  });
  await ask('POST', '/api/user/withdrawals', { headers: keyed, body: `{"password": ${canary('json')}` });
  await ask('POST', '/api/user/withdrawals', { headers: keyed, body: `{"a":"${canary('double')}","a":1}` });
  await ask('POST', '/api/user/withdrawals', {
    headers: { ...keyed, 'content-type': 'text/plain' },
    body: canary('text'),
  });

  for (const [name, password] of [
    ['admin@example.com', addSecret(PASSWORD)],
    ['admin@example.com', canary('password')],
    [`${canary('nobody')}@example.org`, canary('password')],
  ] as const)
    await ask('POST', '/api/admin/auth/login', { body: { email: addSecret(name), password } });
  await ask('POST', '/api/admin/auth/login', {
    body: { email: canary('not-an-email'), password: [canary('password')] },
  });

  const wallet = privateKeyToAccount(generatePrivateKey());
  const challenge = await ask('POST', '/api/auth/wallet/check', { body: { address: wallet.address } });
  const message = (challenge.data?.message as string | undefined) ?? 'none';
  const signature = addSecret(await wallet.signMessage({ message }));
  const otherWallet = privateKeyToAccount(generatePrivateKey());
  for (const attempt of [
    signature,
    addSecret(await otherWallet.signMessage({ message })),
    addSecret(`0x${'ca'.repeat(200)}`),
  ]) {
    await ask('POST', '/api/auth/wallet/connect', {
      headers: bearer(token),
      body: { message, signature: attempt },
    });
    await ask('POST', '/api/auth/wallet/login', { body: { message, signature: attempt } });
  }

  for (const secret of [
    SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
    Buffer.from(canary('secret')).toString('base64'),
  ]) {
    const body = depositBody({ address: DESTINATION });
    const headers = signedHeaders(
      { key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY, secret: addSecret(secret) },
      { method: 'POST', url: api.url + DEPOSIT_HOOK, body },
    );
    addSecret(headers['X-Processing-Signature'] as string);
    await ask('POST', DEPOSIT_HOOK, { headers, body });
    await ask('POST', DEPOSIT_HOOK, { headers, body: `{"data": ${canary('hook')}}` });
  }
  await ask('POST', YIELD_HOOK, {
    headers: {
      'webhook-id': 'a',
      'webhook-timestamp': '1',
      'webhook-signature': `v1,${canary('signature')}`,
    },
    body: { type: canary('yield') },
  });

  await sendWebhookSecrets(canaries, ask, bearer(token), echoServer.url);
  await ask('GET', '/api/user/deposits/address?currency=USDT&network=TRC20', { headers: bearer(token) });
  await ask('POST', '/api/user/blockchain/deposit', {
    headers: bearer(token),
    body: { txHash: `0x${'ab'.repeat(32)}`, amount: '600.00', currency: 'USDC', fromAddress: DESTINATION },
  });
  await ask('GET', '/api/balance/wallet', { headers: bearer(token) });
  await ask('GET', '/metrics', { headers: bearer(METRICS_TOKEN) });
  await ask('GET', '/metrics', { headers: bearer(canary('metrics')) });
  await ask('GET', '/api/ping', {
    headers: { traceparent: canary('traceparent'), 'user-agent': canary('agent') },
  });
  await ask('POST', '/api/auth/refresh', { body: { refreshToken: canary('refresh') } });
  await ask('POST', '/api/auth/refresh', { body: { refreshToken } });
  await ask('POST', '/api/auth/logout', { headers: bearer(token) });
  return statuses;
}

async function terminateApi(): Promise<void> {
  expect(await api.terminate()).toBe(0);
  logOfEndedProcesses += api.output;
}

it('the log contains no secret of successful requests [SEC-122]', async () => {
  await startApi();
  const statuses = await sendAllSecrets();
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(10);
  expect(statuses).toContain(101); // an upgrade with a ticket
  expect(findLeaks(api.output)).toEqual([]);
});

it('the log contains no secret of requests that fail because a table is missing, for each table', async () => {
  for (const table of TABLES) {
    await platform.dataSource.query(`alter table ${table} rename to ${table}_away`);
    const statuses = await sendAllSecrets();
    await platform.dataSource.query(`alter table ${table}_away rename to ${table}`);
    expect([table, Math.max(...statuses)]).toEqual([table, 500]); // at least one request needed the table
  }
  expect(findLeaks(api.output)).toEqual([]);
});

it('the log contains no secret if an error message of the database contains the row', async () => {
  await platform.dataSource.query(`
    create function reveal_row() returns trigger language plpgsql as
      $$ begin raise exception 'invalid input "%"', new using errcode = '22023', detail = new::text; end $$;
    create trigger reveal_row before insert on webhook_event for each row execute function reveal_row()`);
  const statuses = await sendAllSecrets();
  await platform.dataSource.query('drop trigger reveal_row on webhook_event');
  expect(statuses).toContain(500);
  expect(findLeaks(api.output)).toEqual([]);
});

it('the log contains no secret while the database is unreachable', async () => {
  await proxy.close();
  expect(await sendAllSecrets()).toContain(503);
  await proxy.open();
  await eventually(async () => expect((await sendRequest(`${api.url}/api/health/ready`)).status).toBe(200));
  await terminateApi();
  expect(findLeaks(logOfEndedProcesses)).toEqual([]);
});

it('the log contains no secret if all outside parties fail and echo their requests [SEC-135]', async () => {
  const urlWithSecrets = (name: string) => canaries.urlWithSecrets(echoServer.url, name);
  await startApi({
    RPC_URL: urlWithSecrets('rpc'),
    DEPOSIT_PROVIDER_URL: urlWithSecrets('provider').split('?')[0] as string, // the client appends paths
    IDP_JWKS_URL: urlWithSecrets('keys'),
  });
  const statuses = await sendAllSecrets();
  expect(statuses).toContain(503);
  await terminateApi();
  expect(findLeaks(logOfEndedProcesses)).toEqual([]);
});

it('the log has a line per request with route, status, duration, trace id and caller [SEC-121]', () => {
  const lines = logOfEndedProcesses
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = lines.filter(({ context, route }) => context === 'Request' && route !== undefined);
  expect(requests.length).toBeGreaterThan(300);
  expect(requests).toContainEqual(
    expect.objectContaining({
      level: 30, // info
      msg: 'POST /api/auth/logout 200',
      method: 'POST',
      route: '/api/auth/logout',
      status: 200,
      milliseconds: expect.any(Number),
      principalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    }),
  );
  expect(requests).toContainEqual(expect.objectContaining({ route: null, status: 404, principalId: null }));
  expect(requests).toContainEqual(expect.objectContaining({ level: 20, route: '/api/ping' })); // debug
  expect(lines.some(({ level }) => level === 50)).toBe(true); // error
  expect(findLeaks(`${logOfEndedProcesses} ${canaries.last}`)).toHaveLength(1); // control: the search finds a canary
  recordGuarantee(
    'G-28',
    `${canaries.size} secrets in ${requests.length} requests, ${findLeaks(logOfEndedProcesses).length} found in the log`,
  );
});
