import type { Hash } from 'viem';
import { addDays } from '../../../src/common/days.js';
import { ChainFixtures } from '../../fixtures/chain-fixtures.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventuallyTrue, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';
import { ReconciliationSteps, type ListedLine } from '../../fixtures/reconciliations.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

interface Payment {
  user: TestUser;
  address: string;
  txHash: string;
  reference: string;
}

// In responses `there` is the provider's statement and `here` are the platform's records. `chainVerdict` names the side
// that agrees with the chain.
describe("Reconciliation with the deposit provider's list", () => {
  let scenario: DepositScenario;
  let reconciling: ReconciliationSteps;
  let usdc: Payment;
  let usdt: Payment;
  let precise: Payment; // with 18 decimals
  let belowMinimum: Payment; // held

  const today = () => scenario.platform.clock.today();
  /** Reconciles yesterday and today of real time: the provider dates deposits by it, and a test may run across midnight. */
  const reconcile = (statement: object) => {
    scenario.platform.clock.moveTo(new Date());
    return reconciling.create({
      source: 'deposit-provider',
      from: addDays(today(), -1),
      to: today(),
      ...statement,
    });
  };
  /** Reconciles with the list that the platform reads from the provider. */
  const pull = () => reconcile({ format: 'provider' });

  async function pay(currency: string, network: string, amount: string): Promise<Payment> {
    const { user, address } = await scenario.userWithAddress(currency, network);
    const { txHash, depositId } = await scenario.provider.pay(address, amount);
    return { user, address, txHash, reference: String(depositId) };
  }

  // Each test starts a platform, because a statement is compared with all records of its days.
  beforeEach(async () => {
    scenario = await DepositScenario.start({}, new Date().toISOString());
    reconciling = new ReconciliationSteps(scenario.platform, await scenario.platform.given.admin());
    usdc = await pay('USDC', 'ERC20', '600');
    usdt = await pay('USDT', 'TRC20', '700.5');
    precise = await pay('USDT', 'BEP20', '600.123456789012345678');
    belowMinimum = await pay('USDC', 'ERC20', '10');
    await scenario.mineBlocks(25);
    await eventuallyTrue(async () => {
      const shown = await Promise.all(
        [usdc, usdt, precise, belowMinimum].map(({ user }) => scenario.depositsOf(user)),
      );
      const [first, second, third, held] = shown.map((list) => list[0]);
      const credited = [first, second, third].every((deposit) => deposit?.status === 'completed');
      return credited && held?.metadata.holdReason === 'BELOW_MINIMUM';
    });
  });
  afterEach(() => scenario.stop());

  const lineOf = ({ txHash, reference }: Payment, amount: string, more: object = {}) => ({
    reference,
    txHash,
    amount,
    currency: 'USDC',
    network: 'ERC20',
    direction: 'in',
    date: today(),
    ...more,
  });
  const trc20 = { currency: 'USDT', network: 'TRC20' };
  const bep20 = { currency: 'USDT', network: 'BEP20' };
  const byReference = (lines: ListedLine[], { reference }: Payment) =>
    lines.find((line) => line.there?.reference === reference);

  it('matches credited and held deposits, and amounts with more than six decimals', async () => {
    const { status, data } = await pull();
    expect(status).toBe(201);
    expect(data).toMatchObject({
      source: 'deposit-provider',
      format: 'provider',
      status: 'matched',
      by: 'admin@example.com',
      lines: 4,
      matched: 4,
      missingHere: 0,
      missingThere: 0,
      differing: 0,
      unreadable: 0,
      chainUnread: 0,
      sums: [
        { currency: 'USDC', direction: 'in', there: '610.00', here: '610.00', difference: '0.00' }, // 600 + 10
        // 700.5 + 600.123456
        { currency: 'USDT', direction: 'in', there: '1300.623456', here: '1300.623456', difference: '0.00' },
      ],
    });
    const lines = await reconciling.lines(data.id);
    expect(byReference(lines, usdc)).toMatchObject({
      outcome: 'matched',
      chainVerdict: 'both',
      chainAmount: '600.00',
      dust: '0.00',
      break: null,
      here: { type: 'deposit', txHash: usdc.txHash, amount: '600.00', status: 'settled' },
    });
    expect(byReference(lines, belowMinimum)).toMatchObject({ outcome: 'matched', chainVerdict: 'both' });
    expect(byReference(lines, precise)).toMatchObject({
      outcome: 'matched',
      chainVerdict: null, // only transfers of USDC on ERC20 are looked up
      dust: '0.000000789012345678',
      there: { amount: '600.123456789012345678' },
      here: { amount: '600.123456789012345678' },
    });
  });

  it('rejects a repetition as a conflict that names the first reconciliation if nothing has changed since', async () => {
    await pull();
    const before = await reconciling.stored();
    const support = await scenario.platform.given.admin('support');
    const [first] = (await scenario.platform.as(support).get('/api/admin/reconciliations')).data;
    const again = await pull();
    expect(again).toMatchObject({ status: 409, code: 'RECONCILIATION_EXISTS' });
    expect(again.body.error.details).toEqual({ reconciliationId: first.id });
    expect(await reconciling.stored()).toEqual(before);
  });

  it('has no break about a held deposit that has failed, with or without a line about it', async () => {
    const { address } = await scenario.userWithAddress('USDC', 'TRC20');
    const report = { id: newProviderId(), currency: 'USDC', address, amount: '100', hash: newHash() };
    for (const status of ['Success', 'Failed']) await scenario.callbacks.reportDeposit({ ...report, status });
    const lines = [
      lineOf(usdc, '600'),
      lineOf(usdt, '700.5', trc20),
      lineOf(precise, '600.123456789012345678', bep20),
      lineOf(belowMinimum, '10'),
    ];
    const payment = { ...usdc, txHash: report.hash, reference: String(report.id) };
    const failed = lineOf(payment, '100', { network: 'TRC20', status: 'failed' });
    for (const statement of [lines, [...lines, failed]]) {
      const { data } = await reconcile({ format: 'json', lines: statement });
      expect(data).toMatchObject({ status: 'matched', matched: statement.length, missingThere: 0 });
    }
  });

  it('is rejected and stores nothing while the provider fails', async () => {
    const before = await reconciling.stored();
    scenario.faults.set('deposit', 'error');
    expect(await pull()).toMatchObject({ status: 503, code: 'CRYPTO2B_API_ERROR' });
    expect(await reconciling.stored()).toEqual(before);
  });

  it('compares with the ledger alone while the chain is unavailable, and counts the transfers that were not looked up', async () => {
    scenario.faults.set('chain', 'error');
    const { data } = await pull();
    expect(data).toMatchObject({ status: 'matched', matched: 4, chainUnread: 2 }); // those of USDC on ERC20
    const lines = await reconciling.lines(data.id);
    expect(byReference(lines, usdc)).toMatchObject({ chainVerdict: 'unreachable', chainAmount: null });
  });

  it('reports lines of an uploaded statement that are missing on either side, differ or are duplicates', async () => {
    const unknown = { ...usdc, txHash: newHash(), reference: 'elsewhere' };
    const { data } = await reconcile({
      format: 'json',
      lines: [
        lineOf(usdc, '600.000001'),
        lineOf(unknown, '5'),
        lineOf(precise, '600.123456', bep20),
        lineOf(precise, '600.123456', bep20),
        lineOf(belowMinimum, '10', { status: 'Pending' }),
      ],
    });
    // The statement omits the USDT deposit over TRC20.
    expect(data).toMatchObject({
      status: 'open',
      lines: 5,
      matched: 1,
      missingHere: 2,
      missingThere: 1,
      differing: 2,
    });
    const lines = await reconciling.lines(data.id);
    expect(lines.map(({ outcome, line, difference }) => [outcome, line, difference])).toEqual([
      ['differing', 1, '0.000001'], // 600.000001 − 600
      ['missing-here', 2, '5.00'],
      ['matched', 3, '0.00'],
      ['missing-here', 4, '600.123456'],
      ['differing', 5, '-10.00'], // not moved at the provider, 10 in the ledger
      ['missing-there', null, '-700.50'],
    ]);
    expect(lines[0]).toMatchObject({ differs: ['amount'], chainVerdict: 'here', chainAmount: '600.00' });
    // The chain has no such transfer.
    expect(lines[1]).toMatchObject({ chainVerdict: 'here', chainAmount: '0.00', duplicateOf: null });
    expect(lines[3]).toMatchObject({ duplicateOf: 3 });
    expect(lines[4]).toMatchObject({ differs: ['status'], there: { status: 'underway' } });
    expect(lines[5]).toMatchObject({ there: null, here: { txHash: usdt.txHash, network: 'TRC20' } });
    expect(data.sums).toEqual([
      // there 600.000001 + 5, here 600 + 10
      { currency: 'USDC', direction: 'in', there: '605.000001', here: '610.00', difference: '-4.999999' },
      // there 2 × 600.123456, here 600.123456 + 700.5
      {
        currency: 'USDT',
        direction: 'in',
        there: '1200.246912',
        here: '1300.623456',
        difference: '-100.376544',
      },
    ]);
  });

  it('does not match lines with another currency, hash or network, unlike a line without hash and network', async () => {
    const { data } = await reconcile({
      format: 'json',
      lines: [
        lineOf(usdt, '700.5', { ...trc20, currency: 'USDC' }),
        lineOf(precise, '600.123456', { ...bep20, txHash: newHash() }),
        lineOf(usdc, '600', { network: 'BEP20' }),
        lineOf(belowMinimum, '10', { txHash: undefined, network: undefined }),
      ],
    });
    const lines = await reconciling.lines(data.id);
    expect(lines.map(({ outcome, differs }) => [outcome, differs])).toEqual([
      ['missing-here', []],
      ['differing', ['txHash']],
      ['differing', ['network']],
      ['matched', []],
      ['missing-there', []], // the USDT deposit
    ]);
  });

  it('shows a deposit whose callback was lost, confirmed by the chain, until it is recorded', async () => {
    scenario.faults.set('deposit', 'drop');
    const missed = await pay('USDC', 'ERC20', '650');
    await scenario.mineBlocks(12);
    const first = await pull();
    expect(first.data).toMatchObject({ status: 'open', missingHere: 1 });
    expect(byReference(await reconciling.lines(first.data.id), missed)).toMatchObject({
      outcome: 'missing-here',
      difference: '650.00',
      chainVerdict: 'there',
      chainAmount: '650.00',
      break: { status: 'open', owner: null },
    });
    await scenario.pollProvider();
    expect((await pull()).data).toMatchObject({ status: 'matched', lines: 5, matched: 5 });
  });

  it('reports deposits that differ from the ledger, and postings without a deposit', async () => {
    const change = 'update deposit set amount = amount + $2 where provider_deposit_id = $1';
    await queryWithoutTriggers(scenario.platform, change, [usdt.reference, '1']);
    const { id } = await scenario.platform.given.user().withBalance('5.00');
    await queryWithoutTriggers(scenario.platform, 'delete from deposit where user_id = $1', [id]); // leaves the posting
    const { data } = await pull();
    await queryWithoutTriggers(scenario.platform, change, [usdt.reference, '-1']);
    expect(data).toMatchObject({ status: 'open', differing: 1, missingThere: 1 });
    const lines = await reconciling.lines(data.id);
    expect(byReference(lines, usdt)).toMatchObject({
      differs: ['ledger'],
      difference: '0.00',
      here: { amount: '700.50' },
    });
    expect(lines.at(-1)).toMatchObject({
      outcome: 'missing-there',
      difference: '-5.00',
      chainVerdict: null,
      here: { txHash: null, network: 'ERC20', amount: '5.00' },
    });
  });

  it('reports a break when the ledger agrees with the provider and not with the chain', async () => {
    let removed: Payment | undefined;
    // The deposit is credited and then removed by a reorganisation.
    await new ChainFixtures(scenario.platform.outside.chain).reorganise(async () => {
      const paid = await pay('USDC', 'ERC20', '800');
      removed = paid;
      await scenario.mineBlocks(12);
      await eventuallyTrue(async () => (await scenario.availableBalance(paid.user)) === '800.00');
      return paid.txHash as Hash;
    });
    const { data } = await pull();
    expect(data).toMatchObject({ status: 'open', differing: 1 });
    expect(byReference(await reconciling.lines(data.id), removed as Payment)).toMatchObject({
      outcome: 'differing',
      differs: ['chain'],
      difference: '0.00',
      chainVerdict: 'neither',
      chainAmount: '0.00',
    });
  });
});
