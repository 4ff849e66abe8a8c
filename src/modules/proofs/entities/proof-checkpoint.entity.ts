import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A size of the transparency log with the root of its first `size` leaves, as a signed note states them. */
@Entity('proof_checkpoint')
export class ProofCheckpoint {
  /** The number of leaves of the log. */
  @PrimaryColumn('bigint')
  size!: string;

  /** The Merkle root hash of the first `size` leaves. */
  @Column('bytea')
  root!: Buffer;

  /** When the checkpoint was signed, in domain time. */
  @Column('timestamptz')
  at!: Date;

  /** The C2SP signed note, byte for byte as it was published. */
  @Column('text')
  note!: string;
}
