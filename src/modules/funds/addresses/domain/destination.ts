import { getAddress, zeroAddress } from 'viem';
import type { AppConfig } from '../../../../config/app-config.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { contractOf, DEPOSIT_CURRENCIES } from '../../deposits/domain/networks.js';

export const CHECKSUMS = ['valid', 'absent', 'mismatch'] as const;
export type AddressChecksum = (typeof CHECKSUMS)[number];

/** Networks whose addresses are `0x` and 40 hex digits. */
export const EVM_NETWORKS = ['ERC20', 'BEP20'] as const;
export type EvmNetwork = (typeof EVM_NETWORKS)[number];

export function isEvmNetwork(text: string): text is EvmNetwork {
  return (EVM_NETWORKS as readonly string[]).includes(text);
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function isEvmAddress(text: string): boolean {
  return EVM_ADDRESS.test(text);
}

export interface Destination {
  /** Spelled with its EIP-55 checksum, so that equal addresses are equal texts; as entered if that checksum is wrong. */
  readonly address: string;
  /** Whether the address, as it was entered, has a valid EIP-55 checksum, none (one case throughout) or a wrong one. */
  readonly checksum: AddressChecksum;
}

/**
 * Reads `0x` and 40 hex digits. Mixed case carries an EIP-55 checksum. A wrong checksum may be a typing error, which an
 * operator should see, so such an address is kept exactly as entered.
 */
export function readDestination(text: string): Destination {
  const digits = text.slice(2);
  const address = getAddress(`0x${digits.toLowerCase()}`);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase())
    return { address, checksum: 'absent' };
  return text === address ? { address, checksum: 'valid' } : { address: text, checksum: 'mismatch' };
}

/**
 * Addresses, in lower case, at which a payment would not reach the user: the zero address, token contracts, and the addresses
 * of custody and of the deposit provider. Users' deposit addresses are in the database (`isDepositAddress`).
 */
export function unpayableAddresses(config: AppConfig): ReadonlySet<string> {
  const contracts = EVM_NETWORKS.flatMap((network) =>
    DEPOSIT_CURRENCIES.map((currency) => contractOf(config, network, currency)),
  );
  const { CUSTODY_ADDRESS, CUSTODY_ADDRESSES, DEPOSIT_PROVIDER_ADDRESS } = config;
  const providerAddresses = [CUSTODY_ADDRESS, ...CUSTODY_ADDRESSES, DEPOSIT_PROVIDER_ADDRESS];
  const configured = [...contracts, ...providerAddresses].filter((address) => typeof address === 'string');
  return new Set([...configured, zeroAddress].map((address) => address.toLowerCase()));
}

const UNPAYABLE = 'USDC sent to this address would not reach you. Enter the address of your own wallet.';

export function failUnpayable(field: string): never {
  throwError('INVALID_WALLET_ADDRESS', [{ field, message: UNPAYABLE }], { message: UNPAYABLE });
}
