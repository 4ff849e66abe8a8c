import { MINUTE_MS } from '../../../src/common/durations.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { WorkQueue } from '../../../src/jobs/work-queue.js';
import type { ClaimedMail } from '../../../src/modules/messaging/mail/mails.repository.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { claimWithoutAttempts } from '../../harness/claims.js';
import { statementsDuring } from '../../harness/queries.js';
import { QueryPlans, rowsExamined } from '../../harness/query-plans.js';

describe('A waiting mail', () => {
  let scenario: MailScenario;
  let ann: TestUser;
  let queue: WorkQueue;

  beforeAll(async () => {
    scenario = await MailScenario.start();
    ann = await scenario.userWithBalance();
    // Only the tests claim mails.
    queue = scenario.platform.app.get(Jobs).queue('mails');
    jest.spyOn(queue, 'startDue').mockResolvedValue(undefined);
  });
  afterEach(() => scenario.platform.dataSource.query('delete from mail'));
  afterAll(async () => {
    jest.restoreAllMocks();
    await scenario?.stop();
  });

  /** Requests withdrawals, each with a mail of its own. */
  const request = async ({ user = ann, count = 1 } = {}) => {
    for (let sent = 0; sent < count; sent++) {
      await scenario.steps.request(user, '10.00');
      await scenario.separateMails();
    }
  };

  it('about security is claimed before other mail that is due for longer [SEC-327]', async () => {
    for (let count = 0; count < 10; count++) {
      await scenario.platform.given.deposit(ann.id, '1.00');
      await scenario.separateMails();
    }
    scenario.platform.clock.advance(MINUTE_MS);
    await request({ count: 2 });
    /** The kinds of the mails that are claimed at once: at most four, because all are to one user. */
    const claim = async () => {
      await scenario.platform.caughtUp();
      return ((await claimWithoutAttempts(queue)) as ClaimedMail[]).map(({ kind }) => kind).sort();
    };
    const [deposit, withdrawal] = ['deposit.completed', 'withdrawal.requested'];
    expect(await claim()).toEqual([deposit, deposit, withdrawal, withdrawal]);
    expect(await claim()).toEqual(Array(4).fill(deposit));
    await request();
    expect(await claim()).toEqual([deposit, deposit, deposit, withdrawal]);
  });

  it('to one user does not delay those to another: at most four of the eight at once are to one user [SEC-384]', async () => {
    const ben = await scenario.userWithBalance();
    await request({ count: 12 });
    scenario.platform.clock.advance(MINUTE_MS);
    await request({ user: ben, count: 2 });
    const claimed = await claimWithoutAttempts(queue);
    const owners = claimed.map(({ owner }) => owner);
    expect(owners.filter((owner) => owner === ann.id)).toHaveLength(4);
    expect(owners.filter((owner) => owner === ben.id)).toHaveLength(2);
    expect(owners.slice(0, 2).sort()).toEqual([ann.id, ben.id].sort());
  });

  it('is claimed by scans of an index, also while thousands of mails wait for their next attempts', async () => {
    const { dataSource, clock } = scenario.platform;
    await dataSource.query(
      `insert into mail (id, user_id, recipient, kind, details, status, attempts, created_at, due_at, settled_at, is_security)
       select gen_random_uuid(), $1, 'x@example.org', 'address.added', '{}', status, 1, $2, $2::timestamptz + interval '1 day',
              case status when 'sent' then $2::timestamptz end, n % 2 = 0
         from generate_series(1, 5000) as n, (values ('waiting'), ('sent')) as state (status)`,
      [ann.id, clock.now()],
    );
    await dataSource.query('analyze mail');
    const statements = await statementsDuring(() => claimWithoutAttempts(queue));
    const claims = statements.filter(({ text }) => text.includes('update mail'));
    expect(claims).toHaveLength(2); // mails about security, other mails
    const plans = await QueryPlans.connect(scenario.platform.env.DATABASE_URL as string);
    for (const claim of claims) {
      const nodes = await plans.nodesOf(claim, { analyze: true });
      const scans = nodes.filter(
        (node) => node['Relation Name'] === 'mail' && node['Node Type'] !== 'ModifyTable',
      );
      expect(new Set(scans.map((node) => node['Index Name']))).toEqual(new Set(['mail_turn', 'mail_pkey']));
      expect(Math.max(...scans.map(rowsExamined))).toBeLessThanOrEqual(1);
    }
    await plans.end();
  });
});
