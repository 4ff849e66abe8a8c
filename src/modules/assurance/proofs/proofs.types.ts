import type { ProofCheckpoint } from './entities/proof-checkpoint.entity.js';
import type { ProofLog } from './entities/proof-log.entity.js';

export type LogState = Readonly<Omit<ProofLog, 'id'>>;

export type SignedCheckpoint = Readonly<ProofCheckpoint>;

/** A ledger transaction with the fields of its leaf. */
export interface SealableTransaction {
  readonly id: string;
  readonly type: string;
  readonly referenceType: string;
  readonly referenceId: string;
  readonly effectiveAt: Date;
  /** In the order of their ids. */
  readonly entries: readonly {
    readonly kind: string;
    readonly scope: string;
    /** Null for accounts of the platform. */
    readonly owner: string | null;
    readonly asset: string;
    /** Positive for a credit, without zeros at the end of its decimals. */
    readonly amount: string;
  }[];
}

/** Committed transactions that are not in the log, in the order of their leaves. Both fields are null if there are none. */
export interface UnsealedTransactions {
  /** A PostgreSQL array literal of transaction ids. */
  readonly ids: string | null;
  /** The concatenated hashes of the leaves. */
  readonly hashes: Buffer | null;
}

/** Leaves of transactions: their ids, and their concatenated nonces and hashes in the order of the ids. */
export interface TransactionLeaves {
  /** A PostgreSQL array literal of transaction ids. */
  readonly ids: string;
  /** May have more nonces than ids; those at the end are not used. */
  readonly nonces: Buffer;
  readonly hashes: Buffer;
}

/** A row of `proof_leaf` that belongs to a ledger transaction. */
export interface StoredLeaf {
  readonly leafIndex: number;
  readonly transactionId: string;
  readonly nonce: Buffer;
}

/** The leaf of a ledger transaction with the text that is hashed. */
export interface SealedLeaf {
  readonly leafIndex: number;
  readonly transactionId: string;
  readonly leafText: string;
  readonly leafHash: Buffer;
}
