import { HOUR_MS } from '../../../src/common/durations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { UserErasureService } from '../../../src/modules/desk/user-admin/user-erasure.service.js';
import { UserAccountsService } from '../../../src/modules/identity/users/user-accounts.service.js';
import type { User } from '../../../src/modules/identity/users/entities/user.entity.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import type { TestUser } from '../../fixtures/given.js';
import {
  defaultSubject,
  IDP_LOGIN,
  NEW_SUBJECT,
  signInAsStranger,
  signInWith,
  subjectsOf,
} from '../../fixtures/identities.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { Browser } from '../../harness/browser.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const SUBJECT_LINE = 'Sign-in with a new identity';

describe('A sign-in', () => {
  let scenario: MailScenario;
  let platform: TestPlatform;

  beforeAll(async () => {
    scenario = await MailScenario.start();
    platform = scenario.platform;
  });
  afterAll(() => scenario?.stop());

  const holdOf = async (user: TestUser) => (await platform.as(user).get('/api/user/limits')).data.hold;
  const newIdentityNotes = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/notifications?type=security')).data.filter(
      ({ metadata }: { metadata: { event: string } }) => metadata.event === 'security.new-identity',
    );
  const inADay = () => new Date(platform.clock.now().getTime() + 24 * HOUR_MS);
  /** Requires that no sign-in has started a hold or notified the user about a new identity. */
  const expectUnnoticed = async (user: TestUser) => {
    expect(await holdOf(user)).toBeNull();
    expect(await newIdentityNotes(user)).toEqual([]);
  };
  const unitOfWork = () => platform.app.get(UnitOfWork);

  it('with a new subject of the identity provider succeeds, notifies the user and starts a hold of a day [SEC-302]', async () => {
    const ann = await platform.given.user();
    const { status, data } = await signInWith(platform, { email: ann.email, sub: NEW_SUBJECT });
    expect([status, data.user.id]).toEqual([200, ann.id]);
    const until = inADay().toISOString();
    expect(await holdOf(ann)).toEqual({ until, reason: 'new-identity' });
    const [note, ...more] = await newIdentityNotes(ann);
    expect(more).toEqual([]);
    expect(note).toMatchObject({ title: SUBJECT_LINE, priority: 'critical', category: 'account' });
    expect(note.message).toContain(
      `refused until ${until.slice(0, 16).replace('T', ' ')} UTC. If it was not you`,
    );
    expect(await subjectsOf(platform, ann)).toEqual(
      [NEW_SUBJECT, await defaultSubject(platform, ann.email)].sort(),
    );
  });

  it.each([
    ['en', SUBJECT_LINE, 'has never signed in to our platform before', 'No withdrawals until'],
    ['de', 'Anmeldung mit einer neuen Identität', 'noch nie angemeldet hatte', 'Keine Auszahlungen bis'],
  ])(
    'with a new subject is mailed in %s, although the user has switched e-mail off',
    async (language, subject, text, label) => {
      const ann = await platform.given.user();
      await platform.as(ann).put('/api/user/profile', { language, notifications: { email: false } });
      await signInAsStranger(platform, ann);
      await scenario.sendDueMails();
      // Switching e-mail off is mailed as well.
      const [mail, ...more] = scenario.mailsTo(ann).filter((received) => received.subject === subject);
      expect(more).toEqual([]);
      expect(mail?.text).toContain(text);
      expect(mail?.text).toContain(
        `${label}: ${inADay().toISOString().slice(0, 16).replace('T', ' ')} UTC\n`,
      );
    },
  );

  it('with a new subject is noticed once per subject', async () => {
    const ann = await platform.given.user();
    await signInAsStranger(platform, ann);
    platform.clock.advance(25 * HOUR_MS);
    for (const sub of [NEW_SUBJECT, undefined, NEW_SUBJECT])
      await signInWith(platform, { email: ann.email, sub });
    expect(await holdOf(await platform.given.user(ann.email))).toBeNull();
    expect(await newIdentityNotes(ann)).toHaveLength(1);
    await signInAsStranger(platform, ann, 'a third account');
    expect(await holdOf(ann)).toEqual({ until: inADay().toISOString(), reason: 'new-identity' });
    expect(await newIdentityNotes(ann)).toHaveLength(2);
  });

  it('is not noticed if it is the first one of the account, or has the same subject', async () => {
    const ann = await platform.given.user();
    await expectUnnoticed(await platform.given.user(ann.email));
    expect(await subjectsOf(platform, ann)).toEqual([await defaultSubject(platform, ann.email)]);
  });

  it('with a new subject starts one hold and sends one mail, although four of them are concurrent [SEC-303]', async () => {
    const ann = await platform.given.user();
    await Promise.all(Array.from({ length: 4 }, () => signInAsStranger(platform, ann)));
    expect(await newIdentityNotes(ann)).toHaveLength(1);
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ann)).toEqual([SUBJECT_LINE]);
    expect(await holdOf(ann)).toEqual({ until: inADay().toISOString(), reason: 'new-identity' });
  });

  it('with a new subject is noticed when it opens a cookie session', async () => {
    const ann = await platform.given.user();
    const token = await platform.outside.providers.identity.token({ email: ann.email, sub: NEW_SUBJECT });
    const browser = new Browser(platform);
    const headers = { authorization: `Bearer ${token}` };
    expect((await browser.call('POST', IDP_LOGIN, { session: 'cookie' }, headers)).status).toBe(200);
    expect(await newIdentityNotes(ann)).toHaveLength(1);
    expect(await holdOf(ann)).toMatchObject({ reason: 'new-identity' });
  });

  it('with a new subject that registers a wallet is refused, links no wallet, and starts the hold once [SEC-304]', async () => {
    const ann = await platform.given.user();
    const wallet = newWallet();
    const wallets = new WalletSteps(platform);
    const token = await platform.outside.providers.identity.token({ email: ann.email, sub: NEW_SUBJECT });
    const until = inADay().toISOString();
    const register = async () =>
      platform.as({ token }).post('/api/auth/wallet/register', await wallets.signChallenge(wallet));
    for (let attempt = 0; attempt < 2; attempt++) {
      const reply = await register();
      expect([reply.status, reply.code]).toEqual([422, 'SECURITY_HOLD']);
      expect(reply.body.error.details).toEqual({ until, reason: 'new-identity' });
      platform.clock.advance(HOUR_MS);
    }
    expect((await platform.as(ann).get('/api/user/wallets')).data).toEqual([]);
    expect((await platform.as(ann).get('/api/user/sessions')).data).toHaveLength(1);
    expect(await holdOf(ann)).toEqual({ until, reason: 'new-identity' });
    expect(await newIdentityNotes(ann)).toHaveLength(1);
    platform.clock.advance(24 * HOUR_MS);
    expect((await register()).status).toBe(201);
  });

  it('with a wallet, and a refresh, have no subject and are not noticed', async () => {
    const wallets = new WalletSteps(platform);
    const { user, wallet } = await wallets.userWithWallet();
    const { status, data } = await wallets.login(await wallets.signChallenge(wallet));
    expect(status).toBe(200);
    const { refreshToken } = data;
    expect((await platform.as(null).post('/api/auth/refresh', { refreshToken })).status).toBe(200);
    await expectUnnoticed(user);
    expect(await subjectsOf(platform, user)).toHaveLength(1);
  });

  it('without a subject is noticed once if the account has had subjects', async () => {
    const ann = await platform.given.user();
    const request = { email: ann.email, claims: { sub: undefined } };
    for (let i = 0; i < 2; i++) expect((await signInWith(platform, request)).status).toBe(200);
    expect(await newIdentityNotes(ann)).toHaveLength(1);
    expect(await holdOf(ann)).toMatchObject({ reason: 'new-identity' });
  });

  it('without a subject is not noticed if the earlier ones had none', async () => {
    const email = 'no-subject@example.org';
    for (const sub of [undefined, '', null])
      expect((await signInWith(platform, { email, claims: { sub } as Record<string, unknown> })).status).toBe(
        200,
      );
    const ann = await platform.given.user(email);
    await expectUnnoticed(ann);
    await signInAsStranger(platform, ann);
    expect(await newIdentityNotes(ann)).toHaveLength(1);
  });

  it('with a number as subject counts as one with its decimal text', async () => {
    const email = 'number@example.org';
    expect(
      (await signInWith(platform, { email, claims: { sub: 4711 } as Record<string, unknown> })).status,
    ).toBe(200);
    const { status, data } = await signInWith(platform, { email, sub: '4711' });
    expect(status).toBe(200);
    expect(await subjectsOf(platform, data.user)).toEqual(['4711']);
  });

  it.each([
    ['longer than 255 characters', 'x'.repeat(256)],
    ['with a NUL character', 'a\0b'],
    ['with a lone surrogate', 'a\ud800b'],
    ['that is a list', ['a']],
    ['that is true', true],
  ])('with a subject %s is refused: 401 SUPABASE_JWT_INVALID', async (_what, sub) => {
    const reply = await signInWith(platform, {
      email: 'ann@example.org',
      claims: { sub } as Record<string, unknown>,
    });
    expect([reply.status, reply.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
    expect(reply.body.error.details).toEqual({ reason: 'claim sub' });
  });

  it('with a new subject into a suspended account is refused and leaves no subject, hold or notification', async () => {
    const ann = await platform.given.user();
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [ann.id]);
    expect((await signInWith(platform, { email: ann.email, sub: NEW_SUBJECT })).code).toBe('FORBIDDEN');
    await platform.dataSource.query(`update platform_user set status = 'active' where id = $1`, [ann.id]);
    expect(await subjectsOf(platform, ann)).toHaveLength(1);
    await expectUnnoticed(await platform.given.user(ann.email));
  });

  it('of an admin with a new subject is mailed to the admin and recorded in the audit log [SEC-305]', async () => {
    const { email } = await platform.given.admin('operator');
    const admin = await platform.given.admin('admin');
    const { status, data } = await signInWith(platform, { email, sub: NEW_SUBJECT });
    expect([status, data.isAdmin]).toEqual([200, true]);
    await signInWith(platform, { email, sub: NEW_SUBJECT });
    await scenario.sendDueMails();
    expect(scenario.subjectsTo({ email }).filter((subject) => subject === SUBJECT_LINE)).toHaveLength(1);
    const audit = await platform.as(admin).get('/api/admin/audit?action=admin.new-identity');
    expect(audit.data).toHaveLength(1);
    expect(audit.data[0]).toMatchObject({ admin: email, subjectType: 'admin', subjectId: email });
  });

  it('counts as the first one after the identities of the account were forgotten', async () => {
    const ann = await platform.given.user();
    await unitOfWork().runInTransaction((tx) =>
      platform.app.get(UserAccountsService).forgetIdentities(tx, ann.id),
    );
    await expectUnnoticed(await signInAsStranger(platform, ann));
    expect(await subjectsOf(platform, ann)).toEqual([NEW_SUBJECT]);
  });

  it('leaves at most fifty subjects of an account, those that were seen last', async () => {
    const ann = await platform.given.user();
    for (let i = 0; i < 51; i++) {
      platform.clock.advance(1000);
      await signInWith(platform, { email: ann.email, sub: `account ${i}` });
    }
    const subjects = await subjectsOf(platform, ann);
    expect(subjects).toEqual(Array.from({ length: 50 }, (_, i) => `account ${i + 1}`));
  });

  it('leaves no subject behind when the user is erased or anonymised', async () => {
    const admin = await platform.given.admin();
    const erased = await platform.given.user();
    const path = `${ADMIN_USERS}/${erased.id}?permanent=true`;
    expect((await platform.as(admin).delete(path)).status).toBe(200);
    expect(await subjectsOf(platform, erased)).toEqual([]);
    const kept = await platform.given.user().withBalance('10.00');
    expect(await subjectsOf(platform, kept)).toHaveLength(1);
    await unitOfWork().runInTransaction((tx) =>
      platform.app.get(UserErasureService).anonymise(tx, { id: kept.id } as unknown as User),
    );
    expect(await subjectsOf(platform, kept)).toEqual([]);
  });
});

describe('SECURITY_HOLD_HOURS=0', () => {
  it('starts no hold, and a new subject is still notified', async () => {
    const platform = await startPlatform({ settings: { SECURITY_HOLD_HOURS: '0' } });
    try {
      const ann = await platform.given.user();
      await signInAsStranger(platform, ann);
      expect((await platform.as(ann).get('/api/user/limits')).data.hold).toBeNull();
      const [note] = (await platform.as(ann).get('/api/user/notifications?type=security')).data;
      expect(note).toMatchObject({ metadata: { event: 'security.new-identity' } });
      expect(note.message).not.toContain('refused');
    } finally {
      await platform.stop();
    }
  });
});
