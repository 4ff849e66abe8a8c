import { DepositsService } from '../../src/modules/deposits/deposits.service.js';
import { fieldsOf, parseMessage, readDeposit } from '../../src/modules/deposits/domain/crypto2b-protocol.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import { depositBody } from '../fixtures/provider-callbacks.js';
import { repetitions } from '../harness/repetitions.js';

describe('A deposit below the minimum of 500.00', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
  });
  afterAll(() => scenario?.stop());

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
});
