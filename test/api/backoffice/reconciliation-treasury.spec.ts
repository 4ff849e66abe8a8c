import { addDays } from '../../../src/common/days.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventuallyTrue } from '../../fixtures/provider-callbacks.js';
import { ReconciliationSteps, type ListedLine } from '../../fixtures/reconciliations.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, unknownHash } from '../../fixtures/withdrawals.js';

// In responses `there` is the provider's statement and `here` are the platform's records. `chainVerdict` names the side
// that agrees with the chain.
describe('Reconciliation of admin transactions and treasury transfers', () => {
  let scenario: DepositScenario;
  let steps: TreasurySteps;
  let reconciling: ReconciliationSteps;

  // Each test starts a platform, because a statement is compared with all records of its days. The provider dates
  // deposits by real time, therefore the domain clock starts at real time.
  beforeEach(async () => {
    scenario = await DepositScenario.start({}, new Date().toISOString());
    steps = await treasurySteps(scenario.platform);
    reconciling = new ReconciliationSteps(scenario.platform, steps.admin);
  });
  afterEach(() => scenario.stop());

  const line = (reference: string, amount: string, direction: string, more: object = {}) => ({
    reference,
    amount,
    direction,
    currency: 'USDC',
    date: scenario.platform.clock.today(),
    ...more,
  });

  /** Creates, approves and confirms a transaction by hand and returns its id. */
  async function createConfirmed(request: object, transactionHash?: string): Promise<string> {
    const id = await steps.createApproved(request);
    expect((await steps.confirm(id, transactionHash ? { transactionHash } : {})).status).toBe(200);
    return id;
  }

  const byReference = (lines: ListedLine[], reference: string) =>
    lines.find(({ there }) => there?.reference === reference);

  describe('with the deposit provider', () => {
    /** Reconciles yesterday and today of real time, because a test may run across midnight. */
    const reconcile = (statement: object) => {
      scenario.platform.clock.moveTo(new Date());
      const today = scenario.platform.clock.today();
      return reconciling.create({
        source: 'deposit-provider',
        from: addDays(today, -1),
        to: today,
        ...statement,
      });
    };
    /** Reconciles with the list that the platform reads from the provider. */
    const pull = () => reconcile({ format: 'provider' });
    const reconcileLines = (...lines: object[]) => reconcile({ format: 'json', lines });

    /** Pays to a deposit address while the callbacks to the platform are lost. */
    async function payWithLostCallbacks(amount: string) {
      scenario.faults.set('deposit', 'drop');
      const { user, address } = await scenario.userWithAddress('USDC', 'ERC20');
      const { txHash, depositId } = await scenario.provider.pay(address, amount);
      await scenario.mineBlocks(12);
      return { user, txHash, reference: String(depositId) };
    }

    const waitUntilHeld = (user: TestUser) =>
      eventuallyTrue(async () => (await scenario.onlyDeposit(user)).metadata.holdReason === 'BOOKED_BY_HAND');

    it('matches by its hash a deposit whose callbacks were lost and which was booked by hand', async () => {
      const { user, txHash, reference } = await payWithLostCallbacks('650');
      const id = await createConfirmed({ type: 'deposit', userId: user.id, amount: '650.00' }, txHash);
      const { data } = await pull();
      expect(data).toMatchObject({ status: 'matched', matched: 1, missingHere: 0, missingThere: 0 });
      expect(byReference(await reconciling.lines(data.id), reference)).toMatchObject({
        outcome: 'matched',
        chainVerdict: 'both',
        chainAmount: '650.00',
        here: { type: 'admin-transaction', ids: [id], txHash, network: 'ERC20', amount: '650.00' },
      });
    });

    it('matches a treasury transfer that the statement names by the id of the platform alone', async () => {
      await scenario.platform.given.user().withBalance('1000.00');
      const id = await createConfirmed({ type: 'transfer', amount: '1000.00' });
      const { data } = await reconcileLines(line(id, '1000', 'out'));
      expect(byReference(await reconciling.lines(data.id), id)).toMatchObject({
        outcome: 'matched',
        here: { type: 'treasury-transfer', ids: [id], amount: '1000.00' },
      });
    });

    it('counts once a deposit that was booked by hand and reported later, when the statement names the provider’s id', async () => {
      const { user, txHash, reference } = await payWithLostCallbacks('660');
      const id = await createConfirmed({ type: 'deposit', userId: user.id, amount: '660.00' }, txHash);
      await scenario.endFaults();
      await scenario.pollProvider();
      await waitUntilHeld(user);
      const { data } = await reconcileLines(line(reference, '660', 'in'));
      expect(data).toMatchObject({ matched: 1, differing: 0, missingHere: 0, missingThere: 0 });
      expect(byReference(await reconciling.lines(data.id), reference)).toMatchObject({
        outcome: 'matched',
        difference: '0.00',
        here: { type: 'admin-transaction', ids: [id], amount: '660.00' },
      });
    });

    it('matches a deposit whose hash was booked without 0x, by the provider’s id or by the hash', async () => {
      const { user, txHash, reference } = await payWithLostCallbacks('670');
      const booking = { type: 'deposit', userId: user.id, amount: '670.00' };
      const id = await createConfirmed(booking, txHash.slice(2));
      await scenario.endFaults();
      await scenario.pollProvider();
      await waitUntilHeld(user);
      for (const named of [line(reference, '670', 'in'), line('another-name', '670', 'in', { txHash })]) {
        const { data } = await reconcileLines(named);
        expect(byReference(await reconciling.lines(data.id), named.reference)).toMatchObject({
          outcome: 'matched',
          difference: '0.00',
          here: { type: 'admin-transaction', ids: [id], amount: '670.00' },
        });
      }
    });

    it('reports a difference when less was booked than received', async () => {
      const { user, txHash, reference } = await payWithLostCallbacks('700');
      await createConfirmed({ type: 'deposit', userId: user.id, amount: '699.00' }, txHash);
      const { data } = await reconcileLines(line(reference, '700', 'in', { txHash }));
      expect(byReference(await reconciling.lines(data.id), reference)).toMatchObject({
        outcome: 'differing',
        differs: ['amount'],
        difference: '1.00', // 700 − 699
        chainVerdict: 'there',
      });
    });

    it('finds a transfer to custody by its hash, and does not report it as missing if the statement omits it', async () => {
      const txHash = unknownHash();
      const id = await createConfirmed({ type: 'transfer', amount: '33.00' }, txHash);
      const named = await reconcileLines(line('out-1', '33', 'out', { txHash }));
      expect(byReference(await reconciling.lines(named.data.id), 'out-1')).toMatchObject({
        outcome: 'differing',
        differs: ['chain'], // the hash is unknown to the chain
        here: { type: 'treasury-transfer', ids: [id], txHash, amount: '33.00', status: 'settled' },
      });
      const omitted = await pull();
      const types = (await reconciling.lines(omitted.data.id)).map(({ here }) => here?.type);
      expect(types).not.toContain('treasury-transfer');
    });

    it('reports a deposit that was booked without a transfer as missing in the statement', async () => {
      const { id: userId } = await scenario.platform.given.user();
      const id = await createConfirmed({ type: 'deposit', userId, amount: '5.00' });
      const { data } = await pull();
      expect(await reconciling.lines(data.id, 'outcome=missing-there')).toMatchObject([
        { difference: '-5.00', here: { type: 'admin-transaction', ids: [id], txHash: null } },
      ]);
    });
  });

  describe('with the custody provider', () => {
    it('matches by hash transfers of operators and withdrawals booked by hand, in both directions', async () => {
      const user = await scenario.platform.given.user().withBalance('500.00');
      const pay = (amount: string) => scenario.platform.outside.chain.payUsdc(DESTINATION, amount);
      const [inward, paid] = [await pay('40'), await pay('120')];
      const { id, requestId } = await steps.transferWithRequest('40.00');
      expect((await steps.complete(requestId, inward)).status).toBe(200);
      const byHand = await createConfirmed({ type: 'withdrawal', userId: user.id, amount: '120.00' }, paid);

      const { data } = await reconciling.createFromCustody([
        line('C-1', '40', 'in', { txHash: inward.toUpperCase().replace('0X', '0x'), network: 'ERC20' }),
        line('C-2', '120.00', 'out', { txHash: paid }),
      ]);
      expect(data).toMatchObject({ status: 'matched', lines: 2, matched: 2 });
      expect(await reconciling.lines(data.id)).toMatchObject([
        {
          direction: 'in',
          chainVerdict: 'both',
          chainAmount: '40.00',
          here: { type: 'treasury-transfer', ids: [id], txHash: inward, network: 'ERC20' },
        },
        {
          direction: 'out',
          chainVerdict: 'both',
          chainAmount: '120.00',
          here: { type: 'admin-transaction', ids: [byHand], txHash: paid, network: 'ERC20' },
        },
      ]);
    });

    it('reports unconfirmed transfers and payments that the statement omits, and matches transactions by id', async () => {
      const user = await scenario.platform.given.user().withBalance('500.00');
      const { id: approved } = await steps.transferWithRequest('41.00');
      const missing = await createConfirmed(
        { type: 'withdrawal', userId: user.id, amount: '70.00' },
        unknownHash(),
      );
      const named = await createConfirmed({ type: 'withdrawal', userId: user.id, amount: '80.00' });
      const { data } = await reconciling.createFromCustody([
        line(approved, '41', 'in'),
        line(named.toUpperCase(), '80', 'out'),
      ]);
      const lines = await reconciling.lines(data.id);
      expect(lines.map(({ outcome, differs, here }) => [outcome, differs, here.type, here.ids])).toEqual([
        ['differing', ['status'], 'treasury-transfer', [approved]], // moved at the provider, underway on the platform
        ['matched', [], 'admin-transaction', [named]],
        ['missing-there', [], 'admin-transaction', [missing]],
      ]);
    });
  });
});
