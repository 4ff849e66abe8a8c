import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_TRANSACTIONS, treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { unknownHash } from '../../fixtures/withdrawals.js';

describe('An admin transaction', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const transactionsOf = async (user: { token: string }) =>
    (await platform.as(user).get('/api/user/transactions')).data;

  /** Inserts a confirming deposit of a new user without a posting, and returns its id. */
  async function insertDeposit(txHash: string, amount: string, holdReason: string | null): Promise<string> {
    const { id: userId } = await platform.given.user();
    const [{ id }] = await platform.dataSource.query(
      `insert into deposit (id, user_id, network, currency, tx_hash, to_address, status, amount, confirmations,
                            required_confirmations, succeeded, hold_reason, created_at, updated_at, seen_at)
       values (gen_random_uuid(), $1, 'ERC20', 'USDC', $2, '0x1', 'confirming', $3, 12, 12, true, $4,
               now(), now(), now())
       returning id`,
      [userId, txHash, amount, holdReason],
    );
    return id;
  }

  describe('of type deposit', () => {
    it('is created, approved by a second admin, and credited to the user on confirmation', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const created = await steps.create({
        type: 'deposit',
        userId: ann.id,
        amount: '120.50',
        description: 'Bonus',
      });
      expect(created).toMatchObject({
        status: 201,
        data: {
          type: 'deposit',
          status: 'pending',
          amount: '120.50',
          userID: ann.id,
          userEmail: ann.email,
          processedAt: null,
          confirmedAt: null,
          description: 'Bonus',
          byAdmins: {
            createdBy: 'admin@example.com',
            approvedBy: null,
            chainCheck: null,
            fromSuspense: false,
          },
        },
      });
      const { id } = created.data;
      expect((await steps.approve(id)).data).toMatchObject({
        status: 'processing',
        processedAt: platform.clock.now().toISOString(),
        byAdmins: { approvedBy: 'admin2@example.com' },
      });
      // Unchanged before confirmation.
      expect(await steps.balance(ann)).toMatchObject({ available: '500.00', deposits: '500.00' });

      const confirmed = await steps.confirm(id, { transactionHash: null }); // null is treated as an absent field
      expect(confirmed).toMatchObject({
        status: 200,
        data: { status: 'confirmed', transactionHash: null, byAdmins: { confirmedBy: 'admin@example.com' } },
      });
      expect(await steps.balance(ann)).toMatchObject({
        available: '620.50', // 500.00 + 120.50
        deposits: '620.50',
        withdrawals: '0.00',
      });
      expect((await transactionsOf(ann))[0]).toMatchObject({
        type: 'deposit',
        status: 'completed',
        amount: '120.50',
        metadata: {
          description: 'Bonus',
          balanceChange: '120.50',
          referenceType: 'admin-transaction',
          referenceId: id,
        },
      });
      expect((await platform.as(ann).get('/api/user/notifications')).data[0]).toMatchObject({
        type: 'deposit',
        priority: 'high',
        message: '120.50 USDC have been credited to you. Note: Bonus',
        metadata: { transactionId: id },
      });
      expect(await steps.auditEntries(id)).toEqual([
        'admin@example.com transaction.create',
        'admin2@example.com transaction.approve',
        'admin@example.com transaction.confirm',
      ]);
    });

    it('takes money from suspense if its source is suspense, except the money of held deposits', async () => {
      const ann = await platform.given.user();
      const id = await steps.createApproved({
        type: 'deposit',
        userId: ann.id,
        amount: '40.00',
        source: 'suspense',
      });
      const before = await platform.ledgerState();
      const refused = await steps.confirm(id);
      expect(refused).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
      expect(refused.body.error.details).toEqual({
        available: '0.00',
        requested: '40.00',
        shortfall: '40.00',
      });
      expect(await platform.ledgerState()).toEqual(before);

      await steps.putIntoSuspense('100.00');
      await insertDeposit('held', '70.00', 'BELOW_MINIMUM');
      expect((await steps.confirm(id)).body.error.details.available).toBe('30.00'); // 100.00 − 70.00 held
      await steps.putIntoSuspense('10.00'); // available now: 110.00 − 70.00 held = 40.00
      expect(await steps.confirm(id)).toMatchObject({
        status: 200,
        data: { byAdmins: { fromSuspense: true } },
      });
      expect(await steps.platformBalance('suspense')).toBe('70.00'); // 100.00 + 10.00 − 40.00
      expect(await steps.balance(ann)).toMatchObject({ available: '40.00', deposits: '40.00' });
    });
  });

  describe('of type withdrawal', () => {
    it('debits the available balance and custody on confirmation', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const custody = await steps.platformBalance('asset.custody');
      const id = await steps.createApproved({ type: 'withdrawal', userId: ann.id, amount: '120.00' });
      expect(await steps.confirm(id)).toMatchObject({ status: 200, data: { status: 'confirmed' } });
      expect(await steps.balance(ann)).toEqual({
        available: '380.00', // 500.00 − 120.00
        invested: '0.00',
        reserved: '0.00',
        deposits: '500.00',
        withdrawals: '120.00',
        earnings: '0.00',
        fees: '0.00',
      });
      expect(Number(await steps.platformBalance('asset.custody'))).toBe(Number(custody) - 120);
      expect((await transactionsOf(ann))[0]).toMatchObject({
        type: 'withdrawal',
        status: 'completed',
        metadata: { balanceChange: '-120.00' },
      });
    });

    it('cannot be confirmed and posts nothing while the balance is too low, but can be confirmed later', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      const id = await steps.createApproved({ type: 'withdrawal', userId: ann.id, amount: '100.01' });
      const before = await platform.ledgerState();
      const reply = await steps.confirm(id);
      expect(reply).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
      expect(reply.body.error.details).toEqual({
        available: '100.00',
        requested: '100.01',
        shortfall: '0.01', // 100.01 − 100.00
      });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.detail(id)).status).toBe('processing');

      await platform.given.deposit(ann.id, '0.01');
      expect((await steps.confirm(id)).status).toBe(200);
      expect(await steps.balance(ann)).toMatchObject({ available: '0.00' });
    });

    it('reserves nothing before confirmation', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      await steps.createApproved({ type: 'withdrawal', userId: ann.id, amount: '100.00' });
      expect(await steps.balance(ann)).toMatchObject({ available: '100.00', reserved: '0.00' });
    });
  });

  it('of type transfer moves tokens from the deposit provider to custody and belongs to no user', async () => {
    const [provider, custody] = [
      await steps.platformBalance('asset.deposit-provider'),
      await steps.platformBalance('asset.custody'),
    ];
    const id = await steps.createApproved({ type: 'transfer', amount: '33.00' });
    const done = await steps.confirm(id);
    expect(done.data).toMatchObject({ status: 'confirmed', userID: null, byAdmins: { purpose: 'sweep' } });
    expect(Number(await steps.platformBalance('asset.deposit-provider'))).toBe(Number(provider) - 33);
    expect(Number(await steps.platformBalance('asset.custody'))).toBe(Number(custody) + 33);
  });

  it('cannot be approved by the admin who created it, who gets FOUR_EYES_REQUIRED [SEC-007]', async () => {
    const { id } = (await steps.create({ type: 'transfer' })).data;
    expect(await steps.approve(id, steps.admin)).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    expect((await steps.detail(id)).status).toBe('pending');
    await expect(
      platform.dataSource.query(
        `update admin_transaction set status = 'processing', approved_at = now(), approved_by = created_by where id = $1`,
        [id],
      ),
    ).rejects.toThrow(/admin_transaction_approved/); // the database also requires another admin
  });

  it('is rejected with a reason, without which the rejection is refused', async () => {
    const { id } = (await steps.create({ type: 'transfer' })).data;
    expect((await steps.reject(id, 'Not needed')).data).toMatchObject({
      status: 'failed',
      byAdmins: { reason: 'Not needed', rejectedBy: 'admin@example.com' },
    });
    const secondId = (await steps.create({ type: 'transfer' })).data.id;
    const unexplained = await platform.as(steps.admin).post(`${ADMIN_TRANSACTIONS}/${secondId}/reject`, {});
    expect(unexplained).toMatchObject({ status: 400, code: 'MISSING_REQUIRED_FIELD' });
    expect(await steps.reject(secondId, '')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  describe('confirmed with a transaction hash', () => {
    it('shares the hash with no other admin transaction, withdrawal or deposit', async () => {
      const confirmedId = await steps.createApproved({ type: 'transfer' });
      const refusedId = await steps.createApproved({ type: 'transfer' });
      const hash = newHash();
      expect((await steps.confirm(confirmedId, { transactionHash: hash })).data).toMatchObject({
        transactionHash: hash,
        byAdmins: { chainCheck: 'unverified' },
      });
      const before = await platform.ledgerState();
      const sameHash = hash.toUpperCase().replace('0X', '0x');
      const refusedForTransfer = await steps.confirm(refusedId, { transactionHash: sameHash });
      expect(refusedForTransfer).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
      expect(refusedForTransfer.body.error.details).toEqual({ transactionId: confirmedId });
      expect(await platform.ledgerState()).toEqual(before);

      const { id } = await steps.withdrawals.createProcessing();
      const withdrawalHash = unknownHash();
      await steps.withdrawals.complete(id, withdrawalHash);
      const refusedForWithdrawal = await steps.confirm(refusedId, { transactionHash: withdrawalHash });
      expect(refusedForWithdrawal.body.error.details).toEqual({ withdrawalId: id });

      const depositHash = unknownHash();
      const depositId = await insertDeposit(depositHash, '1.00', null);
      const refusedForDeposit = await steps.confirm(refusedId, { transactionHash: depositHash });
      expect(refusedForDeposit.body.error.details).toEqual({ depositId });
    });

    it('is refused if another one is confirmed with the same hash concurrently', async () => {
      const ids = [
        await steps.createApproved({ type: 'transfer' }),
        await steps.createApproved({ type: 'transfer' }),
      ];
      const transactionHash = unknownHash();
      const replies = await Promise.all(ids.map((id) => steps.confirm(id, { transactionHash })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });
});
