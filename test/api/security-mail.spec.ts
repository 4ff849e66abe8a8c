import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../src/common/durations.js';
import type { ReceivedMail } from '../../src/sandbox/mail-server.js';
import { ADMIN_USERS } from '../fixtures/admin-users.js';
import { API_KEYS, givenKey } from '../fixtures/api-keys.js';
import type { TestUser } from '../fixtures/given.js';
import { MailScenario } from '../fixtures/mail-scenario.js';
import { newWallet, WalletSteps } from '../fixtures/wallets.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

const shortened = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;
const WHOLE_ADDRESS = /0x[0-9a-f]{40}/i;
/** Shows the first and the last character before the @, and the domain. */
const masked = (email: string) => `${email.charAt(0)}…${email.slice(email.indexOf('@') - 1)}`;

describe('E-mail about the security of an account', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start({ ADDRESS_DELAY_HOURS: '24' });
  });
  afterAll(() => scenario?.stop());

  const as = (user: TestUser) => scenario.platform.as(user);
  const changeUserAsAdmin = (user: TestUser, body: object) =>
    scenario.platform.as(scenario.steps.admin).put(`${ADMIN_USERS}/${user.id}`, body);
  const sendOnlyMailTo = async (user: { email: string }): Promise<ReceivedMail> => {
    await scenario.sendDueMails();
    const mails = scenario.mailsTo(user);
    expect(mails).toHaveLength(1);
    return mails[0] as ReceivedMail;
  };
  const contentOf = ({ subject, text, html }: ReceivedMail) => subject + text + html;
  async function signIn(userAgent: string, email: string): Promise<void> {
    const jwt = await scenario.platform.outside.providers.identity.token({ email });
    const headers = { authorization: `Bearer ${jwt}`, 'user-agent': userAgent };
    expect((await scenario.platform.as(null).post('/api/auth/idp/login', {}, { headers })).status).toBe(200);
  }

  it('is sent for the sign-in from a second device, and not for the first sign-in', async () => {
    const email = 'new-device@example.org';
    await signIn('Firefox', email);
    await signIn('Safari on a telephone', email);
    const { subject, text } = await sendOnlyMailTo({ email });
    expect(subject).toBe('Sign-in from a new device');
    expect(text).toContain('Device: Safari on a telephone\n');
    expect(text).toContain('change your password at the identity provider');
  });

  it('is sent for an added wallet, and shortens its address', async () => {
    const [ann, wallet] = [await scenario.platform.given.user(), newWallet()];
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

  it('is sent for a created API key, and not for a revoked one', async () => {
    const ann = await scenario.platform.given.user();
    const key = await givenKey(scenario.platform, ann, { name: 'Bot' });
    expect((await as(ann).delete(`${API_KEYS}/${key.id}`)).status).toBe(200);
    const { subject, text } = await sendOnlyMailTo(ann);
    expect(subject).toBe('API key added to your account');
    expect(text).toContain(`Name: Bot\nBegins with: ${key.prefix}\n`);
  });

  it.each([
    [
      'en',
      'E-mail address of your account changed',
      'all API keys are revoked',
      ['Old address', 'New address', 'Revoked API keys'],
    ],
    [
      'de',
      'E-Mail-Adresse Ihres Kontos geändert',
      'alle API-Schlüssel sind widerrufen',
      ['Alte Adresse', 'Neue Adresse', 'Widerrufene API-Schlüssel'],
    ],
  ])(
    'is sent to the old and to the new address when an admin changes the e-mail address, in %s [SEC-168]',
    async (language, subject, sentence, [oldLabel, newLabel, keysLabel]) => {
      const ann = await scenario.platform.given.user();
      await as(ann).put('/api/user/profile', { language });
      const key = await givenKey(scenario.platform, ann, { name: 'Bot' });
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
        expect(mail.text).toContain(`${keysLabel}: Bot (${key.prefix})\n`);
        expect(contentOf(mail)).not.toContain(ann.email);
        expect(contentOf(mail)).not.toContain(newEmail);
      }
    },
  );
});
