import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { newId } from '../../../src/common/ids.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { recordRequests } from '../../fixtures/record-requests.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { QueryPlans, readOnlyStatements } from '../../harness/query-plans.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { statementsDuring } from '../../harness/queries.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import type { WithdrawalSteps } from '../../fixtures/withdrawals.js';

const QUEUES = '/api/admin/queues';
const NOTHING = { count: 0, oldest: null };
const NO_AMOUNT = { ...NOTHING, amount: '0.00' };

describe('GET /api/admin/queues', () => {
  let platform: TestPlatform;
  let treasury: TreasurySteps;
  let steps: WithdrawalSteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '5000.00' },
      screening: true,
    });
    treasury = await treasurySteps(platform);
    steps = treasury.withdrawals;
    admin = treasury.admin;
  });
  afterAll(() => platform?.stop());

  const queues = async (by = admin) => (await platform.as(by).get(QUEUES)).data;
  const now = () => platform.clock.now().toISOString();

  it('is empty before anything waits', async () => {
    expect(await queues()).toEqual({
      withdrawals: { pending: NO_AMOUNT, approved: NO_AMOUNT, processing: NO_AMOUNT, failed: NO_AMOUNT },
      approvals: NOTHING,
      alerts: expect.objectContaining({ count: expect.any(Number) }), // a slow machine raises some
      breaks: NOTHING,
      screening: NOTHING,
      yieldReports: NOTHING,
      investments: NOTHING,
      transfers: NOTHING,
    });
  });

  it('counts withdrawals by status, with their sums and the oldest request; released failures wait no more', async () => {
    const at = now();
    const first = await steps.createPending('10.00');
    platform.clock.advance(HOUR_MS);
    await steps.createPending('20.50');
    const approved = await steps.createPending('30.00');
    await steps.approve(approved.id);
    const taken = await steps.createProcessing('40.00');
    await treasury.failedWithdrawal('50.00');
    const released = await treasury.failedWithdrawal('60.00');
    const reversal = await treasury.createApproved({
      type: 'reversal',
      withdrawalId: released.withdrawalId,
      amount: '60.00',
    });
    await treasury.confirm(reversal);
    expect((await queues()).withdrawals).toEqual({
      pending: { count: 2, amount: '30.50', oldest: at },
      approved: { count: 1, amount: '30.00', oldest: now() },
      processing: { count: 1, amount: '40.00', oldest: now() },
      failed: { count: 1, amount: '50.00', oldest: now() },
    });
    await steps.take(first.id);
    await steps.complete(taken.id);
    expect((await queues()).withdrawals).toMatchObject({
      pending: { count: 1, amount: '20.50', oldest: now() },
      processing: { count: 1, amount: '10.00', oldest: at },
    });
  });

  it('counts investments, yield reports, transfers, breaks and alerts that wait', async () => {
    const at = now();
    const ann = await platform.given.user().withBalance('6000.00');
    await platform.as(ann).post('/api/user/investments', { strategyId: 'balanced-10', amount: '6000.00' });
    const report = { eventId: newId(), strategyId: 'balanced-10', day: platform.clock.today(), apy: '18' };
    await platform.app.get(YieldReportsService).record({ ...report, realisedAmount: '1.00' });
    await treasury.transferWithRequest();
    const before = (await queues()).alerts.count;
    await platform.app.get(AlertsService).raise({
      kind: 'clock-apart',
      subject: { type: 'process', id: newId() },
      message: 'The clock of a process is wrong.',
      nextStep: 'Set the clock.',
    });
    await recordRequests(treasury).break(treasury.admin2);
    const counted = await queues();
    expect(counted).toMatchObject({
      investments: { count: 1, oldest: at },
      yieldReports: { count: 1, oldest: expect.any(String) },
      transfers: { count: 1, oldest: at },
      breaks: { count: expect.any(Number), oldest: expect.any(String) },
      alerts: { oldest: expect.any(String) },
    });
    expect(counted.breaks.count).toBeGreaterThan(0);
    expect(counted.alerts.count).toBeGreaterThan(before);
  });

  it('counts the approvals that the caller may decide, and not those that the caller has requested', async () => {
    const [mine, theirs] = [
      (await queues()).approvals.count,
      (await queues(treasury.admin2)).approvals.count,
    ];
    const { id: userId } = await platform.given.user();
    await treasury.create({ type: 'deposit', userId, amount: '10.00' });
    expect((await queues()).approvals.count).toBe(mine);
    expect((await queues(treasury.admin2)).approvals.count).toBe(theirs + 1);
  });

  it('counts reviews of users, and those of addresses as long as an open withdrawal waits to be paid to them', async () => {
    const screening = new ScreeningSteps(platform, steps);
    const count = async () => (await queues()).screening.count;
    await screening.answerAllQuestions();
    const before = await count();
    const user = await screening.user('review');
    const id = await screening.withdrawal(user);
    await screening.answerAllQuestions();
    expect(await count()).toBe(before + 1);
    const toAddress = (await steps.detail(id)).destinationAddress as string;
    screening.setRule(toAddress.toLowerCase(), 'review');
    await platform.dataSource.query(
      `update screening_verdict set outdated = true where subject = 'address:' || lower($1)`,
      [toAddress],
    );
    await eventually(async () => {
      await steps.take(id); // refused because of the user, after the address was asked about
      expect(await count()).toBe(before + 2);
    });
    await steps.reject(id);
    expect(await count()).toBe(before + 1); // the address waits no more, the user does
  });

  it('hides the queues that the caller may not read', async () => {
    const shown = async (name: string) =>
      Object.entries(await queues(await platform.given.admin(name)))
        .filter(([, queue]) => queue !== null)
        .map(([name]) => name);
    expect(await shown('operator')).toEqual([
      'withdrawals',
      'approvals',
      'alerts',
      'screening',
      'investments',
    ]);
    expect(await shown('support')).toEqual(['breaks', 'investments', 'transfers']);
    expect(await shown('readonly')).toEqual([]);
  });

  it('takes two statements, which scan no table', async () => {
    const statements = readOnlyStatements(
      await statementsDuring(async () => {
        await queues();
      }),
    ).filter(({ text }) => /union all/.test(text)); // leaves out those of the authentication
    expect(statements).toHaveLength(2);
    const plans = await QueryPlans.connect(platform.env.DATABASE_URL as string, 'enable_seqscan = off');
    try {
      for (const statement of statements)
        for (const node of await plans.nodesOf(statement))
          expect([node['Node Type'], node['Relation Name']]).not.toEqual(['Seq Scan', expect.anything()]);
    } finally {
      await plans.end();
    }
  });
});
