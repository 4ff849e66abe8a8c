import { linkWallet } from '../../fixtures/sealed-rows.js';
import { LatePaymentScenario } from '../../fixtures/late-payments.js';
import { processDueCallbacks, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';

let scenario: LatePaymentScenario;

beforeAll(async () => {
  scenario = await LatePaymentScenario.start();
});
afterEach(() => scenario.mineBeyondOverlap()); // the next run of the job does not read the payments of this test again
afterAll(() => scenario?.stop());

describe('A rejected or cancelled withdrawal that is paid late', () => {
  let cents = 0;

  const newAmount = () => `200.${String(++cents).padStart(2, '0')}`;
  async function createRejected(amount = newAmount()): Promise<{ id: string; amount: string }> {
    const id = await scenario.createProcessing(amount);
    expect((await scenario.steps.withdrawals.reject(id)).status).toBe(200);
    return { id, amount };
  }
  async function createCancelled(amount = newAmount()): Promise<{ id: string; amount: string }> {
    const id = await scenario.request(amount, scenario.carl);
    expect((await scenario.steps.withdrawals.cancel(id, scenario.carl)).status).toBe(200);
    return { id, amount };
  }

  it.each([
    ['rejected', createRejected, 'was rejected'],
    ['cancelled', createCancelled, 'was cancelled by its user'],
  ] as const)(
    'is reported once when it was %s, with the next step, and cannot be completed',
    async (_how, createEnded, cause) => {
      const { id, amount } = await createEnded();
      await scenario.runJob();
      expect(await scenario.alertsOf(id)).toEqual([]);
      const hash = await scenario.pay(amount);
      await scenario.runJob();
      await scenario.runJob();
      expect(await scenario.alertsOf(id)).toMatchObject([
        {
          kind: 'withdrawal-paid-after-failure',
          subject: { type: 'withdrawal', id, userId: scenario.carl.id, txHash: hash },
          message: expect.stringContaining(cause),
          nextStep: expect.stringContaining('take it from the balance'),
        },
      ]);
      const refused = await scenario.steps.withdrawals.complete(id, hash);
      expect([refused.status, refused.code]).toEqual([422, 'INVALID_STATE']);
    },
  );

  it('is reported when the provider reports the payment and the chain shows it', async () => {
    const { id, amount } = await createRejected();
    const hash = await scenario.pay(amount);
    const data = { type: 'Withdrawal', status: 'Success', foreignId: id, error: null, id: 91 };
    const body = JSON.stringify({ data: { ...data, transaction: { hash, confirmations: 3 } } });
    expect((await new ProviderCallbacks(scenario.platform).send('withdrawal', body)).status).toBe(200);
    await processDueCallbacks(scenario.platform);
    expect(await scenario.alertsOf(id)).toHaveLength(1);
  });

  it('is not reported for the payment of another withdrawal of the same amount that is still processing', async () => {
    const { id, amount } = await createCancelled();
    const processingId = await scenario.createProcessing(amount);
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
    expect((await scenario.steps.withdrawals.complete(processingId, hash)).data.chainCheck).toBe('matched');
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
  });

  it('is not reported for the payment of another withdrawal whose hash was entered without 0x', async () => {
    const { id, amount } = await createCancelled();
    const processingId = await scenario.createProcessing(amount);
    const hash = await scenario.pay(amount);
    expect((await scenario.steps.withdrawals.complete(processingId, hash.slice(2))).data.chainCheck).toBe(
      'matched',
    );
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
  });

  it('is reported a second time for a second payment, after the alert about the first is resolved', async () => {
    const { id, amount } = await createCancelled();
    const first = await scenario.pay(amount);
    await scenario.runJob();
    const second = await scenario.pay(amount);
    await scenario.runJob();
    await scenario.mineBeyondOverlap();
    const [alert] = await scenario.alertsOf(id);
    expect(alert.subject.txHash).toBe(first);
    const resolved = await scenario.platform
      .as(scenario.steps.admin)
      .post(`/api/admin/alerts/${alert.id}/resolve`, { reason: 'Ours' });
    expect(resolved.status).toBe(200);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toMatchObject([{ subject: { txHash: second } }]);
  });

  it('is not reported for a payment by hand to a wallet of the user that is not confirmed yet', async () => {
    const { id, amount } = await createCancelled();
    await linkWallet(scenario.platform.dataSource, DESTINATION, scenario.carl.id);
    const byHand = await scenario.steps.createApproved({
      type: 'withdrawal',
      userId: scenario.carl.id,
      amount,
    });
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
    const confirmed = await scenario.steps.confirm(byHand, { transactionHash: hash });
    expect(confirmed).toMatchObject({ status: 200, data: { byAdmins: { chainCheck: 'matched' } } });
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toEqual([]);
  });

  it('is reported when another withdrawal of the same amount is completed with a different transaction', async () => {
    const { id, amount } = await createCancelled();
    const processingId = await scenario.createProcessing(amount);
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    await scenario.steps.withdrawals.complete(processingId, await scenario.pay(amount));
    await scenario.mineBeyondOverlap();
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toMatchObject([{ subject: { txHash: hash } }]);
  });

  it('is reported even if another user cancels many withdrawals afterwards', async () => {
    const { id, amount } = await createRejected();
    const bob = await scenario.platform.given.user().withBalance('1000.00');
    // More than the 1000 rejected or cancelled withdrawals that the job reads, at most 20 of each user.
    await scenario.platform.dataSource.query(
      `with many as (
         insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at, cancelled_at)
         select gen_random_uuid(), $1, 20, 'USDC', '0x' || lpad(to_hex(number), 40, '0'), 'absent', 'rejected', $2, $2
           from generate_series(1, 1100) as number returning id)
       insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
       select id, 'rejected', 'cancel', $2::timestamptz + interval '1 second', 'user', $1::text from many`,
      [bob.id, scenario.platform.clock.now()],
    );
    const hash = await scenario.pay(amount);
    await scenario.runJob();
    expect(await scenario.alertsOf(id)).toMatchObject([{ subject: { txHash: hash } }]);
  });
});
