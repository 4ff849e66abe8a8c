import { phraseText, translatedText, type Language, type Phrase } from '../../../../common/message-texts.js';
import { StateMachine } from '../../../../common/state-machine.js';
import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';
import { DEPOSIT_REASONS } from '../../../funds/deposits/domain/deposit-texts.js';
import { INVESTMENT_PHRASES } from '../../../investing/investments/domain/investment.js';

interface TransactionKind {
  /** The type in the chain view. */
  readonly chainType: string;
  /** The types of the postings of a record, of which its user gets proofs. */
  readonly postings: readonly PostingType[];
  readonly description: Phrase;
}

/** The types of records. */
export const TRANSACTION_KINDS = {
  deposit: {
    chainType: 'deposit',
    postings: ['deposit-held', 'deposit-reversed', 'deposit'],
    description: {
      en: 'Deposit of {amount} over {network}',
      de: 'Einzahlung von {amount} im Netzwerk {network}',
    },
  },
  withdrawal: {
    chainType: 'withdrawal',
    postings: ['withdrawal-requested', 'withdrawal-released', 'withdrawal-completed'],
    description: { en: 'Withdrawal of {amount}', de: 'Auszahlung von {amount}' },
  },
  investment: {
    chainType: 'investment',
    postings: ['investment', 'units-issued'],
    description: INVESTMENT_PHRASES.investment,
  },
  divestment: {
    chainType: 'transfer',
    postings: ['divestment', 'forfeit'],
    description: { en: 'Principal back from {strategy}', de: 'Anlagebetrag zurück aus {strategy}' },
  },
  earning: { chainType: 'transfer', postings: ['earning'], description: INVESTMENT_PHRASES.growth },
  fee: {
    chainType: 'transfer',
    postings: ['fee'],
    description: { en: 'Fees of {strategy}', de: 'Gebühren für {strategy}' },
  },
  // The return of a failed withdrawal, or a deposit that was taken back, for which an admin writes the description.
  reversal: {
    chainType: 'reversal',
    postings: ['withdrawal-released', 'deposit'],
    description: {
      en: 'Return of the failed withdrawal of {amount}',
      de: 'Rückgabe der fehlgeschlagenen Auszahlung von {amount}',
    },
  },
} as const satisfies Record<string, TransactionKind>;

export type TransactionType = keyof typeof TRANSACTION_KINDS;
export const TRANSACTION_TYPES = Object.keys(TRANSACTION_KINDS) as TransactionType[];

export const TRANSACTION_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export type TransactionVerb = 'open' | 'take' | 'return' | 'complete' | 'fail' | 'cancel';

/** Any verb can begin a record. `completed`, `failed` and `cancelled` are final, except as `statusesBefore` says. */
const TRANSACTION_STATES = new StateMachine<TransactionStatus, TransactionVerb>([
  { verb: 'open', from: ['pending'], to: 'pending' }, // repeated, for example, by new confirmations
  { verb: 'take', from: ['pending'], to: 'processing' },
  { verb: 'return', from: ['processing'], to: 'pending' },
  { verb: 'complete', from: ['pending', 'processing'], to: 'completed' },
  { verb: 'fail', from: ['pending', 'processing'], to: 'failed' },
  { verb: 'cancel', from: ['pending'], to: 'cancelled' },
]);

/** The status that a verb leads to. Each verb has one transition. */
export function statusAfter(verb: TransactionVerb): TransactionStatus {
  const transition = TRANSACTION_STATES.transitions.find((candidate) => candidate.verb === verb);
  if (!transition) throw new Error(`no transition ${verb}`);
  return transition.to;
}

/**
 * The statuses in which the verb is allowed. A failed withdrawal is completed when the chain shows its payment; no other
 * transition leaves `failed`.
 */
export function statusesBefore(verb: TransactionVerb, type: TransactionType): TransactionStatus[] {
  const allowed = TRANSACTION_STATES.allowedFrom(verb);
  return verb === 'complete' && type === 'withdrawal' ? [...allowed, 'failed'] : [...allowed];
}

// Types and statuses of the chain view (`view=chain`) and their counterparts in the ledger view.

export const CHAIN_TYPES = ['deposit', 'withdrawal', 'transfer', 'investment', 'reversal'] as const;
export type ChainViewType = (typeof CHAIN_TYPES)[number];

export const CHAIN_STATUSES = ['pending', 'processing', 'confirmed', 'failed'] as const;
export type ChainViewStatus = (typeof CHAIN_STATUSES)[number];

const CHAIN_STATUS: Record<TransactionStatus, ChainViewStatus> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'confirmed',
  failed: 'failed',
  cancelled: 'failed',
};

export const chainTypeOf = (type: TransactionType): ChainViewType => TRANSACTION_KINDS[type].chainType;
export const chainStatusOf = (status: TransactionStatus): ChainViewStatus => CHAIN_STATUS[status];

/** The types of the ledger view that the chain view shows as `type`. */
export function typesOf(type: ChainViewType): TransactionType[] {
  return TRANSACTION_TYPES.filter((candidate) => chainTypeOf(candidate) === type);
}

/** The statuses of the ledger view that the chain view shows as `status`. */
export function statusesOf(status: ChainViewStatus): TransactionStatus[] {
  return TRANSACTION_STATUSES.filter((candidate) => chainStatusOf(candidate) === status);
}

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
