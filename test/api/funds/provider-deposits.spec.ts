import { Money } from '../../../src/common/money.js';
import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { newHash, newProviderId } from '../../fixtures/provider-callbacks.js';

describe('A deposit that the provider reports and the service does not read on chain', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ USDT_USDC_RATE: '0.999' });
  });
  afterAll(() => scenario?.stop());

  it('is credited at the exchange rate, rounded down, when the provider reports enough confirmations', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const [id, hash] = [newProviderId(), newHash()];
    const report = { id, hash, address, amount: '1000.000001' };
    await scenario.callbacks.reportDeposit({ ...report, status: 'Pending', confirmations: 0 });
    expect(await scenario.onlyDeposit(user)).toMatchObject({
      status: 'pending',
      confirmations: 0,
      requiredConfirmations: 20,
    });
    await scenario.callbacks.reportDeposit({ ...report, status: 'Success', confirmations: 19 });
    expect(await scenario.onlyDeposit(user)).toMatchObject({ status: 'confirming', confirmations: 19 });
    expect(await scenario.availableBalance(user)).toBe('0.00');
    await scenario.callbacks.reportDeposit({ ...report, status: 'Success', confirmations: 20 });
    expect(await scenario.onlyDeposit(user)).toMatchObject({
      status: 'completed',
      amount: '1000.000001',
      currency: 'USDT',
    });
    expect(await scenario.availableBalance(user)).toBe('999.00'); // 1000.000001 × 0.999 = 999.000000999, rounded down
  });

  it.each(['TRC20', 'BEP20'])(
    'is credited for each id of the provider, without an alert, when one transaction over %s pays the address twice',
    async (network) => {
      const { user, address } = await scenario.userWithAddress('USDT', network);
      const report = { hash: newHash(), address, network: network.toLowerCase() };
      const first = { ...report, id: newProviderId(), amount: '700' };
      const second = { ...report, id: newProviderId(), amount: '800' };
      await scenario.callbacks.reportDeposit({ ...second, status: 'Pending', confirmations: 0 });
      await scenario.callbacks.reportDeposit(first);
      await scenario.callbacks.reportDeposit(second);
      for (const repeated of [first, second])
        await scenario.callbacks.reportDeposit({ ...repeated, confirmations: 21 });
      expect((await scenario.depositsOf(user)).map(({ amount }) => amount).sort()).toEqual([
        '700.00',
        '800.00',
      ]);
      expect(await scenario.availableBalance(user)).toBe('1498.50'); // 700 × 0.999 + 800 × 0.999
      const alerts = await scenario.platform.app.get(AlertsService).listOpenAlerts(['second-transfer']);
      expect(alerts.map(({ userId }) => userId)).not.toContain(user.id);
    },
  );

  it('is credited once for each id when the reports of both arrive at once', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { hash: newHash(), address, amount: '1000' };
    const ids = [newProviderId(), newProviderId()];
    await Promise.all(
      [...ids, ...ids].map((id, index) =>
        // Different confirmations, because the service ignores a callback that it has received before.
        scenario.callbacks.reportDeposit({ ...report, id, confirmations: 20 + index }),
      ),
    );
    expect(await scenario.availableBalance(user)).toBe('1998.00'); // 2 × 1000 × 0.999
  });

  it('is not credited if an admin has resolved its alert, which an earlier version raised; one with an open alert is credited', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const report = { hash: newHash(), address, amount: '1000' };
    const [first, booked, open] = [newProviderId(), newProviderId(), newProviderId()];
    await scenario.callbacks.reportDeposit({ ...report, id: first });
    const alerts = scenario.platform.app.get(AlertsService);
    for (const id of [booked, open])
      await alerts.raise({
        kind: 'second-transfer',
        subject: { type: 'provider-deposit', id: String(id), userId: user.id, txHash: report.hash },
        message: 'A second transfer is not credited.',
        nextStep: 'Book it by hand.',
      });
    const openAlerts = await alerts.listOpenAlerts(['second-transfer']);
    const ofBooked = openAlerts.find(({ subjectId }) => subjectId === String(booked));
    const admin = scenario.platform.as(await scenario.platform.given.admin());
    const resolution = await admin.post(`/api/admin/alerts/${ofBooked?.id}/resolve`, {
      reason: 'booked by hand',
    });
    expect(resolution.status).toBe(200);
    for (const id of [booked, open]) await scenario.callbacks.reportDeposit({ ...report, id });
    expect(await scenario.availableBalance(user)).toBe('1998.00'); // the first and the one with the open alert
    expect((await alerts.listOpenAlerts(['second-transfer'])).map(({ userId }) => userId)).not.toContain(
      user.id,
    );
  });

  it('is credited to each of two users that one transaction pays', async () => {
    const ann = await scenario.userWithAddress('USDT', 'TRC20');
    const bob = await scenario.userWithAddress('USDT', 'TRC20');
    const hash = newHash();
    await scenario.callbacks.reportDeposit({ hash, address: ann.address, amount: '1000' });
    await scenario.callbacks.reportDeposit({ hash, address: bob.address, amount: '2000' });
    expect(await scenario.availableBalance(ann.user)).toBe('999.00'); // 1000 × 0.999
    expect(await scenario.availableBalance(bob.user)).toBe('1998.00'); // 2000 × 0.999
  });

  it('of less than the smallest unit of the ledger adds nothing and does not stop the credit of others at the address', async () => {
    const { user, address } = await scenario.userWithAddress('USDC', 'BEP20');
    const before = Money.of(await scenario.platformBalance('rounding'));
    const report = { currency: 'USDC', network: 'bep20', address, confirmations: 15 };
    await scenario.callbacks.reportDeposit({ ...report, amount: '0.0000005' });
    await scenario.callbacks.reportDeposit({ ...report, amount: '1e-18' });
    await scenario.callbacks.reportDeposit({ ...report, amount: '0' }); // is ignored
    expect(await scenario.depositStatuses(user)).toEqual(['confirming', 'confirming']);
    await scenario.callbacks.reportDeposit({ ...report, amount: '600' });
    expect(await scenario.depositStatuses(user)).toEqual(['completed', 'completed', 'completed']);
    expect(await scenario.availableBalance(user)).toBe('600.00');
    const added = Money.of(await scenario.platformBalance('rounding')).minus(before);
    expect(added.toString()).toBe('0.000000500000000001'); // 0.0000005 + 0.000000000000000001
    const admin = await scenario.platform.given.admin();
    const { data } = await scenario.platform.as(admin).get('/api/admin/integrity');
    expect(data).toMatchObject({ status: 'holds' });
  });
});
