import { MailScenario } from '../../fixtures/mail-scenario.js';
import type { TestUser } from '../../fixtures/given.js';
import { DAY_MS, MINUTE_MS } from '../../../src/common/durations.js';

const REQUESTS = 60; // each is cancelled
/** The amount of the request with this number: 10.01 to 10.60. */
const amountOf = (request: number) => `10.${String(request).padStart(2, '0')}`;

describe('A user who causes many events', () => {
  let scenario: MailScenario;
  let ann: TestUser;

  beforeAll(async () => {
    scenario = await MailScenario.start({ DUST_THRESHOLD: '0.01', MINIMUM_DEPOSIT: '0.001' });
    ann = await scenario.userWithBalance();
  });
  afterAll(() => scenario?.stop());

  const notificationsOf = async (user: TestUser) =>
    (await scenario.platform.as(user).get('/api/user/notifications?limit=100')).data as {
      title: string;
      message: string;
      metadata: { count?: number; amount?: string };
    }[];

  it('gets two mails and two notifications about each kind of event within ten minutes, which name all events [SEC-385]', async () => {
    const as = scenario.platform.as(ann);
    const before = (await notificationsOf(ann)).length;
    for (let n = 1; n <= REQUESTS; n++) {
      const { data } = await scenario.steps.request(ann, amountOf(n));
      await as.post(`/api/user/withdrawals/${data.id}/cancel`);
    }
    const notifications = (await notificationsOf(ann)).slice(0, -before);
    expect(notifications.map(({ title, metadata }) => [title, metadata.count]).sort()).toEqual([
      ['Withdrawal cancelled', undefined],
      [`Withdrawal cancelled: ${REQUESTS - 1} more`, REQUESTS - 1],
      ['Withdrawal requested', undefined],
      [`Withdrawal requested: ${REQUESTS - 1} more`, REQUESTS - 1],
    ]);
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ann).sort()).toEqual([
      'Withdrawal of 10.01 USDC cancelled',
      'Withdrawal of 10.01 USDC requested',
    ]);
    scenario.platform.clock.advance(10 * MINUTE_MS);
    await scenario.sendDueMails();
    const mails = scenario.mailsTo(ann).slice(2);
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      `Withdrawal of 10.02 USDC cancelled (+${REQUESTS - 2})`,
      `Withdrawal of 10.02 USDC requested (+${REQUESTS - 2})`,
    ]);
    for (const { text } of mails) {
      expect(text).toContain(`This has happened ${REQUESTS - 1} times within ten minutes:`);
      for (let n = 2; n <= REQUESTS; n++) expect(text).toContain(`Amount: ${amountOf(n)} USDC\n`);
    }
  });

  it('gets a mail about the next event at once when the ten minutes have passed', async () => {
    scenario.forgetReceivedMails();
    await scenario.steps.request(ann, '20.00');
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ann)).toEqual(['Withdrawal of 20.00 USDC requested']);
  });

  it('gets one notification a day and no mail about deposits below DUST_THRESHOLD', async () => {
    const ben = await scenario.platform.given.user();
    await scenario.sendDueMails();
    scenario.forgetReceivedMails();
    for (let n = 0; n < 40; n++) await scenario.platform.given.deposit(ben.id, '0.009');
    expect((await notificationsOf(ben)).map(({ metadata }) => metadata.amount)).toEqual(['0.009']);
    scenario.platform.clock.advance(DAY_MS);
    await scenario.platform.given.deposit(ben.id, '0.008');
    expect((await notificationsOf(ben)).map(({ metadata }) => metadata.amount)).toEqual(['0.008', '0.009']);
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ben)).toEqual([]);
  });
});
