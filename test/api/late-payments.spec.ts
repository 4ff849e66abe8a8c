import type { TestUser } from '../fixtures/given.js';
import { processDueCallbacks, ProviderCallbacks } from '../fixtures/provider-callbacks.js';
import { RECONCILIATIONS, ReconciliationSteps } from '../fixtures/reconciliations.js';
import { treasurySteps, type TreasurySteps } from '../fixtures/treasury.js';
import { DESTINATION, unknownHash } from '../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

let platform: TestPlatform;
let steps: TreasurySteps;
/** The user of all withdrawals in tests that do not compare balances. */
let carl: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
  steps = await treasurySteps(platform);
  carl = await platform.given.user().withBalance('100000.00');
});
/** Each run of the job `late-payments` reads the newest fifty blocks again; sixty more keep a payment out of the next test. */
afterEach(() => platform.outside.chain.mine(60));
afterAll(() => platform?.stop());

const pay = (amount: string) => platform.outside.chain.payUsdc(DESTINATION, amount);
async function request(amount: string, user: TestUser): Promise<string> {
  return (await steps.withdrawals.request(user, amount)).data.id;
}
async function createProcessing(amount: string, user = carl): Promise<string> {
  const id = await request(amount, user);
  expect((await steps.withdrawals.take(id)).status).toBe(200);
  return id;
}
const newUser = () => platform.given.user().withBalance('1000.00');
const runJob = () => platform.runJob('late-payments');
const alertsOf = async (id: string, query = '') => {
  const { data } = await platform.as(steps.admin).get(`/api/admin/alerts?limit=100${query}`);
  return data.filter(({ subject }: any) => subject.id === id);
};

describe('A failed withdrawal that is paid late', () => {
  let cents = 0;

  /** Each withdrawal has a unique amount, because all have the same destination. */
  async function createFailed(user = carl): Promise<{ id: string; amount: string }> {
    const amount = `100.${String(++cents).padStart(2, '0')}`;
    const id = await createProcessing(amount, user);
    await steps.withdrawals.fail(id);
    return { id, amount };
  }
  const complete = (id: string, hash: string) => steps.withdrawals.complete(id, hash);
  /** Returns the reserved amount to the user. */
  async function reverse(withdrawalId: string, amount: string) {
    const reversal = { type: 'reversal', withdrawalId, amount };
    expect((await steps.confirm(await steps.createApproved(reversal))).status).toBe(200);
  }

  it('is reported once, with the next step', async () => {
    const { id, amount } = await createFailed();
    await runJob();
    expect(await alertsOf(id)).toEqual([]);
    const hash = await pay(amount);
    await runJob();
    await runJob();
    expect(await alertsOf(id)).toMatchObject([
      {
        kind: 'withdrawal-paid-after-failure',
        subject: { type: 'withdrawal', id, userId: carl.id, txHash: hash },
        nextStep: expect.stringContaining('complete the withdrawal with this hash'),
      },
    ]);
  });

  it('is reported when the payment precedes the failure', async () => {
    const id = await createProcessing('77.77');
    await pay('77.77');
    await steps.withdrawals.fail(id);
    await runJob();
    expect(await alertsOf(id)).toHaveLength(1);
  });

  it('appears in reconciliations with the custody provider until its alert is resolved', async () => {
    const { id, amount } = await createFailed();
    const hash = await pay(amount);
    await runJob();
    const reconciling = new ReconciliationSteps(platform, steps.admin);
    const date = platform.clock.today();
    const line = { reference: id, txHash: hash, amount, currency: 'USDC', direction: 'out', date };
    const { data } = await reconciling.createFromCustody([line]);
    const [alert] = data.alerts.filter(({ subject }: any) => subject.id === id);
    expect([data.status, alert]).toMatchObject(['open', { kind: 'withdrawal-paid-after-failure' }]);
    expect(await reconciling.lines(data.id, 'outcome=differing')).toMatchObject([
      { there: { reference: id }, here: { ids: [id], status: 'failed' }, break: { status: 'open' } },
    ]);

    // A reconciliation shows the alerts that were open at its time; the clock separates these times.
    platform.clock.advance(1000);
    const yesterday = { from: '2026-03-01', to: '2026-03-01' }; // a day without any payments
    const withoutLines = (await reconciling.createFromCustody([], yesterday)).data;
    expect(withoutLines).toMatchObject({ status: 'open', lines: 0 });
    expect(withoutLines.alerts.map(({ subject }: any) => subject.id)).toContain(id);
    expect((await reconciling.createFromCustody([], yesterday)).code).toBe('RECONCILIATION_EXISTS');
    platform.clock.advance(1000);
    for (const openAlert of withoutLines.alerts)
      await platform
        .as(steps.admin)
        .post(`/api/admin/alerts/${openAlert.id}/resolve`, { reason: 'Looked at' });
    platform.clock.advance(1000);
    expect((await reconciling.createFromCustody([], yesterday)).data).toMatchObject({
      status: 'matched',
      alerts: [],
    });
    const { data: earlier } = await platform.as(steps.admin).get(`${RECONCILIATIONS}/${withoutLines.id}`);
    expect(earlier).toMatchObject({ status: 'resolved' });
    expect(earlier.alerts).toHaveLength(withoutLines.alerts.length);
  });

  it('is not reported for a payment of a different amount or of another withdrawal', async () => {
    const { id, amount } = await createFailed();
    const paid = await createProcessing('88.88');
    await steps.withdrawals.complete(paid, await pay('88.88'));
    const failedWithSameAmount = await createProcessing('88.88');
    await steps.withdrawals.fail(failedWithSameAmount);
    await pay(`${amount}1`);
    await runJob();
    expect(await alertsOf(id)).toEqual([]);
    expect(await alertsOf(failedWithSameAmount)).toEqual([]);
  });

  it('is reported after its reversal as well', async () => {
    const { id, amount } = await createFailed();
    await reverse(id, amount);
    await pay(amount);
    await runJob();
    expect(await alertsOf(id)).toMatchObject([{ nextStep: expect.stringContaining('book it back') }]);
  });

  it('is reported when the provider reports the payment and the chain shows it', async () => {
    const { id, amount } = await createFailed();
    const callbacks = new ProviderCallbacks(platform);
    const callback = { type: 'Withdrawal', status: 'Success', foreignId: id, error: null };
    const sendCallback = async (eventId: number, hash: string) => {
      const data = { ...callback, id: eventId, transaction: { hash, confirmations: 3 } };
      expect((await callbacks.send('withdrawal', JSON.stringify({ data }))).status).toBe(200);
      await processDueCallbacks(platform);
    };
    await sendCallback(81, unknownHash());
    expect(await alertsOf(id)).toEqual([]);
    await sendCallback(82, await pay(amount));
    expect(await alertsOf(id)).toHaveLength(1);
  });

  it('can be completed with the hash of its payment, which resolves the alert', async () => {
    const ann = await newUser();
    const { id, amount } = await createFailed(ann);
    const hash = await pay(amount);
    await runJob();
    const done = await complete(id, hash);
    expect(done).toMatchObject({ status: 200, data: { status: 'completed', chainCheck: 'matched' } });
    expect(await steps.balance(ann)).toMatchObject({ reserved: '0.00', withdrawals: amount });
    const { data } = await platform.as(ann).get('/api/user/transactions?type=withdrawal');
    expect(data).toMatchObject([{ status: 'completed', amount }]);
    expect(await alertsOf(id)).toEqual([]);
    expect(await alertsOf(id, '&status=resolved')).toMatchObject([{ resolvedBy: 'system' }]);
    expect(await steps.auditEntries(id)).toContain('admin@example.com withdrawal.complete');
    expect((await platform.as(steps.admin).get('/api/admin/integrity')).data.status).not.toBe('broken');
  });

  it('is either completed or reversed when both are requested concurrently', async () => {
    const ann = await newUser();
    const { id, amount } = await createFailed(ann);
    const reversal = await steps.createApproved({ type: 'reversal', withdrawalId: id, amount });
    const hash = await pay(amount);
    const replies = await Promise.all([complete(id, hash), steps.confirm(reversal)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const isPaid = replies[0].status === 200;
    expect(await steps.balance(ann)).toMatchObject({
      reserved: '0.00',
      withdrawals: isPaid ? amount : '0.00',
    });
  });

  it('cannot be completed with a hash that is not that of its payment on the chain', async () => {
    const { id, amount } = await createFailed();
    const before = await platform.ledgerState();
    for (const hash of [unknownHash(), 'paid by hand', await pay(`${amount}1`)]) {
      const reply = await complete(id, hash);
      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(reply.body.error.details).toEqual({
        status: 'failed',
        action: 'complete',
        allowedFrom: ['processing'],
      });
    }
    platform.outside.providers.faults.set('chain', 'error'); // then no payment is found
    expect(await complete(id, unknownHash())).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    await platform.outside.providers.endFault('chain');
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('cannot be completed after its reversal', async () => {
    const { id, amount } = await createFailed();
    await reverse(id, amount);
    const before = await platform.ledgerState();
    expect(await complete(id, await pay(amount))).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(await platform.ledgerState()).toEqual(before);
  });
});

describe('A rejected or cancelled withdrawal that is paid late', () => {
  let cents = 0;

  const newAmount = () => `200.${String(++cents).padStart(2, '0')}`;
  async function createRejected(amount = newAmount()): Promise<{ id: string; amount: string }> {
    const id = await createProcessing(amount);
    expect((await steps.withdrawals.reject(id)).status).toBe(200);
    return { id, amount };
  }
  async function createCancelled(amount = newAmount()): Promise<{ id: string; amount: string }> {
    const id = await request(amount, carl);
    expect((await steps.withdrawals.cancel(id, carl)).status).toBe(200);
    return { id, amount };
  }

  it.each([
    ['rejected', createRejected, 'was rejected'],
    ['cancelled', createCancelled, 'was cancelled by its user'],
  ] as const)(
    'is reported once when it was %s, with the next step, and cannot be completed',
    async (_how, createEnded, cause) => {
      const { id, amount } = await createEnded();
      await runJob();
      expect(await alertsOf(id)).toEqual([]);
      const hash = await pay(amount);
      await runJob();
      await runJob();
      expect(await alertsOf(id)).toMatchObject([
        {
          kind: 'withdrawal-paid-after-failure',
          subject: { type: 'withdrawal', id, userId: carl.id, txHash: hash },
          message: expect.stringContaining(cause),
          nextStep: expect.stringContaining('book it back'),
        },
      ]);
      const refused = await steps.withdrawals.complete(id, hash);
      expect([refused.status, refused.code]).toEqual([422, 'INVALID_STATE']);
    },
  );

  it('is reported when the provider reports the payment and the chain shows it', async () => {
    const { id, amount } = await createRejected();
    const hash = await pay(amount);
    const data = { type: 'Withdrawal', status: 'Success', foreignId: id, error: null, id: 91 };
    const body = JSON.stringify({ data: { ...data, transaction: { hash, confirmations: 3 } } });
    expect((await new ProviderCallbacks(platform).send('withdrawal', body)).status).toBe(200);
    await processDueCallbacks(platform);
    expect(await alertsOf(id)).toHaveLength(1);
  });

  it('is not reported for the payment of another withdrawal of the same amount that is still processing', async () => {
    const { id, amount } = await createCancelled();
    const processingId = await createProcessing(amount);
    const hash = await pay(amount);
    await runJob();
    expect(await alertsOf(id)).toEqual([]);
    expect((await steps.withdrawals.complete(processingId, hash)).data.chainCheck).toBe('matched');
    await runJob();
    expect(await alertsOf(id)).toEqual([]);
  });

  it('is reported when another withdrawal of the same amount is completed with a different transaction', async () => {
    const { id, amount } = await createCancelled();
    const processingId = await createProcessing(amount);
    const hash = await pay(amount);
    await runJob();
    await steps.withdrawals.complete(processingId, await pay(amount));
    await platform.outside.chain.mine(60); // more blocks than a run of the job reads again
    await runJob();
    expect(await alertsOf(id)).toMatchObject([{ subject: { txHash: hash } }]);
  });

  it('is reported even if another user cancels many withdrawals afterwards', async () => {
    const { id, amount } = await createRejected();
    const bob = await platform.given.user().withBalance('1000.00');
    // More than the 1000 rejected or cancelled withdrawals that the job reads, at most 20 of each user.
    await platform.dataSource.query(
      `with many as (
         insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at, cancelled_at)
         select gen_random_uuid(), $1, 20, 'USDC', '0x' || lpad(to_hex(number), 40, '0'), 'absent', 'rejected', $2, $2
           from generate_series(1, 1100) as number returning id)
       insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
       select id, 'rejected', 'cancel', $2::timestamptz + interval '1 second', 'user', $1::text from many`,
      [bob.id, platform.clock.now()],
    );
    const hash = await pay(amount);
    await runJob();
    expect(await alertsOf(id)).toMatchObject([{ subject: { txHash: hash } }]);
  });
});
