import type { DomainEvent } from '../../database/domain-events.js';

/** Topic `balance`: a posting changed the available, invested or reserved USDC of a user. */
export interface BalanceChangedEvent extends DomainEvent {
  readonly name: 'balance.changed';
}
