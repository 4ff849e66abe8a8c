import type { Money } from '../../../common/money.js';

/** An address that the provider watches for us. */
export interface ProviderAddress {
  readonly id: string;
  readonly address: string;
}

/** A deposit as the provider tells of it, by callback or when asked. */
export interface ProviderDeposit {
  readonly id: string;
  /** The provider's word: Pending, Processing, Success, Failed, Rejected, or one that we do not know. */
  readonly status: string;
  /** Upper case, as is `network`. */
  readonly currency: string;
  readonly network: string;
  readonly address: string;
  readonly senderAddress: string | null;
  /** Null while there is no transaction yet. */
  readonly hash: string | null;
  /** All its decimals. */
  readonly amount: Money;
  readonly confirmations: number;
  readonly error: string | null;
  /** When the provider first knew of it; null where it does not say. */
  readonly date: Date | null;
}

/** A page of the provider's list. */
export interface ProviderPage {
  readonly deposits: readonly ProviderDeposit[];
  /** Items of the page that make no sense. */
  readonly unreadable: number;
  readonly isLast: boolean;
}

/**
 * Who makes deposit addresses and watches them. A port; never called while a database transaction is open.
 * Any failure, time-out or answer that makes no sense is CRYPTO2B_API_ERROR.
 */
export abstract class DepositProvider {
  /** An address for a user's deposits of `currency` over `network`. */
  abstract createAddress(userId: string, currency: string, network: string): Promise<ProviderAddress>;

  /** A page of the deposits it knows, newest first. */
  abstract list(offset: number, limit: number): Promise<ProviderPage>;

  /** A deposit by the provider's id, or undefined when it knows of none. */
  abstract find(id: string): Promise<ProviderDeposit | undefined>;
}
