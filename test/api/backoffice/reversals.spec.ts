import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { processDueCallbacks, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { transferToCustody } from '../../fixtures/transfers.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, unknownHash } from '../../fixtures/withdrawals.js';

describe('The reversal of a failed withdrawal', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
    await platform.given.user().withBalance('10000.00');
    await transferToCustody(platform, '10000.00'); // for the withdrawals that the tests complete
  });
  afterAll(() => platform?.stop());

  const reversal = (withdrawalId: string, more: object = {}) => ({ type: 'reversal', withdrawalId, ...more });

  it('returns the money once after the provider reported the failure', async () => {
    const { id: withdrawalId, ann } = await steps.withdrawals.createProcessing('150.00'); // Ann has 200000.00
    const report = {
      type: 'Withdrawal',
      id: 4711,
      status: 'Failed',
      foreignId: withdrawalId,
      error: 'Not enough liquidity',
    };
    const callbacks = new ProviderCallbacks(platform);
    expect((await callbacks.send('withdrawal', JSON.stringify({ data: report }))).status).toBe(200);
    await processDueCallbacks(platform);
    expect(await steps.balance(ann)).toMatchObject({
      available: '199850.00', // 200000.00 − 150.00
      reserved: '150.00',
      withdrawals: '150.00',
    });

    const created = await steps.create(
      reversal(withdrawalId, { amount: '150.00', description: 'Failed at the provider' }),
    );
    expect(created).toMatchObject({
      status: 201,
      data: {
        type: 'reversal',
        status: 'pending',
        userID: ann.id,
        byAdmins: { withdrawalId, network: null },
      },
    });
    const { id } = created.data;
    await steps.approve(id);
    expect(await steps.confirm(id)).toMatchObject({ status: 200, data: { status: 'confirmed' } });

    expect(await steps.balance(ann)).toEqual({
      available: '200000.00', // 199850.00 + 150.00
      invested: '0.00',
      reserved: '0.00',
      deposits: '200000.00',
      withdrawals: '0.00', // 150.00 − 150.00
      earnings: '0.00',
      fees: '0.00',
    });
    const { data: transactions } = await platform.as(ann).get('/api/user/transactions');
    expect(
      transactions.map(({ type, status, metadata }: any) => [type, status, metadata.balanceChange]),
    ).toEqual([
      ['reversal', 'completed', '150.00'],
      ['withdrawal', 'failed', '-150.00'],
      ['deposit', 'completed', '200000.00'],
    ]); // 150.00 − 150.00 + 200000.00 = 200000.00
    const { data: notes } = await platform.as(ann).get('/api/user/notifications');
    expect(notes[0]).toMatchObject({
      type: 'withdrawal',
      priority: 'high',
      message: 'Your withdrawal of 150.00 USDC was not carried out. The amount is available again.',
    });

    const detail = await steps.withdrawals.detail(withdrawalId);
    expect(detail).toMatchObject({ status: 'failed', releasedAt: platform.clock.now().toISOString() });
    expect(detail.lifecycle.map(({ action, status, by }: any) => [action, status, by])).toEqual([
      ['request', 'pending', ann.email],
      ['take', 'processing', 'admin@example.com'],
      ['fail', 'failed', 'crypto2b'],
      ['release', 'failed', 'admin@example.com'],
    ]);

    const integrity = (await platform.as(steps.admin).get('/api/admin/integrity')).data;
    expect(integrity).toMatchObject({ status: 'holds' }); // the withdrawal no longer counts as reserved

    const before = await platform.ledgerState();
    expect(await steps.create(reversal(withdrawalId, { amount: '150.00' }))).toMatchObject({
      status: 422,
      code: 'INVALID_STATE',
    });
    expect(await steps.confirm(id)).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('is listed once for admins', async () => {
    const { withdrawalId, ann } = await steps.failedWithdrawal();
    await steps.confirm(await steps.createApproved(reversal(withdrawalId)));
    const { data } = await platform.as(steps.admin).get(`/api/admin/transactions?userId=${ann.id}`);
    expect(data.transactions.map(({ type }: any) => type)).toEqual(['reversal', 'withdrawal', 'deposit']);
  });

  it('restores the daily limit', async () => {
    const { withdrawalId, ann } = await steps.failedWithdrawal('50000.00'); // the daily limit
    const request = () => steps.withdrawals.request(ann, '10.00', { toAddress: DESTINATION });
    // The failed withdrawal counts until its reversal, because its payment may have been made.
    expect(await request()).toMatchObject({ status: 422, code: 'WITHDRAWAL_LIMIT_EXCEEDED' });
    await steps.confirm(await steps.createApproved(reversal(withdrawalId, { amount: '50000.00' })));
    expect((await request()).status).toBe(201);
    expect((await steps.withdrawals.detail(withdrawalId)).limits.usedToday).toBe('10.00'); // 50000.00 were released
  });

  it.each(['pending', 'processing', 'completed', 'rejected'])(
    'is rejected for a withdrawal that is %s',
    async (status) => {
      const { id } = await steps.withdrawals.createPending();
      if (status === 'processing' || status === 'completed') await steps.withdrawals.take(id);
      if (status === 'completed') await steps.withdrawals.complete(id);
      if (status === 'rejected') await steps.withdrawals.reject(id);
      const reply = await steps.create(reversal(id));
      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(reply.body.error.details).toEqual({ status, action: 'release', allowedFrom: ['failed'] });
    },
  );

  it.each(['99.99', '100.01'])('is rejected for the partial or excess amount %s', async (amount) => {
    const { withdrawalId } = await steps.failedWithdrawal('100.00');
    const reply = await steps.create(reversal(withdrawalId, { amount }));
    expect(reply).toMatchObject({ status: 422, code: 'INVALID_AMOUNT' });
    expect(reply.body.error.details).toMatchObject({ expected: '100.00', requested: amount });
  });

  it('is rejected for another user, and so is its confirmation with a hash', async () => {
    const { withdrawalId, ann } = await steps.failedWithdrawal();
    const bob = await platform.given.user();
    expect(await steps.create(reversal(withdrawalId, { userId: bob.id }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const id = await steps.createApproved(reversal(withdrawalId, { userId: ann.id }));
    expect(await steps.confirm(id, { transactionHash: unknownHash() })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect((await steps.confirm(id)).status).toBe(200);
  });

  it('can be requested once at a time, and again after its rejection', async () => {
    const { withdrawalId, ann } = await steps.failedWithdrawal();
    const replies = await Promise.all([1, 2, 3].map(() => steps.create(reversal(withdrawalId))));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    const first = replies.find(({ status }) => status === 201)?.data.id as string;
    await steps.reject(first);
    await steps.confirm(await steps.createApproved(reversal(withdrawalId)));
    expect(await steps.balance(ann)).toMatchObject({ available: '200000.00', reserved: '0.00' });
  });
});
