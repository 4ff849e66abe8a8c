import type { DomainEvent } from '../../../events/domain-events.js';

/** Topic `balance`: emitted in the transaction whose postings change the available, invested or reserved USDC of a user. */
export interface BalanceChangedEvent extends DomainEvent {
  readonly name: 'balance.changed';
}
