import { inLanguage } from '../../ui/language.ts';
import { OPERATORS_NAMES } from '../../ui/transaction-types.ts';

export const STATUS = inLanguage({
  all: ['All', 'Alle'],
  pending: ['Pending', 'Offen'],
  processing: ['Under way', 'Unterwegs'],
  confirmed: ['Booked', 'Gebucht'],
  failed: ['Failed', 'Fehlgeschlagen'],
});

export const { cancelled: CANCELLED } = inLanguage({ cancelled: ['Cancelled', 'Storniert'] });

export const STATUS_COLOURS = {
  pending: 'yellow',
  processing: 'blue',
  confirmed: 'green',
  failed: 'red',
} as const;

export const TYPE = inLanguage({
  all: ['All', 'Alle'],
  deposit: ['Deposit', 'Einzahlung'],
  withdrawal: ['Withdrawal', 'Auszahlung'],
  transfer: ['Transfer', 'Überweisung'],
  investment: ['Investment', 'Investition'],
  reversal: ['Reversal', 'Rückbuchung'],
});

export const KIND = inLanguage({
  ...OPERATORS_NAMES,
  transfer: ['Transfer between the providers', 'Überweisung zwischen den Anbietern'],
});

export const { requested: REQUESTED } = inLanguage({
  requested: [
    'Requested: waits for the approval of a second admin. Nothing is booked yet.',
    'Beantragt: wartet auf die Freigabe eines zweiten Admins. Es ist noch nichts gebucht.',
  ],
});
