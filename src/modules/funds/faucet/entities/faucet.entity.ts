import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { BigintColumn } from '../../../../database/columns/bigint.column.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';

export const PAYOUT_STATUSES = ['pending', 'completed', 'failed'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** A payment of test USDC. Its signed transaction is stored before it is sent. */
@Entity('faucet_payout')
export class FaucetPayout {
  @PrimaryColumn('uuid')
  id!: string;

  /** Address of the recipient, with the EIP-55 checksum. */
  @Column('text', { name: 'wallet_address' })
  walletAddress!: string;

  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  /** The purpose that the request stated. */
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

  /** The effective price of a unit of gas, in gwei. */
  @Column('numeric', { name: 'gas_price', nullable: true })
  gasPrice!: string | null;

  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;
}

/** An account that pays. */
@Entity('faucet_account')
export class FaucetAccount {
  /** With the EIP-55 checksum. */
  @PrimaryColumn('text')
  address!: string;

  @BigintColumn({ name: 'next_nonce' })
  nextNonce!: number;

  /** The number of nonces that were taken. */
  @BigintColumn({ name: 'signatures' })
  signatures!: number;
}

/** The last request of an address, from which its cooldown counts. */
@Entity('faucet_turn')
export class FaucetTurn {
  /** With the EIP-55 checksum. */
  @PrimaryColumn('text', { name: 'wallet_address' })
  walletAddress!: string;

  @Column('uuid', { name: 'payout_id' })
  payoutId!: string;

  /** By the domain clock. */
  @Column('timestamptz', { name: 'taken_at' })
  takenAt!: Date;
}
