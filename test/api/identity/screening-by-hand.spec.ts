import type { Address } from 'viem';
import { freshAddress, ScreeningSteps } from '../../fixtures/screening.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A withdrawal by hand with screening', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    steps = await treasurySteps(platform);
    screening = new ScreeningSteps(platform, steps.withdrawals);
  });
  afterAll(() => platform?.stop());

  const createWithdrawal = async (userId: string): Promise<string> =>
    (await steps.create({ type: 'withdrawal', userId })).data.id;
  const statusOf = async (id: string) => (await steps.detail(id)).status;

  it('is approved for a clear user whose verdict is not stored yet', async () => {
    const ann = await screening.user('clear');
    await screening.answerAllQuestions();
    await queryWithoutTriggers(platform, 'delete from screening_verdict where user_id = $1', [ann.id]);
    const id = await createWithdrawal(ann.id);
    expect((await steps.approve(id)).status).toBe(200);
    expect((await steps.confirm(id)).status).toBe(200);
  });

  it('is not approved for a blocked user', async () => {
    const id = await createWithdrawal((await screening.user('blocked')).id);
    const before = await statusOf(id);
    const refused = await steps.approve(id);
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_STATE']);
    expect(refused.body.error.details).toMatchObject({
      status: 'pending',
      action: 'approve',
      allowedFrom: ['pending'],
      screening: 'blocked',
      screened: 'user',
    });
    expect(await statusOf(id)).toBe(before);
    expect(await screening.auditEntries(id)).toMatchObject([
      { action: 'transaction.create' },
      { action: 'transaction.approve-refused', after: { screening: 'blocked', screened: 'user' } },
    ]);
    expect((await steps.reject(id)).status).toBe(200);
  });

  it('is approved for a blocked user and during a pause if it books a payment that was made already', async () => {
    const ann = await screening.user('clear');
    const address = freshAddress() as Address;
    const withdrawalId = await screening.withdrawal(ann, address);
    expect((await steps.withdrawals.take(withdrawalId)).status).toBe(200);
    expect((await steps.withdrawals.reject(withdrawalId)).status).toBe(200);
    const transactionHash = await platform.outside.chain.payUsdc(address, '100');
    await platform.runJob('late-payments');
    screening.setRule(ann.email, 'blocked');
    await screening.expireVerdicts(ann.id);
    expect((await steps.approve(await createWithdrawal(ann.id))).code).toBe('INVALID_STATE');

    const { data } = await steps.create({ type: 'withdrawal', userId: ann.id, withdrawalId });
    await platform.as(steps.admin).post('/api/admin/integrity/pause', { reason: 'Stop' });
    expect((await steps.approve(data.id)).status).toBe(200);
    await platform.as(steps.admin).post('/api/admin/integrity/resume', { reason: 'Go on' });
    expect((await steps.confirm(data.id, { transactionHash })).status).toBe(200);
    expect(await steps.balance(ann)).toMatchObject({ available: '900.00', withdrawals: '100.00' });
  });

  it('is approved for a user under review after the review is accepted', async () => {
    const ann = await screening.user('review');
    const id = await createWithdrawal(ann.id);
    const refused = await steps.approve(id);
    expect(refused).toMatchObject({ status: 422, body: { error: { details: { screening: 'review' } } } });
    expect((await screening.acceptForUser(ann.id)).status).toBe(200);
    expect((await steps.approve(id)).status).toBe(200);
  });

  it('is not approved while the provider does not answer, unlike a deposit booked by hand', async () => {
    const ann = await screening.user('clear');
    await screening.answerAllQuestions();
    await screening.expireVerdicts(ann.id);
    const id = await createWithdrawal(ann.id);
    await screening.withProviderFault('drop', async () => {
      const refused = await steps.approve(id);
      expect([refused.status, refused.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(refused.headers.get('retry-after')).toBe('5');
      const deposit = (await steps.create({ type: 'deposit', userId: ann.id })).data.id;
      expect((await steps.approve(deposit)).status).toBe(200);
    });
    expect((await steps.approve(id)).status).toBe(200);
  });
});
