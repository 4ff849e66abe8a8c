import { Money } from '../../../../common/money.js';
import { DEPOSIT_REASONS, explainDeposit } from './deposit-texts.js';

const OPEN = {
  status: 'pending',
  currency: 'USDC',
  holdReason: null,
  failure: null,
  reason: null,
  confirmations: 3,
  requiredConfirmations: 12,
  onlyClaimed: false,
} as const;
const FAILED = { ...OPEN, status: 'failed' } as const;
const ENGLISH_WORD = /\b(the|of|and|is|to|your|with|nothing)\b/i;

describe('The reason and the next step of a deposit', () => {
  it.each([
    ['waits for its first confirmation', OPEN],
    ['has too few confirmations', { ...OPEN, status: 'confirming' } as const],
    ['is only claimed', { ...OPEN, onlyClaimed: true }],
    ['is below the minimum', { ...OPEN, holdReason: 'BELOW_MINIMUM' } as const],
    ['was booked by hand', { ...OPEN, holdReason: 'BOOKED_BY_HAND' } as const],
    ['was refused', { ...FAILED, failure: 'refused', reason: 'no such address' } as const],
    ['was never mined', { ...FAILED, failure: 'vanished', reason: DEPOSIT_REASONS.neverMined.en } as const],
  ])('have all their values in German and in English if it %s', (_, deposit) => {
    const english = explainDeposit(deposit, Money.of('500'));
    const german = explainDeposit(deposit, Money.of('500'), 'de');
    const numbersOf = (text: string | null) => text?.match(/\d+/g) ?? [];
    for (const field of ['reason', 'nextStep'] as const) {
      expect(english[field]).toMatch(ENGLISH_WORD);
      expect(german[field]).not.toMatch(ENGLISH_WORD);
      expect(german[field]).not.toMatch(/[{}]/);
      expect(numbersOf(german[field])).toEqual(numbersOf(english[field]));
    }
  });

  it('are null for a credited deposit', () => {
    const explanation = explainDeposit({ ...OPEN, status: 'completed' }, Money.of('500'), 'de');
    expect(explanation).toEqual({ reason: null, nextStep: null });
  });
});
