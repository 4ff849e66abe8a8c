import { IntegrityRuns } from '../../src/modules/integrity/integrity-runs.js';
import { NightlyCheck } from '../../src/modules/integrity/nightly-check.js';
import { corrupt } from '../support/corruption.js';
import type { TestAdmin, TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import { replicaOf, startReplica } from '../support/replica.js';
import { transferToCustody } from '../support/transfers.js';
import { ADMIN_PATH, unknownHash, withdrawalSteps, type WithdrawalSteps } from '../support/withdrawals.js';

const PATH = '/api/admin/integrity';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('The check of all money', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin: TestAdmin;
  let operator: TestAdmin;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    admin = steps.admin;
    operator = await platform.given.admin('operator');
    ann = await platform.given.user().withBalance('10000.00');
  });
  afterAll(() => platform.stop());

  const sql = (text: string, parameters: unknown[] = []) => platform.dataSource.query(text, parameters);
  const check = async () => (await platform.as(admin).get(PATH)).data;
  const pause = (reason: unknown = 'Stop', by = admin) => platform.as(by).post(`${PATH}/pause`, { reason });
  const resume = (reason: unknown = 'Go on', by = admin) =>
    platform.as(by).post(`${PATH}/resume`, { reason });
  const runs = async (query = '?limit=100') => (await platform.as(admin).get(`${PATH}/runs${query}`)).data;
  const runCount = async () =>
    (await sql('select count(*)::int as count from integrity_run'))[0].count as number;
  const deeds = () =>
    sql(`select actor, action, reason, subject_id as "pauseId", before from audit_entry
          where action like 'withdrawals.%' order by recorded_at`);
  /** A user's balance is said to be higher by so much than it is: ann's, unless another is named. */
  const misstate = (by: string, { id } = ann) =>
    corrupt(
      platform,
      `update ledger_account set balance = balance + ${by} where owner_id = '${id}' and kind = 'user.available'`,
    );

  describe('the stop button', () => {
    const told = ({ status, code }: { status: number; code: string | undefined }) => [status, code];
    const PAUSED = [503, 'WITHDRAWALS_PAUSED'];

    it('stops what brings money closer to leaving, and nothing else', async () => {
      const [pending, toCancel, toReject, taken, failing] = [
        await steps.pending(),
        await steps.pending(),
        await steps.pending(),
        await steps.processing(),
        await steps.processing(),
      ];
      const approved = await steps.pending();
      await steps.approve(approved.id);
      expect((await pause('Something is odd')).data).toMatchObject({
        pausedBy: admin.email,
        reason: 'Something is odd',
        since: platform.clock.now().toISOString(),
      });

      const before = await platform.ledgerState();
      const asked = await steps.ask(ann, '10.00');
      expect(told(asked)).toEqual(PAUSED);
      expect(Number(asked.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(told(await steps.take(pending.id))).toEqual(PAUSED);
      expect(told(await steps.approve(pending.id))).toEqual(PAUSED);
      expect(told(await steps.execute(approved.id))).toEqual(PAUSED);
      const bulk = await platform
        .as(admin)
        .post(`${ADMIN_PATH}/bulk-take`, { ids: [pending.id, approved.id] });
      expect([bulk.status, bulk.data.taken]).toEqual([200, []]);
      expect(bulk.data.failed.map(({ code }: { code: string }) => code)).toEqual([PAUSED[1], PAUSED[1]]);
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.detail(pending.id)).status).toBe('pending');

      await transferToCustody(platform, '100.00');
      expect((await steps.complete(taken.id, unknownHash())).data.status).toBe('completed');
      expect((await steps.reject(toReject.id)).data.status).toBe('rejected');
      expect((await steps.cancel(toCancel.id, toCancel.ann)).data.status).toBe('rejected');
      expect(await steps.fail(failing.id)).toBe('failed');

      const resumed = await resume('It was nothing');
      expect(resumed).toMatchObject({
        status: 200,
        data: { ended: { pausedBy: admin.email, reason: 'Something is odd' } },
      });
      expect((await steps.ask(ann, '10.00')).status).toBe(201);
      expect((await steps.take(pending.id)).status).toBe(200);
      expect((await steps.execute(approved.id)).status).toBe(200);
    });

    it('is on record, with who, why and what it was about', async () => {
      const [paused, resumed] = await deeds();
      expect(paused).toMatchObject({
        actor: admin.email,
        action: 'withdrawals.pause',
        reason: 'Something is odd',
      });
      expect(resumed).toMatchObject({
        actor: admin.email,
        action: 'withdrawals.resume',
        reason: 'It was nothing',
        pauseId: paused.pauseId,
        before: { pausedBy: admin.email, reason: 'Something is odd' },
      });
    });

    it('is for those who may do everything, and asks for a reason', async () => {
      expect(told(await pause('Stop', operator))).toEqual([403, 'PERMISSION_DENIED']);
      expect(told(await platform.as(admin).post(`${PATH}/pause`, {}))).toEqual([
        400,
        'MISSING_REQUIRED_FIELD',
      ]);
      expect(told(await pause('  '))).toEqual([400, 'VALIDATION_ERROR']);
      await pause();
      expect(told(await resume('Go on', operator))).toEqual([403, 'PERMISSION_DENIED']);
      expect(told(await platform.as(admin).post(`${PATH}/resume`, {}))).toEqual([
        400,
        'MISSING_REQUIRED_FIELD',
      ]);
      expect(told(await resume('x'.repeat(501)))).toEqual([400, 'VALIDATION_ERROR']);
      expect((await check()).pause).not.toBeNull();
      await resume();
    });

    it('is pressed once, and let go once, however many do it at once', async () => {
      const pauses = await Promise.all(Array.from({ length: 10 }, () => pause()));
      expect(pauses.map(({ code }) => code ?? 'paused').sort()).toEqual([
        ...Array<string>(9).fill('INVALID_STATE'),
        'paused',
      ]);
      const resumes = await Promise.all(Array.from({ length: 10 }, () => resume()));
      expect(resumes.map(({ code }) => code ?? 'resumed').sort()).toEqual([
        ...Array<string>(9).fill('INVALID_STATE'),
        'resumed',
      ]);
      expect((await resume()).body.error.details).toEqual({
        status: 'open',
        action: 'resume',
        allowedFrom: ['paused'],
      });
    });

    it('counts on every replica from the moment that it is answered', async () => {
      const replica = await startReplica(platform, {});
      const wish = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
      const askThere = () => platform.as(ann, replica).post('/api/user/withdrawals', wish);
      expect((await askThere()).status).toBe(201);
      let isPaused = false;
      const pausing = pause().then(() => (isPaused = true));
      const codesAfter: (string | undefined)[] = [];
      while (codesAfter.length < 5) {
        const afterwards = isPaused;
        const { code } = await askThere();
        if (afterwards) codesAfter.push(code);
      }
      await pausing;
      expect(new Set(codesAfter)).toEqual(new Set(['WITHDRAWALS_PAUSED']));
      await resume();
      expect((await askThere()).status).toBe(201);
    });
  });

  describe('a break that an admin lives with', () => {
    it('does not pause withdrawals again, but anything on top of it does', async () => {
      await misstate('5');
      expect((await check()).pause).toMatchObject({
        pausedBy: 'system',
        reason: 'Broken: balances (1), backing (1).',
      });
      const { data } = await resume('Known: ann gets it back tomorrow');
      expect(data.stillBroken).toEqual([
        { name: 'balances', severity: 'owed', breakCount: 1 },
        { name: 'backing', severity: 'owed', breakCount: 1 },
        { name: 'transaction-history', severity: 'warning', breakCount: 1 },
      ]);
      expect(await check()).toMatchObject({ status: 'broken', pause: null });
      expect((await steps.ask(await platform.given.user().withBalance('20.00'), '10.00')).status).toBe(201);
      expect(await check()).toMatchObject({ status: 'broken', pause: null });

      await misstate('1');
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await resume();
      await misstate('-6');
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
      await misstate('6'); // it was gone, and is back
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await misstate('-6');
      await resume();
      const lastDeed = (await deeds()).findLast(
        ({ action }: { action: string }) => action === 'withdrawals.pause',
      );
      expect(lastDeed).toMatchObject({ actor: 'system', reason: 'Broken: balances (1), backing (1).' });
    });

    it('is told once more when its account moves, and not at every further movement', async () => {
      const bob = await platform.given.user().withBalance('1000.00');
      await misstate('5', bob);
      await check();
      await resume('Known');
      expect((await steps.ask(bob, '10.00')).status).toBe(201);
      expect((await check()).pause).toMatchObject({ reason: 'Broken: balance-chain (1).' });
      await resume('It is the same');
      expect((await steps.ask(bob, '10.00')).status).toBe(201);
      expect(await check()).toMatchObject({ status: 'broken', pause: null });

      await misstate('-5', bob);
      const itsEntries = `account_id = (select id from ledger_account where owner_id = '${bob.id}' and kind = 'user.available')`;
      await corrupt(
        platform,
        `update ledger_entry set balance_after = balance_after - 5 where amount = -10 and ${itsEntries}`,
      );
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
    });

    it('is never waved through by who has not seen it', async () => {
      await misstate('5');
      expect((await resume()).code).toBe('INVALID_STATE'); // nothing is paused yet
      expect((await check()).pause).not.toBeNull();
      await misstate('-5');
      await resume();
    });
  });

  describe('the list of runs', () => {
    it('tells of each what it found, the newest first', async () => {
      await misstate('5');
      platform.clock.advance(HOUR_MS);
      await check();
      platform.clock.advance(HOUR_MS);
      await resume();
      await misstate('-5');
      platform.clock.advance(HOUR_MS);
      await check();
      const now = platform.clock.now().getTime();
      const broken = [
        { name: 'balances', severity: 'owed', breakCount: 1 },
        { name: 'backing', severity: 'owed', breakCount: 1 },
        { name: 'transaction-history', severity: 'warning', breakCount: 1 },
      ];
      const at = (hoursAgo: number) => new Date(now - hoursAgo * HOUR_MS).toISOString();
      expect((await runs('?limit=3')) as unknown[]).toMatchObject([
        { checkedAt: at(0), status: 'holds', broken: [], paused: false, acknowledgedBy: null },
        { checkedAt: at(1), status: 'broken', broken, paused: false, acknowledgedBy: admin.email },
        { checkedAt: at(2), status: 'broken', broken, paused: true, acknowledgedBy: null },
      ]);
      const [{ entries }] = await sql('select count(*)::int as entries from ledger_entry');
      expect((await runs('?limit=1'))[0].entries).toBe(entries);
    });

    it('comes in pages, for whoever may read the audit log', async () => {
      const total = await runCount();
      const { body } = await platform.as(admin).get(`${PATH}/runs?page=2&limit=3`);
      expect(body.pagination).toMatchObject({ page: 2, limit: 3, total, hasPrevious: true });
      const all = await runs();
      expect(body.data).toEqual(all.slice(3, 6));
      expect((await platform.as(admin).get(`${PATH}/runs?page=0`)).code).toBe('INVALID_PAGINATION');
      expect((await platform.as(operator).get(`${PATH}/runs`)).code).toBe('PERMISSION_DENIED');
      expect((await platform.as(operator).get(PATH)).code).toBe('PERMISSION_DENIED');
    });

    it('keeps the last thousand, and what is acknowledged', async () => {
      await sql(
        `insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused, acknowledged_by)
         select gen_random_uuid(), timestamptz '2020-01-01' + n * interval '1 day', 1, 0, 'holds', '[]', false,
                case when n = 1 then 'admin@example.com' end
           from generate_series(1, 1000) as n`,
      );
      await check();
      const acknowledged = await sql(`select 1 from integrity_run where checked_at < '2020-01-03'`);
      expect(acknowledged).toHaveLength(1);
      expect(await runCount()).toBeGreaterThanOrEqual(1000);
      expect(await runCount()).toBeLessThan(1010); // those that are acknowledged come on top
    });

    it('tells probes of the last one', async () => {
      const { checkedAt } = await check();
      expect(await platform.app.get(IntegrityRuns).last()).toEqual({
        status: 'holds',
        at: new Date(checkedAt),
      });
    });
  });

  it('is done at most twice for twenty who ask at once', async () => {
    const before = (await runs('?limit=1'))[0].id as string;
    const replies = await Promise.all(Array.from({ length: 20 }, () => platform.as(admin).get(PATH)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = ((await runs('?limit=20')) as { id: string }[]).map(({ id }) => id);
    expect(ids.indexOf(before)).toBeGreaterThan(0);
    expect(ids.indexOf(before)).toBeLessThan(6); // 20 were asked for; a slow machine lets some come in late
  });

  describe('every night', () => {
    let replicas: NightlyCheck[];

    beforeAll(async () => {
      replicas = [platform.app, await replicaOf(platform)].map((app) => app.get(NightlyCheck));
    });
    beforeEach(() => platform.clock.advance(DAY_MS));

    const today = () => platform.clock.today();
    const everywhere = () => Promise.all([...replicas, ...replicas].map((replica) => replica.tonight()));
    const newest = async () => (await runs('?limit=1'))[0].id as string;
    /** Runs since one, the newest first. */
    const since = async (id: string) => {
      const ids = ((await runs()) as { id: string }[]).map((run) => run.id);
      return ids.slice(0, ids.indexOf(id));
    };

    it('is done once, by one of the replicas', async () => {
      const before = await newest();
      await everywhere();
      await everywhere();
      expect(await since(before)).toHaveLength(1);
      platform.clock.advance(DAY_MS);
      await everywhere();
      expect(await since(before)).toHaveLength(2);
    });

    it('pauses withdrawals as an admin’s look does', async () => {
      await misstate('5');
      await everywhere();
      expect((await steps.ask(ann, '10.00')).code).toBe('WITHDRAWALS_PAUSED');
      await resume('Known');
      platform.clock.advance(DAY_MS);
      await everywhere(); // the next night finds nothing new
      expect((await steps.ask(ann, '10.00')).status).toBe(201);
      await misstate('-5');
    });

    it('is taken over from a replica that has died over it', async () => {
      const before = await newest();
      await sql('insert into integrity_night (day, claimed_until) values ($1, now() + $2::interval)', [
        today(),
        '1 minute',
      ]);
      await everywhere();
      expect(await since(before)).toHaveLength(0); // it may still be alive
      await sql('update integrity_night set claimed_until = now() - $2::interval where day = $1', [
        today(),
        '1 second',
      ]);
      await everywhere();
      expect(await since(before)).toHaveLength(1);
    });
  });
});
