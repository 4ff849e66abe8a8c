import { MINUTE_MS } from '../../src/common/durations.js';
import { MailsJob } from '../../src/modules/mail/mails.job.js';
import { MailsService } from '../../src/modules/mail/mails.service.js';
import type { TestUser } from '../fixtures/given.js';
import { MailScenario } from '../fixtures/mail-scenario.js';
import { statementsDuring, type SqlStatement } from '../harness/queries.js';
import { QueryPlans } from '../harness/query-plans.js';

describe('A waiting mail', () => {
  let scenario: MailScenario;
  let ann: TestUser;

  beforeAll(async () => {
    scenario = await MailScenario.start();
    ann = await scenario.userWithBalance();
    // Only the tests claim mails.
    jest.spyOn(scenario.platform.app.get(MailsJob), 'startDueMails').mockResolvedValue(undefined);
  });
  afterEach(() => scenario.platform.dataSource.query('delete from mail'));
  afterAll(async () => {
    jest.restoreAllMocks();
    await scenario?.stop();
  });

  it('about security is claimed before other mail that is due for longer [SEC-327]', async () => {
    for (let count = 0; count < 10; count++) await scenario.platform.given.deposit(ann.id, '1.00');
    await scenario.platform.caughtUp(); // the mails are due now
    scenario.platform.clock.advance(MINUTE_MS);
    await scenario.steps.request(ann, '10.00');
    await scenario.steps.request(ann, '10.00');
    const claim = async () => {
      await scenario.platform.caughtUp();
      const claimed = await scenario.platform.app.get(MailsService).claimDue([], 4);
      return claimed.map(({ kind }) => kind).sort();
    };
    const [deposit, withdrawal] = ['deposit.completed', 'withdrawal.requested'];
    expect(await claim()).toEqual([deposit, deposit, withdrawal, withdrawal]);
    expect(await claim()).toEqual(Array(4).fill(deposit));
    await scenario.steps.request(ann, '10.00');
    expect(await claim()).toEqual([deposit, deposit, deposit, withdrawal]);
  });

  it('is claimed by two scans of an index, also while thousands of mails wait for their next attempts', async () => {
    const { dataSource, clock } = scenario.platform;
    await dataSource.query(
      `insert into mail (id, user_id, recipient, kind, details, status, attempts, created_at, due_at, settled_at, is_security)
       select gen_random_uuid(), $1, 'x@example.org', 'address.added', '{}', status, 1, $2, $2::timestamptz + interval '1 day',
              case status when 'sent' then $2::timestamptz end, n % 2 = 0
         from generate_series(1, 5000) as n, (values ('waiting'), ('sent')) as state (status)`,
      [ann.id, clock.now()],
    );
    await dataSource.query('analyze mail');
    const statements = await statementsDuring(() => scenario.platform.app.get(MailsService).claimDue([], 8));
    const claim = statements.find(({ text }) => text.includes('update mail'));
    const plans = await QueryPlans.connect(scenario.platform.env.DATABASE_URL as string);
    const scans = (await plans.nodesOf(claim as SqlStatement)).filter(
      (node) => node['Relation Name'] === 'mail',
    );
    await plans.end();
    expect(scans.map((node) => [node['Node Type'], node['Index Name']])).toEqual([
      ['Index Scan', 'mail_due'],
      ['Index Scan', 'mail_due'],
      ['ModifyTable', undefined],
      ['Index Scan', 'mail_pkey'],
    ]);
  });
});
