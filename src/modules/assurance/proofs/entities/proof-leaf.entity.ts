import { Column, Entity } from 'typeorm';
import { PrimaryBigintColumn } from '../../../../database/columns/bigint.column.js';

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
