import { HOUR_MS, DAY_MS } from '../../../src/common/durations.js';
import { InvariantsRepository } from '../../../src/modules/assurance/integrity/invariants.repository.js';
import { IntegrityService } from '../../../src/modules/assurance/integrity/integrity.service.js';
import { IntegrityRunsRepository } from '../../../src/modules/assurance/integrity/integrity-runs.repository.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { ScheduledJob } from '../../../src/jobs/scheduled-job.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { eventually } from '../../harness/eventually.js';
import { Hold } from '../../harness/hold.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';
import { UNKNOWN_ID, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/integrity';

describe('Integrity check runs', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin: TestAdmin;
  let operator: TestAdmin;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
    admin = steps.admin;
    operator = await platform.given.admin('operator');
    ann = await platform.given.user().withBalance('10000.00');
  });
  afterAll(() => platform?.stop());

  const sql = (text: string, parameters: unknown[] = []) => platform.dataSource.query(text, parameters);
  const check = async () => (await platform.as(admin).get(PATH)).data;
  const resume = (reason = 'Go on') => platform.as(admin).post(`${PATH}/resume`, { reason });
  const runs = async (query = '?limit=100') => (await platform.as(admin).get(`${PATH}/runs${query}`)).data;
  const runCount = async () =>
    (await sql('select count(*)::int as count from integrity_run'))[0].count as number;
  /** Adds an amount to ann's stored balance without a posting. */
  const changeBalance = (amount: string) =>
    executeWithoutTriggers(
      platform,
      `update ledger_account set balance = balance + ${amount} where owner_id = '${ann.id}' and kind = 'user.available'`,
    );

  describe('are answered by GET /api/admin/integrity/runs, which', () => {
    it('lists runs with their results, newest first', async () => {
      await changeBalance('5');
      platform.clock.advance(HOUR_MS);
      await check();
      platform.clock.advance(HOUR_MS);
      await resume();
      await changeBalance('-5');
      platform.clock.advance(HOUR_MS);
      await check();
      const now = platform.clock.now().getTime();
      // The 5 have no posting, so they are in no entry, no account of the platform and no transaction of the user.
      const broken = [
        { name: 'balances', severity: 'owed', breakCount: 1 },
        { name: 'backing', severity: 'owed', breakCount: 1 },
        { name: 'transaction-history', severity: 'warning', breakCount: 1 },
      ];
      const at = (hoursAgo: number) => new Date(now - hoursAgo * HOUR_MS).toISOString();
      expect((await runs('?limit=3')) as unknown[]).toMatchObject([
        { checkedAt: at(0), status: 'holds', broken: [], paused: false, night: null, acknowledgedBy: null },
        { checkedAt: at(1), status: 'broken', broken, paused: false, acknowledgedBy: admin.email },
        { checkedAt: at(2), status: 'broken', broken, paused: true, acknowledgedBy: null },
      ]);
      const [{ entries }] = await sql('select count(*)::int as entries from ledger_entry');
      expect((await runs('?limit=1'))[0].entries).toBe(entries);
    });

    it('is paged and requires the permission for the audit log', async () => {
      for (let run = 0; run < 4; run++) await check();
      const total = await runCount();
      const { body } = await platform.as(admin).get(`${PATH}/runs?page=2&limit=3`);
      expect(body.pagination).toMatchObject({ page: 2, limit: 3, total, hasPrevious: true });
      const all = await runs();
      expect(body.data).toEqual(all.slice(3, 6));
      expect((await platform.as(admin).get(`${PATH}/runs?page=0`)).code).toBe('INVALID_PAGINATION');
      expect((await platform.as(operator).get(`${PATH}/runs`)).code).toBe('PERMISSION_DENIED');
      expect((await platform.as(operator).get(PATH)).code).toBe('PERMISSION_DENIED');
    });

    it('keeps the last thousand runs and those that were acknowledged', async () => {
      await sql(
        `insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused, acknowledged_by)
         select gen_random_uuid(), timestamptz '2020-01-01' + n * interval '1 day', 1, 0, 'holds', '[]', false,
                case when n = 1 then 'admin@example.com' end
           from generate_series(1, 1000) as n`,
      );
      await check();
      const acknowledged = await sql(`select 1 from integrity_run where checked_at < '2020-01-03'`);
      expect(acknowledged).toHaveLength(1);
      expect(await runCount()).toBe(1001); // the newest thousand and the acknowledged one
      await sql(`delete from integrity_run where checked_at < '2024-01-01'`); // no resumption belongs to the acknowledged one
    });
  });

  it('provide health checks with the status and the time of the newest run', async () => {
    const { checkedAt } = await check();
    expect(await platform.app.get(IntegrityRunsRepository).findNewestVerdict()).toEqual({
      status: 'holds',
      at: new Date(checkedAt),
    });
  });

  it('are shared by concurrent requests, which wait for one run that starts after the running one', async () => {
    const before = (await runs('?limit=1'))[0].id as string;
    const invariants = platform.app.get(InvariantsRepository);
    const checkInvariants = invariants.checkInvariants.bind(invariants);
    const hold = new Hold();
    const spy = jest.spyOn(invariants, 'checkInvariants').mockImplementation(async () => {
      await hold.wait();
      return checkInvariants();
    });
    const checks = Array.from({ length: 20 }, () => platform.app.get(IntegrityService).check());
    await eventually(async () => expect(spy).toHaveBeenCalledTimes(1));
    hold.release();
    const [first, ...later] = (await Promise.all(checks)).map(({ runId }) => runId);
    spy.mockRestore();
    expect(new Set(later).size).toBe(1);
    const ids = ((await runs('?limit=20')) as { id: string }[]).map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual([later[0], first, before]);
  });

  describe('include the nightly check, which', () => {
    let nightlyChecks: ScheduledJob[]; // the job on each of two replicas

    beforeAll(async () => {
      nightlyChecks = [platform.app, await startReplicaWithoutPort(platform)].map((app) =>
        app.get(Jobs).get('nightly-check'),
      );
    });
    beforeEach(() => platform.clock.advance(DAY_MS));

    const today = () => platform.clock.today();
    /** Runs the job twice on each replica, concurrently. */
    const runOnAllReplicas = () =>
      Promise.all([...nightlyChecks, ...nightlyChecks].map((job) => job.runOnce()));
    const newestRun = async () => (await runs('?limit=1'))[0].id as string;
    /** Returns the ids of the runs after the given one, newest first. */
    const runsSince = async (id: string) => {
      const ids = ((await runs()) as { id: string }[]).map((run) => run.id);
      return ids.slice(0, ids.indexOf(id));
    };

    it('runs once a night on one of the replicas', async () => {
      const before = await newestRun();
      await runOnAllReplicas();
      await runOnAllReplicas();
      expect(await runsSince(before)).toHaveLength(1);
      expect((await runs('?limit=1'))[0].night).toBe(today());
      platform.clock.advance(DAY_MS);
      await runOnAllReplicas();
      expect(await runsSince(before)).toHaveLength(2);
    });

    it('pauses withdrawals like a check that an admin requests', async () => {
      await changeBalance('5');
      await runOnAllReplicas();
      expect((await steps.request(ann, '10.00')).code).toBe('WITHDRAWALS_PAUSED');
      await resume('Known');
      platform.clock.advance(DAY_MS);
      await runOnAllReplicas(); // the next night finds no new violation
      expect((await steps.request(ann, '10.00')).status).toBe(201);
      await changeBalance('-5');
      // The entry of the withdrawal has recorded the changed balance, and is corrected too.
      await executeWithoutTriggers(
        platform,
        `update ledger_entry set balance_after = balance_after - 5
          where amount = -10
            and account_id = (select id from ledger_account
                               where owner_id = '${ann.id}' and kind = 'user.available')`,
      );
    });

    it('ends at shutdown without a stored run, and is repeated by the other replica', async () => {
      const jobs = (await startReplicaWithoutPort(platform)).get(Jobs);
      await jobs.started; // with a run of the job
      const job = jobs.get('nightly-check');
      platform.clock.advance(DAY_MS);
      const before = await newestRun();
      const lock = platform.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query('lock table investment_closing in access exclusive mode');
      const run = job.runOnce();
      await eventually(async () => expect(await sql(LOCK_WAITS)).not.toHaveLength(0));
      await job.end(); // while the check waits for the lock
      await run;
      await lock.rollbackTransaction();
      await lock.release();
      expect(await runsSince(before)).toHaveLength(0);
      await nightlyChecks[0]?.runOnce();
      expect(await runsSince(before)).toHaveLength(1);
    });

    it('is taken over when the replica that runs it dies', async () => {
      const before = await newestRun();
      await sql(
        `insert into lease (name, holder, until) values ('nightly-check', $1, now() + interval '1 minute')
         on conflict (name) do update set holder = excluded.holder, until = excluded.until`,
        [UNKNOWN_ID],
      );
      await runOnAllReplicas();
      expect(await runsSince(before)).toHaveLength(0); // the lease has not expired
      await sql("update lease set until = now() - interval '1 second' where name = 'nightly-check'");
      await runOnAllReplicas();
      expect(await runsSince(before)).toHaveLength(1);
    });
  });
});
