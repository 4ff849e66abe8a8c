import { inLanguage } from '../../ui/language.ts';

export const STATUS = inLanguage({
  all: ['All', 'Alle'],
  pending: ['Pending', 'Offen'],
  confirming: ['Confirming', 'Wird bestätigt'],
  completed: ['Credited', 'Gutgeschrieben'],
  failed: ['Failed', 'Fehlgeschlagen'],
});

export const STATUS_COLOURS = {
  pending: 'gray',
  confirming: 'blue',
  completed: 'green',
  failed: 'red',
} as const;

export const HOLD = inLanguage({
  all: ['All', 'Alle'],
  BELOW_MINIMUM: ['Held: below the minimum', 'Angehalten: unter dem Minimum'],
  BOOKED_BY_HAND: ['Booked by hand', 'Von Hand gebucht'],
});
