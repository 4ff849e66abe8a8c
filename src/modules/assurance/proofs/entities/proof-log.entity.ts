import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';

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
