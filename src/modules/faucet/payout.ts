import { Money } from '../../common/money.js';
import type { SignedTransfer } from './faucet-account.js';

export const PAYOUT_STATUSES = ['pending', 'completed', 'failed'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** A payout as it is stored. */
export interface Payout extends SignedTransfer {
  readonly id: string;
  /** Checksummed. */
  readonly walletAddress: string;
  readonly amount: Money;
  readonly reason: string | null;
  readonly status: PayoutStatus;
  readonly requestedAt: Date;
  readonly sender: string;
  /** Where and at what price it was mined; null while it is pending. */
  readonly blockNumber: number | null;
  readonly gasUsed: string | null;
  /** In gwei. */
  readonly gasPrice: string | null;
}

/** Columns of a payout, for `payoutOf`. */
export const PAYOUT = `id, wallet_address as "walletAddress", amount, reason, status, requested_at as "requestedAt",
  sender, nonce::int, tx_hash as "txHash", signed_transaction as "signedTransaction",
  block_number::int as "blockNumber", gas_used as "gasUsed", gas_price as "gasPrice"`;

export type PayoutRow = Omit<Payout, 'amount'> & { amount: string };

export function payoutOf(row: PayoutRow): Payout {
  return { ...row, amount: Money.of(row.amount) };
}
