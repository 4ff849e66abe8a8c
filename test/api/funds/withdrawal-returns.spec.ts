import { EVENTS, FeedReader } from '../../fixtures/event-feed.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { liveSteps } from '../../fixtures/live.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { eventually } from '../../harness/eventually.js';
import type { LiveClient } from '../../harness/live-client.js';
import { InvariantsRepository } from '../../../src/modules/assurance/integrity/invariants.repository.js';
import { WithdrawalPaymentsService } from '../../../src/modules/funds/withdrawals/withdrawal-payments.service.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, UNKNOWN_ID, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

const LARGE = '1000.00';

let platform: TestPlatform;
let treasury: TreasurySteps;
let steps: WithdrawalSteps;
let operator: TestAdmin;
let admin2: TestAdmin;

beforeAll(async () => {
  platform = await startPlatform({ settings: { WITHDRAWAL_FOUR_EYES_ABOVE: LARGE } });
  treasury = await treasurySteps(platform);
  steps = treasury.withdrawals;
  admin2 = treasury.admin2;
  operator = await platform.given.admin('operator');
});
afterAll(() => platform?.stop());

const withoutChain = <Result>(work: () => Promise<Result>): Promise<Result> => {
  platform.outside.providers.faults.set('chain', 'error');
  return work().finally(() => platform.outside.providers.endFault('chain'));
};
const auditOf = async (id: string) =>
  (await platform.as(steps.admin).get(`/api/admin/audit?subjectId=${id}`)).data;

describe('POST /api/admin/withdrawals/:id/return', () => {
  it('makes a taken withdrawal pending again, which another operator takes and completes', async () => {
    const { id, ann } = await steps.createPending('100.01');
    await steps.take(id, operator);
    const before = await platform.ledgerState();
    const returned = await steps.return(id, 'Too late today', operator);
    expect(returned).toMatchObject({
      status: 200,
      data: { id, status: 'pending', takenBy: null, takenAt: null, executedAt: null, note: 'Too late today' },
    });
    expect(await platform.ledgerState()).toEqual(before);
    const [transaction] = (await platform.as(ann).get('/api/user/transactions?type=withdrawal')).data;
    expect(transaction).toMatchObject({ status: 'pending', metadata: { balanceChange: '-100.01' } });

    expect((await steps.take(id, admin2)).data).toMatchObject({
      status: 'processing',
      takenBy: admin2.email,
    });
    const paid = await platform.outside.chain.payUsdc(DESTINATION, '100.01');
    expect((await steps.complete(id, paid, {}, admin2)).data).toMatchObject({
      status: 'completed',
      takenBy: admin2.email,
      note: null,
    });
    expect((await steps.detail(id)).lifecycle).toMatchObject([
      { action: 'request' },
      { action: 'take', by: operator.email },
      { action: 'return', status: 'pending', by: operator.email, note: 'Too late today' },
      { action: 'take', by: admin2.email },
      { action: 'complete', by: admin2.email },
    ]);
  });

  it('is audited with its reason and the admin who had taken the withdrawal', async () => {
    const { id } = await steps.createProcessing();
    await steps.return(id, 'Taken by mistake');
    const [entry] = (await auditOf(id)).filter(
      ({ action }: { action: string }) => action === 'withdrawal.return',
    );
    expect(entry).toMatchObject({
      admin: steps.admin.email,
      reason: 'Taken by mistake',
      before: { status: 'processing', takenBy: steps.admin.email },
      after: { status: 'pending', takenBy: null },
    });
  });

  it('does not let the user cancel the withdrawal, because its payment may still appear; an operator rejects it', async () => {
    const { id, ann } = await steps.createPending('100.04');
    const isCancellable = async () =>
      (await platform.as(ann).get(`/api/user/withdrawals/${id}`)).data.cancellable as boolean;
    expect(await isCancellable()).toBe(true);
    await steps.take(id);
    expect(await isCancellable()).toBe(false);
    await steps.return(id);
    expect(await isCancellable()).toBe(false);
    const refused = await steps.cancel(id, ann);
    expect(refused).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(refused.body.error).toMatchObject({
      message: expect.stringContaining('can no longer be cancelled'),
      details: { status: 'pending', action: 'cancel', allowedFrom: [] },
    });
    expect(await steps.funds(ann)).toMatchObject({ reserved: '100.04' });
    // Without the chain the service cannot search for an earlier payment, so that the rejection waits for a second admin.
    const whileUnreachable = await withoutChain(() => steps.reject(id));
    expect(whileUnreachable).toMatchObject({ status: 202, data: { kind: 'withdrawal.reject-paid' } });
    await platform.as(steps.admin).post(`/api/admin/approvals/${whileUnreachable.data.id}/withdraw`, {});
    expect((await steps.reject(id)).data).toMatchObject({ status: 'rejected' });
    expect(await steps.funds(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' });
  });

  it('is refused while the chain cannot be searched [SEC-700]', async () => {
    const { id } = await steps.createProcessing();
    const refused = await withoutChain(() => steps.return(id));
    expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(refused.body.error.message).toContain('Try again shortly');
    expect((await steps.detail(id)).status).toBe('processing');
    expect((await steps.return(id)).status).toBe(200);
  });

  it.each(['return', 'reject'] as const)(
    'is refused, and a rejection likewise, if the withdrawal is returned and taken again during the search of the chain: %s',
    async (verb) => {
      const { id } = await steps.createProcessing();
      const payments = platform.app.get(WithdrawalPaymentsService);
      const search = payments.findPaymentSinceRequest.bind(payments);
      const spy = jest
        .spyOn(payments, 'findPaymentSinceRequest')
        .mockImplementationOnce(async (searchedId) => {
          const result = await search(searchedId);
          await steps.return(id);
          platform.clock.advance(1000);
          await steps.take(id);
          return result;
        });
      const refused = await steps[verb](id);
      spy.mockRestore();
      expect(refused).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(refused.body.error.message).toContain('has changed');
      expect((await steps.detail(id)).status).toBe('processing');
    },
  );

  it('is permitted to the admin who has taken it and to admins with all permissions only', async () => {
    const { id } = await steps.createPending();
    await steps.take(id);
    const refused = await steps.return(id, 'Mine now', operator);
    expect(refused).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
      body: { error: { details: { required: '*' } } },
    });
    expect((await steps.detail(id)).status).toBe('processing');
    expect((await steps.return(id, 'On holiday', admin2)).status).toBe(200);
  });

  it('ends an approval: a large withdrawal needs another one before it is taken again [SEC-701]', async () => {
    const { id } = await steps.createPending(LARGE);
    await steps.approve(id);
    await steps.take(id, admin2);
    const { data } = await steps.return(id, 'Look again', admin2);
    expect(data).toMatchObject({ status: 'pending', approvedBy: null, approvedAt: null });
    expect((await steps.take(id, admin2)).code).toBe('FOUR_EYES_REQUIRED');
    platform.clock.advance(1000);
    await steps.approve(id);
    expect((await steps.take(id, admin2)).data).toMatchObject({ status: 'processing' });
    const { laws } = (await platform.as(steps.admin).get('/api/admin/integrity')).data;
    const law = laws.find(({ name }: { name: string }) => name === 'withdrawal-steps');
    expect(law).toMatchObject({ status: 'holds' });
  });

  it('must clear the approval and the taking: the integrity check reports a withdrawal that still names the former ones', async () => {
    const { id } = await steps.createPending(LARGE);
    const approveAndTake = () => steps.approve(id).then(() => steps.take(id, admin2));
    const violations = async () => {
      const { findings } = await platform.app.get(InvariantsRepository).checkInvariants();
      const found = findings.find(({ invariant }) => invariant.name === 'withdrawal-steps');
      return found?.violations.map(({ subject }) => subject);
    };
    const both = [`approval of withdrawal ${id}`, `taking of withdrawal ${id}`];
    const change = (values: string) =>
      executeWithoutTriggers(platform, `update withdrawal set ${values} where id = '${id}'`);
    /** Writes the first or the last approval and taking among the steps into the withdrawal. */
    const writeDecisions = (which: 'first' | 'last') => {
      const order = which === 'first' ? 'asc' : 'desc';
      const step = (verb: string) =>
        `(select at, by_id from withdrawal_event where withdrawal_id = '${id}' and verb = '${verb}' order by id ${order} limit 1)`;
      return change(
        `(approved_at, approved_by) = ${step('approve')}, (executed_at, taken_by) = ${step('take')}`,
      );
    };

    await approveAndTake();
    await steps.return(id, 'Look again', admin2);
    await writeDecisions('first');
    expect(await violations()).toEqual(both);
    await change('approved_at = null, approved_by = null, executed_at = null, taken_by = null'); // as after the return
    platform.clock.advance(1000);
    await approveAndTake();
    expect(await violations()).toEqual([]);
    await writeDecisions('first');
    expect(await violations()).toEqual(both);
    await writeDecisions('last');
    expect(await violations()).toEqual([]);
  });

  it('is refused if the chain shows a payment, which the next operator would repeat [SEC-805]', async () => {
    const { id } = await steps.createProcessing('100.02');
    const paid = await platform.outside.chain.payUsdc(DESTINATION, '100.02');
    const refused = await steps.return(id);
    expect(refused).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(refused.body.error.message).toContain(paid);
    expect((await steps.complete(id, paid)).data).toMatchObject({ chainCheck: 'matched' });
  });

  it('is an event of the feed and of live delivery for admins, and none for the user', async () => {
    const { id, ann } = await steps.createProcessing();
    const reader = new FeedReader(platform, steps.admin);
    await reader.readNew();
    const live = liveSteps(platform);
    try {
      const own = await live.connect({ token: ann.token });
      const admins = await live.connect({ token: steps.admin.token });
      await steps.return(id, 'Wrong network');
      const events = (await reader.readNew()).filter(({ userId }) => userId === ann.id);
      expect(events).toMatchObject([
        {
          type: 'withdrawal.returned',
          subject: { type: 'withdrawal', id },
          data: { reason: 'Wrong network' },
        },
      ]);
      expect(events[0]?.data).toMatchObject({ withdrawalId: id, status: 'pending' });
      await steps.take(id);
      const typesOf = (client: LiveClient) =>
        client.events.filter(({ data }) => data.withdrawalId === id).map(({ type }) => type);
      await eventually(async () =>
        expect(typesOf(admins)).toEqual(['withdrawal.returned', 'withdrawal.taken']),
      );
      await eventually(async () => expect(typesOf(own)).toEqual(['withdrawal.taken']));
      expect(admins.events.find(({ type }) => type === 'withdrawal.returned')?.data).toMatchObject({
        userId: ann.id,
        reason: 'Wrong network',
      });
    } finally {
      await live.endAll();
    }
    const { data } = await platform.as(ann).get('/api/user/notifications?limit=100');
    const titles = data.filter(({ type }: { type: string }) => type === 'withdrawal');
    expect(titles).toHaveLength(3); // requested, and taken twice
    expect((await platform.as(operator).get(EVENTS)).code).toBe('PERMISSION_DENIED');
  });

  it.each([undefined, '', '   ', 'a\nb'])('refuses the reason %j: 400 REASON_REQUIRED', async (reason) => {
    const { id } = await steps.createProcessing();
    const reply = await platform.as(steps.admin).post(`/api/admin/withdrawals/${id}/return`, { reason });
    expect([reply.status, reply.code]).toEqual([400, 'REASON_REQUIRED']);
  });
});

describe('POST /api/admin/withdrawals/:id/fail', () => {
  it('keeps the amount reserved, tells the user why, and a reversal by two admins returns the amount', async () => {
    const { id, ann } = await steps.createProcessing('80.00');
    const failed = await steps.failByHand(id, 'The custody provider has rejected the transfer', operator);
    expect(failed).toMatchObject({ status: 200, data: { id, status: 'failed' } });
    expect(await steps.funds(ann)).toMatchObject({ available: '199920.00', reserved: '80.00' });
    const own = () => platform.as(ann).get(`/api/user/withdrawals/${id}`);
    expect((await own()).data).toMatchObject({
      status: 'failed',
      failureReason: 'The custody provider has rejected the transfer',
      returned: false,
    });
    const [entry] = (await auditOf(id)).filter(
      ({ action }: { action: string }) => action === 'withdrawal.fail',
    );
    expect(entry).toMatchObject({
      admin: operator.email,
      reason: 'The custody provider has rejected the transfer',
    });

    const reversal = await treasury.createApproved({ type: 'reversal', withdrawalId: id, amount: '80.00' });
    await treasury.confirm(reversal);
    expect(await steps.funds(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' });
    expect((await own()).data).toMatchObject({ status: 'failed', returned: true });
  });

  it('is undone by a completion with a payment that the chain shows', async () => {
    const { id } = await steps.createProcessing('100.03');
    await steps.failByHand(id);
    const paid = await platform.outside.chain.payUsdc(DESTINATION, '100.03');
    expect((await steps.complete(id, paid)).data).toMatchObject({
      status: 'completed',
      chainCheck: 'matched',
    });
  });

  it('is refused for an unknown withdrawal, and without a reason', async () => {
    expect((await steps.failByHand(UNKNOWN_ID)).code).toBe('WITHDRAWAL_NOT_FOUND');
    const { id } = await steps.createProcessing();
    for (const reason of [null, ' '])
      expect((await steps.failByHand(id, reason)).code).toBe('REASON_REQUIRED');
    expect((await steps.detail(id)).status).toBe('processing');
  });
});
