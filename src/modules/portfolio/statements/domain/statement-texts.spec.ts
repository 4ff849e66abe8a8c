import type { Language } from '../../../../common/message-texts.js';
import { Money } from '../../../../common/money.js';
import { describeMovement, type MovementFacts } from './statement-texts.js';

const FEE: MovementFacts = {
  type: 'fee',
  available: Money.of('-1'),
  referenceType: 'investment',
  referenceId: 'i',
  description: 'Fees of balanced-10',
  strategyId: 'balanced-10',
  counterAccount: 'income.management-fee',
};
const DEPOSIT = {
  ...FEE,
  type: 'deposit',
  available: Money.of('1'),
  referenceType: 'deposit',
  strategyId: null,
  counterAccount: null,
} as const;

const textOf = (movement: MovementFacts, language: Language = 'en') =>
  describeMovement(movement, language, () => 'Balanced 10%');

describe('The text of a movement', () => {
  it.each([
    [FEE, 'Management fee of Balanced 10%', 'Verwaltungsgebühr für Balanced 10%'],
    [
      { ...FEE, counterAccount: 'income.performance-fee' },
      'Performance fee of Balanced 10%',
      'Erfolgsgebühr für Balanced 10%',
    ],
    [
      { ...FEE, referenceId: 'i:2' },
      'Management fee of Balanced 10% (part 2)',
      'Verwaltungsgebühr für Balanced 10% (Teil 2)',
    ],
    [
      { ...FEE, type: 'earning', available: Money.of('2'), counterAccount: 'strategy.accrued' },
      'Growth of Balanced 10%',
      'Ertrag aus Balanced 10%',
    ],
    [
      { ...FEE, type: 'earning', counterAccount: 'strategy.accrued' },
      'Loss of Balanced 10%',
      'Verlust aus Balanced 10%',
    ],
    [
      { ...FEE, type: 'earning', counterAccount: 'expense.yield' },
      'Growth taken back on cancelling: Balanced 10%',
      'Bei der Stornierung zurückgenommener Ertrag: Balanced 10%',
    ],
    [
      { ...FEE, type: 'investment', counterAccount: null },
      'Investment in Balanced 10%',
      'Anlage in Balanced 10%',
    ],
    [
      { ...FEE, type: 'divestment', counterAccount: null },
      'Principal returned from Balanced 10%',
      'Anlagebetrag zurück aus Balanced 10%',
    ],
  ] as [MovementFacts, string, string][])(
    'names the strategy and the kind, in both languages: %j',
    (movement, english, german) => {
      expect(textOf(movement)).toBe(english);
      expect(textOf(movement, 'de')).toBe(german);
    },
  );

  const BY_HAND = { referenceType: 'admin-transaction' };

  it.each([
    ['Deposit of 10000 USDC', {}, 'Deposit of 10000.00 USDC', 'Einzahlung von 10000.00 USDC'],
    ['Deposit of 10000.5 USDT', {}, 'Deposit of 10000.50 USDT', 'Einzahlung von 10000.50 USDT'],
    ['Deposit of 0.123456 ETH', {}, 'Deposit of 0.123456 ETH', 'Einzahlung von 0.123456 ETH'],
    [
      'Deposit of 5 USDC, booked by hand',
      BY_HAND,
      'Deposit of 5.00 USDC, booked by hand',
      'Einzahlung von 5.00 USDC, von Hand gebucht',
    ],
    [
      '12 USDC of a deposit taken back, booked by hand',
      { ...BY_HAND, available: Money.of('-12') },
      '12.00 USDC of a deposit taken back, booked by hand',
      '12.00 USDC einer Einzahlung zurückgenommen, von Hand gebucht',
    ],
  ])(
    'shows money of the posting text %j with two decimals at least',
    (description, facts, english, german) => {
      const movement = { ...DEPOSIT, ...facts, description };
      expect(textOf(movement)).toBe(english);
      expect(textOf(movement, 'de')).toBe(german);
    },
  );

  it.each([
    ['withdrawal-requested', 'withdrawal', 'Reserved for a withdrawal', 'Für eine Auszahlung reserviert'],
    [
      'withdrawal-released',
      'withdrawal',
      'Released from a withdrawal',
      'Reservierung einer Auszahlung aufgehoben',
    ],
    ['withdrawal-completed', 'withdrawal', 'Paid out by the custody provider', 'Vom Verwahrer ausgezahlt'],
    [
      'withdrawal-completed',
      'admin-transaction',
      'Paid out by the custody provider, booked by hand',
      'Vom Verwahrer ausgezahlt, von Hand gebucht',
    ],
  ] as const)(
    'of the type %s with a reference to a %s has both languages',
    (type, referenceType, english, german) => {
      const movement = { ...DEPOSIT, type, referenceType, description: english };
      expect(textOf(movement)).toBe(english);
      expect(textOf(movement, 'de')).toBe(german);
    },
  );

  it('stays as it is posted if the posting has another form', () => {
    expect(textOf({ ...DEPOSIT, description: 'Opening of the books' }, 'de')).toBe('Opening of the books');
  });
});
