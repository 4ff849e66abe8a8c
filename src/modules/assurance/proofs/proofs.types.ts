import type { Day } from '../../../common/days.js';
import type { PlatformEvent } from '../../../events/domain-events.js';
import type { PostingType } from '../../core/ledger/domain/chart-of-accounts.js';
import type { ProofCheckpoint, ProofLog } from './entities/log.entity.js';

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

/** Leaves of transactions: their ids, and their concatenated nonces in the order of the ids. */
export interface TransactionLeaves {
  /** A PostgreSQL array literal of transaction ids. */
  readonly ids: string;
  /** May have more nonces than ids; those at the end are not used. */
  readonly nonces: Buffer;
}

/** Identifies the ledger transactions of one record by their types and their reference, as the ledger does. */
export interface PostingsOfRecord {
  readonly types: readonly PostingType[];
  readonly reference: { readonly type: string; readonly id: string };
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

/** Topic `log`: emitted once for each closed day, in the transaction that appends its liabilities to the transparency log. */
export interface LogCheckpointEvent extends PlatformEvent {
  readonly name: 'log.checkpoint';
  readonly day: Day;
  readonly checkpoint: SignedCheckpoint;
}
