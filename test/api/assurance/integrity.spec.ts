import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { transferToCustody } from '../../fixtures/transfers.js';
import {
  ADMIN_WITHDRAWALS,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/integrity';

describe('/api/admin/integrity', () => {
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
  const pause = (reason: unknown = 'Stop', by = admin) => platform.as(by).post(`${PATH}/pause`, { reason });
  const resume = (reason: unknown = 'Go on', by = admin) =>
    platform.as(by).post(`${PATH}/resume`, { reason });
  const auditEntries = () =>
    sql(`select actor, action, reason, subject_id as "pauseId", before, after from audit_entry
          where action like 'withdrawals.%' order by recorded_at`);
  /** Adds an amount to a user's stored balance without a posting. */
  const changeBalance = (amount: string, { id } = ann) =>
    executeWithoutTriggers(
      platform,
      `update ledger_account set balance = balance + ${amount} where owner_id = '${id}' and kind = 'user.available'`,
    );

  describe('POST pause and resume', () => {
    const statusAndCode = ({ status, code }: { status: number; code: string | undefined }) => [status, code];
    const PAUSED = [503, 'WITHDRAWALS_PAUSED'];

    it('stop and restart all steps towards a payment, but not completion, rejection, cancellation and failure [SEC-026]', async () => {
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
      const withdrawalReply = await steps.request(ann, '10.00');
      expect(statusAndCode(withdrawalReply)).toEqual(PAUSED);
      expect(Number(withdrawalReply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(statusAndCode(await steps.take(pending.id))).toEqual(PAUSED);
      expect(statusAndCode(await steps.approve(pending.id))).toEqual(PAUSED);
      expect(statusAndCode(await steps.execute(approved.id))).toEqual(PAUSED);
      const bulk = await platform
        .as(admin)
        .post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [pending.id, approved.id] });
      expect([bulk.status, bulk.data.taken]).toEqual([200, []]);
      expect(bulk.data.failed.map(({ code }: { code: string }) => code)).toEqual([
        'WITHDRAWALS_PAUSED',
        'WITHDRAWALS_PAUSED',
      ]);
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

    it('are recorded in the audit log with actor, reason and state', async () => {
      await pause('Something is odd');
      await resume('It was nothing');
      const [paused, resumed] = (await auditEntries()).slice(-2);
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

    it('require the permission * and a reason', async () => {
      expect(statusAndCode(await pause('Stop', operator))).toEqual([403, 'PERMISSION_DENIED']);
      expect(statusAndCode(await platform.as(admin).post(`${PATH}/pause`, {}))).toEqual([
        400,
        'MISSING_REQUIRED_FIELD',
      ]);
      expect(statusAndCode(await pause('  '))).toEqual([400, 'VALIDATION_ERROR']);
      await pause();
      expect(statusAndCode(await resume('Go on', operator))).toEqual([403, 'PERMISSION_DENIED']);
      expect(statusAndCode(await platform.as(admin).post(`${PATH}/resume`, {}))).toEqual([
        400,
        'MISSING_REQUIRED_FIELD',
      ]);
      expect(statusAndCode(await resume('x'.repeat(501)))).toEqual([400, 'VALIDATION_ERROR']);
      expect((await check()).pause).not.toBeNull();
      await resume();
    });

    it('take effect once when called concurrently', async () => {
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

    it('take effect on every replica before they are answered', async () => {
      const replica = await startReplica(platform, {});
      const withdrawal = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
      const withdrawOnReplica = () => platform.as(ann, replica).post('/api/user/withdrawals', withdrawal);
      expect((await withdrawOnReplica()).status).toBe(201);
      let isPauseAnswered = false;
      const pausing = pause().then(() => (isPauseAnswered = true));
      const codesAfterPause: (string | undefined)[] = [];
      while (codesAfterPause.length < 5) {
        const isSentAfterPause = isPauseAnswered;
        const { code } = await withdrawOnReplica();
        if (isSentAfterPause) codesAfterPause.push(code);
      }
      await pausing;
      expect(new Set(codesAfterPause)).toEqual(new Set(['WITHDRAWALS_PAUSED']));
      await resume();
      expect((await withdrawOnReplica()).status).toBe(201);
    });
  });

  describe('GET, with a violation,', () => {
    it('does not pause withdrawals again after an admin has resumed them, unless a further violation is found', async () => {
      await changeBalance('5');
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

      await changeBalance('1');
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await resume();
      await changeBalance('-6');
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
      await changeBalance('6'); // the violation ended and occurs again
      expect((await check()).pause).toMatchObject({ pausedBy: 'system' });
      await changeBalance('-6');
      await resume();
      const lastEntry = (await auditEntries()).findLast(
        ({ action }: { action: string }) => action === 'withdrawals.pause',
      );
      expect(lastEntry).toMatchObject({ actor: 'system', reason: 'Broken: balances (1), backing (1).' });
    });

    it('pauses withdrawals once more after the first posting to the account concerned, and not after later ones', async () => {
      const bob = await platform.given.user().withBalance('1000.00');
      await changeBalance('5', bob);
      await check();
      await resume('Known');
      expect((await steps.request(bob, '10.00')).status).toBe(201);
      // The posting recorded the changed balance, which does not follow from the entry before it.
      expect((await check()).pause).toMatchObject({ reason: 'Broken: balance-chain (1).' });
      await resume('It is the same');
      expect((await steps.request(bob, '10.00')).status).toBe(201);
      expect(await check()).toMatchObject({ status: 'broken', pause: null });

      await changeBalance('-5', bob);
      // The entries of both withdrawals have recorded the changed balance, and are corrected too.
      await executeWithoutTriggers(
        platform,
        `update ledger_entry set balance_after = balance_after - 5
          where amount = -10
            and account_id = (select id from ledger_account
                               where owner_id = '${bob.id}' and kind = 'user.available')`,
      );
      expect(await check()).toMatchObject({ status: 'holds', pause: null });
    });

    it('pauses withdrawals even if an admin has tried to acknowledge the violation before it is found [SEC-010]', async () => {
      await changeBalance('5');
      expect((await resume()).code).toBe('INVALID_STATE'); // withdrawals are not paused yet
      expect((await check()).pause).not.toBeNull();
      await changeBalance('-5');
      await resume();
    });
  });
});
