import { executeWithoutTriggers } from '../fixtures/ledger-corruption.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';
import { transferToCustody } from '../fixtures/transfers.js';
import {
  ADMIN_WITHDRAWALS,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../fixtures/withdrawals.js';

const PATH = '/api/admin/integrity';

describe('Integrity', () => {
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
  const deeds = () =>
    sql(`select actor, action, reason, subject_id as "pauseId", before, after from audit_entry
          where action like 'withdrawals.%' order by recorded_at`);
  /** Changes the stored balance of a user, by default ann, by this amount, without an entry. */
  const misstate = (by: string, { id } = ann) =>
    executeWithoutTriggers(
      platform,
      `update ledger_account set balance = balance + ${by} where owner_id = '${id}' and kind = 'user.available'`,
    );

  describe('the pause of withdrawals', () => {
    const told = ({ status, code }: { status: number; code: string | undefined }) => [status, code];
    const PAUSED = [503, 'WITHDRAWALS_PAUSED'];

    it('refuses requests, approvals and executions of withdrawals, and nothing else [SEC-026]', async () => {
      const [pending, toCancel, toReject, taken, failing] = [
        await steps.createPending(),
        await steps.createPending(),
        await steps.createPending(),
        await steps.createProcessing(),
        await steps.createProcessing(),
      ];
      const approved = await steps.createPending();
      await steps.approve(approved.id);
      expect((await pause('Something is odd')).data).toMatchObject({
        pausedBy: admin.email,
        reason: 'Something is odd',
        since: platform.clock.now().toISOString(),
      });

      const before = await platform.ledgerState();
      const asked = await steps.request(ann, '10.00');
      expect(told(asked)).toEqual(PAUSED);
      expect(Number(asked.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(told(await steps.take(pending.id))).toEqual(PAUSED);
      expect(told(await steps.approve(pending.id))).toEqual(PAUSED);
      expect(told(await steps.execute(approved.id))).toEqual(PAUSED);
      const bulk = await platform
        .as(admin)
        .post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [pending.id, approved.id] });
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
      expect((await steps.request(ann, '10.00')).status).toBe(201);
      expect((await steps.take(pending.id)).status).toBe(200);
      expect((await steps.execute(approved.id)).status).toBe(200);
    });

    it('is recorded in the audit log with admin, reason and states', async () => {
      const [paused, resumed] = await deeds();
      expect(paused).toMatchObject({
        actor: admin.email,
        action: 'withdrawals.pause',
        reason: 'Something is odd',
        before: { status: 'open' },
        after: { status: 'paused' },
      });
      expect(resumed).toMatchObject({
        actor: admin.email,
        action: 'withdrawals.resume',
        reason: 'It was nothing',
        pauseId: paused.pauseId,
        before: { status: 'paused', pausedBy: admin.email, reason: 'Something is odd' },
        after: { status: 'open', stillBroken: [] },
      });
    });

    it('requires all permissions and a reason', async () => {
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

    it('begins and ends once, for any number of concurrent requests', async () => {
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

    it('applies on every replica from the moment of the response', async () => {
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

  describe('an acknowledged violation', () => {
    it('does not pause withdrawals again, but any further violation does', async () => {
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
      expect((await steps.request(await platform.given.user().withBalance('20.00'), '10.00')).status).toBe(
        201,
      );
      expect(await check()).toMatchObject({ status: 'broken', pause: null });

      await misstate('1');
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await resume();
      await misstate('-6');
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
      await misstate('6'); // corrected, and violated again
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await misstate('-6');
      await resume();
      const lastDeed = (await deeds()).findLast(
        ({ action }: { action: string }) => action === 'withdrawals.pause',
      );
      expect(lastDeed).toMatchObject({ actor: 'system', reason: 'Broken: balances (1), backing (1).' });
    });

    it('is new once when its account gets an entry, and not with every further entry', async () => {
      const bob = await platform.given.user().withBalance('1000.00');
      await misstate('5', bob);
      await check();
      await resume('Known');
      expect((await steps.request(bob, '10.00')).status).toBe(201);
      expect((await check()).pause).toMatchObject({ reason: 'Broken: balance-chain (1).' });
      await resume('It is the same');
      expect((await steps.request(bob, '10.00')).status).toBe(201);
      expect(await check()).toMatchObject({ status: 'broken', pause: null });

      await misstate('-5', bob);
      const itsEntries = `account_id = (select id from ledger_account where owner_id = '${bob.id}' and kind = 'user.available')`;
      await executeWithoutTriggers(
        platform,
        `update ledger_entry set balance_after = balance_after - 5 where amount = -10 and ${itsEntries}`,
      );
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
    });

    it('cannot be acknowledged before it has paused withdrawals [SEC-010]', async () => {
      await misstate('5');
      expect((await resume()).code).toBe('INVALID_STATE'); // withdrawals are not paused
      expect((await check()).pause).not.toBeNull();
      await misstate('-5');
      await resume();
    });
  });
});
