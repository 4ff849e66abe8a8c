import { MINUTE_MS } from '../../../src/common/durations.js';
import { ADMIN_PASSWORD, AdminSignIns, challengeOf, COOKIE_LOGIN } from '../../fixtures/admin-sign-ins.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { changeSealed } from '../../fixtures/sealed-rows.js';
import { addPasskey, type TotpApp } from '../../fixtures/step-ups.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { Browser } from '../../harness/browser.js';
import { refusalOf } from '../../harness/http-client.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import type { TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

let scenario: MailScenario;
let platform: TestPlatform;

beforeAll(async () => {
  scenario = await MailScenario.start({
    IDP_ADMIN_ACR: 'mfa,urn:example:silver',
    RATE_LIMIT_SIGN_IN: '100', // the wrong passwords of all tests come from one address
  });
  ({ platform } = scenario);
});
afterAll(() => scenario?.stop());

const isOpen = async (admin: { token: string }) =>
  (await platform.as(admin).get('/api/admin/auth/verify')).status === 200;

describe('An admin without a second factor', () => {
  it('signs in by the password alone', async () => {
    const signIns = await AdminSignIns.of(platform);
    expect((await signIns.byPassword()).status).toBe(200);
  });
});

describe('An admin with one-time codes', () => {
  let signIns: AdminSignIns;
  let app: TotpApp<TestAdmin>;
  beforeEach(async () => {
    signIns = await AdminSignIns.of(platform);
    app = await signIns.addTotp();
  });

  it('signs in with the password and a code, for a bearer session and for a cookie session [SEC-550]', async () => {
    for (const path of [undefined, COOKIE_LOGIN]) {
      const options = path === undefined ? {} : { path };
      const challenge = await signIns.challenge(options);
      expect(challenge).toEqual({
        id: expect.any(String),
        methods: ['totp', 'recovery-code'],
        options: null,
        expiresAt: expect.any(String),
      });
      const secondFactor = { id: challenge.id, code: app.nextCode() };
      const reply = await signIns.byPassword({ secondFactor }, options);
      expect(reply.status).toBe(200);
      if (path === undefined) expect(await isOpen({ token: reply.data.token })).toBe(true);
      else expect(reply.headers.getSetCookie()[0]).toMatch(/^admin-session=eyJ/);
    }
  });

  it('signs in by the identity provider with a code', async () => {
    const { id } = challengeOf(await signIns.byProvider());
    const reply = await signIns.byProvider({ secondFactor: { id, code: app.nextCode() }, session: 'cookie' });
    expect([reply.status, reply.data.isAdmin]).toEqual([200, true]);
  });

  it.each([{ acr: 'urn:example:silver' }, { amr: ['pwd', 'mfa'] }])(
    'signs in by the identity provider without a code if it says that it has verified a second factor: %j',
    async (claims) => {
      expect((await signIns.byProvider({}, { claims })).status).toBe(200);
    },
  );

  it.each([
    { acr: 'urn:example:bronze' },
    { amr: ['pwd'] },
    { user_metadata: { acr: 'mfa' } },
    { acr: { mfa: true } },
  ])(
    'needs a code if the identity provider does not say that it has verified a second factor: %j [SEC-558]',
    async (claims) => {
      challengeOf(await signIns.byProvider({}, { claims }));
    },
  );

  it('signs in with a recovery code once, and is mailed about it', async () => {
    const [recoveryCode] = app.recoveryCodes;
    const { id } = await signIns.challenge();
    expect((await signIns.byPassword({ secondFactor: { id, recoveryCode } })).status).toBe(200);
    const again = { id: (await signIns.challenge()).id, recoveryCode };
    expect((await signIns.byPassword({ secondFactor: again })).code).toBe('CODE_INVALID');
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(signIns)).toContain('Recovery code of your admin account used');
  });

  it('learns nothing about factors by a wrong password, and uses up no attempt by a right one', async () => {
    const limits = [];
    for (let time = 0; time < 3; time++) {
      challengeOf(await signIns.byPassword());
      const wrong = await signIns.byPassword({ password: 'wrong' });
      expect(wrong.body.error).toEqual({ code: 'INVALID_CREDENTIALS', message: expect.any(String) });
      limits.push(Number(wrong.headers.get('x-ratelimit-remaining')));
    }
    // Only the wrong passwords count.
    expect(limits).toEqual([limits[0], (limits[0] as number) - 1, (limits[0] as number) - 2]);
  });

  it('cannot complete a sign-in with a wrong password, although the code is right', async () => {
    const { id } = await signIns.challenge();
    const code = app.nextCode();
    const reply = await signIns.byPassword({ password: 'wrong', secondFactor: { id, code } });
    expect(reply.code).toBe('INVALID_CREDENTIALS');
    expect((await signIns.byPassword({ secondFactor: { id, code } })).status).toBe(200);
  });

  it('cannot use a challenge that is used, unknown, of another admin, of another first step or of a step-up [SEC-551]', async () => {
    const { id } = await signIns.challenge();
    expect((await signIns.byPassword({ secondFactor: { id, code: app.nextCode() } })).status).toBe(200);
    const other = await AdminSignIns.of(platform);
    const otherApp = await other.addTotp();
    const stepUp = { action: 'integrity.resume', details: {} };
    const { id: stepUpId } = (await platform.as(app.user).post('/api/admin/step-up', stepUp)).data;
    const cases: [string, string][] = [
      [id, 'used'],
      [(await other.challenge()).id, 'other_session'],
      [challengeOf(await signIns.byProvider()).id, 'other_details'],
      [stepUpId, 'other_action'],
      [UNKNOWN_ID, 'expired'],
    ];
    for (const [challengeId, reason] of cases) {
      const secondFactor = { id: challengeId, code: '000000' };
      expect(refusalOf(await signIns.byPassword({ secondFactor }))).toEqual(['STEP_UP_INVALID', { reason }]);
    }
    const stolen = { id: (await other.challenge()).id, code: otherApp.nextCode() };
    expect((await signIns.byPassword({ secondFactor: stolen })).code).toBe('STEP_UP_INVALID');
  });

  it('cannot answer the challenge of a sign-in as a step-up', async () => {
    const { id } = await signIns.challenge();
    const reply = await platform
      .as(app.user)
      .post(`/api/admin/step-up/${id}/verify`, { code: app.nextCode() });
    expect(refusalOf(reply)).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
  });

  it('cannot use a challenge after five minutes', async () => {
    const { id } = await signIns.challenge();
    await changeSealed(platform.dataSource, 'step_up', ['id', id], ({ expiresAt }) => ({
      expiresAt: new Date(expiresAt.getTime() - (5 * MINUTE_MS + 1000)),
    }));
    const secondFactor = { id, code: app.nextCode() };
    expect(refusalOf(await signIns.byPassword({ secondFactor }))).toEqual([
      'STEP_UP_INVALID',
      { reason: 'expired' },
    ]);
  });

  it('gets one session for one challenge that is answered twice at once', async () => {
    const twoCodes = app.recoveryCodes.slice(0, 2);
    const { id } = await signIns.challenge();
    const replies = await Promise.all(
      twoCodes.map((recoveryCode) => signIns.byPassword({ secondFactor: { id, recoveryCode } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('is refused after five wrong codes, whatever the challenge, and is mailed [SEC-552]', async () => {
    const codes = [];
    for (let time = 0; time < 6; time++) {
      const { id } = await signIns.challenge();
      codes.push((await signIns.byPassword({ secondFactor: { id, code: app.usedCode() } })).code);
    }
    expect(codes).toEqual([...Array<string>(5).fill('CODE_INVALID'), 'TOO_MANY_ATTEMPTS']);
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(signIns)).toContain('Wrong answers of a second factor of your admin account');
  });

  it('has to send exactly one answer', async () => {
    const { id } = await signIns.challenge();
    for (const answer of [{}, { code: '123456', recoveryCode: 'A' }])
      expect((await signIns.byPassword({ secondFactor: { id, ...answer } })).code).toBe('VALIDATION_ERROR');
  });

  it('signs in by the password alone with ADMIN_SECOND_FACTOR=off', async () => {
    const url = await startReplica(platform, { ADMIN_SECOND_FACTOR: 'off' });
    expect((await signIns.byPassword({}, { url })).status).toBe(200);
  });
});

describe('An admin with a passkey', () => {
  it('signs in with its signature, which counts once', async () => {
    const signIns = await AdminSignIns.of(platform);
    const { authenticator } = await addPasskey(platform, await signIns.session(), undefined, 'admin');
    const challenge = await signIns.challenge();
    expect(challenge.methods).toEqual(['passkey', 'recovery-code']);
    const credential = authenticator.get(challenge.options as { challenge: string });
    const browser = new Browser(platform);
    const body = {
      email: signIns.email,
      password: ADMIN_PASSWORD,
      secondFactor: { id: challenge.id, credential },
    };
    expect((await browser.call('POST', COOKIE_LOGIN, body)).status).toBe(200);
    const { id } = await signIns.challenge();
    expect((await signIns.byPassword({ secondFactor: { id, credential } })).code).toBe('CODE_INVALID');
  });
});
