import { DEPOSIT_REASONS, explainDeposit } from '../../../funds/deposits/domain/deposit-texts.js';
import { Money } from '../../../../common/money.js';
import { descriptionText, shownDescription, shownStep, stepText } from './transaction-kinds.js';

const booked = (description: string) => ({ description, referenceType: 'investment' });

describe('The texts of transaction records', () => {
  it.each([
    [
      descriptionText('deposit', { amount: '600.00 USDT', network: 'TRC20' }),
      'Einzahlung von 600.00 USDT im Netzwerk TRC20',
    ],
    [descriptionText('withdrawal', { amount: '50.00 USDC' }), 'Auszahlung von 50.00 USDC'],
    [descriptionText('loss', { strategy: 'Balanced 10%' }), 'Verlust aus Balanced 10%'],
    [
      descriptionText('lossOnCancelling', { strategy: 'A (b) of {c}' }),
      'Verlust oder zurückgenommener Ertrag aus A (b) of {c}',
    ],
  ])('describe the record in German: %j', (description, german) => {
    expect(shownDescription(booked(description), 'de')).toBe(german);
    expect(shownDescription(booked(description), 'en')).toBe(description);
  });

  it.each([
    [stepText('requested'), 'Beantragt, der Betrag ist reserviert'],
    [stepText('rejected'), 'Abgelehnt, der Betrag ist wieder verfügbar'],
    [
      stepText('rejectedBecause', { reason: 'Paid out\ntwice' }),
      'Abgelehnt, der Betrag ist wieder verfügbar: Paid out\ntwice', // the admin's text stays
    ],
    [DEPOSIT_REASONS.reverted.en, DEPOSIT_REASONS.reverted.de],
  ])('describe the step in German: %j', (step, german) => {
    expect(shownStep(step, 'de')).toBe(german);
    expect(shownStep(step, 'en')).toBe(step);
  });

  it('translate the reason why a deposit is held, with its amount', () => {
    const deposit = {
      status: 'pending',
      currency: 'USDC',
      holdReason: 'BELOW_MINIMUM',
      confirmations: 0,
      requiredConfirmations: 12,
      failure: null,
      reason: null,
      onlyClaimed: false,
    } as const;
    const { reason } = explainDeposit(deposit, Money.of('500'));
    expect(shownStep(reason as string, 'de')).toBe(
      'Die Einzahlung liegt unter dem Mindestbetrag von 500.00 USDC.',
    );
  });

  it('leave texts of admins and of earlier versions as they are', () => {
    const byAdmin = { description: 'Withdrawal of 5.00 USDC', referenceType: 'admin-transaction' };
    expect(shownDescription(byAdmin, 'de')).toBe(byAdmin.description);
    expect(shownStep('Reverted on chain.', 'de')).toBe('Reverted on chain.');
  });
});
