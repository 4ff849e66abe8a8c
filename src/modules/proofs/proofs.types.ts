/** The state of the log. */
export interface LogState {
  readonly origin: string;
  readonly size: number;
  /** Every transaction whose first entry has an id up to this one is in the log. */
  readonly sealedEntryId: number;
  readonly restoredAt: Date | null;
}

export interface NewCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  readonly at: Date;
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

export interface NewLeaf {
  readonly transactionId: string;
  readonly nonce: Buffer;
  readonly hash: Buffer;
}
