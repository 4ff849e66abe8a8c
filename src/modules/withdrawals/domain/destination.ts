import { getAddress } from 'viem';

export const CHECKSUMS = ['valid', 'absent', 'mismatch'] as const;
export type AddressChecksum = (typeof CHECKSUMS)[number];

export interface Destination {
  /** Checksummed, so that one account has one form; as it was given where the checksum is wrong. */
  readonly address: string;
  readonly checksum: AddressChecksum;
}

/**
 * Reads `0x` and 40 hex digits. Mixed case carries a checksum (EIP-55): a wrong one may be a typing
 * error, which an operator should see, so the address is kept exactly as it was given.
 */
export function readDestination(given: string): Destination {
  const digits = given.slice(2);
  const address = getAddress(`0x${digits.toLowerCase()}`);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase())
    return { address, checksum: 'absent' };
  return given === address ? { address, checksum: 'valid' } : { address: given, checksum: 'mismatch' };
}
