import { formatValue } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { recordText } from '../record-names.ts';

export const COMPONENT: Readonly<Record<string, string>> = inLanguage({
  database: ['Database', 'Datenbank'],
  chain: ['Chain', 'Chain'],
  'deposit-provider': ['Deposit provider', 'Einzahlungsanbieter'],
  'custody-provider': ['Custody', 'Verwahrung'],
  'identity-provider': ['Identity provider', 'Identitätsanbieter'],
  'screening-provider': ['Screening', 'Prüfung'],
  ledger: ['Ledger', 'Hauptbuch'],
  resources: ['Process', 'Prozess'],
  admins: ['Admins', 'Admins'],
});

export const CONDITION = inLanguage({
  healthy: ['Healthy', 'Gesund'],
  degraded: ['Degraded', 'Eingeschränkt'],
  unhealthy: ['Unhealthy', 'Gestört'],
  unknown: ['Unknown', 'Unbekannt'],
});

/** The targets that an incident has missed. */
export const TARGET: Readonly<Record<string, string>> = inLanguage({
  availability: ['availability', 'Verfügbarkeit'],
  errorRate: ['failed requests', 'fehlgeschlagene Anfragen'],
  responseTimeP95: ['P95 of response times', 'P95 der Antwortzeiten'],
  responseTimeP99: ['P99 of response times', 'P99 der Antwortzeiten'],
});
export const targetName = (target: string): string => TARGET[target] ?? target;

/** Details without a value: the service writes these words in place of a time or of names. */
const NO_DETAIL: Readonly<Record<string, string>> = inLanguage({
  none: ['none', 'keine'],
  'none yet': ['none yet', 'noch keine'],
});
export const detailText = (value: string): string => NO_DETAIL[value] ?? formatValue(value);

const UNITS: Readonly<Record<string, string>> = inLanguage({
  d: ['d', ' Tg.'],
  h: ['h', ' Std.'],
  m: ['m', ' Min.'],
  s: ['s', ' Sek.'],
});
/** A duration of the service, such as "1h 5m 0s", or a text with one. */
export const durationText = (text: string): string =>
  text.replace(/(\d+)([dhms])\b/g, (_, count: string, unit: string) => `${count}${UNITS[unit] ?? unit}`);

/** The sentence about an incident, such as "The service was down for 2m 0s; 5 of 9 requests failed.", with each part translated. */
export function impactText(impact: string, textOf = recordText): string {
  const parts = impact.replace(/\.$/, '').split('; ');
  const texts = parts.map((part) => textOf(part.charAt(0).toLowerCase() + part.slice(1))).join('; ');
  return `${texts.charAt(0).toUpperCase()}${durationText(texts.slice(1))}.`;
}
