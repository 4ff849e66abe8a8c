import { getAddress, isAddress } from 'viem';
import type { AppConfig } from '../../../../config/app-config.js';
import { Money } from '../../../../common/money.js';
import { toEvmHash } from '../../../providers/chain/domain/transaction-hash.js';

export const NETWORKS = ['TRC20', 'ERC20', 'BEP20'] as const;
export type Network = (typeof NETWORKS)[number];

/** Currencies that deposit addresses are created for. */
export const ADDRESS_CURRENCIES = ['USDT', 'USDC'] as const;
export type AddressCurrency = (typeof ADDRESS_CURRENCIES)[number];

/** Currencies that can arrive at a deposit address. */
export const DEPOSIT_CURRENCIES = ['USDC', 'USDT', 'ETH'] as const;
export type DepositCurrency = (typeof DEPOSIT_CURRENCIES)[number];

/** Usual time between blocks, in seconds, for estimates of when a deposit completes. */
export const BLOCK_SECONDS: Record<Network, number> = { ERC20: 12, BEP20: 3, TRC20: 3 };

export const NETWORK_NAMES: Record<Network, string> = {
  ERC20: 'Ethereum',
  BEP20: 'BNB Smart Chain',
  TRC20: 'TRON',
};

/**
 * The source of the deposits of a network. `node`: the service reads those of USDC on chain, and relies on the deposit provider's
 * reports for other currencies (`isReadOnChain`); `provider`: it relies on the reports for all.
 */
export const NETWORK_READERS = ['node', 'provider'] as const;

export function readerOf(network: Network): (typeof NETWORK_READERS)[number] {
  return network === 'ERC20' ? 'node' : 'provider';
}

export const NETWORK_STATUSES = ['operational', 'delayed', 'unknown'] as const;
export type NetworkStatus = (typeof NETWORK_STATUSES)[number];

/**
 * The status of a network. `answers`: for each party that reports deposits of the network, whether the party answered
 * the last poll; null without a recent poll.
 */
export function networkStatusOf(answers: readonly (boolean | null)[]): NetworkStatus {
  if (answers.includes(false)) return 'delayed';
  return answers.includes(null) ? 'unknown' : 'operational';
}

const BEP20_CHAIN_ID = 56;
const TRC20_CHAIN_ID = 728_126_428;

/** The tokens' contracts. That of USDC over ERC20 is a setting instead; `contractOf` returns either. */
const TOKENS: Record<Network, Partial<Record<DepositCurrency, string>>> = {
  ERC20: { USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
  BEP20: {
    USDT: '0x55d398326f99059fF775485246999027B3197955',
    USDC: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
  },
  TRC20: { USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', USDC: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8' },
};

export function isNetwork(text: string): text is Network {
  return (NETWORKS as readonly string[]).includes(text);
}

/** ETH can be deposited on ERC20 only. */
export function isDepositable(currency: string, network: Network): currency is DepositCurrency {
  return (
    (DEPOSIT_CURRENCIES as readonly string[]).includes(currency) &&
    (currency !== 'ETH' || network === 'ERC20')
  );
}

/** True if the service verifies the provider's report of such a deposit on chain; otherwise it relies on the report. */
export function isReadOnChain(currency: string, network: string): boolean {
  return network === 'ERC20' && currency === 'USDC';
}

/** Smaller deposits of the currency are held, and smaller claims are rejected. Zero for ETH: every amount is credited. */
export function minimumDeposit(config: AppConfig, currency: DepositCurrency): Money {
  return currency === 'ETH' ? Money.ZERO : config.MINIMUM_DEPOSIT;
}

export function requiredConfirmations(config: AppConfig, network: Network): number {
  return config[`CONFIRMATIONS_${network}`];
}

export function chainIdOf(config: AppConfig, network: Network): number {
  return { ERC20: config.CHAIN_ID, BEP20: BEP20_CHAIN_ID, TRC20: TRC20_CHAIN_ID }[network];
}

/** The token's contract; null for ETH. */
export function contractOf(config: AppConfig, network: Network, currency: string): string | null {
  if (network === 'ERC20' && currency === 'USDC') return config.USDC_CONTRACT_ADDRESS;
  return TOKENS[network][currency as DepositCurrency] ?? null;
}

const TRON_ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

/** The address in its stored spelling; undefined if it is not an address of the network. */
export function canonicalAddress(network: Network, text: string): string | undefined {
  if (network === 'TRC20') return TRON_ADDRESS.test(text) ? text : undefined;
  return isAddress(text, { strict: false }) ? getAddress(text.toLowerCase()) : undefined;
}

const HEX = /^(0x)?[0-9a-f]+$/i;

/** The hash as it is stored: hex digits in lower case, over ERC20 with the prefix 0x; other hashes unchanged. */
export function canonicalHash(network: string, text: string): string {
  if (!HEX.test(text)) return text;
  const hash = text.toLowerCase();
  return (network === 'ERC20' && toEvmHash(hash)) || hash;
}
