/** The state of the log. */
export interface LogState {
  readonly origin: string;
  readonly size: number;
  /** Every transaction whose first entry has an id up to this one is in the log. */
  readonly sealedEntryId: number;
  readonly restoredAt: Date | null;
}

export interface SignedCheckpoint {
  /** Number of leaves. */
  readonly size: number;
  readonly root: Buffer;
  /** Domain time. */
  readonly at: Date;
  /** The signed note as it is published. */
  readonly note: string;
}

/** A ledger transaction with all that its leaf names. */
export interface SealableTransaction {
  readonly id: string;
  readonly type: string;
  readonly referenceType: string;
  readonly referenceId: string;
  readonly effectiveAt: Date;
  /** In the order of the ledger. `owner` is null for accounts of the platform; `amount` is as the database writes it. */
  readonly entries: readonly {
    readonly kind: string;
    readonly scope: string;
    readonly owner: string | null;
    readonly asset: string;
    readonly amount: string;
  }[];
}

/** A ledger transaction with its nonce, or a text of its own. */
export type LeafContent =
  | { readonly transactionId: string; readonly nonce: Buffer; readonly text: null }
  | { readonly transactionId: null; readonly nonce: null; readonly text: string };

export type NewLeaf = LeafContent & { readonly hash: Buffer };

/** A row of the log. */
export type StoredLeaf = LeafContent & { readonly leafIndex: number };

/** A leaf with the text that is hashed. */
export interface SealedLeaf {
  readonly leafIndex: number;
  /** Null for leaves that are not ledger transactions. */
  readonly transactionId: string | null;
  readonly leafText: string;
  readonly leafHash: Buffer;
}
