import {
  ScreeningQuestionsService,
  type ClaimedQuestion,
} from '../../../src/modules/identity/screening/screening-questions.service.js';
import { ScreeningService } from '../../../src/modules/identity/screening/screening.service.js';
import { addressSubject } from '../../../src/modules/identity/screening/domain/verdict.js';
import { eventually } from '../../harness/eventually.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { freshAddress, ScreeningSteps } from '../../fixtures/screening.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

describe('Screening concurrent with other actions', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const codesOf = (replies: Reply[]) => replies.map(({ status, code }) => [status, code]);

  /** Creates a screened withdrawal of a clear user to an address with this verdict. */
  async function screened(verdict: 'clear' | 'review' = 'clear') {
    const toAddress = freshAddress();
    screening.setRule(toAddress, verdict);
    const id = await screening.withdrawal(await screening.user(), toAddress);
    await screening.answerAllQuestions();
    return { id, toAddress };
  }

  /** Locks the withdrawal's row, waits until all calls wait for it, performs `change`, and releases the row. */
  async function whileLocked(id: string, calls: () => Promise<Reply>[], change: () => Promise<unknown>) {
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('select 1 from withdrawal where id = $1 for update', [id]);
      const begun = calls();
      await eventually(async () => {
        expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(begun.length);
      });
      await change();
      await runner.commitTransaction();
      return await Promise.all(begun);
    } finally {
      await runner.release();
    }
  }

  /** Asks the provider again, so that its present answer becomes the newest verdict. */
  async function screenAgain(toAddress: string): Promise<void> {
    await screening.expireVerdicts(toAddress);
    await platform.app.get(ScreeningService).screenSubjects([addressSubject(toAddress)]);
  }

  it('rejects two admins taking a withdrawal whose address is blocked while they wait for the row of the withdrawal', async () => {
    const { id, toAddress } = await screened();
    const before = await platform.ledgerState();
    const replies = await whileLocked(
      id,
      () => [steps.take(id), steps.take(id, admin2)],
      async () => {
        screening.setRule(toAddress, 'blocked');
        await screenAgain(toAddress);
      },
    );
    expect(codesOf(replies)).toEqual([
      [422, 'INVALID_STATE'],
      [422, 'INVALID_STATE'],
    ]);
    for (const { body } of replies) expect(body.error.details).toMatchObject({ screening: 'blocked' });
    expect(await steps.detail(id)).toMatchObject({ status: 'pending', lifecycle: [{ status: 'pending' }] });
    expect(await platform.ledgerState()).toEqual(before);
    expect((await screening.auditEntries(id)).map(({ actor }) => actor).sort()).toEqual([
      admin2.email,
      steps.admin.email,
    ]);
  });

  it('answers 503 when the verdict expires while an admin waits to take the withdrawal, and nothing changes', async () => {
    const { id, toAddress } = await screened();
    const [reply] = await whileLocked(
      id,
      () => [steps.take(id)],
      () => screening.expireVerdicts(toAddress),
    );
    expect(codesOf([reply as Reply])).toEqual([[503, 'SERVICE_UNAVAILABLE']]);
    expect((await steps.detail(id)).status).toBe('pending');
    expect((await steps.take(id)).status).toBe(200);
  });

  it('lets one of two admins take a withdrawal whose review was accepted after a wait for its row', async () => {
    const { id } = await screened('review');
    const replies = await whileLocked(
      id,
      () => [screening.acceptForWithdrawal(id)],
      async () => undefined,
    );
    expect(codesOf(replies)).toEqual([[200, undefined]]);
    const taken = await Promise.all([steps.take(id), steps.take(id, admin2)]);
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('lets at most one of two admins take a withdrawal while its address becomes blocked, and neither afterwards', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, toAddress } = await screened();
      screening.setRule(toAddress, 'blocked');
      const [first, second] = await Promise.all([
        steps.take(id),
        steps.take(id, admin2),
        screenAgain(toAddress),
      ]);
      const taken = [first, second].filter(({ status }) => status === 200);
      expect(taken.length).toBeLessThanOrEqual(1);
      for (const { status, code } of [first, second]) {
        expect([200, 422, 503]).toContain(status); // 503: the old verdict had expired before the new one was stored
        if (status === 422) expect(code).toBe('INVALID_STATE');
      }
      const { status, lifecycle } = await steps.detail(id);
      expect([status, lifecycle.length]).toEqual(taken.length === 1 ? ['processing', 2] : ['pending', 1]);
      expect((await steps.take(id)).status).toBe(422);
    }
  });

  it('lets one of two admins accept a review', async () => {
    const { id } = await screened('review');
    const ann = await screening.user('review');
    await screening.answerAllQuestions();
    const [ofWithdrawal, ofUser] = await Promise.all([
      Promise.all([screening.acceptForWithdrawal(id), screening.acceptForWithdrawal(id, 'Yes', admin2)]),
      Promise.all([screening.acceptForUser(ann.id), screening.acceptForUser(ann.id, 'Yes', admin2)]),
    ]);
    for (const replies of [ofWithdrawal, ofUser])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('asks one question when two processes need the same verdict', async () => {
    const { id, toAddress } = await screened();
    await screening.expireVerdicts(toAddress);
    const second = await startApiWithSettings(platform, {});
    platform.beforeStop(second.stop);
    const before = screening.provider.asked.length;
    const replies = await Promise.all([
      steps.take(id),
      platform.as(admin2, second.url).post(`${ADMIN_WITHDRAWALS}/${id}/take`),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const questions = screening.provider.asked.slice(before);
    expect(questions).toEqual([{ type: 'address', id: toAddress.toLowerCase() }]);
  });

  it.each(['before', 'after'])(
    'keeps the verdict of the newer claim if the answer of an older claim, whose lease has ended, is stored %s it',
    async (order) => {
      const subject = addressSubject(freshAddress());
      const { app, dataSource } = platform;
      const questions = app.get(ScreeningQuestionsService);
      const older = (await questions.claimQuestion(subject)) as ClaimedQuestion;
      // The lease of the older claim ends, and no background job claims the question.
      await dataSource.query(
        `update screening_question
            set asking_until = clock_timestamp() - interval '1 second', due_at = clock_timestamp() + interval '1 hour'
          where subject = $1`,
        [subject],
      );
      const newer = (await questions.claimQuestion(subject)) as ClaimedQuestion;
      const answer = { riskScore: 1, lists: [], reference: 'a reference' };
      const storeOlder = () => questions.storeVerdict(older, { ...answer, verdict: 'clear' });
      const storeNewer = () => questions.storeVerdict(newer, { ...answer, verdict: 'blocked' });
      const stores = order === 'before' ? [storeOlder, storeNewer] : [storeNewer, storeOlder];
      for (const store of stores) await store();
      expect((await app.get(ScreeningService).getNewestVerdicts([subject])).get(subject)).toMatchObject({
        verdict: 'blocked',
        isFresh: true,
      });
      expect(
        await dataSource.query('select verdict from screening_verdict where subject = $1', [subject]),
      ).toHaveLength(1);
    },
  );
});
