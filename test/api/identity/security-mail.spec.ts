import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { ReceivedMail } from '../../../src/sandbox/mail-server.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';

const shortened = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;
const WHOLE_ADDRESS = /0x[0-9a-f]{40}/i;
/** Shows the first and the last character before the @, and the domain. */
const masked = (email: string) => `${email.charAt(0)}…${email.slice(email.indexOf('@') - 1)}`;

const PROFILE = '/api/user/profile';

describe('E-mail about the security of an account', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start({
      FOUR_EYES: 'off',
      ADDRESS_DELAY_HOURS: '24',
      TRUST_PROXY: '127.0.0.1',
    });
  });
  afterAll(() => scenario?.stop());

  const as = (user: TestUser) => scenario.platform.as(user);
  const changeUserAsAdmin = (user: TestUser, body: object) =>
    scenario.platform.as(scenario.steps.admin).put(`${ADMIN_USERS}/${user.id}`, body);
  /** Sends the due mails, and returns the one to the user, which must be the only one. */
  const sendOnlyMailTo = async (user: { email: string }): Promise<ReceivedMail> => {
    await scenario.sendDueMails();
    const mails = scenario.mailsTo(user);
    expect(mails).toHaveLength(1);
    return mails[0] as ReceivedMail;
  };
  const contentOf = ({ subject, text, html }: ReceivedMail) => subject + text + html;
  async function signIn(userAgent: string, email: string, from = '203.0.113.7'): Promise<void> {
    const jwt = await scenario.platform.outside.providers.identity.token({ email });
    const headers = { authorization: `Bearer ${jwt}`, 'user-agent': userAgent, 'x-forwarded-for': from };
    expect((await scenario.platform.as(null).post('/api/auth/idp/login', {}, { headers })).status).toBe(200);
  }

  it('is sent in the language of the profile, and notified with high priority, when other e-mail is switched off [SEC-324]', async () => {
    const ann = await scenario.platform.given.user();
    await as(ann).put(PROFILE, { language: 'de-CH' });
    await as(ann).put(PROFILE, { notifications: { email: false } });
    const { subject, text } = await sendOnlyMailTo(ann);
    expect(subject).toBe('E-Mails abgeschaltet');
    expect(text).toContain('E-Mails über Einzahlungen wurden in Ihrem Profil abgeschaltet.');
    const [note, ...more] = (await as(ann).get('/api/user/notifications?type=security')).data;
    expect(more).toEqual([]);
    expect(note).toMatchObject({
      title: 'E-Mails abgeschaltet',
      priority: 'high',
      metadata: { event: 'security.email-off' },
    });
  });

  it('is not sent when other e-mail is switched on, or when a change of the profile leaves it as it is', async () => {
    const ann = await scenario.userWithoutOptionalMail();
    for (const change of [
      { notifications: { email: false } },
      { notifications: { push: false } },
      { name: 'Ann Other', language: 'fr' },
      { notifications: { email: true } },
      { notifications: { email: true } },
      {},
    ])
      expect((await as(ann).put(PROFILE, change)).status).toBe(200);
    expect(await scenario.records(ann)).toEqual([]);
  });

  it('is sent once when concurrent requests switch off other e-mail', async () => {
    const ann = await scenario.platform.given.user();
    const holder = scenario.platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from platform_user where id = $1 for update', [ann.id]);
    const off = { notifications: { email: false } };
    const replies = Array.from({ length: 3 }, () => as(ann).put(PROFILE, off));
    await eventually(async () =>
      expect(await scenario.platform.dataSource.query(LOCK_WAITS)).toHaveLength(3),
    );
    await holder.rollbackTransaction();
    await holder.release();
    for (const reply of replies) expect((await reply).status).toBe(200);
    expect((await sendOnlyMailTo(ann)).subject).toBe('E-mail switched off');
    expect((await as(ann).get('/api/user/notifications?type=security')).data).toHaveLength(1);
  });

  it('is sent for a created, changed, rotated and deleted webhook, and not for a changed description [SEC-325]', async () => {
    const ann = await scenario.userWithoutOptionalMail();
    const webhook = { url: 'http://127.0.0.1:9/secret-path', events: ['withdrawal.requested'] };
    const { data } = await as(ann).post(WEBHOOKS, webhook);
    const path = `${WEBHOOKS}/${data.id}`;
    const lastMail = async () => {
      const mail = await sendOnlyMailTo(ann);
      scenario.forgetReceivedMails();
      await scenario.separateMails();
      expect(mail.text).toContain('Webhook: 127.0.0.1:9\n');
      expect(contentOf(mail)).not.toContain('secret-path');
      return mail.subject;
    };
    expect(await lastMail()).toBe('Webhook added to your account');
    await as(ann).put(path, { description: 'Mine' });
    await as(ann).put(path, { events: webhook.events, url: webhook.url });
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toEqual([]);
    for (const change of [
      { status: 'disabled' },
      { events: ['deposit.completed'] },
      { url: `${webhook.url}2` },
    ]) {
      expect((await as(ann).put(path, change)).status).toBe(200);
      expect(await lastMail()).toBe('Webhook of your account changed');
    }
    expect((await as(ann).post(`${path}/rotate-secret`)).status).toBe(200);
    expect(await lastMail()).toBe('Webhook of your account changed');
    expect((await as(ann).delete(path)).status).toBe(200);
    expect(await lastMail()).toBe('Webhook removed from your account');
    const notes = (await as(ann).get('/api/user/notifications?type=security&orderBy=asc')).data;
    expect(
      notes.map(({ title, priority }: { title: string; priority: string }) => [title, priority]),
    ).toEqual([
      ['E-mail switched off', 'high'],
      ['Webhook created', 'high'],
      ['Webhook changed', 'high'],
      ['Webhook changed: 3 more', 'high'], // of four changes within ten minutes, the first has its own notification
      ['Webhook removed', 'high'],
    ]);
  });

  it.each([
    ['en', 'Sign-in from a new network', 'Device: Firefox\nFrom the network: 198.51.100.0/24\n'],
    ['de', 'Anmeldung aus einem neuen Netzwerk', 'Gerät: Firefox\nAus dem Netzwerk: 198.51.100.0/24\n'],
  ])(
    'is sent for the sign-in of a known device from a new network, in %s',
    async (language, subject, rows) => {
      const email = `new-network-${language}@example.org`;
      await signIn('Firefox', email);
      await scenario.platform.dataSource.query('update platform_user set language = $2 where email = $1', [
        email,
        language,
      ]);
      await signIn('Firefox', email, '198.51.100.9');
      const mail = await sendOnlyMailTo({ email });
      expect(mail.subject).toBe(subject);
      expect(mail.text).toContain(rows);
    },
  );

  it('is sent for the sign-in from a second device, and not for the first sign-in', async () => {
    const email = 'new-device@example.org';
    await signIn('Firefox', email);
    await signIn('Safari on a telephone', email);
    const { subject, text } = await sendOnlyMailTo({ email });
    expect(subject).toBe('Sign-in from a new device');
    expect(text).toContain('Device: Safari on a telephone\nFrom the network: 203.0.113.0/24\n');
    expect(text).toContain('change your password at the identity provider');
  });

  it('is sent for an added wallet, and shortens its address', async () => {
    const ann = await scenario.platform.given.user();
    const wallet = newWallet();
    const wallets = new WalletSteps(scenario.platform);
    expect((await wallets.connect(ann, await wallets.signChallenge(wallet))).status).toBe(200);
    const mail = await sendOnlyMailTo(ann);
    expect(mail.subject).toBe('Wallet added to your account');
    expect(mail.text).toContain(`Wallet: ${shortened(wallet.address)}\n`);
    expect(contentOf(mail)).not.toMatch(WHOLE_ADDRESS);
  });

  it('is sent for an added withdrawal address with the time from which it is usable, and shortens addresses', async () => {
    const ann = await scenario.platform.given.user();
    const entry = { label: `Savings ${DESTINATION}`, address: DESTINATION, network: 'ERC20' };
    expect((await as(ann).post('/api/user/addresses', entry)).status).toBe(201);
    const mail = await sendOnlyMailTo(ann);
    expect(mail.subject).toBe('Withdrawal address added');
    const address = shortened(DESTINATION);
    expect(mail.text).toContain(`Label: Savings ${address}\nAddress: ${address}\n`);
    const usableFrom = new Date(scenario.platform.clock.now().getTime() + 24 * HOUR_MS).toISOString();
    expect(mail.text).toContain(`Usable from: ${usableFrom.slice(0, 16).replace('T', ' ')} UTC\n`);
    expect(contentOf(mail)).not.toMatch(WHOLE_ADDRESS);
  });

  it('is sent for an unlinked wallet', async () => {
    const ann = await scenario.platform.given.user();
    const wallets = new WalletSteps(scenario.platform);
    const wallet = newWallet();
    const { data } = await wallets.connect(ann, await wallets.signChallenge(wallet));
    await scenario.forgetMailsOf(ann);
    expect((await as(ann).delete(`/api/user/wallets/${data.id}`)).status).toBe(200);
    const { subject, text } = await sendOnlyMailTo(ann);
    expect(subject).toBe('Wallet removed from your account');
    expect(text).toContain(`Wallet: ${shortened(wallet.address)}\n`);
  });

  it('is sent for a removed withdrawal address, which is also notified', async () => {
    const ann = await scenario.platform.given.user();
    const entry = { label: 'Savings', address: DESTINATION, network: 'ERC20' };
    const { data } = await as(ann).post('/api/user/addresses', entry);
    await scenario.forgetMailsOf(ann);
    expect((await as(ann).delete(`/api/user/addresses/${data.id}`)).status).toBe(200);
    const { subject, text } = await sendOnlyMailTo(ann);
    expect(subject).toBe('Withdrawal address removed');
    expect(text).toContain(`Label: Savings\nAddress: ${shortened(DESTINATION)}\nTime: `);
    const [note] = (await as(ann).get('/api/user/notifications?type=security&limit=1')).data;
    expect(note).toMatchObject({
      title: 'Withdrawal address removed',
      metadata: { event: 'address.removed' },
    });
  });

  it('is sent for an API key that is created, used from a new network and revoked', async () => {
    const ann = await scenario.userWithoutOptionalMail();
    const key = await givenKey(scenario.platform, ann, { name: 'Bot' });
    const expectMail = async (subject: string, rows: string) => {
      const mail = await sendOnlyMailTo(ann);
      scenario.forgetReceivedMails();
      expect(mail.subject).toBe(subject);
      expect(mail.text).toContain(rows);
    };
    const rows = `Name: Bot\nBegins with: ${key.prefix}\n`;
    await expectMail('API key added to your account', rows);
    const headers = { 'x-forwarded-for': '198.51.100.9' };
    expect((await scenario.platform.as(key).get('/api/user/ping', { headers })).status).toBe(200);
    await scenario.platform.runJob('api-key-uses');
    await expectMail('API key used from a new network', `From the network: 198.51.100.0/24\n${rows}`);
    expect((await as(ann).delete(`${API_KEYS}/${key.id}`)).status).toBe(200);
    await expectMail('API key revoked', rows);
  });

  it('reaches the former address even if the new one looks like that of an erased user [SEC-326]', async () => {
    const ann = await scenario.platform.given.user();
    const change = { email: `erased-${ann.id}@erased.invalid` };
    expect((await changeUserAsAdmin(ann, change)).status).toBe(200);
    expect((await sendOnlyMailTo(ann)).subject).toBe('E-mail address of your account changed');
  });

  it.each([
    [
      'en',
      'E-mail address of your account changed',
      'all API keys are revoked',
      ['Old address', 'New address', 'Suspended wallets', 'Revoked API keys'],
    ],
    [
      'de',
      'E-Mail-Adresse Ihres Kontos geändert',
      'alle API-Schlüssel sind widerrufen',
      ['Alte Adresse', 'Neue Adresse', 'Gesperrte Wallets', 'Widerrufene API-Schlüssel'],
    ],
  ])(
    'is sent to the old and to the new address when an admin changes the e-mail address, in %s [SEC-168]',
    async (language, subject, sentence, [oldLabel, newLabel, walletsLabel, keysLabel]) => {
      const ann = await scenario.platform.given.user();
      await as(ann).put('/api/user/profile', { language });
      const key = await givenKey(scenario.platform, ann, { name: 'Bot' });
      const wallets = new WalletSteps(scenario.platform);
      const wallet = newWallet();
      await wallets.connect(ann, await wallets.signChallenge(wallet));
      await scenario.sendDueMails();
      scenario.forgetReceivedMails();
      const newEmail = `renamed-${randomUUID()}@example.org`;
      const change = { email: newEmail, notifyUser: false }; // notifyUser does not apply to mail about security
      expect((await changeUserAsAdmin(ann, change)).status).toBe(200);
      for (const email of [ann.email, newEmail]) {
        const mail = await sendOnlyMailTo({ email });
        expect(mail.subject).toBe(subject);
        expect(mail.text).toContain(`${oldLabel}: ${masked(ann.email)}\n${newLabel}: ${masked(newEmail)}\n`);
        expect(mail.text).toContain(sentence);
        expect(mail.text).toContain(`${walletsLabel}: ${shortened(wallet.address)}\n`);
        expect(mail.text).toContain(`${keysLabel}: Bot (${key.prefix})\n`);
        expect(contentOf(mail)).not.toContain(ann.email);
        expect(contentOf(mail)).not.toContain(newEmail);
      }
    },
  );
});
