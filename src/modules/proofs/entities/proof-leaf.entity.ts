import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A leaf is computed from a ledger transaction with a nonce, or is a stored text (the liabilities of a day). */
@Entity('proof_leaf')
export class ProofLeaf {
  @PrimaryColumn('bigint', { name: 'leaf_index' })
  leafIndex!: string;

  @Column('uuid', { name: 'transaction_id', nullable: true, unique: true })
  transactionId!: string | null;

  @Column('bytea', { nullable: true })
  nonce!: Buffer | null;

  @Column('text', { nullable: true })
  text!: string | null;
}
