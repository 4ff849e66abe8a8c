import { Logger } from '@nestjs/common';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { eventually } from '../../harness/eventually.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';

// How mails reach the mail server: retries, what can and cannot arrive twice, and giving up.

const LONGER_THAN_ANY_DELAY_MS = 5 * HOUR_MS;

describe('A mail', () => {
  let scenario: MailScenario;
  let ann: TestUser;

  beforeAll(async () => {
    scenario = await MailScenario.start();
    ann = await scenario.userWithBalance();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await scenario.platform.outside.providers.endFault('mail');
    await scenario.platform.dataSource.query('delete from mail');
    scenario.forgetReceivedMails();
  });
  afterAll(() => scenario?.stop());

  /** Its mail is in the outbox, one for each request. */
  const requestWithdrawal = async (amount = '10.00') => {
    await scenario.separateMails();
    expect((await scenario.steps.request(ann, amount)).status).toBe(201);
    await scenario.platform.caughtUp();
  };
  const control = async (path: string, body?: object): Promise<any> => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(scenario.platform.outside.providers.url + path, init)).json();
  };
  const setFault = (mode: string, count?: number) => control('/faults', { provider: 'mail', mode, count });
  const messageIds = async () =>
    (await scenario.records(ann)).map(({ id }) => `<${id}@platform.example>`).sort();
  const receivedIds = () => scenario.mailsTo(ann).map(({ messageId }) => messageId);
  const states = async () =>
    (await scenario.records(ann)).map(({ status, attempts, failure }) => [status, attempts, failure]);
  /** Keeps mails of the platform's process waiting until the spy is restored. */
  const pauseSending = () =>
    jest.spyOn(scenario.platform.app.get(Jobs).queue('mails'), 'startDue').mockResolvedValue(undefined);
  const retry = async () => {
    scenario.platform.clock.advance(LONGER_THAN_ANY_DELAY_MS);
    await scenario.sendDueMails();
  };

  it('is listed by the control port of the sandbox, by its recipient', async () => {
    await requestWithdrawal();
    await scenario.sendDueMails();
    const mails = await control(`/mails?to=${encodeURIComponent(ann.email)}`);
    expect(mails).toEqual(scenario.mailsTo(ann).map((mail) => ({ ...mail, to: ann.email })));
    expect(mails).toMatchObject([{ subject: 'Withdrawal of 10.00 USDC requested' }]);
    expect(await control('/mails?to=other@example.org')).toEqual([]);
    expect(await control('/mails')).toEqual(mails);
  });

  it('arrives once after the mail server was unreachable for an hour, during which requests succeed and the process is ready', async () => {
    await setFault('away');
    for (let i = 0; i < 3; i++) await requestWithdrawal();
    await scenario.sendDueMails();
    expect(receivedIds()).toEqual([]);
    expect(await states()).toEqual(Array(3).fill(['waiting', 1, 'ESOCKET']));
    for (let minute = 0; minute < 60; minute++) {
      scenario.platform.clock.advance(MINUTE_MS);
      await scenario.sendDueMails();
    }
    await requestWithdrawal();
    expect((await scenario.platform.as(null).get('/api/health/ready')).status).toBe(200);
    expect((await states()).map(([status]) => status)).toEqual(Array(4).fill('waiting'));
    await setFault('none');
    await retry();
    expect(receivedIds().sort()).toEqual(await messageIds());
    await retry();
    expect(receivedIds()).toHaveLength(4);
  });

  it.each([
    ['451', 'error'],
    ['554', 'reject'],
  ])('arrives once after the mail server answered with the code %s', async (code, mode) => {
    await setFault(mode, 1);
    await requestWithdrawal();
    await scenario.sendDueMails();
    expect(receivedIds()).toEqual([]);
    expect(await states()).toEqual([['waiting', 1, code]]);
    await scenario.sendDueMails(); // not due yet
    expect(await states()).toEqual([['waiting', 1, code]]);
    await retry();
    expect(receivedIds()).toEqual(await messageIds());
    expect(await states()).toEqual([['sent', 2, null]]);
    await retry();
    expect(receivedIds()).toHaveLength(1);
  });

  it('is repeated with the same Message-ID if the connection was lost after the data', async () => {
    await setFault('cut', 1);
    await requestWithdrawal();
    await scenario.sendDueMails();
    expect(await states()).toEqual([['waiting', 1, expect.stringMatching(/^E[A-Z]+$/)]]);
    await retry();
    const [id] = await messageIds();
    expect(receivedIds()).toEqual([id, id]);
    await retry();
    expect(receivedIds()).toHaveLength(2);
  });

  it('that waits for its next attempt does not delay other mails', async () => {
    await setFault('error', 1);
    await requestWithdrawal('10.00');
    await scenario.sendDueMails();
    await requestWithdrawal('20.00');
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(ann)).toEqual(['Withdrawal of 20.00 USDC requested']);
  });

  it.each([
    'ann@example.org>\r\nRCPT TO:<victim@example.org',
    'ann@example.org\r\nBcc: victim@example.org',
    'ann@example.org, victim@example.org',
    'Ann <victim@example.org>',
    'ann,victim@example.org',
  ])('to the malformed address %j reaches no other recipient', async (address) => {
    const pause = pauseSending();
    await requestWithdrawal();
    await scenario.platform.dataSource.query('update mail set recipient = $2 where user_id = $1', [
      ann.id,
      address,
    ]);
    pause.mockRestore();
    await scenario.sendDueMails();
    const recipients = scenario.server.mails.flatMap(({ to }) => to);
    expect(recipients).not.toContain('victim@example.org');
    for (const { headers } of scenario.server.mails) expect(headers).not.toHaveProperty('bcc');
    expect(await states()).toHaveLength(1);
  });

  it('does not delay a request while the mail server does not answer, and at most eight are sent at once, four to one user', async () => {
    const ben = await scenario.userWithBalance();
    await setFault('timeout');
    const before = scenario.server.connections;
    for (let i = 0; i < 9; i++) await requestWithdrawal();
    await scenario.platform.runJob('mails');
    await eventually(async () => expect(scenario.server.connections - before).toBe(4));
    for (let i = 0; i < 5; i++) {
      expect((await scenario.steps.request(ben, '10.00')).status).toBe(201);
      await scenario.separateMails();
    }
    await scenario.platform.runJob('mails');
    await eventually(async () => expect(scenario.server.connections - before).toBe(8));
    await requestWithdrawal();
    await scenario.platform.runJob('mails');
    expect((await states()).filter(([, attempts]) => attempts === 1)).toHaveLength(4);
    await scenario.server.close(); // ends the attempts
    await scenario.sendDueMails();
    expect(await states()).toEqual(Array(10).fill(['waiting', 1, expect.any(String)]));
  });

  it('is sent once by one of two processes', async () => {
    const replica = await startReplicaWithoutPort(scenario.platform);
    for (let i = 0; i < 12; i++) await requestWithdrawal();
    await Promise.all([scenario.sendDueMails(), replica.get(Jobs).queue('mails').drain()]);
    await Promise.all([scenario.sendDueMails(), replica.get(Jobs).queue('mails').drain()]);
    await replica.close();
    expect(receivedIds().sort()).toEqual(await messageIds());
    expect(receivedIds()).toHaveLength(12);
  });

  it('of a process that died is sent when its lease has ended, whatever the domain clock says', async () => {
    const pause = pauseSending();
    await requestWithdrawal();
    const setLeaseEnd = (secondsFromNow: number) =>
      scenario.platform.dataSource.query(
        `update mail set attempts = 1, leased_until = clock_timestamp() + make_interval(secs => $2)
          where user_id = $1`,
        [ann.id, secondsFromNow],
      );
    await setLeaseEnd(150);
    pause.mockRestore();
    await retry();
    expect(receivedIds()).toEqual([]);
    await setLeaseEnd(-1);
    await scenario.sendDueMails();
    expect(receivedIds()).toEqual(await messageIds());
    expect(await states()).toEqual([['sent', 2, null]]);
  });

  it('is finished by a process that ends, and not sent again by another one', async () => {
    const pause = pauseSending();
    await requestWithdrawal();
    const ending = await startReplicaWithoutPort(scenario.platform);
    await ending.get(Jobs).queue('mails').startDue(new AbortController().signal);
    await eventually(async () => expect(receivedIds()).toHaveLength(1));
    await ending.close();
    expect(await states()).toEqual([['sent', 1, null]]);
    pause.mockRestore();
    await retry();
    expect(receivedIds()).toEqual(await messageIds());
  });

  it('that a process cannot finish before it ends is sent by another one, and the interrupted attempt is not counted', async () => {
    const pause = pauseSending();
    await setFault('timeout');
    await requestWithdrawal();
    const ending = await startReplicaWithoutPort(scenario.platform);
    await ending.get(Jobs).queue('mails').startDue(new AbortController().signal);
    await ending.close();
    expect(await states()).toEqual([['waiting', 0, null]]);
    await setFault('none');
    pause.mockRestore();
    await scenario.sendDueMails();
    expect(receivedIds()).toEqual(await messageIds());
    expect(await states()).toEqual([['sent', 1, null]]);
  });

  it('is given up after 72 hours without success, with an error in the log and in the metrics', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error');
    const givenUp = async () =>
      (await MetricsPage.fetch(scenario.platform.baseUrl)).value('mail_attempts_total', {
        result: 'given-up',
      }) ?? 0;
    const before = await givenUp();
    await setFault('away');
    await requestWithdrawal();
    await scenario.sendDueMails();
    scenario.platform.clock.advance(72 * HOUR_MS - 1);
    await scenario.sendDueMails();
    expect(await states()).toEqual([['waiting', 2, 'ESOCKET']]);
    expect(errors).not.toHaveBeenCalled();
    scenario.platform.clock.advance(1); // the last attempt is due 72 hours after the event, not later
    await scenario.sendDueMails();
    expect(await states()).toEqual([['given-up', 3, 'ESOCKET']]);
    const [mail] = await scenario.records(ann);
    expect(errors.mock.calls).toEqual([
      [
        {
          msg: 'a mail was given up',
          mailId: mail?.id,
          kind: 'withdrawal.requested',
          attempts: 3,
          failure: 'ESOCKET',
        },
      ],
    ]);
    expect(await givenUp()).toBe(before + 1);
    await setFault('none');
    await retry();
    expect(receivedIds()).toEqual([]);
  });

  it('is deleted from the outbox after thirty days', async () => {
    await requestWithdrawal();
    await scenario.sendDueMails();
    scenario.platform.clock.advance(30 * DAY_MS);
    await scenario.platform.runJob('old-mails');
    expect(await states()).toHaveLength(1);
    scenario.platform.clock.advance(1);
    await scenario.platform.runJob('old-mails');
    expect(await states()).toEqual([]);
  });
});
