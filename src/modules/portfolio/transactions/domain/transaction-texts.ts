import { phraseText, translatedText, type Language, type Phrase } from '../../../../common/message-texts.js';
import { DEPOSIT_REASONS } from '../../../funds/deposits/domain/deposit-texts.js';
import { INVESTMENT_PHRASES } from '../../../investing/investments/domain/investment.js';
import { TRANSACTION_KINDS, TRANSACTION_TYPES, type TransactionType } from './transaction-kinds.js';

// The texts of transaction records. The database holds them in English, as admins read them; users read them in their language.

/** Earnings below zero. */
const LOSSES = {
  loss: INVESTMENT_PHRASES.loss,
  lossOnCancelling: {
    en: 'Loss or growth taken back of {strategy}',
    de: 'Verlust oder zurückgenommener Ertrag aus {strategy}',
  },
} satisfies Record<string, Phrase>;

export type DescriptionKind = TransactionType | keyof typeof LOSSES;

const DESCRIPTIONS = {
  ...LOSSES,
  ...Object.fromEntries(TRANSACTION_TYPES.map((type) => [type, TRANSACTION_KINDS[type].description])),
} as Readonly<Record<DescriptionKind, Phrase>>;

const STEPS = {
  claimed: { en: 'Claim received', de: 'Meldung eingegangen' },
  seen: { en: 'Seen on chain', de: 'Auf der Blockchain erkannt' },
  confirming: { en: 'Waiting for more confirmations', de: 'Wartet auf weitere Bestätigungen' },
  held: { en: 'Arrived, but not credited yet', de: 'Angekommen, aber noch nicht gutgeschrieben' },
  covered: { en: 'Booked by hand before', de: 'Schon von Hand gebucht' },
  credited: { en: 'Credited', de: 'Gutgeschrieben' },
  failed: { en: 'Failed', de: 'Fehlgeschlagen' },
  requested: {
    en: 'Requested, the amount is reserved',
    de: 'Beantragt, der Betrag ist reserviert',
  },
  approved: { en: 'Approved by an operator', de: 'Von unserem Team freigegeben' },
  taken: { en: 'Taken into processing', de: 'In Arbeit' },
  returned: { en: 'Waits for an operator again', de: 'Wartet wieder auf Bearbeitung' },
  paid: { en: 'Paid out', de: 'Ausgezahlt' },
  cancelled: {
    en: 'Cancelled, the amount is available again',
    de: 'Storniert, der Betrag ist wieder verfügbar',
  },
  rejected: {
    en: 'Rejected, the amount is available again',
    de: 'Abgelehnt, der Betrag ist wieder verfügbar',
  },
  rejectedBecause: {
    en: 'Rejected, the amount is available again: {reason}',
    de: 'Abgelehnt, der Betrag ist wieder verfügbar: {reason}',
  },
  notCarriedOut: {
    en: 'Not carried out, the amount stays reserved until our team has looked into it',
    de: 'Nicht ausgeführt, der Betrag bleibt reserviert, bis unser Team den Vorgang geprüft hat',
  },
  available: { en: 'The amount is available again', de: 'Der Betrag ist wieder verfügbar' },
  takenBack: { en: 'Taken back', de: 'Zurückgenommen' },
  booked: { en: 'Booked', de: 'Gebucht' },
} satisfies Record<string, Phrase>;

export type StepKind = keyof typeof STEPS;

const ALL_DESCRIPTIONS: readonly Phrase[] = Object.values(DESCRIPTIONS);
const ALL_STEPS: readonly Phrase[] = [...Object.values(STEPS), ...Object.values(DEPOSIT_REASONS)];

/** The description of a record, as the database holds it. */
export function descriptionText(kind: DescriptionKind, values: Record<string, string>): string {
  return phraseText(DESCRIPTIONS[kind], 'en', values);
}

/** The description of a step in the timeline, as the database holds it. */
export function stepText(kind: StepKind, values?: Record<string, string>): string {
  return phraseText(STEPS[kind], 'en', values);
}

/** The description of a booking by hand is an admin's text. */
export function shownDescription(
  { description, referenceType }: { readonly description: string; readonly referenceType: string },
  language: Language,
): string {
  if (referenceType === 'admin-transaction') return description;
  return translatedText(description, language, ALL_DESCRIPTIONS);
}

export function shownStep(description: string, language: Language): string {
  return translatedText(description, language, ALL_STEPS);
}
