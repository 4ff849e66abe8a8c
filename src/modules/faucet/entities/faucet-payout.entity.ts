import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../common/money.js';
import { BigintColumn } from '../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../database/columns/money.column.js';

export const PAYOUT_STATUSES = ['pending', 'completed', 'failed'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

@Entity('faucet_payout')
export class FaucetPayout {
  @PrimaryColumn('uuid')
  id!: string;

  /** Checksummed. */
  @Column('text', { name: 'wallet_address' })
  walletAddress!: string;

  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text')
  status!: PayoutStatus;

  /** By the domain clock, as is `settledAt`. */
  @Column('timestamptz', { name: 'requested_at' })
  requestedAt!: Date;

  /** Address of the account that pays. */
  @Column('text')
  sender!: string;

  @BigintColumn({ name: 'nonce' })
  nonce!: number;

  @Column('text', { name: 'tx_hash' })
  txHash!: string;

  @Column('text', { name: 'signed_transaction' })
  signedTransaction!: string;

  @BigintColumn({ name: 'block_number', nullable: true })
  blockNumber!: number | null;

  @Column('numeric', { name: 'gas_used', nullable: true })
  gasUsed!: string | null;

  /** In gwei. */
  @Column('numeric', { name: 'gas_price', nullable: true })
  gasPrice!: string | null;

  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;
}
