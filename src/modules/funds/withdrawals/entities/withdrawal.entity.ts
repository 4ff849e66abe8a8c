import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { ChainCheck, ChainCheckReason } from '../../../providers/chain/domain/chain-check.js';
import type { AddressChecksum } from '../../addresses/domain/destination.js';
import type { WithdrawalAction, WithdrawalStatus } from '../domain/withdrawal.state-machine.js';

@Entity('withdrawal')
export class Withdrawal {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  @Column('text')
  currency!: string;

  @Column('text', { name: 'to_address' })
  toAddress!: string;

  /** The EIP-55 checksum of `toAddress` as the user gave it; a mismatch is accepted and shown to operators. */
  @Column('text', { name: 'address_checksum' })
  addressChecksum!: AddressChecksum;

  @Column('text')
  status!: WithdrawalStatus;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Real time, by the database's clock; `createdAt` is domain time. */
  @Column('timestamptz', { name: 'recorded_at' })
  recordedAt!: Date;

  /** Null again after a return to the queue. */
  @Column('timestamptz', { name: 'approved_at', nullable: true })
  approvedAt!: Date | null;

  /** An admin's e-mail address. */
  @Column('text', { name: 'approved_by', nullable: true })
  approvedBy!: string | null;

  /** When an admin took or executed the withdrawal, which began its processing; null again after a return. */
  @Column('timestamptz', { name: 'executed_at', nullable: true })
  executedAt!: Date | null;

  /** E-mail address of the admin who took or executed the withdrawal; null as `executedAt`. */
  @Column('text', { name: 'taken_by', nullable: true })
  takenBy!: string | null;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;

  /** An admin's e-mail address. */
  @Column('text', { name: 'completed_by', nullable: true })
  completedBy!: string | null;

  /** When the user cancelled the withdrawal; null if an operator rejected it. */
  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: Date | null;

  @Column('text', { name: 'tx_hash', nullable: true })
  txHash!: string | null;

  /** True if a deposit, another withdrawal or an admin transaction already had the hash, and the operator allowed this. */
  @Column('boolean', { name: 'tx_hash_shared' })
  txHashShared!: boolean;

  /** Null until the withdrawal is completed. */
  @Column('text', { name: 'chain_check', nullable: true })
  chainCheck!: ChainCheck | null;

  /** Null unless `chainCheck` is mismatch. */
  @Column('text', { name: 'chain_check_reason', nullable: true })
  chainCheckReason!: ChainCheckReason | null;

  @Column('timestamptz', { name: 'chain_checked_at', nullable: true })
  chainCheckedAt!: Date | null;

  /** When the reserved amount of a failed withdrawal became available again. */
  @Column('timestamptz', { name: 'released_at', nullable: true })
  releasedAt!: Date | null;

  /**
   * When the reserved amount became available again: by a rejection, a cancellation or, as `releasedAt`, after a failure. It does not
   * concern the return of a taken withdrawal to the queue.
   */
  @Column('timestamptz', { name: 'returned_at', nullable: true })
  returnedAt!: Date | null;

  /** When the request exceeded the limit of the platform; null if it did not. `isHeldByPlatformLimit` tells whether it still waits. */
  @Column('timestamptz', { name: 'platform_held_at', nullable: true })
  platformHeldAt!: Date | null;

  /** When the limit of the platform had room for the withdrawal, or two admins released it. */
  @Column('timestamptz', { name: 'platform_released_at', nullable: true })
  platformReleasedAt!: Date | null;

  /** The note of the admin who completed the withdrawal, or the reason of its rejection, failure or last return. */
  @Column('text', { nullable: true })
  note!: string | null;
}

/** One step of a withdrawal's lifecycle, inserted together with the withdrawal or its change. */
@Entity('withdrawal_event')
export class WithdrawalStep {
  /** An identity column; PostgreSQL's bigint is text here. */
  @PrimaryColumn('bigint')
  id!: string;

  @Column('uuid', { name: 'withdrawal_id' })
  withdrawalId!: string;

  /** The status that the verb led to. */
  @Column('text')
  status!: WithdrawalStatus;

  @Column('text')
  verb!: WithdrawalAction;

  @Column('timestamptz')
  at!: Date;

  @Column('text', { name: 'by_type' })
  byType!: 'user' | 'admin' | 'provider' | 'system';

  /** A user's id, an admin's e-mail address, a provider's name or `system`. */
  @Column('text', { name: 'by_id' })
  byId!: string;

  @Column('text', { nullable: true })
  note!: string | null;
}

/** A pause of all withdrawals, with times of the domain clock. The current pause has no `resumedAt`. */
@Entity('withdrawal_pause')
export class WithdrawalPause {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  since!: Date;

  /** An admin's e-mail address, or `system`. */
  @Column('text', { name: 'paused_by' })
  pausedBy!: string;

  @Column('text')
  reason!: string;

  @Column('timestamptz', { name: 'resumed_at', nullable: true })
  resumedAt!: Date | null;

  /** An admin's e-mail address. */
  @Column('text', { name: 'resumed_by', nullable: true })
  resumedBy!: string | null;

  @Column('text', { name: 'resume_reason', nullable: true })
  resumeReason!: string | null;
}
