import type { Address } from 'viem';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { lockTxHash } from '../../../src/modules/providers/chain/transaction-hash.repository.js';
import { DepositsService } from '../../../src/modules/funds/deposits/deposits.service.js';
import { fieldsOf, parseMessage, readDeposit } from '../../../src/modules/funds/deposits/domain/crypto2b.js';
import { AdminTransactionsRepository } from '../../../src/modules/backoffice/treasury/admin-transactions.repository.js';
import type { ProviderDeposit } from '../../../src/modules/funds/deposits/domain/deposit-reports.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { repetitions } from '../../harness/repetitions.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { depositBody, newHash } from '../../fixtures/provider-callbacks.js';
import { linkWallet } from '../../fixtures/sealed-rows.js';
import { transferToCustody } from '../../fixtures/transfers.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, unknownHash } from '../../fixtures/withdrawals.js';

const TRC20 = { currency: 'USDC', network: 'trc20' }; // fields of a provider's report, whose default amount is 600

describe('A transfer that admins book by hand', () => {
  let scenario: DepositScenario;
  let steps: TreasurySteps;
  beforeAll(async () => {
    scenario = await DepositScenario.start({ FOUR_EYES: 'off' });
    steps = await treasurySteps(scenario.platform);
    await scenario.platform.given.user().withBalance('10000.00');
    await transferToCustody(scenario.platform, '10000.00'); // for the withdrawals that the tests complete
  });
  afterAll(() => scenario?.stop());

  const createApproved = (userId: string, amount = '600.00') =>
    steps.createApproved({ type: 'deposit', userId, amount });

  async function book(userId: string, transactionHash: string, amount = '600.00'): Promise<string> {
    const id = await createApproved(userId, amount);
    expect((await steps.confirm(id, { transactionHash })).status).toBe(200);
    return id;
  }

  const reportedDeposit = (address: string, hash: string): ProviderDeposit =>
    readDeposit(fieldsOf(parseMessage(depositBody({ ...TRC20, address, hash }))).data) as ProviderDeposit;

  const violations = async () => {
    const { data } = await scenario.platform.as(steps.admin).get('/api/admin/integrity');
    return data.laws.filter(({ status }: { status: string }) => status !== 'holds');
  };

  it.each([
    ['without the prefix 0x', 'with it', (hash: string) => hash.slice(2), (hash: string) => hash],
    ['with the prefix 0x', 'without it', (hash: string) => hash, (hash: string) => hash.slice(2)],
  ])(
    'is credited once when its hash is booked %s and reported %s',
    async (_booked, _reported, bookedForm, reportedForm) => {
      const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
      const hash = newHash();
      await book(user.id, bookedForm(hash));
      await scenario.callbacks.reportDeposit({ ...TRC20, address, hash: reportedForm(hash) });
      expect((await scenario.onlyDeposit(user)).metadata.holdReason).toBe('BOOKED_BY_HAND');
      expect(await scenario.availableBalance(user)).toBe('600.00');
    },
  );

  it('is credited once: a later report of the provider is held permanently, with the reason', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    const hash = newHash().slice(2); // hashes of this network have no prefix
    const booking = await book(user.id, ` ${hash.toUpperCase()} `);
    const atProvider = await steps.platformBalance('asset.deposit-provider');
    await scenario.callbacks.reportDeposit({ ...TRC20, address, hash });

    const deposit = await scenario.onlyDeposit(user);
    expect(deposit).toMatchObject({
      status: 'confirming',
      amount: '600.00',
      confirmedAt: null,
      metadata: {
        holdReason: 'BOOKED_BY_HAND',
        estimatedCompletionTime: null,
        reason: expect.stringMatching(/^Our team credited this transaction to you manually/),
        nextStep: expect.stringMatching(/^Nothing to do: the credit is in your list/),
      },
    });
    expect(await scenario.postingTypes(deposit.id)).toEqual([]);
    expect(await steps.platformBalance('asset.deposit-provider')).toBe(atProvider); // 600.00 arrived once
    expect(await steps.balance(user)).toMatchObject({ available: '600.00', deposits: '600.00' });

    const { body } = await scenario.platform.as(user).get('/api/user/deposits');
    expect(body.summary).toMatchObject({ totalDeposited: '0.00', totalPending: '0.00' }); // no pending deposit
    const shown = (await scenario.platform.as(user).get('/api/user/transactions')).data;
    expect(
      shown.map(({ status, metadata }: any) => [status, metadata.referenceId, metadata.balanceChange]).sort(),
    ).toEqual([
      ['cancelled', deposit.id, '0.00'],
      ['completed', booking, '600.00'],
    ]);
    const [note] = (await scenario.platform.as(user).get('/api/user/notifications')).data;
    expect(note).toMatchObject({
      title: 'Deposit credited before',
      message: expect.stringMatching(/^Your deposit of 600.00 USDC has arrived. Our team had credited/),
    });
    expect(await violations()).toEqual([]);
  });

  it('is neither credited nor counted as suspense when another deposit to the address arrives', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    const hash = newHash();
    await book(user.id, hash, '450.00');
    await scenario.callbacks.reportDeposit({ ...TRC20, address, hash, amount: '450' });
    // The 450 do not count towards the minimum of 500, so that the 100 are held in suspense.
    await scenario.callbacks.reportDeposit({ ...TRC20, address, amount: '100' });
    expect((await scenario.depositsOf(user)).map(({ metadata }) => metadata.holdReason)).toEqual([
      'BOOKED_BY_HAND',
      'BELOW_MINIMUM',
    ]);
    const repository = scenario.platform.app.get(AdminTransactionsRepository);
    const ownerless = await scenario.platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => repository.lockOwnerlessSuspense(tx));
    expect(ownerless.toWire()).toBe('0.00'); // 100 are in suspense and belong to the held deposit

    await scenario.callbacks.reportDeposit({ ...TRC20, address, amount: '400' });
    expect(await scenario.depositStatuses(user)).toEqual(['confirming', 'completed', 'completed']);
    expect(await scenario.availableBalance(user)).toBe('950.00'); // 450 by hand, 100 + 400
    expect(await violations()).toEqual([]);
  });

  it('is credited once when the chain shows it later for a user’s claim', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    const txHash = await scenario.platform.outside.chain.payUsdc(address as Address, '600');
    const claim = { txHash, amount: '600.00', currency: 'USDC', fromAddress: address };
    expect((await scenario.platform.as(user).post('/api/user/blockchain/deposit', claim)).status).toBe(201);
    await book(user.id, txHash); // a pending claim does not prevent the booking
    await scenario.mineBlocks(25); // more than the required 12 confirmations
    await scenario.pollProvider();
    expect((await scenario.onlyDeposit(user)).metadata.holdReason).toBe('BOOKED_BY_HAND');
    await scenario.pollProvider();
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await violations()).toEqual([]);
  });

  it('belongs to one user: the part that the transaction pays to another user is credited', async () => {
    const [ann, ben] = [
      await scenario.userWithAddress('USDC', 'TRC20'),
      await scenario.userWithAddress('USDC', 'TRC20'),
    ];
    const hash = newHash();
    await book(ann.user.id, hash);
    await scenario.callbacks.reportDeposit({ ...TRC20, address: ben.address, hash });
    expect(await scenario.depositStatuses(ben.user)).toEqual(['completed']);
    expect(await scenario.availableBalance(ben.user)).toBe('600.00');
  });

  it('cannot be booked while a deposit with its hash is credited, held or confirming, nor can the hash complete a withdrawal', async () => {
    const withdrawal = await steps.withdrawals.createProcessing();
    for (const [amount, confirmations] of [
      ['600', 20], // credited
      ['10', 20], // held: below the minimum
      ['600', 1], // confirming
    ] as const) {
      const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
      const hash = newHash();
      await scenario.callbacks.reportDeposit({ ...TRC20, address, hash, amount, confirmations });
      const { id: depositId } = await scenario.onlyDeposit(user);
      const id = await createApproved(user.id, `${amount}.00`);
      const before = await scenario.platform.ledgerState();
      for (const transactionHash of [hash.toUpperCase().replace('0X', '0x'), hash.slice(2)]) {
        for (const refused of [
          await steps.confirm(id, { transactionHash }),
          await steps.withdrawals.complete(withdrawal.id, transactionHash),
        ]) {
          expect(refused).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
          expect(refused.body.error.details).toEqual({ depositId });
        }
      }
      expect(await scenario.platform.ledgerState()).toEqual(before);
    }
  });

  describe('during a report of the provider or a withdrawal', () => {
    /** Locks the hash until both calls wait for it in the given order, then releases it. */
    async function inOrder(hash: string, first: () => Promise<unknown>, second: () => Promise<unknown>) {
      const running: Promise<unknown>[] = [];
      await scenario.platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
        await lockTxHash(tx, hash);
        for (const start of [first, second]) {
          running.push(start());
          await eventually(async () =>
            expect(await scenario.platform.dataSource.query(LOCK_WAITS)).toHaveLength(running.length),
          );
        }
      });
      return Promise.all(running);
    }

    it.each(['the booking', 'the deposit'])('is credited once if %s comes first', async (first) => {
      const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
      const hash = newHash();
      const id = await createApproved(user.id);
      const confirm = () => steps.confirm(id, { transactionHash: hash });
      const report = () =>
        scenario.platform.app.get(DepositsService).recordProviderDeposit(reportedDeposit(address, hash));
      const isBookedFirst = first === 'the booking';
      await (isBookedFirst ? inOrder(hash, confirm, report) : inOrder(hash, report, confirm));

      expect((await steps.detail(id)).status).toBe(isBookedFirst ? 'confirmed' : 'processing');
      const { status, metadata } = await scenario.onlyDeposit(user);
      expect([status, metadata.holdReason]).toEqual(
        isBookedFirst ? ['confirming', 'BOOKED_BY_HAND'] : ['completed', null],
      );
      expect(await scenario.availableBalance(user)).toBe('600.00');
    });

    it('is credited once in any order', async () => {
      for (let round = 0; round < repetitions(16); round++) {
        const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
        const hash = newHash();
        const id = await createApproved(user.id);
        const deposit = reportedDeposit(address, hash);
        const report = () => scenario.platform.app.get(DepositsService).recordProviderDeposit(deposit);
        const [{ status }] = await Promise.all([
          steps.confirm(id, { transactionHash: hash }),
          report(),
          report(),
        ]);
        expect([status, (await scenario.onlyDeposit(user)).status]).toEqual(
          status === 200 ? [200, 'confirming'] : [409, 'completed'],
        );
        expect(await scenario.availableBalance(user)).toBe('600.00');
      }
      expect(await violations()).toEqual([]);
    });

    it('shares no hash with a withdrawal that is completed concurrently', async () => {
      for (let round = 0; round < repetitions(16); round++) {
        const { id: withdrawalId, ann } = await steps.withdrawals.createProcessing();
        const id = await steps.createApproved({ type: 'withdrawal', userId: ann.id });
        const hash = unknownHash();
        const replies = await Promise.all([
          steps.withdrawals.complete(withdrawalId, hash),
          steps.confirm(id, { transactionHash: hash }),
        ]);
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      }
    });
  });

  it('has a hash that cannot complete a withdrawal unless sharing is allowed', async () => {
    const { user } = await scenario.userWithAddress('USDC', 'ERC20');
    const hash = newHash();
    const transactionId = await book(user.id, hash);
    const { id } = await steps.withdrawals.createProcessing();
    const before = await scenario.platform.ledgerState();
    const refused = await steps.withdrawals.complete(id, ` 0x${hash.slice(2).toUpperCase()}`);
    expect(refused).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    expect(refused.body.error.details).toEqual({ transactionId });
    expect(await scenario.platform.ledgerState()).toEqual(before);
    expect(await steps.withdrawals.complete(id, hash, { allowSharedTxHash: true })).toMatchObject({
      data: { status: 'completed', txHash: hash },
    });
  });

  describe('with a hash that is shared with a withdrawal', () => {
    afterEach(() => scenario.endFaults());

    /** Creates a withdrawal of 100.00, an admin withdrawal of 100.00 to the same wallet, and one payment to it. */
    async function createPair() {
      const { id: withdrawalId, ann } = await steps.withdrawals.createProcessing('100.00');
      const id = await steps.createApproved({ type: 'withdrawal', userId: ann.id, amount: '100.00' });
      await linkWallet(scenario.platform.dataSource, DESTINATION, ann.id);
      return { withdrawalId, id, hash: await scenario.platform.outside.chain.payUsdc(DESTINATION, '100') };
    }

    const checks = async ({ withdrawalId, id }: { withdrawalId: string; id: string }) => [
      (await steps.detail(id)).byAdmins.chainCheck,
      (await steps.withdrawals.detail(withdrawalId)).chainCheck,
    ];

    it('matches the payment on chain, and the withdrawal that is completed later does not', async () => {
      const pair = await createPair();
      await steps.confirm(pair.id, { transactionHash: pair.hash });
      await steps.withdrawals.complete(pair.withdrawalId, pair.hash, { allowSharedTxHash: true });
      expect(await checks(pair)).toEqual(['matched', 'mismatch']);
    });

    it('does not match the payment if a later chain check verifies the withdrawal first', async () => {
      scenario.faults.set('chain', 'error');
      const pair = await createPair();
      await steps.confirm(pair.id, { transactionHash: pair.hash });
      await steps.withdrawals.complete(pair.withdrawalId, pair.hash, { allowSharedTxHash: true });
      expect(await checks(pair)).toEqual(['unverified', 'unverified']);
      await scenario.endFaults();
      await scenario.platform.runJob('withdrawal-chain-checks');
      await scenario.platform.runJob('treasury-chain-checks');
      expect(await checks(pair)).toEqual(['mismatch', 'matched']);
    });
  });
});
