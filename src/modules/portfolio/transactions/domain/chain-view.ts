import { TRANSACTION_KINDS, TRANSACTION_TYPES, type TransactionType } from './transaction-kinds.js';
import { TRANSACTION_STATUSES, type TransactionStatus } from './transaction.state-machine.js';

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
