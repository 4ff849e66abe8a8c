import type { PostingType } from '../ledger/domain/posting.js';

/** Version of the members and formats of receipts. */
export const RECEIPT_VERSION = 1;

/** Earlier legs of a chain of moves that a receipt lists one by one, the newest first. */
export const MOST_EARLIER_LEGS = 1000;

/** How often a receipt reads a record that changes while it is read. */
export const READ_ATTEMPTS = 3;

/** After how many seconds a client asks again for the receipt of a record that keeps changing. */
export const CHANGING_RETRY_SECONDS = 1;

/** The types of the postings that a record can have, by the type of their reference. */
export const POSTING_TYPES = {
  deposit: ['deposit-held', 'deposit'],
  investment: ['investment', 'units-issued', 'divestment', 'earning', 'forfeit', 'fee'],
  withdrawal: ['withdrawal-requested', 'withdrawal-completed', 'withdrawal-released'],
} as const satisfies Record<string, readonly PostingType[]>;

export type ReceiptKind = keyof typeof POSTING_TYPES;
