import { DomainEvents, type DomainEvent } from '../../src/database/domain-events.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { ReceivedMail } from '../../src/sandbox/mail-server.js';
import { ADMIN_USERS } from '../fixtures/admin-users.js';
import { givenKey } from '../fixtures/api-keys.js';
import type { TestUser } from '../fixtures/given.js';
import { MailScenario } from '../fixtures/mail-scenario.js';
import { newWallet, WalletSteps } from '../fixtures/wallets.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

const SHORT_DESTINATION = '0x5aAe…eAed';

describe('E-mail about the security of an account', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start({ ADDRESS_DELAY_HOURS: '24' });
  });
  afterAll(() => scenario.stop());

  const as = (user: TestUser) => scenario.platform.as(user);
  const emit = (event: DomainEvent & Record<string, unknown>) =>
    scenario.platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => scenario.platform.app.get(DomainEvents).emit(tx, event));
  const changeUser = (user: TestUser, body: object) =>
    scenario.platform.as(scenario.steps.admin).put(`${ADMIN_USERS}/${user.id}`, body);
  const onlyMailTo = async (user: { email: string }): Promise<ReceivedMail> => {
    await scenario.sendDue();
    const mails = scenario.mailsTo(user);
    expect(mails).toHaveLength(1);
    return mails[0] as ReceivedMail;
  };
  async function signIn(userAgent: string, email: string): Promise<void> {
    const jwt = await scenario.platform.outside.providers.identity.token({ email });
    const headers = { authorization: `Bearer ${jwt}`, 'user-agent': userAgent };
    expect((await scenario.platform.as(null).post('/api/auth/idp/login', {}, { headers })).status).toBe(200);
  }

  it('is sent for a sign-in from a new device', async () => {
    const email = 'new-device@example.org';
    await signIn('Firefox', email);
    await signIn('Safari on a telephone', email);
    const { subject, text } = await onlyMailTo({ email });
    expect(subject).toBe('Sign-in from a new device');
    expect(text).toContain('Device: Safari on a telephone\n');
    expect(text).toContain('change your password at the identity provider');
  });

  it('is sent for an added wallet, address and API key, not for a revoked key, and contains no whole address', async () => {
    const [ann, wallet] = [await scenario.platform.given.user(), newWallet()];
    const wallets = new WalletSteps(scenario.platform);
    expect((await wallets.connect(ann, await wallets.signChallenge(wallet))).status).toBe(200);
    const added = { label: `Savings ${DESTINATION}`, address: DESTINATION, network: 'ERC20' };
    const { data } = await as(ann).post('/api/user/addresses', added);
    const event = { userId: ann.id, at: scenario.platform.clock.now() };
    await emit({ ...event, name: 'api-key.created', keyName: 'Bot', prefix: 'sk_12345678' });
    await emit({ ...event, name: 'api-key.revoked', keyName: 'Bot', prefix: 'sk_12345678' });
    await scenario.sendDue();

    expect(scenario.subjectsTo(ann).sort()).toEqual([
      'API key added to your account',
      'Wallet added to your account',
      'Withdrawal address added',
    ]);
    const all = scenario.mailsTo(ann).map(({ text, html }) => text + html);
    expect(all.join()).toContain(`Label: Savings ${SHORT_DESTINATION}\nAddress: ${SHORT_DESTINATION}\n`);
    const usableFrom = (data.usableFrom as string).slice(0, 16).replace('T', ' ');
    expect(all.join()).toContain(`Usable from: ${usableFrom} UTC\n`);
    expect(Date.parse(data.usableFrom as string)).toBeGreaterThan(event.at.getTime());
    expect(all.join()).toContain('Name: Bot\nBegins with: sk_12345678\n');
    expect(all.join()).toContain(`Wallet: ${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}\n`);
    expect(all.join()).not.toMatch(/0x[0-9a-f]{40}/i);
  });

  it.each([
    ['en', 'all API keys are revoked', ['Old address', 'New address', 'Revoked API keys']],
    [
      'de',
      'alle API-Schlüssel sind widerrufen',
      ['Alte Adresse', 'Neue Adresse', 'Widerrufene API-Schlüssel'],
    ],
  ])(
    'is sent to the old and to the new address when the e-mail address changes, in %s [SEC-168]',
    async (language, sentence, [from, to, keys]) => {
      const ann = await scenario.platform.given.user();
      await as(ann).put('/api/user/profile', { language });
      const key = await givenKey(scenario.platform, ann, { name: 'Bot' });
      await scenario.sendDue();
      scenario.forget();
      const email = ann.email.replace('@', '-y@');
      expect((await changeUser(ann, { email, notifyUser: false })).status).toBe(200);
      for (const address of [ann.email, email]) {
        const { text } = await onlyMailTo({ email: address });
        // Only the first and the last character before the @ are shown.
        const last = ann.email.charAt(ann.email.indexOf('@') - 1);
        expect(text).toContain(`${from}: u…${last}@example.org\n${to}: u…y@example.org\n`);
        expect(text).toContain(sentence);
        expect(text).toContain(`${keys}: Bot (${key.prefix})\n`);
        expect(text).not.toContain(ann.email);
      }
    },
  );
});
