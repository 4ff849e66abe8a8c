import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';
import {
  TRANSACTION_KINDS,
  type TransactionType,
} from '../../../portfolio/transactions/domain/transaction-kinds.js';

/** Identifies the ledger transactions of one record by their types and their reference, as the ledger does. */
export interface PostingsOfRecord {
  readonly types: readonly PostingType[];
  readonly reference: { readonly type: string; readonly id: string };
}

/** `record`: a row of the user's history, which has the reference of its postings. */
export function postingsOfUserRecord(record: {
  readonly type: TransactionType;
  readonly referenceType: string;
  readonly referenceId: string;
}): PostingsOfRecord {
  return {
    types: TRANSACTION_KINDS[record.type].postings,
    reference: { type: record.referenceType, id: record.referenceId },
  };
}

/** `booking`: a transaction by hand. The posting of a withdrawal's reversal has the reference of the withdrawal. */
export function postingsOfBooking(booking: {
  readonly id: string;
  readonly type: TransactionType | 'transfer';
  readonly byAdmins: { readonly withdrawalId: string | null } | null;
}): PostingsOfRecord {
  const { id, type, byAdmins } = booking;
  if (type === 'transfer')
    return { types: ['treasury-transfer'], reference: { type: 'treasury-transfer', id } };
  const withdrawalId = type === 'reversal' ? (byAdmins?.withdrawalId ?? null) : null;
  const reference =
    withdrawalId === null ? { type: 'admin-transaction', id } : { type: 'withdrawal', id: withdrawalId };
  return { types: TRANSACTION_KINDS[type].postings, reference };
}
