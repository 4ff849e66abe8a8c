import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that has signed something that was published. */
@Entity('proof_key')
export class ProofKey {
  @PrimaryColumn('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** Domain time. */
  @Column('timestamptz', { name: 'used_since' })
  usedSince!: Date;
}
