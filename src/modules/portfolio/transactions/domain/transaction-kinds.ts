import type { Phrase } from '../../../../common/message-texts.js';
import { StateMachine } from '../../../../common/state-machine.js';
import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';
import { INVESTMENT_PHRASES } from '../../../investing/investments/domain/investment-texts.js';

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
