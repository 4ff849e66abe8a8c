import { LatePaymentScenario } from '../../fixtures/late-payments.js';
import { processDueCallbacks, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { RECONCILIATIONS, ReconciliationSteps } from '../../fixtures/reconciliations.js';
import { unknownHash } from '../../fixtures/withdrawals.js';

let scenario: LatePaymentScenario;

beforeAll(async () => {
  scenario = await LatePaymentScenario.start({ FOUR_EYES: 'off' });
});
afterEach(() => scenario.mineBeyondOverlap()); // the next run of the job does not read the payments of this test again
afterAll(() => scenario?.stop());

describe('A failed withdrawal that is paid late', () => {
  let cents = 0;

  /** Each withdrawal has a unique amount, because all have the same destination. */
  async function createFailed(user = scenario.carl): Promise<{ id: string; amount: string }> {
    const amount = `100.${String(++cents).padStart(2, '0')}`;
    const id = await scenario.createProcessing(amount, user);
    await scenario.steps.withdrawals.fail(id);
    return { id, amount };
  }
  const complete = (id: string, hash: string) => scenario.steps.withdrawals.complete(id, hash);
  /** Returns the reserved amount to the user. */
  async function reverse(withdrawalId: string, amount: string) {
    const reversal = { type: 'reversal', withdrawalId, amount };
    expect((await scenario.steps.confirm(await scenario.steps.createApproved(reversal))).status).toBe(200);
  }

  it('is reported once, with the next step', async () => {
    const { id, amount } = await createFailed();
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toMatchObject([
      {
        kind: 'withdrawal-paid-after-failure',
        subject: { type: 'withdrawal', id, userId: scenario.carl.id, txHash: hash },
        nextStep: expect.stringContaining('complete the withdrawal with this hash'),
      },
    ]);
  });

  it('is reported when the payment precedes the failure', async () => {
    const id = await scenario.createProcessing('77.77');
    await scenario.pay('77.77');
    await scenario.steps.withdrawals.fail(id);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toHaveLength(1);
  });

  it('appears in reconciliations with the custody provider until its alert is resolved', async () => {
    const { id, amount } = await createFailed();
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    const reconciling = new ReconciliationSteps(scenario.platform, scenario.steps.admin);
    const date = scenario.platform.clock.today();
    const line = { reference: id, txHash: hash, amount, currency: 'USDC', direction: 'out', date };
    const { data } = await reconciling.createFromCustody([line]);
    const [alert] = data.alerts.filter(({ subject }: any) => subject.id === id);
    expect([data.status, alert]).toMatchObject(['open', { kind: 'withdrawal-paid-after-failure' }]);
    expect(await reconciling.lines(data.id, 'outcome=differing')).toMatchObject([
      { there: { reference: id }, here: { ids: [id], status: 'failed' }, break: { status: 'open' } },
    ]);

    // A reconciliation shows the alerts that were open at its time; the clock separates these times.
    scenario.platform.clock.advance(1000);
    const yesterday = { from: '2026-03-01', to: '2026-03-01' }; // a day without any payments
    const withoutLines = (await reconciling.createFromCustody([], yesterday)).data;
    expect(withoutLines).toMatchObject({ status: 'open', lines: 0 });
    expect(withoutLines.alerts.map(({ subject }: any) => subject.id)).toContain(id);
    expect((await reconciling.createFromCustody([], yesterday)).code).toBe('RECONCILIATION_EXISTS');
    scenario.platform.clock.advance(1000);
    for (const openAlert of withoutLines.alerts)
      await scenario.platform
        .as(scenario.steps.admin)
        .post(`/api/admin/alerts/${openAlert.id}/resolve`, { reason: 'Looked at' });
    scenario.platform.clock.advance(1000);
    expect((await reconciling.createFromCustody([], yesterday)).data).toMatchObject({
      status: 'matched',
      alerts: [],
    });
    const { data: earlier } = await scenario.platform
      .as(scenario.steps.admin)
      .get(`${RECONCILIATIONS}/${withoutLines.id}`);
    expect(earlier).toMatchObject({ status: 'resolved' });
    expect(earlier.alerts).toHaveLength(withoutLines.alerts.length);
  });

  it('is not reported for a payment of a different amount or of another withdrawal', async () => {
    const { id, amount } = await createFailed();
    const paid = await scenario.createProcessing('88.88');
    await scenario.steps.withdrawals.complete(paid, await scenario.pay('88.88'));
    const failedWithSameAmount = await scenario.createProcessing('88.88');
    await scenario.steps.withdrawals.fail(failedWithSameAmount);
    await scenario.pay(`${amount}1`);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
    expect(await scenario.alertsOf(failedWithSameAmount)).toEqual([]);
  });

  it('is reported after its reversal as well', async () => {
    const { id, amount } = await createFailed();
    await reverse(id, amount);
    await scenario.pay(amount);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toMatchObject([
      { nextStep: expect.stringContaining('take it from the balance') },
    ]);
  });

  it('is reported when the provider reports the payment and the chain shows it', async () => {
    const { id, amount } = await createFailed();
    const callbacks = new ProviderCallbacks(scenario.platform);
    const callback = { type: 'Withdrawal', status: 'Success', foreignId: id, error: null };
    const sendCallback = async (eventId: number, hash: string) => {
      const data = { ...callback, id: eventId, transaction: { hash, confirmations: 3 } };
      expect((await callbacks.send('withdrawal', JSON.stringify({ data }))).status).toBe(200);
      await processDueCallbacks(scenario.platform);
    };
    await sendCallback(81, unknownHash());
    expect(await scenario.alertsOf(id)).toEqual([]);
    await sendCallback(82, await scenario.pay(amount));
    expect(await scenario.alertsOf(id)).toHaveLength(1);
  });

  it('can be completed with the hash of its payment, which resolves the alert', async () => {
    const ann = await scenario.newUser();
    const { id, amount } = await createFailed(ann);
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    const done = await complete(id, hash);
    expect(done).toMatchObject({ status: 200, data: { status: 'completed', chainCheck: 'matched' } });
    expect(await scenario.steps.balance(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
    const { data } = await scenario.platform.as(ann).get('/api/user/transactions?type=withdrawal');
    expect(data).toMatchObject([{ status: 'completed', amount }]);
    expect(await scenario.alertsOf(id)).toEqual([]);
    expect(await scenario.alertsOf(id, '&status=resolved')).toMatchObject([{ resolvedBy: 'system' }]);
    expect(await scenario.steps.auditEntries(id)).toContain('admin@example.com withdrawal.complete');
    expect(
      (await scenario.platform.as(scenario.steps.admin).get('/api/admin/integrity')).data.status,
    ).not.toBe('broken');
  });

  it.each(['first', 'second'])(
    'a second time and is completed with the hash of the %s payment has one open alert about the other one, which is booked by hand',
    async (completedWith) => {
      const { id, amount } = await createFailed();
      const first = await scenario.pay(amount);
      await scenario.runJob();
      const second = await scenario.pay(amount);
      await scenario.runJob();
      await scenario.mineBeyondOverlap();
      const entered = completedWith === 'first' ? first : second;
      const other = completedWith === 'first' ? second : first;
      expect((await complete(id, entered.slice(2))).status).toBe(200); // without 0x, unlike in the alert
      await scenario.runJob();
      expect(await scenario.alertsOf(id)).toMatchObject([
        {
          subject: { txHash: other },
          nextStep: expect.stringContaining(`with the type withdrawal and the withdrawalId ${id}`),
        },
      ]);
      const { data } = await scenario.steps.create({
        type: 'withdrawal',
        userId: scenario.carl.id,
        withdrawalId: id,
        amount,
      });
      await scenario.steps.approve(data.id);
      for (const wrong of [{}, { transactionHash: unknownHash() }])
        expect((await scenario.steps.confirm(data.id, wrong)).code).toBe('VALIDATION_ERROR');
      expect((await scenario.steps.confirm(data.id, { transactionHash: other })).status).toBe(200);
    },
  );

  it('cannot be booked by hand while its amount is reserved or no alert reports a payment', async () => {
    const { id, amount } = await createFailed();
    const request = { type: 'withdrawal', userId: scenario.carl.id, withdrawalId: id, amount };
    expect((await scenario.steps.create(request)).code).toBe('INVALID_STATE');
    await reverse(id, amount);
    expect((await scenario.steps.create(request)).code).toBe('INVALID_STATE');
    await scenario.pay(amount);
    await scenario.runJob();
    expect((await scenario.steps.create({ ...request, amount: '1.00' })).code).toBe('INVALID_AMOUNT');
    expect((await scenario.steps.create(request)).status).toBe(201);
  });

  it('is either completed or reversed when both are requested concurrently', async () => {
    const ann = await scenario.newUser();
    const { id, amount } = await createFailed(ann);
    const reversal = await scenario.steps.createApproved({ type: 'reversal', withdrawalId: id, amount });
    const hash = await scenario.pay(amount);
    const replies = await Promise.all([complete(id, hash), scenario.steps.confirm(reversal)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const isPaid = replies[0].status === 200;
    expect(await scenario.steps.balance(ann)).toMatchObject({
      reserved: '0.00',
      withdrawals: isPaid ? amount : '0.00',
    });
  });

  it('cannot be completed with a hash that is not that of its payment on the chain', async () => {
    const { id, amount } = await createFailed();
    const before = await scenario.platform.ledgerState();
    for (const hash of [unknownHash(), await scenario.pay(`${amount}1`)]) {
      const reply = await complete(id, hash);
      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(reply.body.error.details).toEqual({
        status: 'failed',
        action: 'complete',
        allowedFrom: ['processing'],
      });
    }
    scenario.platform.outside.providers.faults.set('chain', 'error'); // an unavailable chain shows no payment, either
    expect(await complete(id, unknownHash())).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    await scenario.platform.outside.providers.endFault('chain');
    expect(await scenario.platform.ledgerState()).toEqual(before);
  });

  it('cannot be completed after its reversal', async () => {
    const { id, amount } = await createFailed();
    await reverse(id, amount);
    const before = await scenario.platform.ledgerState();
    expect(await complete(id, await scenario.pay(amount))).toMatchObject({
      status: 422,
      code: 'INVALID_STATE',
    });
    expect(await scenario.platform.ledgerState()).toEqual(before);
  });
});
