import type { DomainEvent } from '../../database/domain-events.js';

/** Topic `security`: what happens to somebody's account, told in the transaction that does it. */
export interface SecurityEvent extends DomainEvent {
  readonly name:
    | 'security.new-device'
    | 'security.status-changed'
    | 'security.wallet-linked'
    | 'security.wallet-unlinked'
    | 'security.wallet-suspended';
  /** A sentence for the user: from where, to which status, which wallet. */
  readonly detail: string;
}
