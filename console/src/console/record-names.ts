import type { Answer } from '../api/client.ts';
import { formatValue, visibleText } from '../ui/format.ts';
import { inLanguage, language } from '../ui/language.ts';
import { OPERATORS_NAMES } from '../ui/transaction-types.ts';
import { englishPhrase, germanPhrase } from './service-phrases.ts';
import { germanServiceText, germanTransfer } from './service-texts.ts';

export const KINDS: Readonly<Record<string, string>> = inLanguage({
  address: ['address', 'Adresse'],
  admin: ['admin', 'Admin'],
  'admin-transaction': ['booking by hand', 'Buchung von Hand'],
  alert: ['alert', 'Warnung'],
  announcement: ['announcement', 'Ankündigung'],
  'api-key': ['API key', 'API-Schlüssel'],
  approval: ['approval', 'Freigabe'],
  consumer: ['consumer', 'Verbraucher'],
  deposit: ['deposit', 'Einzahlung'],
  event: ['event', 'Ereignis'],
  investment: ['investment', 'Investition'],
  job: ['job', 'Job'],
  list: ['list', 'Liste'],
  log: ['log', 'Transparenzlog'],
  process: ['process', 'Prozess'],
  'provider-deposit': ['deposit of the provider', 'Einzahlung des Anbieters'],
  reconciliation: ['reconciliation', 'Abgleich'],
  'reconciliation-break': ['break', 'Abweichung'],
  screening: ['screening', 'Prüfung'],
  setting: ['setting', 'Einstellung'],
  strategy: ['strategy', 'Strategie'],
  table: ['table', 'Tabelle'],
  'test-data': ['test data', 'Testdaten'],
  tier: ['tier', 'Stufe'],
  transaction: ['transaction', 'Buchung'],
  'transaction-request': ['transfer request', 'Überweisungsantrag'],
  treasury: ['treasury', 'Treasury'],
  'treasury-run': ['treasury run', 'Lauf der Treasury'],
  'treasury-transfer': ['treasury transfer', 'Überweisung der Treasury'],
  user: ['user', 'Nutzer'],
  wallet: ['wallet', 'Wallet'],
  'webhook-event': ['callback', 'Rückmeldung'],
  withdrawal: ['withdrawal', 'Auszahlung'],
  'withdrawal-pause': ['pause of withdrawals', 'Anhalten der Auszahlungen'],
  withdrawals: ['withdrawals', 'Auszahlungen'],
  'yield-report': ['yield report', 'Ertragsbericht'],
});

export const VERBS: Readonly<Record<string, string>> = inLanguage({
  accept: ['accepted', 'akzeptiert'],
  'accept-screening': ['screening accepted', 'Prüfung akzeptiert'],
  approve: ['approved', 'freigegeben'],
  assign: ['assigned', 'zugewiesen'],
  block: ['blocked', 'gesperrt'],
  change: ['changed', 'geändert'],
  cleanup: ['cleaned up', 'aufgeräumt'],
  close: ['closed', 'beendet'],
  complete: ['completed', 'abgeschlossen'],
  confirm: ['confirmed', 'bestätigt'],
  continue: ['continued', 'fortgesetzt'],
  create: ['created', 'angelegt'],
  delete: ['deleted', 'gelöscht'],
  'email-change': ['e-mail address changed', 'E-Mail-Adresse geändert'],
  'end-sessions': ['sessions ended', 'Sitzungen beendet'],
  execute: ['taken', 'übernommen'],
  expire: ['expired', 'abgelaufen'],
  export: ['exported', 'exportiert'],
  'factor-reset': ['second factors removed', 'zweite Faktoren entfernt'],
  fail: ['failed', 'fehlgeschlagen'],
  generate: ['transfers planned', 'Überweisungen geplant'],
  'hold-end': ['security hold ended', 'Sicherheitssperre beendet'],
  lock: ['locked', 'gesperrt'],
  make: ['compared', 'verglichen'],
  'new-identity': ['new identity', 'neue Identität'],
  pause: ['paused', 'angehalten'],
  propose: ['resolution proposed', 'Auflösung vorgeschlagen'],
  register: ['registered', 'registriert'],
  reject: ['rejected', 'abgelehnt'],
  release: ['released', 'freigegeben'],
  remove: ['removed', 'entfernt'],
  reopen: ['reopened', 'wieder geöffnet'],
  repeat: ['handed again', 'noch einmal übergeben'],
  replay: ['processed again', 'noch einmal verarbeitet'],
  request: ['requested', 'beantragt'],
  'request-change': ['change requested', 'Änderung beantragt'],
  resolve: ['resolved', 'erledigt'],
  resume: ['resumed', 'fortgesetzt'],
  return: ['put back', 'zurückgestellt'],
  revoke: ['revoked', 'widerrufen'],
  take: ['taken', 'übernommen'],
  'tier-change': ['limits changed', 'Grenzen geändert'],
  unhold: ['no longer held', 'nicht mehr angehalten'],
  unlink: ['unlinked', 'getrennt'],
  unlock: ['unlocked', 'entsperrt'],
  withdraw: ['withdrawn', 'zurückgezogen'],
});

const TYPES_IN_SENTENCES = Object.fromEntries(
  Object.entries(OPERATORS_NAMES).map(
    ([type, [english, german]]) => [type, [english.toLowerCase(), german]] as const,
  ),
);

/** Types of transactions, states of records, levels of risk, reasons of security holds, and kinds of activities. */
export const CODES: Readonly<Record<string, string>> = inLanguage({
  ...TYPES_IN_SENTENCES,
  accepted: ['accepted', 'akzeptiert'],
  'admin-transaction': ['booking by hand', 'Buchung von Hand'],
  active: ['active', 'aktiv'],
  approved: ['approved', 'freigegeben'],
  assigned: ['assigned', 'zugewiesen'],
  cancelled: ['cancelled', 'storniert'],
  closed: ['closed', 'geschlossen'],
  completed: ['completed', 'abgeschlossen'],
  confirmed: ['confirmed', 'gebucht'],
  confirming: ['confirming', 'wird bestätigt'],
  unlocked: ['not locked', 'nicht gesperrt'],
  'deposit-held': ['deposit held', 'Einzahlung angehalten'],
  'deposit-reversed': ['held deposit reversed', 'angehaltene Einzahlung zurückgebucht'],
  'email-changed': ['new e-mail address', 'neue E-Mail-Adresse'],
  'factor-removed': ['second factor removed', 'zweiter Faktor entfernt'],
  'factor-reset': ['second factors reset', 'zweite Faktoren zurückgesetzt'],
  failed: ['failed', 'fehlgeschlagen'],
  'first-factor': ['first second factor', 'erster zweiter Faktor'],
  forfeit: ['growth forfeited', 'verfallener Ertrag'],
  high: ['high', 'hoch'],
  inactive: ['inactive', 'inaktiv'],
  low: ['low', 'niedrig'],
  matched: ['the chain shows it', 'die Chain zeigt es'],
  medium: ['medium', 'mittel'],
  mismatch: ['the chain contradicts it', 'die Chain widerspricht'],
  'new-identity': ['new identity', 'neue Identität'],
  none: ['none', 'keines'],
  open: ['open', 'offen'],
  paused: ['paused', 'pausiert'],
  pending: ['pending', 'offen'],
  processing: ['processing', 'in Arbeit'],
  proposed: ['resolution proposed', 'Auflösung vorgeschlagen'],
  'realised-yield': ['yield received', 'eingegangener Ertrag'],
  'recovery-code': ['sign-in with a recovery code', 'Anmeldung mit Wiederherstellungscode'],
  rejected: ['rejected', 'abgelehnt'],
  resolved: ['resolved', 'aufgelöst'],
  restored: ['restored', 'wiederhergestellt'],
  sealing: ['sealing', 'wird versiegelt'],
  suspended: ['suspended', 'suspendiert'],
  system: ['the service', 'der Dienst'],
  transfer: ['transfer', 'Überweisung'],
  'treasury-transfer': ['treasury transfer', 'Überweisung der Treasury'],
  'units-issued': ['units issued', 'Anteile ausgegeben'],
  unverified: ['not verified', 'nicht geprüft'],
  waiting: ['waiting', 'wartet'],
  'withdrawal-completed': ['withdrawal paid', 'Auszahlung gezahlt'],
  'withdrawal-released': ['withdrawal released', 'Reservierung aufgehoben'],
  'withdrawal-requested': ['withdrawal reserved', 'Auszahlung reserviert'],
  yield: ['yield', 'Ertrag'],
});

/** A code of the service as a word; the code if there is no word for it. */
export const codeName = (code: string): string => CODES[code] ?? code;

type Described = Pick<Answer<'GET /api/admin/transactions/{id}'>['data'], 'description' | 'balanceChange'>;

/** A value in a text of the service: an amount, a day or a code. */
export const valueText = (value: string): string => CODES[value] ?? formatValue(value);

/** A value that may be a text of the service itself. */
const partText = (value: string): string => germanServiceText(value, valueText) ?? valueText(value);

const translated = (text: string): string | undefined =>
  language === 'de'
    ? (germanPhrase(text, valueText) ?? germanServiceText(text, partText))
    : englishPhrase(text, formatValue);

/** A text that the service or an admin has written, in the language of the page if it is one of the service's. */
export const recordText = (text: string): string => visibleText(translated(text) ?? text);

/**
 * The description of a transaction. `balanceChange` is null for one that an admin has requested, who wrote its description, or that the
 * treasury has planned.
 */
export const transactionText = ({ description, balanceChange }: Described): string =>
  balanceChange === null
    ? visibleText(germanTransfer(description, valueText) ?? description)
    : recordText(description);

/** The kind of a record as a word; its code if there is no word for it. */
export const kindName = (kind: string): string => KINDS[kind] ?? kind;

/** The lists that admins export; the word "list" precedes them, as in "list of deposits". */
export const LISTS: Readonly<Record<string, string>> = inLanguage({
  audit: ['of the audit log', 'des Audit-Logs'],
  'audit-pack': ['of the audit pack', 'des Prüfpakets'],
  'book-entries': ['of entries of an account', 'der Buchungszeilen eines Kontos'],
  deposits: ['of deposits', 'der Einzahlungen'],
  investments: ['of investments', 'der Investitionen'],
  'payment-file': ['of payments', 'der Zahlungen'],
  statement: ['of the statement of account', 'des Kontoauszugs'],
  transactions: ['of transactions', 'der Buchungen'],
  users: ['of users', 'der Nutzer'],
  withdrawals: ['of withdrawals', 'der Auszahlungen'],
});

/** The kind and the id of a record, or the name of a list. */
export const recordName = (kind: string, id: string): string =>
  `${kindName(kind)} ${visibleText(kind === 'list' ? (LISTS[id] ?? id) : id)}`;

/** What an admin has done, such as "Withdrawal: taken"; undefined for an action without words. */
export function actionName(action: string): string | undefined {
  const [kind = '', verb = ''] = action.split('.');
  const [subject, done] = [KINDS[kind], VERBS[verb]];
  return subject && done && `${subject.charAt(0).toLocaleUpperCase(language)}${subject.slice(1)}: ${done}`;
}
