import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigintColumn, PrimaryBigintColumn } from '../../../../database/columns/bigint.column.js';

/** The state of the transparency log, in a table of one row. */
@Entity('proof_log')
export class ProofLog {
  /** Always true. */
  @PrimaryColumn('boolean')
  id!: boolean;

  /** The name of the log and of its keys. */
  @Column('text')
  origin!: string;

  /** The number of leaves, which is the size of the newest checkpoint. */
  @BigintColumn()
  size!: number;

  /** Every transaction whose first entry has an id up to this one is in the log. */
  @BigintColumn({ name: 'sealed_entry_id' })
  sealedEntryId!: number;

  /**
   * When the database was restored, in real time; null if it never was, and after an admin has continued the log. Nothing is
   * appended while it is set, since the database may be older than a published checkpoint.
   */
  @Column('timestamptz', { name: 'restored_at', nullable: true })
  restoredAt!: Date | null;
}

/** A leaf of the transparency log: a ledger transaction with the nonce of its text, or a stored text (a day's liabilities). */
@Entity('proof_leaf')
export class ProofLeaf {
  /** The place in the log, from 0. */
  @PrimaryBigintColumn({ name: 'leaf_index' })
  leafIndex!: number;

  @Column('uuid', { name: 'transaction_id', nullable: true, unique: true })
  transactionId!: string | null;

  @Column('bytea', { nullable: true })
  nonce!: Buffer | null;

  @Column('text', { nullable: true })
  text!: string | null;
}

/** A tile of the transparency log, as `domain/tiles.ts` describes it. */
@Entity('proof_tile')
export class ProofTile {
  /** 0 for hashes of leaves, otherwise for hashes of full tiles of the level below. */
  @PrimaryColumn('smallint')
  level!: number;

  /** The number of the tile within its level, from 0. */
  @PrimaryBigintColumn()
  n!: number;

  /** Up to 256 concatenated hashes. */
  @Column('bytea')
  hashes!: Buffer;
}

/** A checkpoint of the transparency log: its size and root at one time, and the signed note that states them. */
@Entity('proof_checkpoint')
export class ProofCheckpoint {
  /** The number of leaves of the log when the checkpoint was signed. */
  @PrimaryBigintColumn()
  size!: number;

  /** The Merkle root hash of the first `size` leaves. */
  @Column('bytea')
  root!: Buffer;

  /** When the checkpoint was signed, in domain time. */
  @Column('timestamptz')
  at!: Date;

  /** The signed note (https://c2sp.org/signed-note), byte for byte as it was published. */
  @Column('text')
  note!: string;
}

/** A public key of the log. Each process records its keys at the latest with its first signature. */
@Entity('proof_key')
export class ProofKey {
  @PrimaryColumn('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** When a process first recorded the key, in domain time. */
  @Column('timestamptz', { name: 'used_since' })
  usedSince!: Date;
}
