import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('proof_checkpoint')
export class ProofCheckpoint {
  /** Number of leaves. */
  @PrimaryColumn('bigint')
  size!: string;

  @Column('bytea')
  root!: Buffer;

  /** Domain time. */
  @Column('timestamptz')
  at!: Date;

  /** The signed note as it was published. */
  @Column('text')
  note!: string;
}
