import { Column, Entity } from 'typeorm';
import { PrimaryBigintColumn } from '../../../../database/columns/bigint.column.js';

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
