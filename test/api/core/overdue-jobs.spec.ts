import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ALERT = 'job-overdue';

describe('A job that somebody stops by a row of the database', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const setSuccess = (name: string, time: string) =>
    platform.dataSource.query(
      `insert into job_run (name, succeeded_at) values ($1, ${time})
       on conflict (name) do update set succeeded_at = excluded.succeeded_at`,
      [name],
    );
  const openAlerts = async () => {
    const { data } = await platform.as(admin).get('/api/admin/alerts?status=open');
    return data
      .filter(({ kind }: { kind: string }) => kind === ALERT)
      .map(({ subject }: { subject: { id: string } }) => subject.id);
  };
  const resources = async () => {
    const { data } = await platform.as(admin).get('/api/health/detailed');
    return data.components.find(({ component }: { component: string }) => component === 'resources');
  };

  it('runs although its lease ends later than any lease can [SEC-429]', async () => {
    const lastSuccess = async () =>
      (await platform.dataSource.query(`select succeeded_at from job_run where name = 'late-payments'`))[0]
        ?.succeeded_at;
    const before = await lastSuccess();
    await platform.dataSource.query(
      `insert into lease (name, holder, until) values ('late-payments', gen_random_uuid(), '3000-01-01')
       on conflict (name) do update set until = excluded.until, holder = excluded.holder`,
    );
    await platform.runJob('late-payments');
    expect(await lastSuccess()).not.toEqual(before);
  });

  it('is reported by an alert and in the health of the service, until it succeeds again [SEC-430]', async () => {
    const name = 'totals'; // runs every second: a job is overdue only in a process that is older than its interval
    const job = platform.app.get(Jobs).get(name);
    await job.end(); // so that it does not succeed during the test
    await setSuccess(name, `clock_timestamp() - interval '1 hour'`);
    await eventually(async () => {
      await platform.runJob('overdue-jobs');
      expect(await openAlerts()).toEqual([name]);
    });
    await eventually(async () =>
      expect(await resources()).toMatchObject({
        status: 'degraded',
        message: `these jobs are overdue: ${name}`,
        details: { overdueJobs: '1' },
      }),
    );
    await setSuccess(name, 'clock_timestamp()');
    await platform.runJob('overdue-jobs');
    expect(await openAlerts()).toEqual([]);
  });
});
