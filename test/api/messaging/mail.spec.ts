import { MINUTE_MS } from '../../../src/common/durations.js';
import { DomainEvents, type DomainEvent } from '../../../src/events/domain-events.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { UserErasureService } from '../../../src/modules/desk/user-admin/user-erasure.service.js';
import type { ReceivedMail } from '../../../src/sandbox/mail-server.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { newHash, newProviderId, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { DESTINATION, unknownHash } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestRoundTripsDuring } from '../../harness/queries.js';

// Which events are mailed, to whom, in which language, and what the mails say.

const SHORT_DESTINATION = '0x5aAe…eAed';

describe('E-mail', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  afterAll(() => scenario?.stop());

  const as = (user: TestUser) => scenario.platform.as(user);
  const emit = (event: DomainEvent & Record<string, unknown>) =>
    scenario.platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => scenario.platform.app.get(DomainEvents).emit(tx, event));
  const changeUser = (user: TestUser, body: object) =>
    scenario.platform.as(scenario.steps.admin).put(`${ADMIN_USERS}/${user.id}`, body);
  /** Sends due mails and returns the only one that this user has received. */
  const onlyMailTo = async (user: { email: string }): Promise<ReceivedMail> => {
    await scenario.sendDueMails();
    const mails = scenario.mailsTo(user);
    expect(mails).toHaveLength(1);
    return mails[0] as ReceivedMail;
  };

  it('is sent for requested, taken, completed, rejected and failed withdrawals', async () => {
    const { steps } = scenario;
    const ann = await scenario.userWithBalance();
    const requestWithdrawal = async (amount: string) => (await steps.request(ann, amount)).data.id as string;
    const hash = unknownHash();
    const completed = await requestWithdrawal('50.00');
    await steps.take(completed);
    await steps.complete(completed, hash);
    await scenario.separateMails();
    await steps.reject(await requestWithdrawal('60.00'), 'The address is on hold.');
    await scenario.separateMails();
    const failed = await requestWithdrawal('70.00');
    await steps.take(failed);
    await steps.fail(failed);
    await scenario.sendDueMails();

    expect(scenario.subjectsTo(ann).sort()).toEqual([
      'Withdrawal of 50.00 USDC completed',
      'Withdrawal of 50.00 USDC in progress',
      'Withdrawal of 50.00 USDC requested',
      'Withdrawal of 60.00 USDC rejected',
      'Withdrawal of 60.00 USDC requested',
      'Withdrawal of 70.00 USDC failed',
      'Withdrawal of 70.00 USDC in progress',
      'Withdrawal of 70.00 USDC requested',
    ]);
    const mailOf = (subject: string) => scenario.mailsTo(ann).find((mail) => mail.subject === subject);
    expect(mailOf('Withdrawal of 50.00 USDC completed')?.text).toContain(
      `Amount: 50.00 USDC\nTo: ${SHORT_DESTINATION}\nTransaction: ${hash}\nTime: 2026-03-02 10:00 UTC\n`,
    );
    expect(mailOf('Withdrawal of 60.00 USDC rejected')?.text).toContain('Reason: The address is on hold.\n');
    expect(mailOf('Withdrawal of 70.00 USDC failed')?.text).toContain('The amount stays reserved');
  });

  it('is not sent for refused requests of withdrawals', async () => {
    const { steps } = scenario;
    const ann = await scenario.userWithBalance();
    expect((await steps.request(ann, '10000.01')).code).toBe('INSUFFICIENT_BALANCE');
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toEqual([]);
  });

  it('is sent for a credited deposit, and not for one that is seen or held', async () => {
    const ann = await scenario.platform.given.user();
    const callbacks = new ProviderCallbacks(scenario.platform);
    const { address } = (await as(ann).get('/api/user/deposits/address')).data;
    const received = { id: newProviderId(), hash: newHash(), address, amount: '600' };
    await callbacks.reportDeposit({ ...received, status: 'Pending', confirmations: 0 });
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toEqual([]);
    await callbacks.reportDeposit({ ...received, status: 'Success', confirmations: 20 });
    const { subject, text } = await onlyMailTo(ann);
    expect(subject).toBe('Deposit of 600.00 USDT credited');
    expect(text).toContain(
      `Amount: 600.00 USDT\nCredited: 600.00 USDC\nNetwork: TRC20\nTransaction: ${received.hash}\n`,
    );

    const ben = await scenario.platform.given.user();
    const { address: addressOfBen } = (await as(ben).get('/api/user/deposits/address')).data;
    await callbacks.reportDeposit({ address: addressOfBen, amount: '20' }); // below the minimum of 500.00
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ben)).toEqual([]);
    // The sum reaches the minimum, so that both deposits are credited.
    await callbacks.reportDeposit({ address: addressOfBen, amount: '600' });
    await scenario.platform.caughtUp();
    scenario.platform.clock.advance(10 * MINUTE_MS); // two deposits at once: the second mail waits for further ones
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ben).sort()).toEqual([
      'Deposit of 20.00 USDT credited',
      'Deposit of 600.00 USDT credited',
    ]);
    for (const mail of scenario.mailsTo(ben)) expect(mail.text).toMatch(/^Credited: \d+\.00 USDC$/m);
  });

  it('is sent with the reason for a changed status, unless the admin chose not to notify the user', async () => {
    const ann = await scenario.platform.given.user();
    const change = { status: 'suspended', reason: 'Unpaid fees' };
    expect((await changeUser(ann, { ...change, notifyUser: false })).status).toBe(200);
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toEqual([]);
    await changeUser(ann, { status: 'active', notifyUser: false });
    await changeUser(ann, change);
    const { subject, text } = await onlyMailTo(ann);
    expect(subject).toBe('Account status changed');
    expect(text).toContain('Status: suspended\nReason: Unpaid fees\n');
  });

  it('about deposits follows the preference of the user, and about withdrawals and security does not [SEC-166]', async () => {
    const ann = await scenario.userWithBalance();
    const { data } = await as(ann).put('/api/user/profile', { notifications: { email: false } });
    expect(data.preferences).toMatchObject({
      notifications: { email: false, push: true, emailAvailable: true },
      applied: ['notifications.push', 'language', 'notifications.email'],
    });
    await scenario.sendDueMails();
    scenario.forgetReceivedMails();
    await scenario.platform.given.deposit(ann.id, '600.00');
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toEqual([]);
    await scenario.steps.request(ann, '50.00');
    await changeUser(ann, { status: 'inactive' });
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ann).sort()).toEqual([
      'Account status changed',
      'Withdrawal of 50.00 USDC requested',
    ]);
    await as(ann).put('/api/user/profile', { notifications: { email: true } });
  });

  it('is shown as available in the profile of a user and in the detail for admins', async () => {
    const ann = await scenario.platform.given.user();
    const profile = (await as(ann).get('/api/user/profile')).data;
    expect(profile.preferences.notifications).toEqual({ email: true, push: true, emailAvailable: true });
    const detail = await scenario.platform.as(scenario.steps.admin).get(`${ADMIN_USERS}/${ann.id}`);
    expect(detail.data.profile.preferences.notifications.emailAvailable).toBe(true);
  });

  it('is in German for a German profile, with the reason unchanged', async () => {
    const ann = await scenario.userWithBalance();
    await as(ann).put('/api/user/profile', { language: 'de-CH', name: 'Jürg Müller' });
    const { data } = await scenario.steps.request(ann, '50.00');
    await scenario.sendDueMails();
    scenario.forgetReceivedMails();
    await scenario.steps.reject(data.id, 'On hold.');
    const { subject, text, html } = await onlyMailTo(ann);
    expect(subject).toBe('Auszahlung von 50.00 USDC abgelehnt');
    expect(text).toContain('Guten Tag Jürg Müller,\n\nIhre Auszahlung wurde abgelehnt.');
    expect(text).toContain(`Betrag: 50.00 USDC\nAn: ${SHORT_DESTINATION}\nGrund: On hold.\n`);
    expect(html).toContain('<html lang="de">');
  });

  it('contains names and reasons as text on one line, and none of them in a header [SEC-167]', async () => {
    const ann = await scenario.userWithBalance();
    const name = 'Eve\r\nBcc: victim@example.org\r\n\r\n<img src=x onerror=alert(1)>';
    await scenario.platform.dataSource.query('update platform_user set full_name = $2 where id = $1', [
      ann.id,
      name,
    ]);
    const { data } = await scenario.steps.request(ann, '50.00');
    await scenario.sendDueMails();
    scenario.forgetReceivedMails();
    await scenario.steps.reject(data.id, '"><script>alert(2)</script>');
    const { headers, text, html, to } = await onlyMailTo(ann);
    expect(to).toEqual([ann.email]);
    expect(Object.keys(headers).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ]);
    expect(JSON.stringify(headers)).not.toMatch(/victim|Eve|script/);
    expect(text).toContain('Hello Eve Bcc: victim@example.org <img src=x onerror=alert(1)>,\n');
    expect(html).toContain('Hello Eve Bcc: victim@example.org &lt;img src=x onerror=alert(1)&gt;,');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(2)&lt;/script&gt;');
    expect(html).not.toMatch(/<img|<script/);
  });

  it('has the id of its record as Message-ID, and says that it was sent by a program', async () => {
    const ann = await scenario.userWithBalance();
    await scenario.steps.request(ann, '50.00');
    const { messageId, headers, from } = await onlyMailTo(ann);
    const [record] = await scenario.records(ann);
    expect(messageId).toBe(`<${record?.id}@platform.example>`);
    expect(from).toBe('no-reply@platform.example');
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      from: 'Sandbox Platform <no-reply@platform.example>',
      to: ann.email,
    });
  });

  it('is not sent to an erased user, whose waiting mails are deleted', async () => {
    const ann = await scenario.userWithBalance();
    await scenario.server.close(); // the mail waits
    await scenario.steps.request(ann, '50.00');
    expect(await scenario.records(ann)).toHaveLength(1);
    const { app, clock } = scenario.platform;
    await app
      .get(UnitOfWork)
      .runInTransaction((tx) => app.get(UserErasureService).anonymise(tx, { id: ann.id } as never));
    const now = clock.now();
    await emit({
      name: 'address.added',
      userId: ann.id,
      at: now,
      label: 'Late',
      address: DESTINATION,
      usableFrom: now,
    });
    await scenario.server.listen();
    await scenario.sendDueMails();
    expect(await scenario.records(ann)).toEqual([]);
    expect(scenario.server.mails).toEqual([]);
  });

  it('is written after the commit, and not for a transaction that is rolled back', async () => {
    const ann = await scenario.platform.given.user();
    const now = scenario.platform.clock.now();
    const event = (label: string) =>
      ({
        name: 'address.added',
        userId: ann.id,
        at: now,
        label,
        address: DESTINATION,
        usableFrom: now,
      }) as const;
    const { app } = scenario.platform;
    const rolledBack = app.get(UnitOfWork).runInTransaction(async (tx) => {
      await app.get(DomainEvents).emit(tx, event('Undone'));
      throw new Error('undone');
    });
    await expect(rolledBack).rejects.toThrow('undone');
    expect(await scenario.records(ann)).toEqual([]);
    await emit(event('Committed'));
    expect((await onlyMailTo(ann)).text).toContain('Committed');
  });

  it('costs a withdrawal no round trip, and is not written to the outbox without SMTP_URL', async () => {
    const withoutMail = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    try {
      const tripsOf = async (platform: TestPlatform) => {
        const user = await platform.given.user().withBalance('10000.00');
        const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
        const trips = await fewestRoundTripsDuring(async () =>
          expect((await platform.as(user).post('/api/user/withdrawals', body)).status).toBe(201),
        );
        await platform.caughtUp();
        const mails = await platform.dataSource.query('select from mail where user_id = $1', [user.id]);
        const { preferences } = (await platform.as(user).get('/api/user/profile')).data;
        return { trips, hasMail: mails.length > 0, isAvailable: preferences.notifications.emailAvailable };
      };
      const { trips, ...without } = await tripsOf(withoutMail);
      expect(without).toEqual({ hasMail: false, isAvailable: false });
      const withMail = await tripsOf(scenario.platform);
      expect(withMail).toMatchObject({ hasMail: true, isAvailable: true });
      expect(withMail.trips).toBeLessThanOrEqual(trips);
    } finally {
      await withoutMail.stop();
    }
  });
});
