import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of the log, in a table of one row. */
@Entity('proof_log')
export class ProofLog {
  @PrimaryColumn('boolean')
  id!: boolean;

  /** The name of the log and of its keys. */
  @Column('text')
  origin!: string;

  /** Number of leaves, that of the newest checkpoint. */
  @Column('bigint')
  size!: string;

  /** Every transaction whose first entry has an id up to this one is in the log. */
  @Column('bigint', { name: 'sealed_entry_id' })
  sealedEntryId!: string;

  /** Set by a restore, since the database may be older than a published checkpoint. Nothing is sealed while it is set. */
  @Column('timestamptz', { name: 'restored_at', nullable: true })
  restoredAt!: Date | null;
}
