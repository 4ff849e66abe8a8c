import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A public key of the log. Each process records its keys at the latest with its first signature. */
@Entity('proof_key')
export class ProofKey {
  @PrimaryColumn('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** When a process first recorded the key, in domain time. */
  @Column('timestamptz', { name: 'used_since' })
  usedSince!: Date;
}
