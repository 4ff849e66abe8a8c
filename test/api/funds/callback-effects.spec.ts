import { Webhook } from 'standardwebhooks';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { newId } from '../../../src/common/ids.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { stubChainLookups } from '../../fixtures/chain-lookup-stub.js';
import { UNKNOWN_ID, withdrawalSteps } from '../../fixtures/withdrawals.js';
import {
  processDueCallbacks,
  depositBody,
  eventuallyTrue,
  newProviderId,
} from '../../fixtures/provider-callbacks.js';

describe('Of the provider callbacks,', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
  });
  afterAll(() => scenario?.stop());

  const events = () =>
    scenario.platform.dataSource.query(
      'select kind, event_key, status, reason, attempts from webhook_event order by id',
    );
  const lastEvent = async () => (await events()).at(-1);
  const processCallbacks = () => processDueCallbacks(scenario.platform);

  describe('one about a withdrawal', () => {
    const withdrawalBody = (data: object) =>
      JSON.stringify({ data: { type: 'Withdrawal', id: newProviderId(), error: null, fees: [], ...data } });

    it('that reports a failure marks the withdrawal as failed and keeps the money reserved', async () => {
      const user = await scenario.platform.given.user().withBalance('500.00');
      const admin = await scenario.platform.given.admin();
      const withdrawal = {
        amount: '100.00',
        currency: 'USDC',
        toAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      };
      const { id } = (await scenario.platform.as(user).post('/api/user/withdrawals', withdrawal)).data;
      await scenario.platform.as(admin).post(`/api/admin/withdrawals/${id}/take`);
      await scenario.callbacks.send(
        'withdrawal',
        withdrawalBody({ status: 'Failed', foreignId: id, error: 'No route' }),
      );
      await processCallbacks();
      expect((await scenario.platform.as(user).get(`/api/user/withdrawals/${id}`)).data.status).toBe(
        'failed',
      );
      expect(await scenario.availableBalance(user)).toBe('400.00'); // 500.00 − 100.00 reserved
    });

    it('that reports a failure stores the first 500 characters of the reason, without control characters', async () => {
      const steps = await withdrawalSteps(scenario.platform);
      const { id } = await steps.createProcessing();
      const error = `No\u0007 route ${'x'.repeat(600)}`;
      await scenario.callbacks.send('withdrawal', withdrawalBody({ status: 'Failed', foreignId: id, error }));
      await processCallbacks();
      const note = `No route ${'x'.repeat(491)}`; // 9 + 491 = 500 characters
      expect(await steps.detail(id)).toMatchObject({ status: 'failed', note });
    });

    it('is processed while deposit callbacks wait for a chain node that does not respond', async () => {
      const { address } = await scenario.userWithAddress('USDC', 'ERC20');
      const chain = stubChainLookups(scenario.platform);
      // The second callback waits behind the first.
      for (let i = 0; i < 2; i++)
        await scenario.callbacks.send(
          'deposit',
          depositBody({ address, currency: 'USDC', network: 'erc20' }),
        );
      await eventuallyTrue(async () => chain.lookups.mock.calls.length > 0);
      await scenario.callbacks.send('withdrawal', withdrawalBody({ status: 'Failed', foreignId: newId() }));
      // Its processing ends with `ignored`, because the withdrawal is unknown.
      await eventuallyTrue(async () => (await lastEvent()).status === 'ignored');
      chain.timeOut();
      await processCallbacks();
      chain.lookups.mockRestore();
    });

    it.each([
      [
        'the status Success',
        { status: 'Success', foreignId: UNKNOWN_ID },
        'the status Success changes nothing',
      ],
      [
        'the status Success, an id that is not a UUID and a transaction hash',
        { status: 'Success', foreignId: '17', transaction: { hash: `0x${'ab'.repeat(32)}` } },
        'the status Success changes nothing',
      ],
      [
        'the status Failed and an id that is not a UUID',
        { status: 'Failed', foreignId: '17' },
        'the id of the withdrawal is not a UUID',
      ],
      [
        'the status Failed and an unknown id in paymentOrderId',
        { status: 'Failed', paymentOrderId: UNKNOWN_ID },
        'the withdrawal is unknown',
      ],
      [
        'the status Failed and an unknown id in the address',
        { status: 'Failed', address: { foreignId: UNKNOWN_ID } },
        'the withdrawal is unknown',
      ],
    ])('with %s is ignored and changes no ledger balance', async (_what, data, reason) => {
      const before = await scenario.platform.ledgerState();
      const countBefore = (await events()).length;
      await scenario.callbacks.send('withdrawal', withdrawalBody(data));
      await processCallbacks();
      expect(await events()).toHaveLength(countBefore + 1);
      expect(await lastEvent()).toMatchObject({ kind: 'withdrawal', status: 'ignored', reason });
      expect(await scenario.platform.ledgerState()).toEqual(before);
    });
  });

  describe('one about yield', () => {
    const PATH = `/api/webhooks/${SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME}/yield`;
    const report = {
      type: 'yield.reported',
      data: { strategyId: 'balanced-10', day: '2026-03-02', apy: '9.50' },
    };

    function send(
      body: string,
      { secret = SANDBOX_SETTINGS.CUSTODY_WEBHOOK_SECRET as string, id = 'msg_1', ageMs = 0 } = {},
    ) {
      const sentAt = new Date(Date.now() - ageMs);
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
      };
      return scenario.platform.as(null).post(PATH, body, { headers });
    }

    it('is rejected if its secret is wrong or its time is more than five minutes away from now', async () => {
      const wrongSecret = `whsec_${Buffer.from('another secret altogether').toString('base64')}`;
      const before = await events();
      for (const signing of [{ secret: wrongSecret }, { ageMs: 6 * MINUTE_MS }, { ageMs: -6 * MINUTE_MS }]) {
        const reply = await send(JSON.stringify(report), signing);
        expect([reply.status, reply.code]).toEqual([401, 'WEBHOOK_SIGNATURE_INVALID']);
      }
      expect(await events()).toEqual(before);
    });

    it('is recorded once when it is sent twice, and fails without a record for an unknown strategy', async () => {
      const reports = () =>
        scenario.platform.dataSource.query('select strategy_id, day, apy from yield_report');
      expect((await send(JSON.stringify(report))).data).toEqual({ received: true, duplicate: false });
      expect((await send(JSON.stringify(report))).data).toEqual({ received: true, duplicate: true });
      await processCallbacks();
      expect(await lastEvent()).toMatchObject({ kind: 'yield', status: 'processed' });
      expect(await reports()).toHaveLength(1);
      const invalid = { ...report, data: { ...report.data, strategyId: 'no-such-strategy' } };
      await send(JSON.stringify(invalid), { id: 'msg_2' });
      await processCallbacks();
      expect(await lastEvent()).toMatchObject({ kind: 'yield', status: 'failed' });
      expect(await reports()).toHaveLength(1);
    });

    it('with an empty realisedAmount gets the status failed', async () => {
      const data = { ...report.data, day: '2026-03-01', realisedAmount: '' };
      await send(JSON.stringify({ ...report, data }), { id: 'msg_empty' });
      await processCallbacks();
      expect(await lastEvent()).toMatchObject({ event_key: 'msg_empty', status: 'failed' });
    });

    it.each([
      '0000-01-01',
      '0001-01-01',
      '1969-12-31',
      '1970-01-01',
      '2026-02-30',
      '9999-12-31',
      '10000-01-01',
    ])(
      'for the day %s, which is invalid, before the first day of the strategy or too far ahead, gets the status failed after one attempt',
      async (day) => {
        await send(JSON.stringify({ ...report, data: { ...report.data, day } }), { id: `msg_${day}` });
        await processCallbacks();
        const failed = { event_key: `msg_${day}`, kind: 'yield', status: 'failed', attempts: 1 };
        expect(await lastEvent()).toMatchObject(failed);
      },
    );
  });
});
