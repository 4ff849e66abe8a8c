import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring, statementsDuring } from '../../harness/queries.js';
import { QueryPlans, readOnlyStatements } from '../../harness/query-plans.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

describe('Screening records', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
  });
  afterAll(() => platform?.stop());

  const verdictsOn = async (userId: string): Promise<unknown[]> =>
    platform.dataSource.query('select verdict from screening_verdict where user_id = $1', [userId]);
  const questionsAbout = async (userId: string): Promise<unknown[]> =>
    platform.dataSource.query('select due_at from screening_question where user_id = $1', [userId]);

  it('are deleted with an erased user', async () => {
    const ann = await platform.given.user();
    await screening.answerAllQuestions();
    expect(await verdictsOn(ann.id)).toHaveLength(1);
    const reply = await platform.as(steps.admin).delete(`${ADMIN_USERS}/${ann.id}?permanent=true`);
    expect(reply).toMatchObject({ status: 200, data: { permanent: true } });
    expect(await verdictsOn(ann.id)).toEqual([]);

    const bob = await screening.withProviderFault('drop', async () => {
      const user = await platform.given.user();
      await platform.as(steps.admin).delete(`${ADMIN_USERS}/${user.id}?permanent=true`);
      return user;
    });
    expect(await questionsAbout(bob.id)).toEqual([]);
  });

  it('are kept for an anonymised user, about whom no further question is asked', async () => {
    const ann = await screening.user();
    await screening.answerAllQuestions();
    await platform.as(steps.admin).delete('/api/admin/test-data');
    const [row] = await platform.dataSource.query('select email from platform_user where id = $1', [ann.id]);
    expect(row.email).toMatch(/@erased\.invalid$/);
    expect(await verdictsOn(ann.id)).not.toEqual([]);
    expect(await questionsAbout(ann.id)).toEqual([]);
  });

  it('cost the queue of withdrawals one statement regardless of its length', async () => {
    const admin = platform.as(steps.admin);
    const ask = () => admin.get(`${ADMIN_WITHDRAWALS}/pending?limit=100`);
    await screening.withdrawal(await screening.user());
    const ofOne = await fewestQueriesDuring(ask);
    for (let index = 0; index < 5; index++) await screening.withdrawal(await screening.user());
    const ofMany = await fewestQueriesDuring(ask);
    expect([ofOne.length, ofMany.length]).toEqual([3, 3]); // rows, verdicts, totals
  });

  it('are read by an index when withdrawals are listed and taken', async () => {
    const id = await screening.withdrawal(await screening.user());
    await screening.answerAllQuestions();
    // Otherwise the planner would scan these small tables even if they had an index.
    const plans = await QueryPlans.connect(platform.env.DATABASE_URL as string, 'enable_seqscan = off');
    try {
      const statements = await statementsDuring(async () => {
        await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/pending`);
        expect((await steps.take(id)).status).toBe(200);
      });
      const reads = readOnlyStatements(statements).filter(({ text }) => text.includes('screening_'));
      expect(reads.length).toBeGreaterThanOrEqual(3);
      for (const statement of reads) {
        const nodes = await plans.nodesOf(statement);
        expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
      }
    } finally {
      await plans.end();
    }
  });
});
