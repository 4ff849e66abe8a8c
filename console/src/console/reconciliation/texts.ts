import { inLanguage } from '../../ui/language.ts';

export const SOURCE = inLanguage({
  custody: ['Custody', 'Verwahrung'],
  'deposit-provider': ['Deposit provider', 'Einzahlungsanbieter'],
});

export const STATUS = inLanguage({
  matched: ['Agrees', 'Stimmt überein'],
  open: ['Open breaks', 'Offene Abweichungen'],
  resolved: ['Resolved', 'Aufgelöst'],
});
export const STATUS_COLOURS = { matched: 'green', open: 'red', resolved: 'green' } as const;

export const BREAK = inLanguage({
  all: ['All', 'Alle'],
  open: ['Open', 'Offen'],
  assigned: ['Assigned', 'Zugeteilt'],
  proposed: ['To confirm', 'Zu bestätigen'],
  resolved: ['Resolved', 'Aufgelöst'],
});
export const BREAK_COLOURS = {
  open: 'red',
  assigned: 'blue',
  proposed: 'yellow',
  resolved: 'green',
} as const;

export const OUTCOME = inLanguage({
  matched: ['Agrees', 'Stimmt überein'],
  'missing-here': ['Missing in our records', 'Fehlt in unseren Aufzeichnungen'],
  'missing-there': ['Missing in the statement', 'Fehlt im Auszug'],
  differing: ['Differs', 'Weicht ab'],
});

/** The fields in which a line of the statement and our record differ, or the other source that contradicts our record. */
export const DIFFERENCE: Readonly<Record<string, string>> = inLanguage({
  amount: ['amount', 'Betrag'],
  status: ['state', 'Zustand'],
  txHash: ['transaction', 'Transaktion'],
  network: ['network', 'Netzwerk'],
  ledger: ['ledger', 'Hauptbuch'],
  chain: ['chain', 'Chain'],
});

export const RESOLUTION = inLanguage({
  'corrected-here': ['Corrected in our records', 'In unseren Aufzeichnungen berichtigt'],
  'corrected-there': ['Corrected by the provider', 'Vom Anbieter berichtigt'],
  timing: ['Only the times differed', 'Nur die Zeiten wichen ab'],
  accepted: ['The difference is accepted', 'Die Differenz wird akzeptiert'],
});

export const DIRECTION = inLanguage({ in: ['in', 'ein'], out: ['out', 'aus'] });

export const SIDE_STATUS = inLanguage({
  settled: ['settled', 'erledigt'],
  underway: ['under way', 'unterwegs'],
  failed: ['failed', 'fehlgeschlagen'],
});

export const VERDICT = inLanguage({
  both: ['shows both', 'zeigt beides'],
  there: ['shows the amount of the statement', 'zeigt den Betrag des Auszugs'],
  here: ['shows the amount of our records', 'zeigt den Betrag unserer Aufzeichnungen'],
  neither: ['shows neither', 'zeigt keines von beiden'],
  pending: ['not confirmed yet', 'noch nicht bestätigt'],
  unreachable: ['did not answer', 'hat nicht geantwortet'],
  'not-read': ['not read', 'nicht gelesen'],
});
