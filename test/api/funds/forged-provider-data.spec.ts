import { HOUR_MS } from '../../../src/common/durations.js';
import { WebhookEventsRepository } from '../../../src/modules/funds/callbacks/webhook-events.repository.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { depositBody, processDueCallbacks } from '../../fixtures/provider-callbacks.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { tableOwner, type TableOwner } from '../../fixtures/table-owner.js';
import { withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('Somebody who can write the table of callbacks', () => {
  let scenario: DepositScenario;
  let owner: TableOwner;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    owner = await tableOwner(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  const refused = { status: 'failed', reason: 'the service has not stored this callback as it is' };

  it('is credited no deposit by inserting or changing a callback [SEC-480]', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { address, currency: 'USDT', network: 'trc20' };
    await scenario.callbacks.send('deposit', depositBody({ ...report, amount: '600' }));
    await processDueCallbacks(scenario.platform);
    expect(await scenario.availableBalance(user)).toBe('600.00');
    const forged = depositBody({ ...report, amount: '1000000' });
    const [inserted] = await owner.sql(
      `insert into webhook_event (id, provider, kind, event_key, body, status, attempts, received_at, due_at, seal)
       select gen_random_uuid(), provider, kind, 'forged', $1, 'received', 0, received_at, received_at, seal from webhook_event
       returning id`,
      forged,
    );
    await owner.sql(
      `update webhook_event set body = $1, status = 'received', settled_at = null, attempts = 0, due_at = received_at where event_key <> 'forged'`,
      forged,
    );
    await processDueCallbacks(scenario.platform);
    expect(await owner.sql('select status, reason from webhook_event')).toEqual([refused, refused]);
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await owner.alertsAbout('webhook_event')).toHaveLength(1);
    // An admin's replay does not seal the callback, so that it fails again.
    const admin = scenario.platform.as(await scenario.platform.given.admin());
    expect((await admin.post(`/api/admin/webhook-events/${inserted?.id as string}/replay`)).status).toBe(200);
    await processDueCallbacks(scenario.platform);
    expect(await scenario.availableBalance(user)).toBe('600.00');
  });

  it('cannot make the service skip a callback by putting it off, counting attempts, marking it as settled or deleting it [SEC-495]', async () => {
    const { platform } = scenario;
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const stored = {
      provider: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME,
      kind: 'deposit',
      eventKey: 'waiting',
    } as const;
    const later = new Date(platform.clock.now().getTime() + HOUR_MS); // so that it waits until the clock is advanced
    await platform.app
      .get(WebhookEventsRepository)
      .insertEvent({ ...stored, body: depositBody({ address, amount: '600' }) }, later);
    for (const change of [
      'delete from webhook_event where',
      'update webhook_event set id = gen_random_uuid() where',
    ])
      await expect(owner.sql(`${change} event_key = 'waiting'`)).rejects.toThrow(/foreign key/);
    await expect(owner.sql('truncate webhook_event')).rejects.toThrow(/foreign key/);
    // Attempts can only be counted one by one, from 0 on.
    for (const attempts of [2, 13, 2 ** 31 - 1])
      await expect(
        owner.sql(`update webhook_event set attempts = $1 where event_key = 'waiting'`, attempts),
      ).rejects.toThrow('webhook_event: UPDATE is refused');
    const attempted = `insert into webhook_event (id, provider, kind, event_key, body, status, attempts, received_at, due_at, seal)
      select gen_random_uuid(), provider, kind, 'attempted', body, status, 2147483647, received_at, due_at, seal
        from webhook_event where event_key = 'waiting'`;
    await expect(owner.sql(attempted)).rejects.toThrow('webhook_event: INSERT is refused');
    await owner.sql(
      `update webhook_event set due_at = due_at + interval '10 years' where event_key = 'waiting'`,
    );
    platform.clock.advance(HOUR_MS);
    await platform.runJob('swallowed-callbacks');
    const putOff = `select 1 from webhook_event where event_key = 'waiting' and due_at > $1`;
    expect(await owner.sql(putOff, platform.clock.now())).toEqual([]);
    await owner.sql(
      `update webhook_event set status = 'processed', settled_at = now() where event_key = 'waiting'`,
    );
    await processDueCallbacks(platform);
    expect(await scenario.availableBalance(user)).toBe('0.00');
    await platform.runJob('swallowed-callbacks');
    await processDueCallbacks(platform);
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await owner.sql('select 1 from webhook_pending')).toEqual([]);
  });

  it('cannot hide a callback that has failed [SEC-496]', async () => {
    const { platform } = scenario;
    await scenario.callbacks.send('deposit', '{}');
    await processDueCallbacks(platform);
    const expectFailed = async () =>
      expect(await owner.sql('select status, reason from webhook_event where body = $1', '{}')).toEqual([
        { status: 'failed', reason: 'the body is not a deposit' },
      ]);
    await expectFailed();
    const hide = `update webhook_event set status = 'processed', settled_at = now() where body = '{}'`;
    await expect(owner.sql(hide)).rejects.toThrow('status of a row does not change');
    // In two updates the change is permitted. The job finds it, and the callback is processed again.
    await owner.sql(
      `update webhook_event set status = 'received', settled_at = null, due_at = 'infinity' where body = '{}'`,
    );
    await owner.sql(hide);
    await platform.runJob('swallowed-callbacks');
    await processDueCallbacks(platform);
    await expectFailed();
  });
});

describe('Somebody who can write the table of screening verdicts', () => {
  let platform: TestPlatform;
  let owner: TableOwner;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    owner = await tableOwner(platform);
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
  });
  afterAll(() => platform?.stop());

  /** A withdrawal, after the provider has answered about its user, with `verdict`, and about its destination. */
  async function screenedWithdrawal(verdict: 'blocked' | 'review') {
    const user = await screening.user(verdict);
    const id = await screening.withdrawal(user);
    await screening.answerAllQuestions();
    return { id, user, subject: `user:${user.id}` };
  }
  /** The status of an answer and the verdict in its details. */
  const screeningOf = ({ status, body }: { status: number; body: any }) => [
    status,
    body.error?.details?.screening,
  ];

  it.each([
    [
      'changing a verdict',
      `update screening_verdict set verdict = 'clear', lists = '{}', risk_score = 0 where subject = $1`,
    ],
    [
      'inserting a verdict',
      `insert into screening_verdict (subject, user_id, verdict, risk_score, lists, reference, screened_at, outdated, seal)
       select subject, user_id, 'clear', 0, '{}', reference, screened_at, false, seal from screening_verdict where subject = $1`,
    ],
    [
      'copying the verdict on somebody else',
      `insert into screening_verdict (subject, user_id, verdict, risk_score, lists, reference, screened_at, outdated, seal)
       select $1, substr($1, 6)::uuid, verdict, risk_score, lists, reference, screened_at, false, seal
         from screening_verdict where verdict = 'clear' order by id desc limit 1`,
    ],
  ])(
    'cannot clear a blocked user by %s, because the service then asks the provider again [SEC-481]',
    async (_what, change) => {
      const { id, subject } = await screenedWithdrawal('blocked');
      expect(screeningOf(await steps.take(id))).toEqual([422, 'blocked']);
      await owner.sql(change, subject);
      expect(screeningOf(await steps.take(id))).toEqual([422, 'blocked']);
      const [newest] = await owner.sql(
        'select verdict from screening_verdict where subject = $1 order by id desc limit 1',
        subject,
      );
      expect(newest?.verdict).toBe('blocked'); // a new answer
      expect(await owner.alertsAbout('screening_verdict')).toHaveLength(1);
    },
  );

  it('cannot accept a verdict that needs a review [SEC-482]', async () => {
    const { id, user, subject } = await screenedWithdrawal('review');
    await owner.sql(
      `update screening_verdict set accepted_at = now(), accepted_by = 'admin@example.com', accept_reason = 'A namesake'
        where subject = $1`,
      subject,
    );
    expect(screeningOf(await steps.take(id))).toEqual([422, 'review']);
    expect((await screening.acceptForUser(user.id)).status).toBe(200);
    expect((await steps.take(id)).status).toBe(200);
  });

  it('cannot put a former verdict in the place of the newest one [SEC-497]', async () => {
    const user = await screening.user('clear');
    const id = await screening.withdrawal(user);
    await screening.answerAllQuestions();
    const subject = `user:${user.id}`;
    screening.setRule(user.email, 'blocked');
    await screening.expireVerdicts(user.id);
    expect(screeningOf(await steps.take(id))).toEqual([422, 'blocked']);
    const newest = `id = (select max(id) from screening_verdict where subject = '${subject}')`;
    for (const change of [
      `delete from screening_verdict where ${newest}`,
      'truncate screening_verdict',
      `update screening_verdict set id = default where ${newest}`,
      `update screening_verdict set user_id = null, subject = 'address:0x${'0'.repeat(40)}' where ${newest}`,
    ])
      await expect(owner.sql(change)).rejects.toThrow(/does not change|is refused/);
    expect(screeningOf(await steps.take(id))).toEqual([422, 'blocked']);
  });

  it('cannot make a verdict on a former e-mail address count again [SEC-498]', async () => {
    const user = await screening.user('clear');
    const id = await screening.withdrawal(user);
    await screening.answerAllQuestions();
    const email = `blocked-${user.email}`;
    screening.setRule(email, 'blocked');
    const changed = await platform
      .as(steps.admin)
      .put(`/api/admin/users/${user.id}`, { email, reason: 'Asked by the user' });
    expect(changed.status).toBe(200);
    const renew = owner.sql(
      'update screening_verdict set outdated = false where user_id = $1 and outdated',
      user.id,
    );
    await expect(renew).rejects.toThrow('is refused');
    expect(screeningOf(await steps.take(id))).toEqual([422, 'blocked']);
  });
});
