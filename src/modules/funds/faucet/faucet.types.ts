import type { Money } from '../../../common/money.js';
import type { ChainHead } from '../../providers/chain/chain.client.js';
import type { FaucetPayout } from './entities/faucet.entity.js';

/** A validated request for a payout. */
export interface PayoutOrder {
  /** Address of the recipient, with the EIP-55 checksum. */
  readonly walletAddress: string;
  readonly amount: Money;
  readonly reason: string | null;
}

/** A payout and the confirmations of its transaction, which are zero while the payout is pending. */
export interface PayoutDelivery {
  readonly payout: FaucetPayout;
  readonly confirmations: number;
}

/** The paying account on chain, and what a transfer from it costs at present. */
export interface Funds {
  readonly usdc: Money;
  /** In ETH. */
  readonly eth: Money;
  /** Number of mined transactions of the account. */
  readonly minedCount: number;
  /** Per unit of gas, in wei. */
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };
  /** The highest gas cost of a transfer, in ETH. */
  readonly gasCost: Money;
}

export interface SignedTransfer {
  readonly nonce: number;
  readonly txHash: string;
  readonly signedTransaction: string;
}

/** A transfer of USDC to the paying account. */
export interface Refill {
  readonly amount: Money;
  /** The time of its block. */
  readonly at: Date;
  readonly txHash: string;
}

/** Amounts of payouts that are not yet deducted from the balance on chain or that count for the daily limit. */
export interface PromisedAmounts {
  readonly pending: Money;
  readonly pendingCount: number;
  /** Sum of the pending and completed payouts that were requested since midnight UTC. */
  readonly today: Money;
}

/** Failed payouts count in no figure, pending ones in all except `totalDistributed` and `lastDistribution`. */
export interface FaucetFigures {
  readonly totalDistributed: Money;
  readonly totalRequests: number;
  readonly uniqueAddresses: number;
  /** When the newest completed payout was requested. */
  readonly lastDistribution: Date | null;
  readonly averageRequestAmount: Money;
  readonly distributedToday: Money;
  /** Amount of the payouts requested in the last seven days, today included. */
  readonly distributedLately: Money;
}

export interface FaucetStatus {
  readonly environment: string;
  readonly contract: string;
  readonly dailyLimit: Money;
  readonly funds: Funds;
  readonly head: ChainHead;
  readonly figures: FaucetFigures;
}

export interface FaucetBalance {
  readonly contract: string;
  readonly funds: Funds;
  readonly refill: Refill | null;
  readonly figures: FaucetFigures;
}
