import { inLanguage } from '../ui/language.ts';
import { USERS_NAMES } from '../ui/transaction-types.ts';

export const INVESTMENT_STATUS = inLanguage({
  pending: ['waits for approval', 'wartet auf Freigabe'],
  active: ['active', 'aktiv'],
  paused: ['paused', 'angehalten'],
  closed: ['closed', 'beendet'],
  cancelled: ['cancelled', 'storniert'],
});

export const DEPOSIT_STATUS = inLanguage({
  pending: ['seen', 'gesehen'],
  confirming: ['confirming', 'wird bestätigt'],
  completed: ['credited', 'gutgeschrieben'],
  failed: ['failed', 'fehlgeschlagen'],
});

export const WITHDRAWAL_STATUS = inLanguage({
  pending: ['waits for approval', 'wartet auf Freigabe'],
  approved: ['approved', 'freigegeben'],
  processing: ['being paid', 'wird ausgezahlt'],
  completed: ['paid', 'ausgezahlt'],
  rejected: ['rejected', 'abgelehnt'],
  failed: ['failed', 'fehlgeschlagen'],
});

export const TRANSACTION_STATUS = inLanguage({
  pending: ['pending', 'offen'],
  processing: ['processing', 'in Arbeit'],
  completed: ['completed', 'gebucht'],
  failed: ['failed', 'fehlgeschlagen'],
  cancelled: ['cancelled', 'storniert'],
});

export const TRANSACTION_TYPE = inLanguage(USERS_NAMES);
