import type { Money } from '../../common/money.js';

/** An address that the provider watches. */
export interface ProviderAddress {
  readonly id: string;
  readonly address: string;
}

/** A deposit as the provider reports it, by callback or on request. */
export interface ProviderDeposit {
  readonly id: string;
  /** The provider's term: Pending, Processing, Success, Failed, Rejected, or an unknown one. */
  readonly status: string;
  /** Upper case, as is `network`. */
  readonly currency: string;
  readonly network: string;
  readonly address: string;
  readonly senderAddress: string | null;
  /** Null while there is no transaction yet. */
  readonly hash: string | null;
  /** With all decimals. */
  readonly amount: Money;
  readonly confirmations: number;
  readonly error: string | null;
  /** When the provider recorded the deposit; null if it does not report that. */
  readonly date: Date | null;
}

/** A page of the provider's list. */
export interface ProviderPage {
  readonly deposits: readonly ProviderDeposit[];
  /** Number of invalid items. */
  readonly unreadable: number;
  readonly isLast: boolean;
}

/**
 * The provider that creates deposit addresses and watches them. Never called while a database transaction is open.
 * Any failure, time-out or invalid answer throws CRYPTO2B_API_ERROR.
 */
export abstract class DepositProvider {
  /** Creates an address for a user's deposits of `currency` over `network`. */
  abstract createAddress(userId: string, currency: string, network: string): Promise<ProviderAddress>;

  /** A page of all deposits, newest first. */
  abstract listDeposits(offset: number, limit: number): Promise<ProviderPage>;

  /** A deposit by the provider's id; undefined if the provider does not know it. */
  abstract findDeposit(id: string): Promise<ProviderDeposit | undefined>;
}
