import type { WithdrawalAddress } from './entities/withdrawal-address.entity.js';

/** Networks whose addresses are `0x` and 40 hex digits. */
export const ADDRESS_NETWORKS = ['ERC20', 'BEP20'] as const;
export type AddressNetwork = (typeof ADDRESS_NETWORKS)[number];

export function isAddressNetwork(text: string): text is AddressNetwork {
  return (ADDRESS_NETWORKS as readonly string[]).includes(text);
}

/** An entry of a user's address book. */
export interface AddressEntry extends Readonly<WithdrawalAddress> {
  /** Completed withdrawals of the user to the address. */
  readonly paidCount: number;
}

export interface NewAddress {
  readonly label: string;
  readonly address: string;
  readonly network: string;
}
