import type { Phrase } from '../../../../common/message-texts.js';
import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';
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
