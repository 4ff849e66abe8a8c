import { verifyReceipt } from '../../../client/verify.js';
import { LogKeysService } from '../../../src/modules/assurance/proofs/log-keys.service.js';
import { addDays } from '../../../src/common/days.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { recomputeReceipt, type ReceiptContent } from '../../fixtures/recomputed-receipt.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const START = '2026-03-02T10:00:00.000Z';
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const HASH = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/);

describe('Receipts', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({
      at: START,
      blockIntervalMs: 0,
      settings: {
        LOG_SEAL_SECONDS: '3600',
        DEPOSIT_POLL_SECONDS: '3600',
        INVESTMENT_APPROVAL_THRESHOLD: '50000',
        PERFORMANCE_FEE_PERCENT: '12.5',
        YIELD_TOLERANCE_PERCENT: '200', // so that no admin has to decide about the reported losses
      },
    });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    ann = await platform.given.user().withBalance('200000.00');
  });
  afterAll(() => platform?.stop());

  async function receiptOf(path: string): Promise<any> {
    const { data, status } = await platform.as(ann).get(`/api/user/${path}/receipt`);
    expect(status).toBe(200);
    expect(data).toEqual({ payload: expect.any(String), signature: expect.any(String) });
    const keys = platform.app.get(LogKeysService).signingKeys.map(({ publicKey }) => publicKey.jwk);
    return verifyReceipt(data, { keys });
  }

  /** Returns the verified receipt. Compares each amount in it with the one computed from its other fields. */
  async function investmentReceipt(id: string): Promise<ReceiptContent & Record<string, unknown>> {
    await sealLog(platform);
    const receipt = await receiptOf(`investments/${id}`);
    const computed = recomputeReceipt(receipt);
    expect(receipt.days.map(({ day }: any) => day)).toEqual(computed.days);
    expect(receipt.days.slice(1).map(({ nav }: any) => nav)).toEqual(computed.navs);
    expect(receipt.fees.map(({ amount }: any) => amount)).toEqual(computed.fees);
    expect(receipt.value ?? receipt.finalValue).toBe(computed.value);
    expect(receipt.value ?? receipt.finalValue).toBe((await steps.detail(ann, id)).currentValue);
    if (receipt.finalValue) expect(receipt.withdrawnAmount).toBe(computed.withdrawnAmount);
    return receipt;
  }

  it('of an open investment list the value of every day, from which the shown value is computed [SEC-186]', async () => {
    const id = await steps.create(ann, '1000.00');
    const onFirstDay = await investmentReceipt(id);
    expect(onFirstDay).toMatchObject({ status: 'active', value: '1000.00', days: [{ source: 'target' }] });
    steps.advanceDays(40);
    const receipt = await investmentReceipt(id);
    expect(receipt).toEqual({
      v: 1,
      kind: 'investment',
      id,
      status: 'active',
      strategyId: 'balanced-10',
      principal: '1000.00',
      units: '999.738910309561206036308862', // 1000 / 1.1^(1/365), the value of one unit on the second day
      days: expect.any(Array),
      value: '1010.235859', // 1000 × 1.1^(39/365)
      fees: [
        { kind: 'management', days: 40, base: '1000.00', rate: '0.50', amount: '0.547945' }, // 1000 × 0.50 % × 40 / 365
        { kind: 'performance', days: 40, base: '10.235859', rate: '12.50', amount: '1.279482' }, // 10.235859 × 12.50 %
      ],
      transactions: [{ id: UUID, leafIndex: expect.any(Number), leaf: HASH }],
    });
    expect(receipt.days).toHaveLength(40);
    expect(receipt.days[0]).toMatchObject({ apy: '10.00', source: 'target' });
    expect(receipt.days[0]).not.toHaveProperty('correction');
  });

  it('of a closed investment list the fees that were charged', async () => {
    const id = await steps.create(ann, '500.00');
    steps.advanceDays(31);
    const { data } = await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    const receipt = await investmentReceipt(id);
    expect(receipt).toMatchObject({
      status: 'closed',
      finalValue: data.finalValue,
      withdrawnAmount: data.withdrawnAmount,
      fees: [
        { kind: 'management', amount: data.fees.managementFee },
        { kind: 'performance', amount: data.fees.performanceFee },
      ],
    });
    expect(receipt.transactions).toHaveLength(4); // investment, divestment, earning, fee
    steps.advanceDays(3);
    expect(await investmentReceipt(id)).toEqual(receipt);
  });

  it('of a moved investment list the fees of each leg, those of the last leg first', async () => {
    const first = await steps.create(ann, '2000.00');
    steps.advanceDays(31);
    const second = (await steps.move(ann, first)).data;
    steps.advanceDays(10);
    const third = (await steps.move(ann, second.id, 'conservative-5')).data;
    steps.advanceDays(20);
    expect(await investmentReceipt(first)).toMatchObject({ status: 'closed', fees: [] });
    const open = await investmentReceipt(third.id);
    expect(open.fees.map(({ kind, days, base }) => `${kind} ${days} ${base}`)).toEqual([
      'management 20 ' + third.amount,
      expect.stringMatching(/^performance 20 /),
      'management 10 ' + second.amount,
      expect.stringMatching(/^performance 10 /),
      'management 31 2000.00',
      expect.stringMatching(/^performance 31 /),
    ]);
    const { data } = await platform.as(ann).delete(`${INVESTMENTS}/${third.id}`);
    const closed = await investmentReceipt(third.id);
    expect(closed).toMatchObject({ withdrawnAmount: data.withdrawnAmount, firstPrincipal: '2000.00' });
    expect(closed.fees).toEqual(open.fees);
  });

  it('of an investment that was moved and closed in part state the fees that partial closings have charged', async () => {
    const first = await steps.create(ann, '1000.00');
    steps.advanceDays(31);
    const { id } = (await steps.move(ann, first)).data;
    steps.advanceDays(10);
    expect((await steps.close(id, '400')).status).toBe(200);
    expect((await steps.close(id, '100')).status).toBe(200);
    const open = await investmentReceipt(id);
    expect(open.fees.at(-1)).toMatchObject({ kind: 'partial-closings', amount: expect.stringMatching(/^-/) });
    expect(open.transactions).toHaveLength(1 + 2 * 3); // 1 of the opening, and 3 of each partial closing
    await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    const closed = await investmentReceipt(id);
    expect(closed.fees).toEqual(open.fees);
  });

  it('of investments with a loss end with the day whose value was paid', async () => {
    const [closed, cancelled, kept, moved] = [
      await steps.create(ann, '1000.00'),
      await steps.create(ann, '1000.00'),
      await steps.create(ann, '1000.00'),
      await steps.create(ann, '1000.00'),
    ];
    steps.advanceDays(2);
    const yesterday = addDays(platform.clock.today(), -1);
    const dayOfLoss = addDays(platform.clock.today(), 1);
    // Closings on the day of the loss pay the lower value of the next day. `rate`: the report sets the rate of its day.
    // `fold`: the value after the reported day had already been published, so that the next value makes up for the report.
    const reports = platform.app.get(YieldReportsService);
    expect(
      (await reports.record({ eventId: 'late', strategyId: 'balanced-10', day: yesterday, apy: '-30' }))
        .state,
    ).toBe('fold');
    expect(
      (await reports.record({ eventId: 'loss', strategyId: 'balanced-10', day: dayOfLoss, apy: '-50' }))
        .state,
    ).toBe('rate');
    steps.advanceDays(1);
    await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    const next = (await steps.move(ann, moved)).data;
    const receipt = await investmentReceipt(closed);
    const paid = receipt.days.at(-1) as any;
    expect(paid.day > dayOfLoss).toBe(true);
    expect(paid).toMatchObject({
      apy: '-50.00',
      correction: expect.any(String),
      source: expect.stringMatching(/^report:[0-9a-f-]{36}$/),
    });
    const [{ id: reportId }] = await platform.dataSource.query(
      `select id from yield_report where event_id = 'loss'`,
    );
    expect(paid.source).toBe(`report:${reportId}`);
    const { finalValue } = receipt;
    expect(await investmentReceipt(cancelled)).toMatchObject({ status: 'cancelled', fees: [], finalValue });
    expect(await investmentReceipt(moved)).toMatchObject({
      finalValue,
      withdrawnAmount: '0.00',
      movedTo: next.id,
    });
    expect(await investmentReceipt(next.id)).toMatchObject({ movedFrom: moved });
    expect((await investmentReceipt(kept)).days.at(-1)).toMatchObject({ day: dayOfLoss });
    steps.advanceDays(1);
    expect((await investmentReceipt(kept)).value).toBe(finalValue);
    await investmentReceipt(next.id);
  });

  it('of a pending and of a rejected investment have no days, unlike those of an approved one', async () => {
    const id = await steps.create(ann, '50000.00');
    expect(await investmentReceipt(id)).toMatchObject({
      status: 'pending',
      principal: '50000.00',
      value: '50000.00',
      units: '0.00',
      days: [],
      fees: [],
    });
    await steps.reject(id);
    const rejected = { status: 'cancelled', finalValue: '50000.00', days: [] };
    expect(await investmentReceipt(id)).toMatchObject(rejected);
    const approved = await steps.create(ann, '50000.00');
    await steps.approve(approved);
    steps.advanceDays(5);
    const receipt = await investmentReceipt(approved);
    // The transactions are the request and the approval.
    expect([receipt.days.length, (receipt.transactions as unknown[]).length]).toEqual([5, 2]);
  });

  it('of a cancelled investment state its principal as the final value', async () => {
    const id = await steps.create(ann, '300.00');
    steps.advanceDays(9);
    await platform.as(ann).post(`${INVESTMENTS}/${id}/cancel`);
    expect(await investmentReceipt(id)).toMatchObject({ finalValue: '300.00', withdrawnAmount: '300.00' });
  });

  it('of deposits name the transaction on chain, the credited amount and the leaves', async () => {
    const callbacks = new ProviderCallbacks(platform);
    const { address } = (await platform.as(ann).get('/api/user/deposits/address?currency=USDT')).data;
    await callbacks.reportDeposit({ address, amount: '1000.1234567' });
    await callbacks.reportDeposit({ address, amount: '900', status: 'Pending', confirmations: 0 });
    const [pending, completed] = (await platform.as(ann).get('/api/user/deposits')).data;
    await sealLog(platform);
    expect(await receiptOf(`deposits/${completed.id}`)).toEqual({
      v: 1,
      kind: 'deposit',
      id: completed.id,
      txHash: completed.txHash,
      currency: 'USDT',
      amount: '1000.1234567',
      confirmations: completed.confirmations,
      credited: '1000.123456',
      creditedAt: platform.clock.now().toISOString(),
      transactions: [{ id: UUID, leafIndex: expect.any(Number), leaf: HASH }],
    });
    const notCredited = { credited: null, creditedAt: null, transactions: [] };
    expect(await receiptOf(`deposits/${pending.id}`)).toMatchObject(notCredited);
  });

  it('are answered with PROOF_PENDING until the transactions are in the log, and name their leaves', async () => {
    const order = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
    const { data } = await platform.as(ann).post('/api/user/withdrawals', order);
    const early = await platform.as(ann).get(`/api/user/withdrawals/${data.id}/receipt`);
    const retryAfter = early.headers.get('retry-after');
    expect([early.status, early.code, retryAfter]).toEqual([503, 'PROOF_PENDING', '3600']); // LOG_SEAL_SECONDS
    await sealLog(platform);
    const receipt = await receiptOf(`withdrawals/${data.id}`);
    expect(receipt).toEqual({
      v: 1,
      kind: 'withdrawal',
      id: data.id,
      status: 'pending',
      amount: '100.00',
      currency: 'USDC',
      toAddress: DESTINATION,
      txHash: null,
      transactions: [{ id: UUID, leafIndex: expect.any(Number), leaf: HASH }],
    });
    const [transaction] = receipt.transactions;
    const query = 'select leaf_index::float8 as "leafIndex" from proof_leaf where transaction_id = $1';
    const [leaf] = await platform.dataSource.query(query, [transaction.id]);
    expect(transaction.leafIndex).toBe(leaf.leafIndex);
    const receiptOfNew = async () =>
      platform.as(ann).get(`${INVESTMENTS}/${await steps.create(ann, '100.00')}/receipt`);
    // Repeated with new investments: a run of the sealing that has not ended may seal the first one.
    await eventually(async () => expect((await receiptOfNew()).code).toBe('PROOF_PENDING'));
  });

  it('fail the verification of their signature if a digit of them was changed', async () => {
    const id = await steps.create(ann, '1000.00');
    await sealLog(platform);
    const reply = await platform.as(ann).get(`${INVESTMENTS}/${id}/receipt`);
    const keys = platform.app.get(LogKeysService).signingKeys.map(({ publicKey }) => publicKey.jwk);
    const changed = reply.data.payload.replace('"principal":"1000.00"', '"principal":"1000.01"');
    expect(changed).not.toBe(reply.data.payload);
    await expect(verifyReceipt({ ...reply.data, payload: changed }, { keys })).rejects.toThrow('signature');
  });

  it('take the rates of fees from the record of the closing, not from the settings', async () => {
    const id = await steps.create(ann, '700.00');
    steps.advanceDays(31);
    await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    const before = await investmentReceipt(id);
    const change = 'update investment set management_fee_percent = 0.40 where id = $1';
    await queryWithoutTriggers(platform, change, [id]);
    const { data } = await platform.as(ann).get(`${INVESTMENTS}/${id}/receipt`);
    expect(JSON.parse(data.payload).fees[0].rate).toBe('0.40');
    expect(before.fees.map(({ rate }) => rate)).toEqual(['0.50', '12.50']);
  });
});
