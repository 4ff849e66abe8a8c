import type { TransactionStatus, TransactionType } from './domain/transaction.state-machine.js';

// The words of shape A for the records of shape B.

export const CHAIN_TYPES = ['deposit', 'withdrawal', 'transfer', 'investment', 'reversal'] as const;
export type ChainType = (typeof CHAIN_TYPES)[number];

export const CHAIN_STATUSES = ['pending', 'processing', 'confirmed', 'failed'] as const;
export type ChainStatusService = (typeof CHAIN_STATUSES)[number];

const CHAIN_TYPE: Record<TransactionType, ChainType> = {
  deposit: 'deposit',
  withdrawal: 'withdrawal',
  investment: 'investment',
  reversal: 'reversal',
  divestment: 'transfer',
  earning: 'transfer',
  fee: 'transfer',
};

const CHAIN_STATUS: Record<TransactionStatus, ChainStatusService> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'confirmed',
  failed: 'failed',
  cancelled: 'failed',
};

export const chainTypeOf = (type: TransactionType): ChainType => CHAIN_TYPE[type];
export const chainStatusOf = (status: TransactionStatus): ChainStatusService => CHAIN_STATUS[status];

/** The types that a word of shape A stands for. */
export function typesOf(word: ChainType): TransactionType[] {
  return keysWhere(CHAIN_TYPE, word);
}

/** The statuses that a word of shape A stands for. */
export function statusesOf(word: ChainStatusService): TransactionStatus[] {
  return keysWhere(CHAIN_STATUS, word);
}

function keysWhere<Key extends string, Word>(table: Record<Key, Word>, word: Word): Key[] {
  return (Object.keys(table) as Key[]).filter((key) => table[key] === word);
}
