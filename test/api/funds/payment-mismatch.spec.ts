import type { Address } from 'viem';
import { HOUR_MS } from '../../../src/common/durations.js';
import { FAUCET_ADDRESS, TREASURY_ADDRESS } from '../../../src/sandbox/anvil.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS, DESTINATION, unknownHash } from '../../fixtures/withdrawals.js';
import { sendRequest } from '../../harness/http-client.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const OPERATORS_OWN: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('A completed payment', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const pay = (to: Address, amount: string) => platform.outside.chain.payUsdc(to, amount);
  const alertsOf = async (id: string) => {
    const { data } = await platform.as(steps.admin).get('/api/admin/alerts?limit=100');
    return data.filter(({ subject }: any) => subject.id === id);
  };
  /** The number of lines of a CSV export, without its header. */
  const csvLines = async (path: string) => {
    const headers = { authorization: `Bearer ${steps.admin.token}` };
    const { text } = await sendRequest(`${platform.baseUrl}${path}&format=csv`, { headers });
    return text.trim().split('\r\n').length - 1;
  };
  const complete = (id: string, hash: string, extraFields = {}) =>
    steps.withdrawals.complete(id, hash, extraFields);

  describe('of a withdrawal', () => {
    it('raises an alert at its completion if the operator has paid their own address [SEC-311]', async () => {
      const { id, ann } = await steps.withdrawals.createProcessing('500.00');
      const hash = await pay(OPERATORS_OWN, '500.00');
      expect((await complete(id, hash)).data.chainCheck).toBe('mismatch');
      const [alert, ...others] = await alertsOf(id);
      expect(others).toEqual([]);
      expect(alert).toMatchObject({
        kind: 'payment-mismatch',
        subject: { type: 'withdrawal', id, userId: ann.id, txHash: hash },
        resolvedAt: null,
      });
      for (const part of ['500.00 USDC', DESTINATION, hash, 'NO_SUCH_TRANSFER', TREASURY_ADDRESS])
        expect(alert.message).toContain(part);
      expect(alert.nextStep).toContain(`/api/admin/audit?subject=withdrawal:${id}`);
    });

    it('raises an alert when a later check refutes it', async () => {
      const { id } = await steps.withdrawals.createProcessing('501.00');
      const hash = unknownHash();
      await complete(id, hash);
      await platform.runJob('withdrawal-chain-checks');
      expect(await alertsOf(id)).toEqual([]);
      platform.clock.advance(HOUR_MS);
      await platform.runJob('withdrawal-chain-checks');
      await platform.runJob('withdrawal-chain-checks');
      expect(await alertsOf(id)).toMatchObject([
        {
          kind: 'payment-mismatch',
          subject: { txHash: hash },
          message: expect.stringContaining('the chain does not know this transaction (TRANSACTION_UNKNOWN)'),
        },
      ]);
    });

    it('raises an alert if its transfer already pays another withdrawal', async () => {
      const first = await steps.withdrawals.createProcessing('502.00');
      const second = await steps.withdrawals.createProcessing('502.00');
      const hash = await pay(DESTINATION, '502.00');
      await complete(first.id, hash);
      await complete(second.id, hash, { allowSharedTxHash: true });
      expect(await alertsOf(first.id)).toEqual([]);
      expect(await alertsOf(second.id)).toMatchObject([{ kind: 'payment-mismatch' }]);
    });

    it('is stored only together with its alert if the chain refutes it', async () => {
      const { id } = await steps.withdrawals.createProcessing('503.00');
      await platform.dataSource.query('alter table alert rename to alert_away');
      const reply = await complete(id, await pay(OPERATORS_OWN, '503.00'));
      await platform.dataSource.query('alter table alert_away rename to alert');
      expect(reply.status).toBe(500);
      expect((await steps.withdrawals.detail(id)).status).toBe('processing');
    });

    it('raises no alert if the chain shows the payment, or cannot be read until a later check', async () => {
      const paid = await steps.withdrawals.createProcessing('504.00');
      await complete(paid.id, await pay(DESTINATION, '504.00'));
      const unread = await steps.withdrawals.createProcessing('505.00');
      const hash = await pay(OPERATORS_OWN, '505.00');
      platform.outside.providers.faults.set('chain', 'error');
      await complete(unread.id, hash);
      await platform.outside.providers.endFault('chain');
      for (const { id } of [paid, unread]) expect(await alertsOf(id)).toEqual([]);
      await platform.runJob('withdrawal-chain-checks');
      expect(await alertsOf(unread.id)).toMatchObject([{ kind: 'payment-mismatch' }]);
    });

    it('is selected by the filter chainCheck in the list, its totals and the CSV export', async () => {
      const admin = platform.as(steps.admin);
      const { id } = await steps.withdrawals.createProcessing('506.00');
      await complete(id, await pay(OPERATORS_OWN, '506.00'));
      const idsOf = ({ data }: any) => data.map((withdrawal: any) => withdrawal.id);
      for (const verdict of ['matched', 'mismatch', 'unverified']) {
        const reply = await admin.get(`${ADMIN_WITHDRAWALS}?chainCheck=${verdict}&limit=100`);
        expect(reply.data.every(({ chainCheck }: any) => chainCheck === verdict)).toBe(true);
        expect(reply.body.pagination.total).toBe(reply.data.length);
        expect(reply.body.summary.totalWithdrawals).toBe(reply.data.length);
        expect(idsOf(reply).includes(id)).toBe(verdict === 'mismatch');
        expect(await csvLines(`${ADMIN_WITHDRAWALS}?chainCheck=${verdict}`)).toBe(reply.data.length);
      }
      const all = await admin.get(`${ADMIN_WITHDRAWALS}?chainCheck=all&limit=100`);
      expect(all.body.pagination.total).toBe((await admin.get(ADMIN_WITHDRAWALS)).body.pagination.total);
      const refused = await admin.get(`${ADMIN_WITHDRAWALS}?chainCheck=wrong`);
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });
  });

  describe('of a transaction by hand', () => {
    const CUSTODY = SANDBOX_SETTINGS.CUSTODY_ADDRESS as Address;

    it('raises an alert if a transfer to custody went elsewhere [SEC-317]', async () => {
      const { id, requestId } = await steps.transferWithRequest('600.00');
      const hash = await pay(OPERATORS_OWN, '600.00');
      expect((await steps.complete(requestId, hash)).data.chainCheck).toBe('mismatch');
      const [alert] = await alertsOf(id);
      expect(alert).toMatchObject({
        kind: 'payment-mismatch',
        subject: { type: 'transaction', id, userId: null, txHash: hash },
      });
      for (const part of ['600.00 USDC', CUSTODY, hash, 'NO_SUCH_TRANSFER', TREASURY_ADDRESS])
        expect(alert.message).toContain(part);
    });

    it('raises an alert when a later check refutes it', async () => {
      const { id, requestId } = await steps.transferWithRequest('601.00');
      await steps.complete(requestId);
      expect(await alertsOf(id)).toEqual([]);
      platform.clock.advance(HOUR_MS);
      await platform.runJob('treasury-chain-checks');
      expect(await alertsOf(id)).toMatchObject([{ kind: 'payment-mismatch' }]);
    });

    it('raises an alert about the user of a deposit by hand, and none for a transfer that arrived', async () => {
      const ann = await platform.given.user();
      const path = '/api/user/deposits/address?currency=USDC&network=ERC20';
      const { address } = (await platform.as(ann).get(path)).data;
      const deposit = await steps.createApproved({ type: 'deposit', userId: ann.id, amount: '602.00' });
      await steps.confirm(deposit, { transactionHash: await pay(OPERATORS_OWN, '602.00') });
      const [alert] = await alertsOf(deposit);
      expect(alert).toMatchObject({ kind: 'payment-mismatch', subject: { userId: ann.id } });
      expect(alert.message).toContain(address);
      const { id, requestId } = await steps.transferWithRequest('603.00');
      await steps.complete(requestId, await pay(CUSTODY, '603.00'));
      expect(await alertsOf(id)).toEqual([]);
    });

    it('is selected by the filter chainCheck of both lists, their totals and the CSV export', async () => {
      const admin = platform.as(steps.admin);
      const { id, requestId } = await steps.transferWithRequest('604.00');
      await steps.complete(requestId, await pay(OPERATORS_OWN, '604.00'));
      for (const verdict of ['matched', 'mismatch', 'unverified']) {
        const path = `/api/admin/transactions?chainCheck=${verdict}&limit=100`;
        const { transactions, total } = (await admin.get(path)).data;
        expect(total).toBe(transactions.length);
        for (const transaction of transactions)
          expect((await steps.detail(transaction.id)).byAdmins.chainCheck).toBe(verdict);
        expect(transactions.some((transaction: any) => transaction.id === id)).toBe(verdict === 'mismatch');
        expect(await csvLines(path)).toBe(total);
        const ofType = (await admin.get(`${path}&type=transfer&status=confirmed`)).data;
        expect(ofType.total).toBe(ofType.transactions.length);

        const requests = await admin.get(`/api/admin/transaction-requests?chainCheck=${verdict}&limit=100`);
        expect(requests.body.pagination.total).toBe(requests.data.length);
        expect(requests.data.every(({ chainCheck }: any) => chainCheck === verdict)).toBe(true);
        expect(requests.data.some((request: any) => request.id === requestId)).toBe(verdict === 'mismatch');
      }
    });
  });

  it('is counted by the metric payments_mismatched', async () => {
    const { id } = await steps.withdrawals.createProcessing('700.00');
    await complete(id, await pay(OPERATORS_OWN, '700.00'));
    const [stored] = await platform.dataSource.query(
      `select (select count(*)::int from withdrawal where chain_check = 'mismatch') as withdrawal,
              (select count(*)::int from admin_transaction where chain_check = 'mismatch') as transaction`,
    );
    const page = await MetricsPage.fetch(platform.baseUrl);
    for (const kind of ['withdrawal', 'transaction'])
      expect(page.value('payments_mismatched', { kind })).toBe(stored[kind]);
    expect(stored.withdrawal).toBeGreaterThan(0);
  });
});

describe('A withdrawal that is paid from an address other than custody’s', () => {
  it('raises an alert that names the sender, with CUSTODY_ADDRESSES', async () => {
    const platform = await startPlatform({
      settings: { FOUR_EYES: 'off', CUSTODY_ADDRESSES: FAUCET_ADDRESS },
    });
    try {
      const steps = await treasurySteps(platform);
      const { id } = await steps.withdrawals.createProcessing('100.00');
      await steps.withdrawals.complete(id, await platform.outside.chain.payUsdc(DESTINATION, '100.00'));
      const [alert] = (await platform.as(steps.admin).get('/api/admin/alerts')).data;
      expect(alert).toMatchObject({ kind: 'payment-mismatch', subject: { id } });
      expect(alert.message).toContain('SENDER_NOT_CUSTODY');
      expect(alert.message).toContain(TREASURY_ADDRESS);
    } finally {
      await platform.stop();
    }
  });
});
