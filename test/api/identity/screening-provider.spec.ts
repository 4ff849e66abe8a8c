import { Logger } from '@nestjs/common';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import type { FaultMode } from '../../../src/sandbox/faults.js';
import { ScreeningService } from '../../../src/modules/identity/screening/screening.service.js';
import {
  ScreeningProvider,
  signatureOf,
} from '../../../src/modules/identity/screening/screening-provider.client.js';
import { ScreeningQuestionsService } from '../../../src/modules/identity/screening/screening-questions.service.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { skipTime } from '../../harness/skip-time.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { freshAddress, ScreeningSteps } from '../../fixtures/screening.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

/** Faults with which the provider gives no usable answer. */
const FAULT_MODES: FaultMode[] = ['error', 'drop', 'timeout', 'garbage', 'wrong-signature'];
/** The health check reuses its result for less than this time. */
const HEALTH_CACHE_MS = 2000;

describe('The screening provider', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;
  let admin2: TestAdmin;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
    admin2 = await platform.given.admin('admin2');
    ann = await screening.user();
    await platform.given.deposit(ann.id, '10000.00');
  });
  afterAll(() => platform?.stop());

  const storedVerdicts = async (): Promise<unknown> =>
    platform.dataSource.query('select subject, verdict from screening_verdict order by id');
  const failedQuestions = async ({ id }: TestUser): Promise<unknown[]> =>
    platform.dataSource.query('select 1 from screening_question where user_id = $1 and attempts > 0', [id]);
  const providerHealth = async () => {
    const { data } = await platform.as(null).get('/api/health/detailed');
    return (data.components as { component: string; status: string }[]).find(
      ({ component }) => component === 'screening-provider',
    );
  };

  const stopBackground = () =>
    jest.spyOn(platform.app.get(ScreeningService), 'screenDueSubjects').mockResolvedValue(undefined);

  /** Creates a withdrawal whose address has no verdict, and keeps the background job from asking about it. */
  async function createUnscreened(user = ann): Promise<string> {
    await screening.answerAllQuestions();
    return screening.withProviderFault('drop', async () => {
      const id = await screening.withdrawal(user);
      await screening.postponeQuestions();
      return id;
    });
  }

  describe.each(FAULT_MODES)('with the fault %s', (mode) => {
    it('prevents taking and approving a withdrawal, with 503 and Retry-After, and nothing changes', async () => {
      const id = await createUnscreened();
      const before = [await platform.ledgerState(), await storedVerdicts(), await steps.detail(id)];
      await screening.withProviderFault(mode, async () => {
        for (const attempt of [steps.take, steps.approve]) {
          const reply = await attempt(id);
          expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
          expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        const bulk = await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [id] });
        expect(bulk.data).toMatchObject({ taken: [], failed: [{ id, code: 'SERVICE_UNAVAILABLE' }] });
        await screening.postponeQuestions(); // keeps the background job from asking after the fault
      });
      expect([await platform.ledgerState(), await storedVerdicts(), await steps.detail(id)]).toEqual(before);
      expect((await steps.take(id)).status).toBe(200); // the provider is asked again at once
    });
  });

  it('is asked about a user again in the background until it answers', async () => {
    const { asked } = screening.provider;
    const user = await screening.withProviderFault('error', async () => {
      const created = await screening.user();
      await eventually(async () => expect(await failedQuestions(created)).toHaveLength(1));
      return created;
    });
    await screening.waitForAnswers();
    expect(asked.filter(({ id }) => id === user.id)).toHaveLength(1); // failed questions are not in this list
  });

  it('is asked before the execution of a withdrawal if the verdict has expired', async () => {
    const id = await createUnscreened();
    await steps.approve(id);
    const { toAddress } = await withdrawalRow(id);
    await screening.expireVerdicts(toAddress);
    await screening.withProviderFault('error', async () =>
      expect((await steps.execute(id)).status).toBe(503),
    );
    expect((await steps.execute(id)).status).toBe(200);
  });

  it('is not asked about a withdrawal that cannot be taken because of its state, a suspended user or a pause', async () => {
    const taken = await createUnscreened();
    await steps.take(taken);
    const suspended = await createUnscreened(await screening.user());
    const paused = await createUnscreened();
    const { userId } = await withdrawalRow(suspended);
    const change = { status: 'suspended', reason: 'Fraud' };
    await platform.as(steps.admin).put(`/api/admin/users/${userId}`, change);
    await screening.withProviderFault('error', async () => {
      expect((await steps.take(taken)).body.error.details).toMatchObject({ status: 'processing' });
      const refused = await steps.take(suspended);
      expect([refused.status, refused.code]).toEqual([422, 'INVALID_STATE']);
      expect(refused.body.error.details).toMatchObject({ userStatus: 'suspended' });
      await platform.as(steps.admin).post('/api/admin/integrity/pause', { reason: 'Test' });
      expect((await steps.take(paused)).code).toBe('WITHDRAWALS_PAUSED');
      await platform.as(steps.admin).post('/api/admin/integrity/resume', { reason: 'Test' });
    });
  });

  it('is asked once about an address that six concurrent requests need', async () => {
    const id = await createUnscreened();
    await screening.answerAllQuestions();
    const { toAddress } = await withdrawalRow(id);
    await screening.expireVerdicts(toAddress);
    const before = screening.provider.asked.length;
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => steps.take(id, index % 2 ? admin2 : steps.admin)),
    );
    expect(screening.provider.asked.slice(before)).toEqual([
      { type: 'address', id: toAddress.toLowerCase() },
    ]);
  });

  it('is asked by a request while the background job leaves the question out, because it was postponed', async () => {
    const id = await createUnscreened();
    const query = (text: string) => platform.dataSource.query<unknown[]>(text);
    const waiting = (count: number) =>
      eventually(async () => expect(await query(LOCK_WAITS)).toHaveLength(count));
    const background = stopBackground();
    await query('update screening_question set due_at = clock_timestamp()');
    // Job and request wait for the row of the question; after the commit it is not due, so that only the request asks.
    const other = platform.dataSource.createQueryRunner();
    try {
      await other.startTransaction();
      await other.query(`update screening_question set due_at = clock_timestamp() + interval '1 hour'`);
      background.mockRestore();
      void platform.runJob('screening');
      await waiting(1);
      const taking = steps.take(id);
      await waiting(2);
      await other.commitTransaction();
      expect((await taking).status).toBe(200);
    } finally {
      await other.release();
    }
  });

  it('is asked about at most ten withdrawals of a bulk request, all ten at once; further ones are listed as failed', async () => {
    const take = (ids: string[]) => platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids });
    const unavailable = (ids: string[]) => ids.map((id) => ({ id, code: 'SERVICE_UNAVAILABLE' }));
    const ids: string[] = [];
    await screening.answerAllQuestions();
    await screening.withProviderFault('drop', async () => {
      for (let index = 0; index < 12; index++) ids.push(await screening.withdrawal(ann));
      await screening.postponeQuestions();
    });
    await screening.withProviderFault('timeout', async () => {
      const background = stopBackground();
      const provider = platform.app.get(ScreeningProvider);
      const screen = provider.screen.bind(provider);
      // Held until ten are open: a busy machine sends the last question after the first one has timed out.
      const questions = jest.spyOn(provider, 'screen').mockImplementation(async (...question) => {
        await eventually(async () => expect(questions).toHaveBeenCalledTimes(10));
        return screen(...question);
      });
      expect((await take(ids)).data).toMatchObject({ taken: [], failed: unavailable(ids) });
      expect(questions).toHaveBeenCalledTimes(10);
      questions.mockRestore();
      background.mockRestore();
      await screening.postponeQuestions();
    });
    const { data } = await take(ids);
    expect(data).toMatchObject({ taken: ids.slice(0, 10), failed: unavailable(ids.slice(10)) });
    expect((await take(ids.slice(10))).data).toEqual({ taken: ids.slice(10), failed: [] });
  });

  it('makes a bulk request refuse a withdrawal to a blocked address, with an audit entry, and take the other one', async () => {
    const toAddress = freshAddress();
    screening.setRule(toAddress, 'blocked');
    const ids = [await screening.withdrawal(ann, toAddress), await screening.withdrawal(ann)];
    const { data } = await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids });
    expect(data).toMatchObject({ taken: [ids[1]], failed: [{ id: ids[0], code: 'INVALID_STATE' }] });
    expect(await screening.auditEntries(ids[0] as string)).toMatchObject([
      { action: 'withdrawal.take-refused' },
    ]);
  });

  it('is a health component that is unhealthy after a failed question', async () => {
    await screening.answerAllQuestions();
    skipTime(HEALTH_CACHE_MS);
    expect(await providerHealth()).toMatchObject({ status: 'healthy' });
    const id = await createUnscreened();
    await screening.withProviderFault('garbage', async () => {
      await steps.take(id);
      skipTime(HEALTH_CACHE_MS);
      expect(await providerHealth()).toMatchObject({ status: 'unhealthy' });
    });
    await steps.take(id);
    await eventually(async () => {
      skipTime(HEALTH_CACHE_MS);
      expect(await providerHealth()).toMatchObject({ status: 'healthy' });
    });
  });

  it('accepts only requests that the platform has signed within the last five minutes', async () => {
    const url = `${platform.outside.providers.url}/screening-provider/screen`;
    const body = JSON.stringify({
      reference: 'r',
      subject: { type: 'user', id: '1', email: 'a@example.org' },
    });
    const ask = (secret: string, ageSeconds = 0) => {
      const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
      const headers = { 'X-Timestamp': timestamp, 'X-Signature': signatureOf(secret, timestamp, body) };
      return fetch(url, { method: 'POST', headers, body });
    };
    const { SCREENING_SECRET } = SANDBOX_SETTINGS;
    expect((await ask(SCREENING_SECRET)).status).toBe(200);
    expect((await ask(`${SCREENING_SECRET}x`)).status).toBe(401);
    expect((await ask(SCREENING_SECRET, 600)).status).toBe(401);
  });

  it('is not reported as unavailable when the database fails, which is logged', async () => {
    const logError = jest.spyOn(Logger.prototype, 'error');
    const store = jest
      .spyOn(platform.app.get(ScreeningQuestionsService), 'storeVerdict')
      .mockRejectedValueOnce(new Error('no connection'));
    const raise = jest.spyOn(platform.app.get(AlertsService), 'raise');
    await screening.user();
    await eventually(async () => {
      await platform.runJob('screening');
      const expected = { msg: 'screening: a subject could not be screened', err: new Error('no connection') };
      expect(logError).toHaveBeenCalledWith(expect.objectContaining(expected));
    });
    expect(raise).not.toHaveBeenCalledWith(expect.objectContaining({ kind: 'screening-away' }));
    for (const spy of [logError, store, raise]) spy.mockRestore();
    await screening.answerAllQuestions();
  });

  it('follows the rules set by the control API of the sandbox, which also sets faults', async () => {
    const control = (path: string, body: object) =>
      fetch(platform.outside.providers.url + path, { method: 'POST', body: JSON.stringify(body) });
    const toAddress = freshAddress();
    expect((await control('/screening/rules', { match: toAddress, verdict: 'review' })).status).toBe(200);
    expect((await control('/screening/rules', { match: toAddress, verdict: 'fine' })).status).toBe(400);
    const id = await screening.withdrawal(ann, toAddress);
    expect((await steps.take(id)).body.error.details).toMatchObject({ screening: 'review' });
    const fault = { provider: 'screening', mode: 'wrong-signature', count: 1 };
    expect(await (await control('/faults', fault)).json()).toEqual(fault);
    expect((await control('/faults', { provider: 'screening', mode: 'none' })).status).toBe(200);
  });

  it('has its alert resolved when it answers, even if another process has raised it', async () => {
    const alerts = platform.app.get(AlertsService);
    const subject = { type: 'service', id: 'screening-provider' };
    await screening.withdrawal(ann);
    await screening.answerAllQuestions();
    await alerts.raise({ kind: 'screening-away', subject, message: 'Test', nextStep: 'Test' });
    skipTime(MINUTE_MS); // a process reports an unchanged state of the provider once a minute
    await screening.withdrawal(ann);
    await screening.answerAllQuestions();
    expect(await alerts.listOpenAlerts(['screening-away'])).toEqual([]);
  });

  it('is a healthy component again ten minutes after the last question of this process failed, without a new question', async () => {
    const id = await createUnscreened();
    await screening.withProviderFault('error', async () => {
      await steps.take(id);
      await screening.postponeQuestions();
      skipTime(HEALTH_CACHE_MS);
      expect(await providerHealth()).toMatchObject({ status: 'unhealthy' });
    });
    skipTime(10 * MINUTE_MS);
    expect(await providerHealth()).toMatchObject({ status: 'healthy' });
    skipTime(-10 * MINUTE_MS); // Jest reports the duration of this file by the same clock
  });

  async function withdrawalRow(id: string): Promise<{ userId: string; toAddress: string }> {
    const [row] = await platform.dataSource.query(
      'select user_id as "userId", to_address as "toAddress" from withdrawal where id = $1',
      [id],
    );
    return row;
  }
});
