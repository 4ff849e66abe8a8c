import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { Money } from '../../../src/common/money.js';
import { ChainDepositsService } from '../../../src/modules/funds/deposits/chain-deposits.service.js';
import type { ProviderReport } from '../../../src/modules/funds/deposits/domain/deposit-reports.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { eventuallyTrue, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';

describe('A deposit', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ USDT_USDC_RATE: '0.999' });
  });
  afterAll(() => scenario?.stop());

  describe('of USDC over ERC20, which the service verifies on the chain,', () => {
    it('is seen, gets confirmations, completes after 12 of them and is credited once', async () => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const { txHash } = await scenario.provider.pay(address, '1000.000001');
      await eventuallyTrue(async () => (await scenario.depositsOf(user))[0]?.status === 'confirming');
      expect(await scenario.onlyDeposit(user)).toMatchObject({
        userId: user.id,
        amount: '1000.000001',
        currency: 'USDC',
        txHash,
        toAddress: address,
        fromAddress: scenario.platform.outside.chain.treasuryAddress,
        confirmations: 1,
        requiredConfirmations: 12,
        network: 'ERC20',
        chainId: 31337,
        gasUsed: expect.stringMatching(/^\d{5}$/),
        confirmedAt: null,
        metadata: {
          depositAddress: address,
          derivationPath: null,
          contractAddress: scenario.platform.outside.chain.usdcAddress,
          estimatedCompletionTime: '2026-03-02T10:02:12.000Z', // 11 blocks of 12 seconds after 10:00
          reason: 'The transaction has 1 of 12 confirmations.',
          nextStep: 'Nothing to do: the deposit is credited after 12 confirmations.',
          holdReason: null,
        },
      });
      expect(await scenario.availableBalance(user)).toBe('0.00');
      await scenario.mineBlocks(10);
      await scenario.pollProvider();
      expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'confirming', confirmations: 11 });
      await scenario.mineBlocks(1);
      await scenario.pollProvider();
      expect(await scenario.onlyDeposit(user)).toMatchObject({
        status: 'completed',
        confirmations: 12,
        confirmedAt: '2026-03-02T10:00:00.000Z',
        metadata: { reason: null, nextStep: null, estimatedCompletionTime: null },
      });
      await scenario.mineBlocks(5);
      await scenario.pollProvider();
      expect(await scenario.availableBalance(user)).toBe('1000.000001');
      const { gasUsed, gasFee } = await scenario.onlyDeposit(user);
      const [record] = (await scenario.platform.as(user).get('/api/user/transactions')).data;
      expect(record).toMatchObject({ type: 'deposit', confirmations: 12, gasUsed, gasFee });
      expect(await scenario.postingTypes((await scenario.onlyDeposit(user)).id)).toEqual([
        { type: 'deposit' },
      ]);
    });

    it('is credited by callbacks without the poll job', async () => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      await scenario.provider.pay(address, '600');
      await scenario.mineBlocks(12);
      await eventuallyTrue(async () => (await scenario.availableBalance(user)) === '600.00');
    });

    it('is not credited on a callback that the chain does not confirm', async () => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const bob = await scenario.userWithAddress('USDC', 'ERC20');
      const paidToBob = await scenario.platform.outside.chain.payUsdc(bob.address as `0x${string}`, '600');
      await scenario.platform.outside.chain.mine(12);
      const report = { currency: 'USDC', network: 'erc20', address, amount: '9000', confirmations: 12 };
      await scenario.callbacks.reportDeposit({ ...report, hash: newHash() });
      await scenario.callbacks.reportDeposit({ ...report, hash: paidToBob });
      expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'pending', confirmations: 0 });
      expect(await scenario.availableBalance(user)).toBe('0.00');
      expect(await scenario.availableBalance(bob.user)).toBe('600.00'); // the chain shows the transfer to bob
    });

    it('is recorded and credited for each transfer to a deposit address that one transaction contains', async () => {
      const ann = await scenario.userWithAddress('USDC', 'ERC20');
      const bob = await scenario.userWithAddress('USDC', 'ERC20');
      const hash = newHash();
      const transferTo = (to: string, amount: string, logIndex: number) => ({
        token: scenario.platform.outside.chain.usdcAddress,
        from: scenario.platform.outside.chain.treasuryAddress,
        to,
        amount: Money.of(amount),
        logIndex,
      });
      const transfers = [
        transferTo(ann.address, '600', 0),
        transferTo(bob.address, '700', 2),
        transferTo(ann.address, '800', 5),
      ];
      const mined = { succeeded: true, blockNumber: 7, confirmations: 12, gasUsed: '90000', gasPrice: '1' };
      const unitOfWork = scenario.platform.app.get(UnitOfWork);
      const chainDeposits = scenario.platform.app.get(ChainDepositsService);
      // The provider reports one of the transfers before the transaction is mined, and another one afterwards.
      const unmined = { hash, ...mined, succeeded: null, blockNumber: null, confirmations: 0, transfers: [] };
      await unitOfWork.runInTransaction((tx) =>
        chainDeposits.applyTransaction(tx, hash, unmined, reportOf(ann.address, hash, '800')),
      );
      expect(await scenario.onlyDeposit(ann.user)).toMatchObject({ status: 'pending', amount: '800.00' });
      // The second application must not credit anything again.
      for (let application = 1; application <= 2; application++) {
        await unitOfWork.runInTransaction((tx) =>
          chainDeposits.applyTransaction(
            tx,
            hash,
            { hash, ...mined, transfers },
            reportOf(ann.address, hash, '600'),
          ),
        );
      }
      expect((await scenario.depositsOf(ann.user)).map(({ amount, status }) => [amount, status])).toEqual([
        ['600.00', 'completed'],
        ['800.00', 'completed'],
      ]);
      expect(await scenario.availableBalance(ann.user)).toBe('1400.00'); // 600 + 800
      expect(await scenario.availableBalance(bob.user)).toBe('700.00');
    });

    it('is recorded anew, under the same id of the provider, if a reorganisation moves its transfer within the block', async () => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const hash = await scenario.platform.outside.chain.payUsdc(address as `0x${string}`, '600');
      const id = newProviderId();
      const report = (confirmations: number) =>
        scenario.callbacks.reportDeposit({
          ...{ id, address, hash, confirmations },
          ...{ currency: 'USDC', network: 'erc20', amount: '600' },
        });
      await report(1);
      // The recorded place of the transfer in the block now differs from the one that the chain shows.
      await queryWithoutTriggers(
        scenario.platform,
        'update deposit set log_index = log_index + 5 where tx_hash = $1',
        [hash],
      );
      await report(2);
      const rows = await scenario.platform.dataSource.query(
        'select status, failure, provider_deposit_id as "providerId" from deposit where user_id = $1 order by created_at, id',
        [user.id],
      );
      expect(rows).toEqual([
        { status: 'failed', failure: 'unproven', providerId: `${id}` },
        { status: 'confirming', failure: null, providerId: `${id}` },
      ]);
      await scenario.mineBlocks(12);
      await report(14);
      expect(await scenario.availableBalance(user)).toBe('600.00');
    });

    it('is credited with the amount of the chain and not of the provider', async () => {
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const hash = await scenario.platform.outside.chain.payUsdc(address as `0x${string}`, '600');
      await scenario.platform.outside.chain.mine(12);
      await scenario.callbacks.reportDeposit({
        currency: 'USDC',
        network: 'erc20',
        address,
        hash,
        amount: '60000',
      });
      expect(await scenario.onlyDeposit(user)).toMatchObject({ amount: '600.00', status: 'completed' });
      expect(await scenario.availableBalance(user)).toBe('600.00');
    });
  });

  it('of a token with 18 decimals is rounded down to six, and the remainder is posted to the rounding account', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'BEP20');
    const before = Money.of(await scenario.platformBalance('rounding'));
    await scenario.callbacks.reportDeposit({
      currency: 'USDC',
      network: 'bep20',
      address,
      amount: '1234.567890123456789012',
      confirmations: 15,
    });
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'completed', amount: '1234.56789' });
    expect(await scenario.availableBalance(user)).toBe('1234.56789');
    const added = Money.of(await scenario.platformBalance('rounding')).minus(before);
    expect(added.toString()).toBe('0.000000123456789012');
  });

  it('of USDT, which is converted, violates no invariant of the ledger', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    await scenario.callbacks.reportDeposit({ address, amount: '1000.0000019' });
    await eventuallyTrue(async () => (await scenario.availableBalance(user)) === '999.00'); // 1000.000001 × 0.999, rounded down
    const admin = await scenario.platform.given.admin();
    const { data } = await scenario.platform.as(admin).get('/api/admin/integrity');
    expect(data).toMatchObject({ status: 'holds' });
  });

  it('of ETH is posted with all 18 decimals to an account that the balance does not include', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
    await scenario.callbacks.reportDeposit({
      currency: 'ETH',
      network: 'erc20',
      address,
      amount: '1.123456789012345678',
      confirmations: 12,
    });
    expect(await scenario.onlyDeposit(user)).toMatchObject({
      currency: 'ETH',
      status: 'completed',
      amount: '1.123456',
    });
    expect(await scenario.availableBalance(user)).toBe('0.00');
    const accounts = await scenario.platform.dataSource.query(
      'select asset, balance from ledger_account where owner_id = $1',
      [user.id],
    );
    expect(accounts).toEqual([{ asset: 'ETH', balance: '1.123456789012345678' }]);
  });
});

function reportOf(address: string, hash: string, amount: string): ProviderReport {
  return {
    id: String(newProviderId()),
    outcome: 'underway',
    network: 'ERC20',
    currency: 'USDC',
    hash,
    address,
    senderAddress: null,
    amount: Money.of(amount),
    confirmations: 0,
    error: null,
  };
}
