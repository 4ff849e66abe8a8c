import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { SecretEncryptionJob } from '../../src/modules/messaging/webhooks/secret-encryption.service.js';
import { signedHeaders } from '../../src/sandbox/signature.js';
import { ApiProcess } from '../harness/api-process.js';
import { isSignedBy } from '../harness/event-receiver.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { depositBody } from '../fixtures/provider-callbacks.js';
import { startReplica, startReplicaWithoutPort } from '../harness/replica.js';
import { asSecondSecrets, NEW, OLD, randomSecret, type Secrets } from '../fixtures/rotated-secrets.js';
import { WebhookScenario, WEBHOOKS, type Subscriber } from '../fixtures/webhook-scenario.js';

// Replaces every secret in the three steps of docs/operations.md, while two processes serve requests and restart in turn.

/** A request whose status shows whether its token or cookie is still accepted. */
interface AuthenticatedRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let scenario: WebhookScenario;
let processes: ApiProcess[];
const authenticatedRequests: AuthenticatedRequest[] = [];
const subscribers: Subscriber[] = [];
/** The secrets that the providers and Prometheus use at present; both processes must accept all of them. */
let outsideSecrets: Secrets[] = [OLD];
const counts = { answers: 0, callbacks: 0, deliveries: 0, restarts: 0 };
const refusals: string[] = [];

const urls = () => processes.map(({ url }) => url);
const atBothProcesses = <Result>(call: (url: string) => Promise<Result>) => Promise.all(urls().map(call));

async function startProcess(settings: Record<string, string>): Promise<ApiProcess> {
  const api = await ApiProcess.launch({ ...scenario.platform.env, LOG_LEVEL: 'info', ...settings });
  await api.waitUntilReady();
  return api;
}

/** Starts the new process before the old one is terminated. */
async function restart(index: number, settings: Record<string, string>): Promise<void> {
  const oldProcess = processes[index] as ApiProcess;
  processes[index] = await startProcess(settings);
  await oldProcess.terminate();
  counts.restarts++;
}

/** Signs in a user and an admin with tokens and the user with a cookie, and adds their requests to `authenticatedRequests`. */
async function signIn(url: string): Promise<void> {
  const { identity } = scenario.platform.outside.providers;
  const login = async (email: string, body: unknown) => {
    const token = await identity.token({ email });
    return scenario.platform.as({ token }, url).call('POST', '/api/auth/idp/login', body);
  };
  const email = `${randomUUID()}@example.org`;
  const { data: user } = await login(email, { session: 'bearer' });
  const { data: admin } = await login('admin@example.com', { session: 'bearer' });
  const page = await login(email, { session: 'cookie' });
  const [cookie = ''] = page.headers.getSetCookie().map((text) => text.split(';')[0] as string);
  authenticatedRequests.push(
    { path: '/api/user/profile', headers: bearer(user.token) },
    { path: '/api/admin/audit', headers: bearer(admin.token) },
    { path: '/api/user/profile', headers: { cookie, 'x-csrf-token': page.data.csrfToken } },
  );
}

async function subscribe(url: string): Promise<void> {
  const owner = await scenario.platform.given.user();
  const receiver = await scenario.startReceiver();
  const { token } = await signInAgain(owner.email, url);
  const { data } = await scenario.platform
    .as({ token }, url)
    .post(WEBHOOKS, { url: receiver.url, events: ['deposit.completed'] });
  subscribers.push({ user: { ...owner, token }, id: data.id, secret: data.secret, receiver });
}

async function signInAgain(email: string, url: string): Promise<{ token: string }> {
  const token = await scenario.platform.outside.providers.identity.token({ email });
  return (await scenario.platform.as({ token }, url).post('/api/auth/idp/login')).data;
}

const statusOf = async (url: string, { path, headers }: AuthenticatedRequest) =>
  (await sendRequest(url + path, { headers })).status;

async function sendDepositCallback(
  url: string,
  { DEPOSIT_PROVIDER_KEY: key, DEPOSIT_PROVIDER_SECRET: secret }: Secrets,
) {
  const path = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
  const body = depositBody({ address: 'TNobodysNobodysNobodysNobodysNobod' });
  const headers = signedHeaders({ key, secret }, { method: 'POST', url: url + path, body });
  return scenario.platform.as(null, url).post(path, body, { headers });
}

async function sendCustodyCallback(url: string, { CUSTODY_WEBHOOK_SECRET: secret }: Secrets) {
  const path = `/api/webhooks/${SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME}/yield`;
  const id = `msg_${randomUUID()}`;
  const at = new Date();
  const data = { strategyId: 'balanced-10', day: '2026-03-01', apy: '10.00' };
  const body = JSON.stringify({ type: 'yield.reported', data });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return scenario.platform.as(null, url).post(path, body, { headers });
}

const fetchMetrics = (url: string, { METRICS_TOKEN: token }: Secrets) =>
  sendRequest(`${url}/metrics`, { headers: bearer(token) });

/** Asserts that both processes accept all tokens and cookies so far, callbacks and metrics tokens, and send events. */
async function requireAllServed(): Promise<void> {
  for (const request of authenticatedRequests)
    expect(await atBothProcesses((url) => statusOf(url, request))).toEqual([200, 200]);
  for (const secrets of outsideSecrets) {
    const answers = [
      ...(await atBothProcesses((url) => sendDepositCallback(url, secrets))),
      ...(await atBothProcesses((url) => sendCustodyCallback(url, secrets))),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    counts.callbacks += answers.length;
    const pages = await atBothProcesses((url) => fetchMetrics(url, secrets));
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  }
  for (const { user, id, secret, receiver } of subscribers) {
    const before = receiver.received.length;
    const replies = await atBothProcesses(async (url) =>
      scenario.platform.as(await signInAgain(user.email, url), url).post(`${WEBHOOKS}/${id}/test`),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    await eventually(async () => expect(receiver.received).toHaveLength(before + replies.length));
    for (const event of receiver.received) expect(isSignedBy(secret, event)).toBe(true);
    counts.deliveries += replies.length;
  }
}

/** Sends requests during the restarts; a connection error of a stopping process is not a refusal. */
async function sendRequestsUntil(isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const request = authenticatedRequests[turn % authenticatedRequests.length] as AuthenticatedRequest;
    const url = urls()[turn % 2] as string;
    const status = await statusOf(url, request).catch(() => undefined);
    await sleep(20); // leaves CPU time to the starting processes
    if (status === undefined) continue;
    counts.answers++;
    if (status !== 200) refusals.push(`${status} ${request.path}`);
  }
}

beforeAll(async () => {
  scenario = await WebhookScenario.start();
  processes = await Promise.all([startProcess(OLD), startProcess(OLD)]);
});
afterAll(async () => {
  for (const process of processes) await process.kill();
  await scenario.stop();
});

it('all secrets can be replaced while two processes serve requests, and afterwards the old ones are refused [SEC-011]', async () => {
  for (const url of urls()) await Promise.all([signIn(url), subscribe(url)]);
  let isOver = false;
  const traffic = sendRequestsUntil(() => isOver);

  try {
    for (const settings of [
      { ...OLD, ...asSecondSecrets(NEW) },
      { ...NEW, ...asSecondSecrets(OLD) },
    ]) {
      for (const index of [0, 1]) {
        await restart(index, settings);
        for (const url of urls()) await Promise.all([signIn(url), subscribe(url)]);
        await requireAllServed();
      }
      outsideSecrets = [OLD, NEW]; // after the first step the other parties may switch at any time
    }
  } finally {
    isOver = true;
    await traffic;
  }
  expect(refusals).toEqual([]);

  // The metrics and the log show that old secrets were in use; the log also shows that stored secrets are re-encrypted.
  const { text: figures } = await fetchMetrics(urls()[0] as string, NEW);
  expect(figures).toMatch(/second_secrets_needed_total\{setting="JWT_USER_SECRET_ALSO"\} [1-9]/);
  expect(figures).toMatch(/second_secrets_needed_total\{setting="DEPOSIT_PROVIDER_SECRET_ALSO"\} [1-9]/);
  expect(processes[1]?.output).toContain('the second secret is still needed: keep JWT_ADMIN_SECRET_ALSO');
  await eventually(async () =>
    expect(processes[1]?.output).toContain('are now encrypted with WEBHOOK_ENCRYPTION_KEY'),
  );

  const requestsWithOldTokens = authenticatedRequests.slice(0, 6); // signed in before the first step, three at each process
  for (const index of [0, 1]) await restart(index, NEW);
  for (const request of requestsWithOldTokens)
    expect(await atBothProcesses((url) => statusOf(url, request))).toEqual([401, 401]);
  const callbacks = [
    ...(await atBothProcesses((url) => sendDepositCallback(url, OLD))),
    ...(await atBothProcesses((url) => sendCustodyCallback(url, OLD))),
  ];
  expect(new Set(callbacks.map(({ code }) => code))).toEqual(new Set(['WEBHOOK_SIGNATURE_INVALID']));
  expect((await atBothProcesses((url) => fetchMetrics(url, OLD))).map(({ status }) => status)).toEqual([
    401, 401,
  ]);
  authenticatedRequests.splice(0, authenticatedRequests.length);
  outsideSecrets = [NEW];
  for (const url of urls()) await signIn(url);
  await requireAllServed(); // no stored secret was still encrypted with the old key

  recordGuarantee(
    'G-16',
    `${counts.restarts} restarts, ${counts.answers} requests meanwhile, ${counts.callbacks} callbacks, ` +
      `${counts.deliveries} deliveries; afterwards the old secrets are refused`,
  );
});

it('if the first step of a rotation is left out, a process refuses tokens that another one has signed', async () => {
  const settings = { JWT_USER_SECRET: NEW.JWT_USER_SECRET, JWT_USER_SECRET_ALSO: OLD.JWT_USER_SECRET };
  const url = await startReplica(scenario.platform, settings);
  const user = await scenario.platform.given.user();
  const { token } = await signInAgain(user.email, url);
  expect((await scenario.platform.as({ token }, url).get('/api/user/profile')).status).toBe(200);
  expect((await scenario.platform.as({ token }).get('/api/user/profile')).code).toBe('TOKEN_INVALID');
});

it('a second secret is accepted for its own token type only, and expiry and issuer are checked as with the first', async () => {
  const url = await startReplica(scenario.platform, {
    JWT_USER_SECRET_ALSO: NEW.JWT_USER_SECRET,
    JWT_ADMIN_SECRET_ALSO: NEW.JWT_ADMIN_SECRET,
  });
  const user = await scenario.platform.given.user();
  const admin = await scenario.platform.given.admin();
  const signed = (token: string, secret: string, changes: object = {}) =>
    new SignJWT({ ...decodeJwt(token), ...changes })
      .setProtectedHeader({ alg: 'HS256', kid: 'JWT_ADMIN_SECRET_ALSO' }) // `kid` must not select the secret
      .sign(Buffer.from(secret));
  const codeOf = async (path: string, token: string) =>
    (await scenario.platform.as({ token }, url).get(path)).code;
  const userPath = '/api/user/profile';
  const adminPath = '/api/admin/audit';
  expect(await codeOf(userPath, await signed(user.token, NEW.JWT_USER_SECRET))).toBeUndefined();
  expect(await codeOf(adminPath, await signed(admin.token, NEW.JWT_ADMIN_SECRET))).toBeUndefined();
  expect(await codeOf(adminPath, await signed(admin.token, NEW.JWT_USER_SECRET))).toBe('TOKEN_INVALID');
  expect(await codeOf(userPath, await signed(user.token, NEW.JWT_ADMIN_SECRET))).toBe('TOKEN_INVALID');
  const expired = await signed(user.token, NEW.JWT_USER_SECRET, { exp: 1_000_000_000 });
  expect(await codeOf(userPath, expired)).toBe('TOKEN_EXPIRED');
  const ofOtherIssuer = await signed(user.token, NEW.JWT_USER_SECRET, { iss: 'somebody else' });
  expect(await codeOf(userPath, ofOtherIssuer)).toBe('TOKEN_INVALID');
});

it('the secret of a webhook is re-encrypted even if neither key decrypts its previous secret', async () => {
  const url = await startReplica(scenario.platform, { WEBHOOK_ENCRYPTION_KEY: NEW.WEBHOOK_ENCRYPTION_KEY });
  await subscribe(url);
  const { id } = subscribers.at(-1) as Subscriber;
  const { dataSource } = scenario.platform;
  await dataSource.query(
    `update webhook_subscription set previous_secret = '\\x00', previous_until = now() where id = $1`,
    [id],
  );
  const readSecret = () => dataSource.query(`select secret from webhook_subscription where id = $1`, [id]);
  const before = await readSecret();
  const app = await startReplicaWithoutPort(scenario.platform, {
    WEBHOOK_ENCRYPTION_KEY: randomSecret(),
    WEBHOOK_ENCRYPTION_KEY_ALSO: NEW.WEBHOOK_ENCRYPTION_KEY,
  });
  await app.get(SecretEncryptionJob).reencryptSecrets(new AbortController().signal);
  expect(await readSecret()).not.toEqual(before);
});
