import type { WithdrawalAddress } from './entities/withdrawal-address.entity.js';

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
