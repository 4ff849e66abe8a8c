import { HOUR_MS } from '../../../src/common/durations.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { newHash, newProviderId, type DepositReport } from '../../fixtures/provider-callbacks.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';

describe('A deposit that the provider reports as successful', () => {
  let scenario: DepositScenario;
  let steps: TreasurySteps;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ FOUR_EYES: 'off' });
    steps = await treasurySteps(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  const alertsAbout = async (userId: string): Promise<any[]> => {
    const { data } = await scenario.platform.as(steps.admin).get('/api/admin/alerts?limit=100');
    return data.filter(({ subject }: any) => subject.userId === userId);
  };

  const report = (address: string, changes: Partial<DepositReport> = {}): DepositReport => ({
    id: newProviderId(),
    hash: newHash(),
    address,
    amount: '600',
    ...changes,
  });

  it('and without confirmations raises an alert, which is resolved by a report with them', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const success = report(address, { confirmations: null });
    await scenario.callbacks.reportDeposit(success);
    const deposit = await scenario.onlyDeposit(user);
    expect(deposit.status).toBe('pending');
    const [alert] = await alertsAbout(user.id);
    expect(alert).toMatchObject({
      kind: 'deposit-unconfirmed',
      subject: { type: 'deposit', id: deposit.id, userId: user.id, txHash: success.hash },
      message: expect.stringContaining('600.00 USDT over TRC20 succeeded, with 0 of 20 confirmations'),
      nextStep: expect.stringContaining('20 confirmations'),
      resolvedAt: null,
    });
    await scenario.callbacks.reportDeposit({ ...success, confirmations: 20 });
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await alertsAbout(user.id)).toEqual([]);
  });

  it('and without confirmations can be booked by hand with its hash, as the alert says, and is credited once', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const success = report(address, { confirmations: 0 });
    await scenario.callbacks.reportDeposit(success);
    const id = await steps.createApproved({ type: 'deposit', userId: user.id, amount: '600.00' });
    expect((await steps.confirm(id, { transactionHash: success.hash as string })).status).toBe(200);
    expect(await scenario.availableBalance(user)).toBe('600.00');
    await scenario.callbacks.reportDeposit({ ...success, confirmations: 20 });
    expect(await scenario.onlyDeposit(user)).toMatchObject({ metadata: { holdReason: 'BOOKED_BY_HAND' } });
    expect(await scenario.availableBalance(user)).toBe('600.00');
    expect(await alertsAbout(user.id)).toEqual([]);
  });

  it('and for an hour with too few confirmations raises an alert', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'BEP20');
    const success = report(address, { network: 'bep20', confirmations: 14 });
    await scenario.callbacks.reportDeposit(success);
    expect(await alertsAbout(user.id)).toEqual([]);
    scenario.platform.clock.advance(HOUR_MS);
    await scenario.callbacks.reportDeposit({ ...success, status: 'Processing', confirmations: 13 }); // does not lower the 14
    const [alert] = await alertsAbout(user.id);
    expect(alert).toMatchObject({
      kind: 'deposit-unconfirmed',
      message: expect.stringContaining('14 of 15 confirmations'),
    });
    expect(alert?.nextStep).not.toContain('/api/admin/transactions'); // a booking by hand with its hash would be refused
  });
});
