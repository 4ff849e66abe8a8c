import type { AlertKind } from '../alerts/alerts.types.js';
import type { StatementSource } from './domain/movement.js';

/** Alerts about money that the statements of a provider cover. */
export const ALERT_KINDS: Readonly<Record<StatementSource, readonly AlertKind[]>> = {
  'deposit-provider': ['deposit-reorganised', 'second-transfer'],
  custody: ['withdrawal-paid-after-failure'],
};
