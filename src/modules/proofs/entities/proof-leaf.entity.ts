import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A ledger transaction with its nonce, or a text. */
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
