import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Language } from '../../../../common/message-texts.js';
import type { Money } from '../../../../common/money.js';
import type { TransactionStatus, TransactionType } from '../domain/transaction-kinds.js';

/** One step of a transaction record, with the status of the record after it. */
export interface TimelineEntry {
  readonly status: TransactionStatus;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly description: string;
}

/** A transaction record: one movement in the history of a user's money. Its postings in the ledger have the same reference. */
@Entity('user_transaction')
export class Transaction {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  type!: TransactionType;

  @Column('text')
  status!: TransactionStatus;

  /** In `currency`; a loss is negative. */
  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  @Column('text')
  currency!: string;

  /** Effect of all steps so far on the available USDC balance. */
  @MoneyColumn({ name: 'balance_change' })
  balanceChange!: Money;

  @Column('text', { name: 'reference_type' })
  referenceType!: string;

  /** An id; of a partial closing `<investment id>:<number>`. */
  @Column('text', { name: 'reference_id' })
  referenceId!: string;

  @Column('text')
  description!: string;

  @Column('text', { name: 'from_address', nullable: true })
  fromAddress!: string | null;

  @Column('text', { name: 'to_address', nullable: true })
  toAddress!: string | null;

  @Column('text', { name: 'tx_hash', nullable: true })
  txHash!: string | null;

  @BigintColumn({ name: 'block_number', nullable: true })
  blockNumber!: number | null;

  @Column('integer')
  confirmations!: number;

  /** Units of gas. */
  @Column('text', { name: 'gas_used', nullable: true })
  gasUsed!: string | null;

  /** In gwei. */
  @Column('text', { name: 'gas_price', nullable: true })
  gasPrice!: string | null;

  @Column('text', { name: 'strategy_id', nullable: true })
  strategyId!: string | null;

  @Column('text', { name: 'strategy_name', nullable: true })
  strategyName!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'submitted_at', nullable: true })
  submittedAt!: Date | null;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;

  @Column('jsonb')
  timeline!: TimelineEntry[];
}

export type TransactionDetails = Readonly<Transaction>;
/** A record, with the language in which its user reads texts. */
export type OwnTransaction = TransactionDetails & { readonly language: Language };
