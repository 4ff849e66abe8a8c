import { Money } from '../../../../common/money.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { SecurityEvent } from '../../../identity/users/users.types.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import {
  depositNotification,
  earningsNotification,
  investmentNotification,
  withdrawalNotification,
  addressNotification,
  securityNotification,
} from './notifications.js';
import type { LocalisedContent } from '../notifications.types.js';

const at = new Date('2026-03-02T10:00:00.000Z');
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const deposit = (event: Partial<DepositEvent>): DepositEvent => ({
  name: 'deposit.seen',
  userId: 'u',
  at,
  depositId: 'd',
  currency: 'USDC',
  network: 'ERC20',
  amount: Money.of('500'),
  credited: null,
  txHash: '0xabc',
  fromAddress: null,
  toAddress: TO,
  blockNumber: null,
  confirmations: 0,
  gasUsed: null,
  gasPrice: null,
  reason: null,
  ...event,
});

const investment = (event: Partial<InvestmentEvent>): InvestmentEvent => ({
  name: 'investment.created',
  userId: 'u',
  at,
  investmentId: 'i',
  strategyId: 'balanced-10',
  strategyName: 'Balanced 10%',
  principal: Money.of('100'),
  growth: Money.ZERO,
  fees: Money.ZERO,
  ...event,
});

const withdrawal = (event: Partial<WithdrawalEvent>): WithdrawalEvent => ({
  name: 'withdrawal.requested',
  userId: 'u',
  at,
  withdrawalId: 'w',
  amount: Money.of('50'),
  currency: 'USDC',
  toAddress: TO,
  txHash: null,
  reason: null,
  ...event,
});

const summaryOf = (note: LocalisedContent | undefined) => {
  const content = note?.('en');
  return content && `${content.priority}: ${content.message}`;
};

describe('notifications of deposits', () => {
  it.each([
    [
      { name: 'deposit.seen' },
      'low: Your deposit of 500.00 USDC is on its way. It waits for confirmations on ERC20.',
    ],
    [{ name: 'deposit.claimed', onlyClaimed: true }, undefined],
    [{ name: 'deposit.confirming' }, undefined],
    [
      { name: 'deposit.completed', credited: Money.of('500') },
      'high: Your deposit of 500.00 USDC has been credited.',
    ],
    [
      { name: 'deposit.completed', currency: 'USDT', credited: Money.of('499.5') },
      'high: Your deposit of 500.00 USDT has been credited as 499.50 USDC.',
    ],
    [
      { name: 'deposit.held', minimum: Money.of('1000') },
      'high: Your deposit of 500.00 USDC has arrived but is not credited yet. It is below the minimum of 1000.00 USDC: send more to the same address, and all of it is credited when the minimum is reached.',
    ],
    [
      { name: 'deposit.held' }, // recorded before events had the minimum
      'high: Your deposit of 500.00 USDC has arrived but is not credited yet.',
    ],
    [
      { name: 'deposit.covered', reason: 'It was booked by hand before.' },
      'normal: Your deposit of 500.00 USDC has arrived. Our team had credited it to you before, so it is not credited a second time.',
    ],
    [{ name: 'deposit.failed' }, 'high: Your deposit of 500.00 USDC failed and is not credited.'],
    [
      { name: 'deposit.failed', failure: 'refused', reason: 'E_AML_17 rejected by upstream' },
      'high: Your deposit of 500.00 USDC failed and is not credited. The deposit provider refused it.',
    ],
  ] as [Partial<DepositEvent>, string | undefined][])(
    'have the expected priority and message, if any, for the event %j',
    (event, expected) => {
      expect(summaryOf(depositNotification(deposit(event)))).toBe(expected);
    },
  );

  it('omit dust below the sixth decimal', () => {
    expect(summaryOf(depositNotification(deposit({ amount: Money.of('5.123456789') })))).toContain(
      '5.123456 USDC',
    );
  });
});

describe('notifications of investments', () => {
  it.each([
    [{ name: 'investment.created' }, 'normal: You have invested 100.00 USDC in Balanced 10%.'],
    [
      { name: 'investment.created', isPending: true },
      'normal: Your investment of 100.00 USDC in Balanced 10% waits for approval. Until then it earns nothing, and it counts as invested.',
    ],
    [
      { name: 'investment.approved' },
      'normal: Your investment of 100.00 USDC in Balanced 10% is approved and active.',
    ],
    [
      { name: 'investment.rejected' },
      'normal: Your investment of 100.00 USDC in Balanced 10% was not approved. The amount is available again.',
    ],
    [
      { name: 'investment.rejected', reason: 'We need to know more.' },
      'normal: Your investment of 100.00 USDC in Balanced 10% was not approved. The amount is available again. Reason: We need to know more.',
    ],
    [
      {
        name: 'investment.partially-closed',
        growth: Money.of('2.5'),
        fees: Money.of('0.1'),
        part: { number: 1, left: Money.of('50') },
      },
      // 100.00 + 2.50 − 0.10 = 102.40
      'normal: Part of your investment in Balanced 10% is closed. 102.40 USDC are available again: 100.00 USDC principal, 2.50 USDC earnings, 0.10 USDC fees. 50.00 USDC stay invested.',
    ],
    [
      { name: 'investment.cancelled' },
      'normal: Your investment of 100.00 USDC in Balanced 10% is cancelled. The amount is available again.',
    ],
    [
      { name: 'investment.closed', growth: Money.of('2.5'), fees: Money.of('0.1') },
      // 100.00 + 2.50 − 0.10 = 102.40
      'normal: Your investment in Balanced 10% is closed. 102.40 USDC are available again: 100.00 USDC principal, 2.50 USDC earnings, 0.10 USDC fees.',
    ],
    [
      {
        name: 'investment.closed',
        growth: Money.of('-2.5'),
        moved: { from: 'Balanced 10%', to: 'Aggressive 20%' },
      },
      // 100.00 − 2.50 = 97.50
      'normal: Your investment of 100.00 USDC in Balanced 10% is closed. Its value of 97.50 USDC goes on in Aggressive 20%.',
    ],
    [
      {
        name: 'investment.created',
        principal: Money.of('97.5'),
        moved: { from: 'Balanced 10%', to: 'Aggressive 20%' },
      },
      'normal: You have moved 97.50 USDC from Balanced 10% into Aggressive 20%.',
    ],
  ] as [Partial<InvestmentEvent>, string][])(
    'have the expected priority and message for the event %j',
    (event, expected) => {
      expect(summaryOf(investmentNotification(investment(event)))).toBe(expected);
    },
  );
});

describe('notifications of withdrawals', () => {
  it.each([
    [
      { name: 'withdrawal.requested' },
      `normal: You have asked for 50.00 USDC to be sent to ${TO}. The amount is reserved.`,
    ],
    [{ name: 'withdrawal.approved' }, undefined],
    [{ name: 'withdrawal.returned', reason: 'Too late' }, undefined],
    [
      { name: 'withdrawal.taken' },
      'normal: Your withdrawal of 50.00 USDC is being carried out and can no longer be cancelled.',
    ],
    [{ name: 'withdrawal.completed' }, `high: 50.00 USDC have been sent to ${TO}.`],
    [
      { name: 'withdrawal.cancelled' },
      'normal: Your withdrawal of 50.00 USDC was cancelled. The amount is available again.',
    ],
    [
      { name: 'withdrawal.rejected', reason: 'Unknown address.' },
      'high: Your withdrawal of 50.00 USDC was rejected. The amount is available again. Reason: Unknown address.',
    ],
    [
      { name: 'withdrawal.failed', reason: 'HTTP 500 from custody' },
      'high: Your withdrawal of 50.00 USDC was not carried out. The amount stays reserved until we have looked into it.',
    ],
    [
      { name: 'withdrawal.released' },
      'high: Your withdrawal of 50.00 USDC was not carried out. The amount is available again.',
    ],
  ] as [Partial<WithdrawalEvent>, string | undefined][])(
    'have the expected priority and message, if any, for the event %j',
    (event, expected) => {
      expect(summaryOf(withdrawalNotification(withdrawal(event)))).toBe(expected);
    },
  );
});

describe('earnings digest', () => {
  it.each([
    ['0.261158', 'low: Your investments earned 0.261158 USDC on 2026-03-03.'],
    ['-1.5', 'low: Your investments lost 1.50 USDC on 2026-03-03.'],
    ['0', undefined],
  ])('has the expected priority and message, if any, for growth of %s', (growth, expected) => {
    expect(summaryOf(earningsNotification({ from: '2026-03-03', to: '2026-03-03' }, Money.of(growth)))).toBe(
      expected,
    );
  });
});

describe('the title of an earnings digest', () => {
  it.each([
    ['2026-03-03', '1', 'Daily earnings', 'Tagesertrag'],
    ['2026-03-03', '-1', 'Daily loss', 'Tagesverlust'],
    ['2025-03-01', '1', 'Earnings of 368 days', 'Ertrag von 368 Tagen'], // 365 from 1 March to 28 February, and 3 in March
    ['2026-03-02', '-1', 'Loss of 2 days', 'Verlust von 2 Tagen'],
  ])('names the days from %s and a loss for growth of %s', (from, growth, english, german) => {
    const note = earningsNotification({ from, to: '2026-03-03' }, Money.of(growth));
    expect([note?.('en').title, note?.('de').title]).toEqual([english, german]);
  });
});

describe('security notifications', () => {
  it('are not made of a disabled webhook, because the module of webhooks writes one', () => {
    const event = { name: 'security.webhook-disabled', userId: 'u', at } as const;
    expect(securityNotification(event)).toBeUndefined();
  });

  const webhookUrl = 'https://hooks.example.org/a?b';

  it.each([
    ['security.new-device', { network: '203.0.113.0/24' }, 'Sign-in from a new device', '203.0.113.0/24'],
    [
      'security.new-device',
      { network: '203.0.113.0/24', isKnownDevice: true },
      'Sign-in from a new network',
      'a new network, 203.0.113.0/24',
    ],
    ['security.new-identity', { holdUntil: at }, 'Sign-in with a new identity', 'until 2026-03-02 10:00 UTC'],
    [
      'security.status-changed',
      { status: 'suspended', reason: 'Two accounts.' },
      'Account status changed',
      'suspended. Reason: Two accounts.',
    ],
    ['security.wallet-linked', { wallet: TO }, 'Wallet linked', TO],
    ['security.wallet-unlinked', { wallet: TO }, 'Wallet unlinked', TO],
    ['security.wallet-suspended', { wallet: TO }, 'Wallet suspended', TO],
    ['security.email-off', {}, 'E-mail switched off', 'was switched off'],
    ['security.webhook-created', { webhookUrl }, 'Webhook created', 'to hooks.example.org was created'],
    ['security.webhook-changed', { webhookUrl }, 'Webhook changed', 'to hooks.example.org was changed'],
    ['security.webhook-removed', { webhookUrl }, 'Webhook removed', 'to hooks.example.org was removed'],
  ] as [SecurityEvent['name'], Partial<SecurityEvent>, string, string][])(
    'of %s with %j have the expected title and name what they concern',
    (name, fields, title, named) => {
      const note = securityNotification({ name, userId: 'u', at, ...fields })?.('en');
      expect(note).toMatchObject({ type: 'security', category: 'account', title, metadata: { event: name } });
      expect(note?.message).toContain(named);
    },
  );

  it('name an added address and its label', () => {
    const event = {
      name: 'address.added',
      userId: 'u',
      at,
      label: 'Safe',
      address: TO,
      usableFrom: at,
    } as const;
    const note = addressNotification(event)('en');
    expect(note).toMatchObject({ type: 'security', priority: 'high', title: 'Withdrawal address added' });
    expect(note.message).toContain(`${TO} was added to your address book as "Safe"`);
  });
});
