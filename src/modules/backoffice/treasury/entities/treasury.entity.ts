import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { ChainCheck } from '../../../providers/chain/domain/chain-check.js';
import type {
  AdminTransactionStatus,
  AdminTransactionType,
  TransactionRequestStatus,
} from '../domain/admin-transaction.js';
import type { TransferPurpose } from '../domain/transfer-plan.js';

/** A deposit, withdrawal, reversal or transfer between the providers that one admin requests and another approves. */
@Entity('admin_transaction')
export class AdminTransaction {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: AdminTransactionType;

  @Column('text')
  status!: AdminTransactionStatus;

  /** Null for a transfer. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  @Column('text')
  currency!: string;

  @Column('text')
  description!: string;

  /** The failed withdrawal whose money a reversal returns, or the withdrawal whose late payment a withdrawal by hand books. */
  @Column('uuid', { name: 'withdrawal_id', nullable: true })
  withdrawalId!: string | null;

  /** The deposit that a reversal takes back; null for other transactions. */
  @Column('uuid', { name: 'deposit_id', nullable: true })
  depositId!: string | null;

  /** True for a deposit from suspense; other deposits are posted from the account of the deposit provider. */
  @Column('boolean', { name: 'from_suspense' })
  fromSuspense!: boolean;

  /** Null unless the type is transfer. */
  @Column('text', { nullable: true })
  purpose!: TransferPurpose | null;

  /** Null for a reversal. */
  @Column('text', { nullable: true })
  network!: string | null;

  /** The strategy whose net flow a treasury run transfers; null for other transactions. */
  @Column('text', { name: 'strategy_id', nullable: true })
  strategyId!: string | null;

  /** The treasury run that created the transfer; null for transactions that an admin entered. */
  @Column('uuid', { name: 'run_id', nullable: true })
  runId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** An admin's e-mail address, as are `approvedBy`, `confirmedBy` and `rejectedBy`. */
  @Column('text', { name: 'created_by' })
  createdBy!: string;

  @Column('timestamptz', { name: 'approved_at', nullable: true })
  approvedAt!: Date | null;

  @Column('text', { name: 'approved_by', nullable: true })
  approvedBy!: string | null;

  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;

  @Column('text', { name: 'confirmed_by', nullable: true })
  confirmedBy!: string | null;

  @Column('timestamptz', { name: 'rejected_at', nullable: true })
  rejectedAt!: Date | null;

  @Column('text', { name: 'rejected_by', nullable: true })
  rejectedBy!: string | null;

  /** Why an admin rejected the transaction. */
  @Column('text', { nullable: true })
  reason!: string | null;

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

  @Column('text', { name: 'chain_check', nullable: true })
  chainCheck!: ChainCheck | null;

  @Column('timestamptz', { name: 'chain_checked_at', nullable: true })
  chainCheckedAt!: Date | null;
}

/** A request to an operator to carry out an approved transfer; the transfer holds amount and network. */
@Entity('transaction_request')
export class TransactionRequest {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'transaction_id' })
  transactionId!: string;

  @Column('text')
  type!: TransferPurpose;

  @Column('text')
  status!: TransactionRequestStatus;

  /** An admin's e-mail address, as is `assignedTo`. */
  @Column('text', { name: 'requested_by' })
  requestedBy!: string;

  @Column('text', { name: 'assigned_to', nullable: true })
  assignedTo!: string | null;

  /** Text by the admin who completed the request. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}

/** A treasury run, with its running totals over all ledger entries up to `upTo`. */
@Entity('treasury_run')
export class TreasuryRun {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('integer')
  number!: number;

  @Column('timestamptz')
  at!: Date;

  /** The e-mail address of the admin who started the run. */
  @Column('text', { name: 'run_by' })
  runBy!: string;

  /** Id of the last ledger entry that was read: a bigint, which the driver returns as text. */
  @Column('bigint', { name: 'up_to' })
  upTo!: string;

  /** Per network: USDC that the deposit provider received, without the treasury's transfers. */
  @Column('jsonb')
  received!: Record<string, string>;

  /** USDC that the deposit provider has to keep for users. */
  @MoneyColumn({ name: 'owed' })
  owed!: Money;
}
