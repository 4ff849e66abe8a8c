import { AppConfig } from '../../../src/config/app-config.js';
import type { TestUser } from '../../fixtures/given.js';
import { SoftwareAuthenticator } from '../../fixtures/software-authenticator.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { refusalOf } from '../../harness/http-client.js';
import { startReplica } from '../../harness/replica.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const WITHDRAWALS = '/api/user/withdrawals';
const WITHDRAWAL = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

const givenUser = () => platform.given.user().withBalance('10000.00');
const withdraw = (user: { token: string }, token?: string, body: object = WITHDRAWAL) =>
  platform.as(user).post(WITHDRAWALS, body, { headers: token === undefined ? {} : { 'x-step-up': token } });

describe('A user without a second factor', () => {
  it('withdraws without a step-up', async () => {
    expect((await withdraw(await givenUser())).status).toBe(201);
  });
});

describe('A user with one-time codes', () => {
  let user: TestUser;
  let app: TotpApp;
  beforeEach(async () => {
    user = await givenUser();
    app = await TotpApp.register(platform, user);
  });

  it('has ten recovery codes, and the list of factors shows no secret', async () => {
    expect(app.recoveryCodes).toHaveLength(10);
    const { data } = await platform.as(user).get('/api/user/factors');
    expect(data).toEqual({ passkeys: [], totpSince: expect.any(String), recoveryCodesLeft: 10 });
  });

  it('cannot withdraw without a step-up, and the refusal names the methods [SEC-530]', async () => {
    expect(refusalOf(await withdraw(user))).toEqual([
      'STEP_UP_REQUIRED',
      { action: 'withdrawal.request', methods: ['totp', 'recovery-code'] },
    ]);
  });

  it('withdraws once with a step-up, whatever the spelling of amount and address', async () => {
    const details = { amount: '100', currency: 'USDC', toAddress: DESTINATION.toLowerCase() };
    const token = await app.stepUp('withdrawal.request', details);
    expect((await withdraw(user, token)).status).toBe(201);
    expect(refusalOf(await withdraw(user, token))).toEqual(['STEP_UP_INVALID', { reason: 'used' }]);
  });

  it('cannot use the token of a step-up for another amount, address or action [SEC-531]', async () => {
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    for (const body of [
      { ...WITHDRAWAL, amount: '100.01' },
      { ...WITHDRAWAL, toAddress: `0x${'a'.repeat(40)}` },
    ])
      expect(refusalOf(await withdraw(user, token, body))).toEqual([
        'STEP_UP_INVALID',
        { reason: 'other_details' },
      ]);
    const entry = { label: 'Mine', network: 'ERC20', address: DESTINATION };
    const added = await platform
      .as(user)
      .post('/api/user/addresses', entry, { headers: { 'x-step-up': token } });
    expect(refusalOf(added)).toEqual(['STEP_UP_INVALID', { reason: 'other_action' }]);
    expect((await withdraw(user, token)).status).toBe(201);
  });

  it('cannot use the token in another session [SEC-532]', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: user.email });
    const other = (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data as { token: string };
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    expect(refusalOf(await withdraw(other, token))).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
  });

  it('cannot answer the step-up of another user, or one that does not exist', async () => {
    const other = await platform.given.user();
    const body = { action: 'withdrawal.request', details: WITHDRAWAL };
    const { id } = (await platform.as(other).post('/api/user/step-up', body)).data;
    const verify = (stepUpId: string) =>
      platform.as(user).post(`/api/user/step-up/${stepUpId}/verify`, { code: app.nextCode() });
    expect(refusalOf(await verify(id))).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
    expect(refusalOf(await verify(UNKNOWN_ID))).toEqual(['STEP_UP_INVALID', { reason: 'expired' }]);
  });

  it('keeps the token when the business rules refuse the action', async () => {
    const body = { ...WITHDRAWAL, amount: '20000.00' };
    const token = await app.stepUp('withdrawal.request', body);
    for (let time = 0; time < 2; time++)
      expect((await withdraw(user, token, body)).code).toBe('INSUFFICIENT_BALANCE');
  });

  it('gets the first answer again for a repeated Idempotency-Key without a new token', async () => {
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    const headers = { 'x-step-up': token, 'idempotency-key': 'one' };
    const first = await platform.as(user).post(WITHDRAWALS, WITHDRAWAL, { headers });
    const again = await platform.as(user).post(WITHDRAWALS, WITHDRAWAL, { headers });
    expect([first.status, again.status, again.data.id]).toEqual([201, 201, first.data.id]);
  });

  it('cannot use a code twice [SEC-533]', async () => {
    const caller = platform.as(user);
    const { id } = (
      await caller.post('/api/user/step-up', { action: 'withdrawal.request', details: WITHDRAWAL })
    ).data;
    expect((await caller.post(`/api/user/step-up/${id}/verify`, { code: app.usedCode() })).code).toBe(
      'CODE_INVALID',
    );
  });

  it('is refused after five wrong codes, and notified [SEC-534]', async () => {
    const caller = platform.as(user);
    const { id } = (
      await caller.post('/api/user/step-up', { action: 'withdrawal.request', details: WITHDRAWAL })
    ).data;
    const codes = [];
    for (let time = 0; time < 6; time++)
      codes.push((await caller.post(`/api/user/step-up/${id}/verify`, { code: app.usedCode() })).code);
    expect(codes).toEqual([...Array(5).fill('CODE_INVALID'), 'TOO_MANY_ATTEMPTS']);
    const { data } = await caller.get('/api/user/notifications?type=security');
    expect(data.map(({ title }: { title: string }) => title)).toContain('Wrong answers of a second factor');
  });

  it('gets a hold by a recovery code, which delays the withdrawal, and cannot use that code again', async () => {
    const caller = platform.as(user);
    const ask = async () =>
      (await caller.post('/api/user/step-up', { action: 'withdrawal.request', details: WITHDRAWAL })).data
        .id as string;
    const [recoveryCode] = app.recoveryCodes;
    const verified = await caller.post(`/api/user/step-up/${await ask()}/verify`, { recoveryCode });
    expect(refusalOf(await withdraw(user, verified.data.token))).toEqual([
      'SECURITY_HOLD',
      { until: expect.any(String), reason: 'recovery-code' },
    ]);
    expect((await caller.post(`/api/user/step-up/${await ask()}/verify`, { recoveryCode })).code).toBe(
      'CODE_INVALID',
    );
    expect((await caller.get('/api/user/factors')).data.recoveryCodesLeft).toBe(9);
  });

  it('needs a step-up to change addresses, webhooks, e-mail and factors, and for an API key that writes, not for one that reads', async () => {
    const caller = platform.as(user);
    const replies = [
      await caller.post('/api/user/addresses', { label: 'Mine', network: 'ERC20', address: DESTINATION }),
      await caller.post('/api/user/api-keys', { name: 'Key', scopes: ['withdrawals:write'] }),
      await caller.post('/api/user/webhooks', {
        url: 'http://127.0.0.1:9/',
        events: ['withdrawal.completed'],
      }),
      await caller.put('/api/user/profile', { notifications: { email: false } }),
      await caller.delete('/api/user/totp'),
      await caller.post('/api/user/recovery-codes'),
    ];
    for (const { code } of replies) expect(code).toBe('STEP_UP_REQUIRED');
    expect((await caller.post('/api/user/api-keys', { name: 'Key', scopes: ['balance:read'] })).status).toBe(
      201,
    );
  });

  it('removes the codes with a step-up: a withdrawal is then refused by a hold, and not for want of a step-up', async () => {
    const token = await app.stepUp('factor.remove', { kind: 'totp' });
    const removed = await platform
      .as(user)
      .delete('/api/user/totp', undefined, { headers: { 'x-step-up': token } });
    expect(removed.data).toEqual({ passkeys: [], totpSince: null, recoveryCodesLeft: 0 });
    expect(refusalOf(await withdraw(user))).toEqual([
      'SECURITY_HOLD',
      { until: expect.any(String), reason: 'factor-removed' },
    ]);
  });
});

describe('A user with a passkey', () => {
  it('withdraws with its signature, once', async () => {
    const user = await givenUser();
    const { authenticator, added } = await addPasskey(platform, user);
    expect([added.status, added.data.recoveryCodes]).toEqual([
      201,
      expect.arrayContaining([expect.any(String)]),
    ]);
    const caller = platform.as(user);
    const { id, methods, options } = (
      await caller.post('/api/user/step-up', { action: 'withdrawal.request', details: WITHDRAWAL })
    ).data;
    expect(methods).toEqual(['passkey', 'recovery-code']);
    const credential = authenticator.get(options);
    const verified = await caller.post(`/api/user/step-up/${id}/verify`, { credential });
    expect((await withdraw(user, verified.data.token)).status).toBe(201);
    expect(refusalOf(await caller.post(`/api/user/step-up/${id}/verify`, { credential }))).toEqual([
      'STEP_UP_INVALID',
      { reason: 'used' },
    ]);
  });

  it('is refused with a response of another origin, another authenticator, another challenge or without a PIN', async () => {
    const user = await givenUser();
    const { authenticator } = await addPasskey(platform, user);
    const caller = platform.as(user);
    const ask = async () =>
      (await caller.post('/api/user/step-up', { action: 'withdrawal.request', details: WITHDRAWAL }))
        .data as {
        id: string;
        options: { challenge: string };
      };
    const { options: earlier } = await ask();
    const { id, options } = await ask();
    const stranger = new SoftwareAuthenticator(platform.app.get(AppConfig).PUBLIC_URL);
    authenticator.verifiesUser = false;
    const withoutPin = authenticator.get(options);
    authenticator.verifiesUser = true;
    for (const credential of [
      authenticator.get(options, 'https://evil.example.com'),
      stranger.get(options),
      authenticator.get(earlier),
      withoutPin,
    ])
      expect((await caller.post(`/api/user/step-up/${id}/verify`, { credential })).code).toBe('CODE_INVALID');
    expect(
      (await caller.post(`/api/user/step-up/${id}/verify`, { credential: authenticator.get(options) }))
        .status,
    ).toBe(200);
  });

  it('adds another factor only with a step-up', async () => {
    const user = await givenUser();
    await addPasskey(platform, user);
    expect((await addPasskey(platform, user)).added.code).toBe('STEP_UP_REQUIRED');
    expect((await platform.as(user).post('/api/user/totp')).code).toBe('STEP_UP_REQUIRED');
  });

  it('removes the passkey with a step-up', async () => {
    const user = await givenUser();
    const { authenticator, added } = await addPasskey(platform, user);
    const caller = platform.as(user);
    const path = `/api/user/passkeys/${added.data.id}`;
    const removal = { action: 'factor.remove', details: { kind: 'passkey', id: added.data.id } };
    const { id, options } = (await caller.post('/api/user/step-up', removal)).data;
    const credential = authenticator.get(options);
    const { token } = (await caller.post(`/api/user/step-up/${id}/verify`, { credential })).data;
    expect((await caller.delete(path)).code).toBe('STEP_UP_REQUIRED');
    const headers = { 'x-step-up': token as string };
    expect((await caller.delete(path, undefined, { headers })).data.passkeys).toEqual([]);
    expect((await caller.delete(path)).code).toBe('PASSKEY_NOT_FOUND');
  });

  it('is the only user with it: another account cannot register the same credential', async () => {
    const user = await givenUser();
    const other = await givenUser();
    const { authenticator } = await addPasskey(platform, user);
    const { options } = (await platform.as(other).post('/api/user/passkeys/options')).data;
    const body = { name: 'Copy', credential: authenticator.create(options) };
    expect((await platform.as(other).post('/api/user/passkeys', body)).code).toBe('INVALID_STATE');
    const { data } = await platform.as(other).get('/api/user/factors');
    expect(data).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
  });

  it('cannot register a passkey with an attestation, for whose verification the service would load URLs that the caller names [SEC-535]', async () => {
    const user = await givenUser();
    const authenticator = new SoftwareAuthenticator(platform.app.get(AppConfig).PUBLIC_URL);
    const { options } = (await platform.as(user).post('/api/user/passkeys/options')).data;
    for (const format of ['android-key', 'packed', 'tpm', 'fido-u2f', 'apple']) {
      const body = { name: 'Laptop', credential: authenticator.create(options, format) };
      expect((await platform.as(user).post('/api/user/passkeys', body)).code).toBe('CODE_INVALID');
    }
    const body = { name: 'Laptop', credential: authenticator.create(options) };
    expect((await platform.as(user).post('/api/user/passkeys', body)).status).toBe(201);
  });
});

describe('Concurrent requests with one token of a step-up', () => {
  it('have one effect', async () => {
    const user = await givenUser();
    const app = await TotpApp.register(platform, user);
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    const replies = await Promise.all(Array.from({ length: 4 }, () => withdraw(user, token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
  });
});

describe('With STEP_UP=required', () => {
  it('a user without a second factor cannot withdraw, and adds the first one without a step-up', async () => {
    const strict = await startReplica(platform, { STEP_UP: 'required' });
    const user = await givenUser();
    const caller = platform.as(user, strict);
    expect(refusalOf(await caller.post(WITHDRAWALS, WITHDRAWAL))).toEqual([
      'STEP_UP_REQUIRED',
      { action: 'withdrawal.request', methods: [] },
    ]);
    expect((await caller.post('/api/user/totp')).status).toBe(201);
  });
});
