import { randomUUID } from 'node:crypto';
import { verifyReceipt } from '../../../client/verify.js';
import { LogKeysService } from '../../../src/modules/assurance/proofs/log-keys.service.js';
import { OPERATORS_OWN, uniqueAmount } from '../../fixtures/approval-requests.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { sealLog } from '../../fixtures/log-reader.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  unknownHash,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { repetitions } from '../../harness/repetitions.js';

const ROUNDS = repetitions(24);

describe('A withdrawal that an operator has taken', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let approvals: ApprovalSteps;
  let operator: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600', LOG_SEAL_SECONDS: '3600' } });
    steps = await withdrawalSteps(platform); // as `admin`, who takes part in no withdrawal
    approvals = await approvalSteps(platform);
    operator = await platform.given.admin('operator');
  });
  afterAll(() => platform?.stop());

  /** A withdrawal of a user with 1000.00, which the operator has taken. */
  async function takenWithdrawal(): Promise<{ id: string; ann: TestUser; amount: string }> {
    const amount = uniqueAmount();
    const ann = await platform.given.user().withBalance('1000.00');
    const { id } = (await steps.request(ann, amount)).data;
    expect((await steps.take(id, operator)).status).toBe(200);
    return { id, ann, amount };
  }
  const pay = (amount: string, to = DESTINATION) => platform.outside.chain.payUsdc(to, amount);
  const complete = (id: string, hash: string) => steps.complete(id, hash, {}, operator);
  const reject = (id: string, by = operator) => steps.reject(id, 'He has withdrawn elsewhere', by);
  const alertsOf = async (id: string) => {
    const { data } = await platform.as(steps.admin).get('/api/admin/alerts?limit=100');
    return data.filter(({ subject }: any) => subject.id === id);
  };
  const resolve = (alertId: string, by: TestAdmin) =>
    platform.as(by).post(`/api/admin/alerts/${alertId}/resolve`, { reason: 'Clear' });
  const FOUR_EYES = { status: 403, code: 'FOUR_EYES_REQUIRED' };

  describe('and completes with a transaction that is not its payment', () => {
    it('stays in processing with its amount reserved and without a receipt of its payment until a second admin approves [SEC-205]', async () => {
      const { id, ann, amount } = await takenWithdrawal();
      const txHash = await pay(amount, OPERATORS_OWN);
      const before = await platform.ledgerState();
      const requested = await complete(id, txHash);
      expect(requested).toMatchObject({
        status: 202,
        data: {
          kind: 'withdrawal.complete-mismatch',
          subject: { type: 'withdrawal', id, label: `${amount} USDC to ${DESTINATION}` },
          change: {
            before: { status: 'processing' },
            after: {
              status: 'completed',
              txHash,
              chainCheck: 'mismatch',
              chainCheckReason: 'NO_SUCH_TRANSFER',
            },
          },
          status: 'pending',
          requestedBy: operator.email,
        },
      });
      expect(await steps.detail(id)).toMatchObject({ status: 'processing', txHash: null, chainCheck: null });
      expect(await steps.funds(ann)).toMatchObject({ reserved: amount });
      expect(await platform.ledgerState()).toEqual(before);
      await sealLog(platform);
      const receipt = (await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}/receipt`)).data;
      const keys = platform.app.get(LogKeysService).signingKeys.map(({ publicKey }) => publicKey.jwk);
      expect(await verifyReceipt(receipt, { keys })).toMatchObject({ status: 'processing', txHash: null });
      expect(await approvals.approve(requested.data.id, operator)).toMatchObject(FOUR_EYES);
      expect(await alertsOf(id)).toEqual([]);
      await approvals.reject(requested.data.id);
    });

    it('raises an alert, which neither of the two admins can resolve, when a second admin approves [SEC-206]', async () => {
      const { id, ann, amount } = await takenWithdrawal();
      const txHash = await pay(amount, OPERATORS_OWN);
      await approvals.carryOut(complete(id, txHash));
      expect(await steps.detail(id)).toMatchObject({ status: 'completed', txHash, chainCheck: 'mismatch' });
      expect(await steps.funds(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
      const [alert, ...others] = await alertsOf(id);
      expect(others).toEqual([]);
      expect(alert).toMatchObject({ kind: 'payment-mismatch', subject: { txHash }, resolvedAt: null });
      for (const by of [operator, approvals.second])
        expect(await resolve(alert.id, by)).toMatchObject(FOUR_EYES);
      expect(await alertsOf(id)).toEqual([alert]);
      expect(await resolve(alert.id, steps.admin)).toMatchObject({
        status: 200,
        data: { resolvedBy: steps.admin.email },
      });
    });

    it('is completed at once if the chain does not know the transaction yet, and so cannot contradict it', async () => {
      const { id } = await takenWithdrawal();
      expect(await complete(id, unknownHash())).toMatchObject({
        status: 200,
        data: { status: 'completed', chainCheck: 'unverified' },
      });
    });

    it('is answered with the same 202 and the same approval when the request is repeated with its Idempotency-Key', async () => {
      const { id, amount } = await takenWithdrawal();
      const body = { txHash: await pay(amount, OPERATORS_OWN) };
      const headers = { 'idempotency-key': randomUUID() };
      const send = () => platform.as(operator).post(`${ADMIN_WITHDRAWALS}/${id}/complete`, body, { headers });
      const first = await send();
      const second = await send();
      expect(first.status).toBe(202);
      expect(second).toMatchObject({ status: 202, data: first.data });
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      const listed = await approvals.list('status=pending&kind=withdrawal.complete-mismatch&limit=100');
      expect(listed.data.filter(({ subject }: any) => subject.id === id)).toEqual([first.data]);
    });

    it('is completed once if the approval races with a completion by the right hash [SEC-207]', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { id, ann, amount } = await takenWithdrawal();
        const approvalId = (await complete(id, await pay(amount, OPERATORS_OWN))).data.id;
        const rightHash = await pay(amount);
        const [approval, completion] = await Promise.all([
          approvals.approve(approvalId),
          complete(id, rightHash),
        ]);
        const { chainCheck } = await steps.detail(id);
        if (completion.status === 200) {
          expect(approval.data).toMatchObject({ status: 'failed', failure: { code: 'INVALID_STATE' } });
          expect(chainCheck).toBe('matched');
        } else {
          expect(completion).toMatchObject({ status: 422, code: 'INVALID_STATE' });
          expect([approval.data.status, chainCheck]).toEqual(['approved', 'mismatch']);
        }
        expect(await steps.funds(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
      }
    });
  });

  describe('and rejects', () => {
    it('is not rejected by the operator alone if it was paid: the money would be with the user twice [SEC-208]', async () => {
      const { id, ann, amount } = await takenWithdrawal();
      const txHash = await pay(amount);
      const before = await platform.ledgerState();
      const requested = await reject(id);
      expect(requested).toMatchObject({
        status: 202,
        data: {
          kind: 'withdrawal.reject-paid',
          subject: { type: 'withdrawal', id },
          change: { before: { status: 'processing' }, after: { status: 'rejected', payment: { txHash } } },
          reason: 'He has withdrawn elsewhere',
          requestedBy: operator.email,
        },
      });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.request(ann, '1000.00')).code).toBe('INSUFFICIENT_BALANCE');
      expect(await approvals.approve(requested.data.id, operator)).toMatchObject(FOUR_EYES);
      expect((await approvals.reject(requested.data.id, 'It was paid.')).data.status).toBe('rejected');
      expect((await steps.detail(id)).status).toBe('processing');
      expect(await complete(id, txHash)).toMatchObject({ status: 200, data: { chainCheck: 'matched' } });
      expect(await steps.funds(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
    });

    it('raises an alert, which neither of the two admins can resolve, when a second admin approves the rejection although it was paid [SEC-209]', async () => {
      const { id, ann, amount } = await takenWithdrawal();
      const txHash = await pay(amount);
      await approvals.carryOut(reject(id));
      expect((await steps.detail(id)).status).toBe('rejected');
      expect(await steps.funds(ann)).toMatchObject({ available: '1000.00', reserved: '0.00' });
      const [alert, ...others] = await alertsOf(id);
      expect(others).toEqual([]);
      expect(alert).toMatchObject({ kind: 'withdrawal-paid-after-failure', subject: { txHash } });
      for (const by of [operator, approvals.second])
        expect(await resolve(alert.id, by)).toMatchObject(FOUR_EYES);
      expect((await resolve(alert.id, steps.admin)).status).toBe(200);
    });

    it('is rejected at once if the chain shows no payment', async () => {
      const { id, ann } = await takenWithdrawal();
      expect(await reject(id)).toMatchObject({ status: 200, data: { status: 'rejected' } });
      expect(await steps.funds(ann)).toMatchObject({ available: '1000.00', reserved: '0.00' });
      expect(await alertsOf(id)).toEqual([]);
    });

    describe('while the chain cannot be read', () => {
      const whileChainFails = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        platform.outside.providers.faults.set('chain', 'error');
        return work().finally(() => platform.outside.providers.endFault('chain'));
      };

      it('waits for a second admin; a withdrawal that no operator has taken is rejected at once [SEC-210]', async () => {
        const { id, ann, amount } = await takenWithdrawal();
        const pending = await steps.createPending(uniqueAmount());
        await whileChainFails(async () => {
          const requested = await reject(id);
          expect(requested).toMatchObject({
            status: 202,
            data: { kind: 'withdrawal.reject-paid', change: { after: { payment: 'unreachable' } } },
          });
          expect(await steps.funds(ann)).toMatchObject({ reserved: amount });
          expect((await reject(pending.id)).data.status).toBe('rejected');
          expect((await approvals.approve(requested.data.id)).data.status).toBe('approved');
        });
        expect((await steps.detail(id)).status).toBe('rejected');
      });

      it('is not rejected by the approval if the chain shows a payment by then', async () => {
        const { id, amount } = await takenWithdrawal();
        const requested = await whileChainFails(() => reject(id));
        await pay(amount);
        expect((await approvals.approve(requested.data.id)).data).toMatchObject({
          status: 'failed',
          failure: { code: 'INVALID_STATE' },
        });
        expect((await steps.detail(id)).status).toBe('processing');
        expect((await reject(id)).data.change.after.payment).toMatchObject({ txHash: expect.any(String) });
      });
    });

    it('ends once if the approval of the rejection races with a completion [SEC-211]', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { id, ann, amount } = await takenWithdrawal();
        const txHash = await pay(amount);
        const approvalId = (await reject(id)).data.id;
        const [approval, completion] = await Promise.all([
          approvals.approve(approvalId),
          complete(id, txHash),
        ]);
        const { status } = await steps.detail(id);
        if (completion.status === 200) {
          expect(approval.data).toMatchObject({ status: 'failed', failure: { code: 'INVALID_STATE' } });
          expect(status).toBe('completed');
          expect(await steps.funds(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
        } else {
          expect(completion).toMatchObject({ status: 422, code: 'INVALID_STATE' });
          expect([approval.data.status, status]).toEqual(['approved', 'rejected']);
          expect(await steps.funds(ann)).toMatchObject({ available: '1000.00', withdrawals: '0.00' });
          expect(await alertsOf(id)).toHaveLength(1);
        }
      }
    });
  });
});
