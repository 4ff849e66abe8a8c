import { MINUTE_MS } from '../../../src/common/durations.js';
import { givenKey } from '../../fixtures/api-keys.js';
import type { TestUser } from '../../fixtures/given.js';
import { signInWith } from '../../fixtures/identities.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { refusalOf } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { freezeTime } from '../../harness/skip-time.js';

// Ways around a step-up. test/matrix/attacks/step-ups.spec.ts tries every wrong token at every route.

const WITHDRAWALS = '/api/user/withdrawals';
const WITHDRAWAL = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
const STEP_UPS = '/api/user/step-up';

let platform: TestPlatform;
let user: TestUser;
let app: TotpApp;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  user = await platform.given.user().withBalance('10000.00');
  app = await TotpApp.register(platform, user);
});

const withToken = (token: string, others: Record<string, string> = {}) => ({
  headers: { 'x-step-up': token, ...others },
});
/** Another session of the same user. */
const signInAgain = async () => (await signInWith(platform, { email: user.email })).data as { token: string };
const asked = { action: 'withdrawal.request', details: WITHDRAWAL };

describe('A token of the identity provider', () => {
  it('links no further wallet to an account with a second factor, with or without a step-up [SEC-575]', async () => {
    const wallets = new WalletSteps(platform);
    const wallet = newWallet();
    const jwt = await platform.outside.providers.identity.token({ email: user.email });
    const token = await app.stepUp('wallet.connect', { address: wallet.address });
    for (const headers of [{}, { 'x-step-up': token }] as Record<string, string>[]) {
      const signed = await wallets.signChallenge(wallet);
      const reply = await platform.as({ token: jwt }).post('/api/auth/wallet/register', signed, { headers });
      expect(refusalOf(reply)).toEqual([
        'STEP_UP_REQUIRED',
        { action: 'wallet.connect', methods: ['totp', 'recovery-code'] },
      ]);
    }
    expect((await wallets.login(await wallets.signChallenge(wallet))).code).toBe('USER_NOT_FOUND');
    const signed = await wallets.signChallenge(wallet);
    const connected = await platform.as(user).post('/api/auth/wallet/connect', signed, withToken(token));
    expect(connected.status).toBe(200);
    expect((await wallets.register(user.email, await wallets.signChallenge(wallet))).status).toBe(201); // linked already
  });
});

describe('The details of a step-up', () => {
  it.each<[string, unknown]>([
    ['a field of another action', { ...WITHDRAWAL, address: DESTINATION }],
    ['the name of a property of all objects', { ...WITHDRAWAL, constructor: {} }],
    ['an amount as a number', { ...WITHDRAWAL, amount: 100 }],
    ['an amount with an exponent', { ...WITHDRAWAL, amount: '1e2' }],
    ['an amount in other digits', { ...WITHDRAWAL, amount: '１００' }],
    ['a list in place of a text', { ...WITHDRAWAL, toAddress: [DESTINATION] }],
    ['a field that is missing', { amount: '100.00', currency: 'USDC' }],
    ['a list', [WITHDRAWAL]],
  ])('are refused with %s', async (_, details) => {
    const reply = await platform.as(user).post(STEP_UPS, { action: 'withdrawal.request', details });
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('cannot be hidden in a prototype', async () => {
    const body = `{"action":"withdrawal.request","details":{"__proto__":${JSON.stringify(WITHDRAWAL)}}}`;
    expect((await platform.as(user).post(STEP_UPS, body)).status).toBe(400);
  });

  it('cover the expiry of an API key: a step-up for a key with one makes no key without, or with another one [SEC-576]', async () => {
    const request = { name: 'Shop', scopes: ['withdrawals:write'] };
    const withEnd = { ...request, expiresAt: '2099-01-31' };
    const token = await app.stepUp('api-key.create', withEnd);
    for (const body of [request, { ...request, expiresAt: '2099-02-01' }])
      expect(refusalOf(await platform.as(user).post('/api/user/api-keys', body, withToken(token)))).toEqual([
        'STEP_UP_INVALID',
        { reason: 'other_details' },
      ]);
    const created = await platform.as(user).post('/api/user/api-keys', withEnd, withToken(token));
    expect([created.status, created.data.expiresAt]).toEqual([201, '2099-01-31T00:00:00.000Z']);
  });
});

describe('A step-up', () => {
  it('is not answered by another session of its user', async () => {
    const { id } = (await platform.as(user).post(STEP_UPS, asked)).data;
    const other = platform.as(await signInAgain());
    const reply = await other.post(`${STEP_UPS}/${id}/verify`, { code: app.nextCode() });
    expect(refusalOf(reply)).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
  });

  it('is not answered by a code of an app that is not registered, or by a recovery code of another user', async () => {
    const other = await platform.given.user();
    await addPasskey(platform, other);
    const caller = platform.as(other);
    const { id } = (await caller.post(STEP_UPS, asked)).data;
    const [recoveryCode] = app.recoveryCodes;
    for (const answer of [{ code: '123456' }, { recoveryCode }])
      expect((await caller.post(`${STEP_UPS}/${id}/verify`, answer)).code).toBe('CODE_INVALID');
  });

  it('counts after a refresh of its session, and not after a sign-out', async () => {
    const first = (await signInAgain()) as TestUser & { refreshToken: string };
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL, { user: first });
    const unused = await app.stepUp('withdrawal.request', WITHDRAWAL, { user: first });
    const { data: next } = await platform
      .as(null)
      .post('/api/auth/refresh', { refreshToken: first.refreshToken });
    expect((await platform.as(next).post(WITHDRAWALS, WITHDRAWAL, withToken(token))).status).toBe(201);
    await platform.as(next).post('/api/auth/logout');
    expect((await platform.as(next).post(WITHDRAWALS, WITHDRAWAL, withToken(unused))).code).toBe(
      'TOKEN_INVALID',
    );
    expect(refusalOf(await platform.as(user).post(WITHDRAWALS, WITHDRAWAL, withToken(unused)))).toEqual([
      'STEP_UP_INVALID',
      { reason: 'other_session' },
    ]);
  });
});

describe('An Idempotency-Key', () => {
  it('stores no refusal for a missing step-up, and returns the withdrawal to another session, but not to an API key that reads', async () => {
    const key = await givenKey(platform, user, { scopes: ['withdrawals:read'] });
    const headers = { 'idempotency-key': 'same' };
    const send = (caller: { token: string }, extra: object = {}) =>
      platform.as(caller).post(WITHDRAWALS, WITHDRAWAL, { headers: { ...headers, ...extra } });
    expect((await send(user)).code).toBe('STEP_UP_REQUIRED');
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    const first = await send(user, { 'x-step-up': token });
    expect(first.status).toBe(201);
    const again = await send(await signInAgain());
    expect([again.status, again.data.id]).toEqual([201, first.data.id]);
    expect((await send(key)).code).toBe('PERMISSION_DENIED');
    const other = { ...WITHDRAWAL, amount: '200.00' };
    expect((await platform.as(user).post(WITHDRAWALS, other, { headers })).code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect((await platform.as(user).get(WITHDRAWALS)).data.requests).toHaveLength(1);
  });
});

describe('A thief with a session', () => {
  it('can guess twenty one-time codes a day at most, and cannot keep the owner from using a passkey [SEC-578]', async () => {
    const token = await app.stepUp('factor.add', { kind: 'passkey' });
    const { authenticator } = await addPasskey(platform, user, token);
    const thief = platform.as(user);
    const guess = async () => {
      const { id } = (await thief.post(STEP_UPS, asked)).data;
      return (await thief.post(`${STEP_UPS}/${id}/verify`, { code: app.usedCode() })).code;
    };
    const time = freezeTime();
    try {
      for (let window = 0; window < 4; window++) {
        for (let count = 0; count < 5; count++) expect(await guess()).toBe('CODE_INVALID');
        expect(await guess()).toBe('TOO_MANY_ATTEMPTS');
        time.advance(15 * MINUTE_MS + 1);
      }
      expect(await guess()).toBe('TOO_MANY_ATTEMPTS');
      const owner = platform.as(await signInAgain());
      const stepUp = (await owner.post(STEP_UPS, asked)).data;
      const answer = { credential: authenticator.get(stepUp.options) };
      expect((await owner.post(`${STEP_UPS}/${stepUp.id}/verify`, answer)).status).toBe(200);
    } finally {
      time.resume();
    }
  });

  it('cannot confirm one-time codes that were asked for before the owner added a passkey [SEC-577]', async () => {
    const owner = await platform.given.user();
    const thief = platform.as(owner);
    const { secret } = (await thief.post('/api/user/totp')).data as { secret: string };
    await addPasskey(platform, owner);
    const reply = await thief.post('/api/user/totp/confirm', { code: TotpApp.codeOf(secret) });
    expect(refusalOf(reply)).toEqual([
      'STEP_UP_REQUIRED',
      { action: 'factor.add', methods: ['passkey', 'recovery-code'] },
    ]);
    expect((await thief.get('/api/user/factors')).data.totpSince).toBeNull();
  });

  it('cannot register a passkey with the challenge of another session or of a step-up', async () => {
    const owner = await platform.given.user();
    const { authenticator } = await addPasskey(platform, owner);
    const other = platform.as((await signInWith(platform, { email: owner.email })).data);
    const add = (options: { challenge: string }) =>
      platform
        .as(owner)
        .post('/api/user/passkeys', { name: 'Mine', credential: authenticator.create(options) });
    const { options } = (await other.post('/api/user/passkeys/options')).data;
    expect(refusalOf(await add(options))).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
    const stepUp = (await platform.as(owner).post(STEP_UPS, asked)).data;
    expect(refusalOf(await add(stepUp.options))).toEqual(['STEP_UP_INVALID', { reason: 'other_action' }]);
  });

  it('cannot change the address of an entry of the address book, remove the URL of a webhook, or change a webhook without a step-up', async () => {
    const owner = await platform.given.user();
    const caller = platform.as(owner);
    const entry = { label: 'Exchange', network: 'ERC20', address: DESTINATION };
    const { id } = (await caller.post('/api/user/addresses', entry)).data;
    const change = { label: 'Exchange', address: `0x${'a'.repeat(40)}` };
    expect((await caller.put(`/api/user/addresses/${id}`, change)).code).toBe('VALIDATION_ERROR');
    expect((await caller.get('/api/user/addresses')).data).toMatchObject([{ address: DESTINATION }]);
    const webhook = { url: 'http://127.0.0.1:9/', events: ['investment.closed'] };
    const created = (await caller.post('/api/user/webhooks', webhook)).data;
    await addPasskey(platform, owner);
    const put = (body: object) => caller.put(`/api/user/webhooks/${created.id}`, body);
    expect((await put({ url: null })).code).toBe('VALIDATION_ERROR');
    expect((await put({})).code).toBe('STEP_UP_REQUIRED');
  });
});
