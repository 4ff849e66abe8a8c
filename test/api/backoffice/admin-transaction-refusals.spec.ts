import { lockAccount } from '../../fixtures/locks.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_TRANSACTIONS, treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

describe('The routes of admin transactions', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  it.each([
    ['a missing type', { type: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
    ['an unknown type', { type: 'gift' }, 400, 'VALIDATION_ERROR'],
    ['a deposit without a user', { type: 'deposit' }, 400, 'MISSING_REQUIRED_FIELD'],
    ['a withdrawal without a user', { type: 'withdrawal' }, 400, 'MISSING_REQUIRED_FIELD'],
    ['a transfer with a user', { type: 'transfer', userId: UNKNOWN_ID }, 400, 'VALIDATION_ERROR'],
    ['a reversal without a withdrawal', { type: 'reversal' }, 400, 'MISSING_REQUIRED_FIELD'],
    [
      'a deposit with a withdrawal',
      { type: 'deposit', userId: UNKNOWN_ID, withdrawalId: UNKNOWN_ID },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a reversal of a withdrawal and a deposit',
      { type: 'reversal', withdrawalId: UNKNOWN_ID, depositId: UNKNOWN_ID },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'a withdrawal with a deposit',
      { type: 'withdrawal', userId: UNKNOWN_ID, depositId: UNKNOWN_ID },
      400,
      'VALIDATION_ERROR',
    ],
    ['an unknown deposit', { type: 'reversal', depositId: UNKNOWN_ID }, 404, 'DEPOSIT_NOT_FOUND'],
    ['a transfer out of suspense', { type: 'transfer', source: 'suspense' }, 400, 'VALIDATION_ERROR'],
    ['an amount that is a number', { type: 'transfer', amount: 5 }, 400, 'VALIDATION_ERROR'],
    ['an amount with seven decimals', { type: 'transfer', amount: '1.0000001' }, 400, 'VALIDATION_ERROR'],
    ['an amount of zero', { type: 'transfer', amount: '0.00' }, 400, 'INVALID_AMOUNT'],
    ['an unknown currency', { type: 'transfer', currency: 'ETH' }, 400, 'VALIDATION_ERROR'],
    ['a missing description', { type: 'transfer', description: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
    ['an unknown field', { type: 'transfer', status: 'confirmed' }, 400, 'VALIDATION_ERROR'],
    ['an unknown user', { type: 'deposit', userId: UNKNOWN_ID }, 404, 'USER_NOT_FOUND'],
    ['an unknown withdrawal', { type: 'reversal', withdrawalId: UNKNOWN_ID }, 404, 'WITHDRAWAL_NOT_FOUND'],
  ])('reject creation with %s', async (_, request, status, code) => {
    expect(await steps.create(request)).toMatchObject({ status, code });
  });

  it.each([UNKNOWN_ID, 'not-a-uuid'])('answer 404 for the unknown id %s', async (id) => {
    const missing = { status: 404, code: 'TRANSACTION_NOT_FOUND' };
    expect(await platform.as(steps.admin).get(`${ADMIN_TRANSACTIONS}/${id}`)).toMatchObject(missing);
    expect(await steps.approve(id)).toMatchObject(missing);
    expect(await steps.confirm(id)).toMatchObject(missing);
    expect(await steps.reject(id)).toMatchObject(missing);
  });

  it('reject approvals of withdrawals while withdrawals are paused, but no confirmation and no approval of a transfer', async () => {
    const ann = await platform.given.user().withBalance('500.00');
    const [pendingId, approvedId] = [
      (await steps.create({ type: 'withdrawal', userId: ann.id })).data.id,
      await steps.createApproved({ type: 'withdrawal', userId: ann.id }),
    ];
    const switchWithdrawals = (action: 'pause' | 'resume') =>
      platform.as(steps.admin).post(`/api/admin/integrity/${action}`, { reason: 'Stop' });
    await switchWithdrawals('pause');
    expect(await steps.approve(pendingId)).toMatchObject({ status: 503, code: 'WITHDRAWALS_PAUSED' });
    expect((await steps.detail(pendingId)).status).toBe('pending');
    expect((await steps.confirm(approvedId)).status).toBe(200); // custody may have paid it since its approval
    expect((await steps.approve((await steps.create({ type: 'transfer' })).data.id)).status).toBe(200);
    await switchWithdrawals('resume');
    expect((await steps.approve(pendingId)).status).toBe(200);
  });

  it('reject the approval of a withdrawal from a locked account', async () => {
    const ann = await platform.given.user().withBalance('500.00');
    const { id } = (await steps.create({ type: 'withdrawal', userId: ann.id })).data;
    await lockAccount(platform, ann.id);
    expect(await steps.approve(id)).toMatchObject({ status: 422, code: 'ACCOUNT_LOCKED' });
  });

  it('show a user’s own transaction, which admins can neither approve nor confirm nor reject', async () => {
    const ann = await platform.given.user().withBalance('500.00');
    const [{ id }] = (await platform.as(ann).get('/api/user/transactions')).data;
    expect(await steps.detail(id)).toMatchObject({
      id,
      type: 'deposit',
      status: 'confirmed',
      byAdmins: null,
    });
    for (const act of [steps.approve, steps.confirm, steps.reject])
      expect(await act(id)).toMatchObject({ status: 404, code: 'TRANSACTION_NOT_FOUND' });
  });

  it.each([{ transactionHash: '' }, { transactionHash: 17 }])(
    'reject confirmation with %j, with VALIDATION_ERROR',
    async (body) => {
      const id = await steps.createApproved({ type: 'transfer' });
      expect(await steps.confirm(id, body)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    },
  );
});
