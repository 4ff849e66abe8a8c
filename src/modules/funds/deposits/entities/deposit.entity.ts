import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Money } from '../../../../common/money.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { DepositStatus } from '../domain/deposit.state-machine.js';
import type { AddressCurrency, DepositCurrency, Network } from '../domain/networks.js';

/** `vanished`: not seen for 24 hours; `unproven`: the transaction does not pay the user's address. */
export type DepositFailure = 'reverted' | 'refused' | 'vanished' | 'unproven';

/** Why a confirmed deposit is not credited. */
export const HOLD_REASONS = ['BELOW_MINIMUM', 'BOOKED_BY_HAND'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

@Entity('deposit')
export class Deposit {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  network!: Network;

  @Column('text')
  currency!: DepositCurrency;

  @Column('text', { name: 'tx_hash' })
  txHash!: string;

  /** Index among the transaction's own logs, for USDC over ERC20 that the chain has shown; null otherwise. */
  @Column('integer', { name: 'log_index', nullable: true })
  logIndex!: number | null;

  @Column('text', { name: 'provider_deposit_id', nullable: true })
  providerDepositId!: string | null;

  /** True while only the user has reported the transfer. */
  @Column('boolean', { name: 'only_claimed' })
  onlyClaimed!: boolean;

  @Column('text', { name: 'from_address', nullable: true })
  fromAddress!: string | null;

  @Column('text', { name: 'to_address' })
  toAddress!: string;

  @Column('text')
  status!: DepositStatus;

  /** As received, with all decimals. */
  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  /** In USDC, or in ETH for ETH; null until completed. */
  @MoneyColumn({ name: 'credited', nullable: true })
  credited!: Money | null;

  @Column('integer')
  confirmations!: number;

  @Column('integer', { name: 'required_confirmations' })
  requiredConfirmations!: number;

  /** The chain or the provider has reported success. False again after a reorganisation, unless credited. */
  @Column('boolean')
  succeeded!: boolean;

  @Column('text', { name: 'hold_reason', nullable: true })
  holdReason!: HoldReason | null;

  @Column('text', { nullable: true })
  failure!: DepositFailure | null;

  /** Why the deposit failed: a sentence for the user. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('integer', { name: 'block_number', nullable: true })
  blockNumber!: number | null;

  @Column('text', { name: 'gas_used', nullable: true })
  gasUsed!: string | null;

  /** In gwei. */
  @Column('text', { name: 'gas_price', nullable: true })
  gasPrice!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /**
   * When the deciding source, chain or provider, last showed the deposit. Until it does: the time of the claim or, if the
   * chain decides, of the provider's first report. For a held deposit that a reorganisation removed: when that was found.
   */
  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;

  /** When the deposit was credited; null until then. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;

  /**
   * When the poll job last looked the deposit up, in real time. Only the repository's SQL reads and writes it, so that
   * a transaction that saves the deposit does not overwrite it.
   */
  @Column({
    type: 'timestamptz',
    name: 'checked_at',
    nullable: true,
    select: false,
    insert: false,
    update: false,
  })
  checkedAt?: Date | null;
}

@Entity('deposit_address')
export class DepositAddress {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  currency!: AddressCurrency;

  @Column('text')
  network!: Network;

  @Column('text')
  address!: string;

  @Column('text', { name: 'provider_address_id' })
  providerAddressId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
