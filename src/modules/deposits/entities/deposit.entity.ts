import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../database/columns/money.column.js';
import type { Money } from '../../../common/money.js';
import type { DepositStatus } from '../domain/deposit.state-machine.js';
import type { DepositCurrency, Network } from '../networks.js';

/** `reverted` on chain, `refused` by the provider, `vanished` for 24 hours, `unproven`: the chain shows otherwise. */
export type Failure = 'reverted' | 'refused' | 'vanished' | 'unproven';

/** Arrived for good, but not credited: below the minimum, or credited by hand before. */
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

  /** Place in the transaction; null until the chain shows it, or where we can not read it. */
  @Column('integer', { name: 'log_index', nullable: true })
  logIndex!: number | null;

  @Column('text', { name: 'provider_deposit_id', nullable: true })
  providerDepositId!: string | null;

  /** A user's claim, as long as neither the chain nor the provider has shown the transfer. */
  @Column('boolean', { name: 'only_claimed' })
  onlyClaimed!: boolean;

  @Column('text', { name: 'from_address', nullable: true })
  fromAddress!: string | null;

  @Column('text', { name: 'to_address' })
  toAddress!: string;

  @Column('text')
  status!: DepositStatus;

  /** As received, with all its decimals. */
  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  /** In USDC, or ETH for ETH, once completed. */
  @MoneyColumn({ name: 'credited', nullable: true })
  credited!: Money | null;

  @Column('integer')
  confirmations!: number;

  @Column('integer', { name: 'required_confirmations' })
  requiredConfirmations!: number;

  @Column('boolean')
  succeeded!: boolean;

  @Column('text', { name: 'hold_reason', nullable: true })
  holdReason!: HoldReason | null;

  @Column('text', { nullable: true })
  failure!: Failure | null;

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

  /** When its authority, provider or chain, last knew of it. */
  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;

  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;
}
