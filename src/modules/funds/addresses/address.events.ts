import type { DomainEvent } from '../../../events/domain-events.js';

/** Topic `address`: emitted in the transaction that adds an entry to a user's address book or removes one. */
export interface AddressEvent extends DomainEvent {
  readonly name: 'address.added' | 'address.removed';
  readonly label: string;
  readonly address: string;
  /** The time from which the entry permits withdrawals to the address. */
  readonly usableFrom: Date;
}
