import { inLanguage } from '../../ui/language.ts';

export const STATUS = inLanguage({
  pending: ['To approve', 'Zu genehmigen'],
  active: ['Active', 'Aktiv'],
  completed: ['Closed', 'Geschlossen'],
  cancelled: ['Cancelled', 'Storniert'],
  all: ['All', 'Alle'],
});

export const STATUS_COLOURS = {
  pending: 'blue',
  active: 'green',
  completed: 'gray',
  cancelled: 'gray',
} as const;

export const STEP = inLanguage({
  created: ['created', 'angelegt'],
  approved: ['approved', 'genehmigt'],
  partially_closed: ['partly closed', 'teilweise geschlossen'],
  closed: ['closed', 'geschlossen'],
  moved: ['moved', 'umgeschichtet'],
  cancelled: ['cancelled', 'storniert'],
  rejected: ['rejected', 'abgelehnt'],
});
