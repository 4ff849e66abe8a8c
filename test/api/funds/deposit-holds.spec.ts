import type { Hash } from 'viem';
import { DAY_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { DepositsService } from '../../../src/modules/funds/deposits/deposits.service.js';
import { fieldsOf, parseMessage, readDeposit } from '../../../src/modules/funds/deposits/domain/crypto2b.js';
import { depositHeld } from '../../../src/modules/core/ledger/domain/postings.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { depositBody, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';
import { repetitions } from '../../harness/repetitions.js';

describe('A deposit below the minimum of 500.00', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
  });
  afterAll(() => scenario?.stop());

  async function expectInvariantsHold(): Promise<void> {
    const admin = await scenario.platform.given.admin();
    const { data } = await scenario.platform.as(admin).get('/api/admin/integrity');
    expect(data).toMatchObject({ status: 'holds' });
  }

  it('is held in suspense with a reason, and credited when the sum at its address reaches the minimum', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '200' });
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '299.999999' });
    const heldDeposits = await scenario.depositsOf(user);
    expect(heldDeposits).toHaveLength(2);
    for (const held of heldDeposits) {
      expect(held).toMatchObject({
        status: 'confirming',
        confirmedAt: null,
        metadata: {
          holdReason: 'BELOW_MINIMUM',
          reason: 'The deposit is below the minimum of 500.00 USDC.',
          nextStep:
            'Send more to the same deposit address: when the deposits to it reach 500.00 USDC in total, all of them are credited.',
        },
      });
    }
    expect(await scenario.availableBalance(user)).toBe('0.00'); // 200 + 299.999999 = 499.999999, below the minimum
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '0.000001' });
    const completed = await scenario.depositsOf(user);
    expect(completed.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(completed.map(({ metadata }) => metadata.holdReason)).toEqual([null, null, null]);
    expect(await scenario.availableBalance(user)).toBe('500.00');
    expect(await scenario.postingTypes(completed[0]?.id ?? '')).toEqual([
      { type: 'deposit-held' },
      { type: 'deposit' },
    ]);
    expect(await scenario.platformBalance('suspense')).toBe('0');
  });

  it('is not released by deposits to another address', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    const bep20Address = await scenario.addressOf(user, 'USDC', 'BEP20');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '300' });
    await scenario.callbacks.reportDeposit({
      currency: 'USDC',
      network: 'bep20',
      address: bep20Address,
      amount: '300',
      confirmations: 15,
    });
    expect(await scenario.availableBalance(user)).toBe('0.00');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '200' });
    await scenario.callbacks.reportDeposit({
      currency: 'USDC',
      network: 'bep20',
      address: bep20Address,
      amount: '200',
      confirmations: 15,
    });
    expect(await scenario.availableBalance(user)).toBe('1000.00'); // 300 + 200 at each address
  });

  it('fails when the provider reports it as failed, and is not credited with later deposits', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'BEP20');
    const report = { currency: 'USDC', network: 'bep20', address, confirmations: 15 };
    // With more decimals than a balance has, none of which may stay in suspense.
    const held = { ...report, id: newProviderId(), hash: newHash(), amount: '400.000000123' };
    await scenario.callbacks.reportDeposit(held);
    await scenario.callbacks.reportDeposit({ ...held, status: 'Failed' });
    await scenario.callbacks.reportDeposit({ ...report, amount: '100' });
    expect(await scenario.depositStatuses(user)).toEqual(['failed', 'confirming']); // 100 alone is below the minimum
    expect(await scenario.availableBalance(user)).toBe('0.00');
    const [failed] = await scenario.depositsOf(user);
    expect(failed?.metadata).toMatchObject({
      holdReason: null,
      reason: 'The deposit provider refused the deposit.',
    });
    expect(await scenario.postingTypes(failed?.id ?? '')).toEqual([
      { type: 'deposit-held' },
      { type: 'deposit-reversed' },
    ]);
    expect(await scenario.platformBalance('suspense')).toBe('100');
    await scenario.callbacks.reportDeposit({ ...report, amount: '400' });
    expect(await scenario.availableBalance(user)).toBe('500.00'); // 100 + 400
    await expectInvariantsHold();
  });

  describe('over ERC20 that a reorganisation removes', () => {
    /** Pays 400 USDC, which are then held and removed from the chain; the returned function sends them again. */
    async function createRemovedDeposit() {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const chainFixtures = new ChainFixtures(scenario.platform.outside.chain);
      const sendAgain = await chainFixtures.reorganise(async () => {
        const { txHash } = await scenario.provider.pay(address, '400');
        await scenario.mineBlocks(12);
        await scenario.pollProvider();
        return txHash as Hash;
      });
      expect(await scenario.onlyDeposit(user)).toMatchObject({ metadata: { holdReason: 'BELOW_MINIMUM' } });
      await scenario.mineBlocks(20);
      await scenario.pollProvider();
      return { user, address, sendAgain };
    }

    it('is released when the chain shows it again, if the deposits at its address then reach the minimum', async () => {
      const { user, address, sendAgain } = await createRemovedDeposit();
      const report = { network: 'erc20', address, confirmations: 12 }; // of USDT
      await scenario.callbacks.reportDeposit({ ...report, amount: '100' });
      expect(await scenario.depositStatuses(user)).toEqual(['confirming', 'confirming']);
      await sendAgain();
      await scenario.mineBlocks(12);
      await scenario.pollProvider();
      expect(await scenario.availableBalance(user)).toBe('500.00'); // 400 + 100
      await expectInvariantsHold();
    });

    it('fails after 24 hours', async () => {
      const { user } = await createRemovedDeposit();
      scenario.platform.clock.advance(DAY_MS - 1);
      await scenario.pollProvider();
      expect(await scenario.depositStatuses(user)).toEqual(['confirming']);
      scenario.platform.clock.advance(1);
      await scenario.pollProvider();
      expect(await scenario.depositsOf(user)).toMatchObject([
        { status: 'failed', metadata: { reason: 'The transaction has not been seen for 24 hours.' } },
      ]);
      expect(await scenario.platformBalance('suspense')).toBe('0');
      await expectInvariantsHold();
    });
  });

  it('is credited once, together with another one, when each of the two is reported twice concurrently', async () => {
    // Calls the service, because callbacks are processed one at a time and repeated ones are ignored.
    const deposits = scenario.platform.app.get(DepositsService);
    for (let round = 1; round <= repetitions(20); round++) {
      const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
      const reports = ['250', '250'].map((amount) =>
        readDeposit(fieldsOf(parseMessage(depositBody({ currency: 'USDC', address, amount }))).data),
      );
      await Promise.all(
        [...reports, ...reports].map((deposit) =>
          deposits.recordProviderDeposit(deposit as NonNullable<typeof deposit>),
        ),
      );
      expect(await scenario.availableBalance(user)).toBe('500.00'); // 250 + 250
      expect(await scenario.depositsOf(user)).toHaveLength(2);
    }
    expect(await scenario.platformBalance('suspense')).toBe('0');
  });

  it('counts towards the minimum even if more are held than the 500 that are credited together', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '0.5000009' }); // 0.50 when it is credited
    // 599 copies of it, with the records of users' transactions and the postings that belong to them.
    const copies = await scenario.platform.dataSource.query<{ id: string }[]>(
      `insert into deposit
       select (jsonb_populate_record(deposit, jsonb_build_object('id', gen_random_uuid(), 'tx_hash', n::text,
                                                                 'provider_deposit_id', 'copy ' || n))).*
         from deposit, generate_series(1, 599) as n where user_id = $1
       returning id`,
      [user.id],
    );
    await scenario.platform.dataSource.query(
      `insert into user_transaction
       select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'reference_id', copy.id, 'tx_hash', copy.tx_hash))).*
         from user_transaction as entry, deposit as copy where entry.user_id = $1 and copy.id = any($2)`,
      [user.id, copies.map(({ id }) => id)],
    );
    const { app, clock } = scenario.platform;
    const posted = { userId: user.id, network: 'TRC20', asset: 'USDC', received: Money.of('0.5000009') };
    const postings = copies.map(({ id }) => depositHeld({ ...posted, depositId: id, at: clock.now() }));
    await app.get(UnitOfWork).runInTransaction((tx) => app.get(LedgerService).post(tx, ...postings));
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '199.999999' });
    expect(await scenario.availableBalance(user)).toBe('0.00'); // 600 × 0.5 + 199.999999 is below the minimum
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '0.000001' });
    // The last deposit, and the 500 that are credited together: 0.000001 + 199.999999 + 499 × 0.5
    expect(await scenario.availableBalance(user)).toBe('449.50');
    expect(await scenario.platformBalance('suspense')).toBe('50.5'); // (600 − 499) × 0.5
    await expectInvariantsHold();
  });
});
