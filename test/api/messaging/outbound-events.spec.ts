import { eventually } from '../../harness/eventually.js';
import { DomainEvents } from '../../../src/events/domain-events.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { Money } from '../../../src/common/money.js';
import type { WithdrawalEvent } from '../../../src/modules/funds/withdrawals/withdrawal.events.js';
import { isSignedBy } from '../../harness/event-receiver.js';
import { newHash, newProviderId, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { WebhookScenario, WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import {
  DESTINATION,
  UNKNOWN_ID,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

// Events for users' webhooks: each is written after the commit of its cause and only for its user.

const INVESTMENTS = '/api/user/investments';

describe("A user's webhook", () => {
  let scenario: WebhookScenario;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    scenario = await WebhookScenario.start({ INVESTMENT_APPROVAL_THRESHOLD: '5000.00' });
    steps = await withdrawalSteps(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  const countDeliveries = async (): Promise<number> => {
    await scenario.platform.caughtUp();
    return (
      await scenario.platform.dataSource.query('select count(*)::int as count from webhook_delivery')
    )[0].count;
  };

  it('receives the events of a deposit: seen, completed, held', async () => {
    const ann = await scenario.subscribe(undefined, await scenario.platform.given.user());
    const callbacks = new ProviderCallbacks(scenario.platform);
    const { data } = await scenario.platform.as(ann.user).get('/api/user/deposits/address');
    const [id, hash] = [newProviderId(), newHash()];
    const received = { id, hash, address: data.address, amount: '600' };
    await callbacks.reportDeposit({ ...received, status: 'Pending', confirmations: 0 });
    // A change of confirmations has no event.
    await callbacks.reportDeposit({ ...received, status: 'Processing', confirmations: 7 });
    await callbacks.reportDeposit({ ...received, status: 'Success', confirmations: 20 });
    await scenario.deliverDue();

    const [deposit] = (await scenario.platform.as(ann.user).get('/api/user/deposits')).data;
    expect(ann.receiver.received.map(({ type, data: { status } }) => [type, status]).sort()).toEqual([
      ['deposit.completed', 'completed'],
      ['deposit.seen', 'pending'],
    ]);
    const completed = ann.receiver.received.find(({ type }) => type === 'deposit.completed');
    expect(JSON.parse(completed?.body as string)).toEqual({
      type: 'deposit.completed',
      timestamp: '2026-03-02T10:00:00.000Z',
      data: {
        depositId: deposit.id,
        status: 'completed',
        amount: '600.00',
        currency: 'USDT',
        network: 'TRC20',
        credited: '600.00',
        txHash: hash,
        fromAddress: deposit.fromAddress,
        toAddress: data.address,
        confirmations: 20,
        reason: null,
      },
    });

    await callbacks.reportDeposit({ address: data.address, amount: '20' }); // below the minimum of 500.00
    await scenario.deliverDue();
    expect(ann.receiver.types().sort()).toEqual([
      'deposit.completed',
      'deposit.held',
      'deposit.seen',
      'deposit.seen',
    ]);
    for (const event of ann.receiver.received) expect(isSignedBy(ann.secret, event)).toBe(true);
  });

  it('receives the events of investments: created, closed, cancelled, and for a move moved, closed and created', async () => {
    const ann = await scenario.subscribe();
    const as = scenario.platform.as(ann.user);
    const invest = async (amount: string) =>
      (await as.post(INVESTMENTS, { strategyId: 'balanced-10', amount })).data.id as string;
    const closed = await invest('100.00');
    await as.delete(`${INVESTMENTS}/${closed}`);
    const cancelled = await invest('200.00');
    await as.post(`${INVESTMENTS}/${cancelled}/cancel`);
    const moved = await invest('300.00');
    const next = (await as.put(`${INVESTMENTS}/${moved}`, { strategyId: 'aggressive-20' })).data.id;
    await scenario.deliverDue();
    // A run of the background job may still be delivering one of the events.
    await eventually(async () => expect(ann.receiver.received).toHaveLength(8));

    const received = ann.receiver.received.map(({ type, data }) => [type, data.investmentId, data.amount]);
    expect(received.sort()).toEqual(
      [
        ['investment.created', closed, '100.00'],
        ['investment.closed', closed, '100.00'],
        ['investment.created', cancelled, '200.00'],
        ['investment.cancelled', cancelled, '200.00'],
        ['investment.created', moved, '300.00'],
        ['investment.closed', moved, '300.00'],
        ['investment.created', next, '300.00'],
        ['investment.moved', next, '300.00'],
      ].sort(),
    );
    const legs = ann.receiver.received.map(({ type, data }) => [type, data.movedFrom, data.movedTo]);
    expect(legs.filter(([, from, to]) => from !== null || to !== null).sort()).toEqual([
      ['investment.closed', null, next],
      ['investment.created', moved, null],
      ['investment.moved', moved, next],
    ]);
    const closing = ann.receiver.received.find(({ type }) => type === 'investment.closed');
    expect(Object.keys(closing?.data as object)).toEqual([
      'investmentId',
      'strategyId',
      'amount',
      'currency',
      'finalValue',
      'initialInvestment',
      'totalEarnings',
      'withdrawnAmount',
      'fees',
      'growth',
      'stillInvested',
      'reason',
      'movedFrom',
      'movedTo',
    ]);
  });

  it('receives the events of withdrawals: requested, taken, completed, rejected, cancelled, failed', async () => {
    const ann = await scenario.subscribe();
    const requestWithdrawal = async () => (await steps.request(ann.user, '50.00')).data.id as string;
    const hash = unknownHash();
    const completed = await requestWithdrawal();
    const rejected = await requestWithdrawal();
    const cancelled = await requestWithdrawal();
    const failed = await requestWithdrawal();
    await steps.take(completed);
    await steps.complete(completed, hash);
    await steps.reject(rejected, 'Unknown address.');
    await steps.cancel(cancelled, ann.user);
    await steps.take(failed);
    await steps.fail(failed);
    await scenario.deliverDue();

    const received = ann.receiver.received.map(({ type, data }) =>
      [type, data.withdrawalId, data.status].join(' '),
    );
    expect(received.sort()).toEqual(
      [
        ...[completed, rejected, cancelled, failed].map((id) => `withdrawal.requested ${id} pending`),
        ...[completed, failed].map((id) => `withdrawal.taken ${id} processing`),
        `withdrawal.completed ${completed} completed`,
        `withdrawal.rejected ${rejected} rejected`,
        `withdrawal.cancelled ${cancelled} rejected`,
        `withdrawal.failed ${failed} failed`,
      ].sort(),
    );
    const completion = ann.receiver.received.find(({ type }) => type === 'withdrawal.completed');
    expect(completion?.data).toEqual({
      withdrawalId: completed,
      status: 'completed',
      amount: '50.00',
      currency: 'USDC',
      toAddress: DESTINATION,
      txHash: hash,
      reason: null,
      cancelledByUser: false,
      cancelledAt: null,
    });
  });

  it('receives no events of rejected requests or rolled back transactions', async () => {
    const ann = await scenario.subscribe();
    const before = await countDeliveries();
    expect((await steps.request(ann.user, '10000.01')).code).toBe('INSUFFICIENT_BALANCE');
    const rolledBack = scenario.platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
      await scenario.platform.app.get(DomainEvents).emit(tx, withdrawalRequested(ann.user.id));
      throw new Error('undone');
    });
    await expect(rolledBack).rejects.toThrow('undone');
    await scenario.deliverDue();
    expect(await countDeliveries()).toBe(before);
    expect(ann.receiver.received).toEqual([]);
    expect((await steps.request(ann.user, '10.00')).status).toBe(201); // control: a committed event is delivered
    expect(await countDeliveries()).toBe(before + 1);
  });

  it('receives events only after their transaction is committed', async () => {
    const ann = await scenario.subscribe();
    await scenario.platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
      await scenario.platform.app.get(DomainEvents).emit(tx, withdrawalRequested(ann.user.id));
      await scenario.deliverDue();
      expect(ann.receiver.received).toEqual([]);
    });
    await scenario.deliverDue();
    expect(ann.receiver.types()).toEqual(['withdrawal.requested']);
  });

  it('receives only the subscribed events of its user', async () => {
    const ann = await scenario.subscribe(['investment.created']);
    const all = await scenario.subscribe(undefined, ann.user);
    const eve = await scenario.subscribe();
    await steps.request(ann.user, '10.00');
    await scenario.platform.as(ann.user).post(INVESTMENTS, { strategyId: 'balanced-10', amount: '100.00' });
    await scenario.deliverDue();
    expect(ann.receiver.types()).toEqual(['investment.created']);
    expect(all.receiver.types().sort()).toEqual(['investment.created', 'withdrawal.requested']);
    expect(eve.receiver.received).toEqual([]);
    const ids = [...ann.receiver.ids(), ...all.receiver.ids()];
    expect(new Set(ids).size).toBe(3); // each delivery has a unique id
  });

  it('receives no events of the time in which it was disabled', async () => {
    const ann = await scenario.subscribe();
    await scenario.platform.as(ann.user).put(`${WEBHOOKS}/${ann.id}`, { status: 'disabled' });
    await steps.request(ann.user, '10.00');
    await scenario.platform.caughtUp(); // the webhook has to be disabled when the event is handled
    await scenario.platform.as(ann.user).put(`${WEBHOOKS}/${ann.id}`, { status: 'active' });
    await scenario.deliverDue();
    expect(ann.receiver.received).toEqual([]);
    expect(await scenario.deliveries(ann)).toEqual([]);
  });

  it('does not prevent withdrawals when it is deleted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await scenario.subscribe();
      const [, ...replies] = await Promise.all([
        scenario.platform.as(ann.user).delete(`${WEBHOOKS}/${ann.id}`),
        ...Array.from({ length: 5 }, () => steps.request(ann.user, '10.00')),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    }
    await scenario.deliverDue();
  });
});

function withdrawalRequested(userId: string): WithdrawalEvent {
  return {
    name: 'withdrawal.requested',
    userId,
    at: new Date('2026-03-02T10:00:00.000Z'),
    withdrawalId: UNKNOWN_ID,
    amount: Money.of('50.00'),
    currency: 'USDC',
    toAddress: DESTINATION,
    txHash: null,
    reason: null,
  };
}
