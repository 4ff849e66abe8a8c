import type { DomainEvent } from '../../database/domain-events.js';

/** Topic `security`: changes that affect the security of a user's account. */
export interface SecurityEvent extends DomainEvent {
  readonly name:
    | 'security.new-device'
    | 'security.status-changed'
    | 'security.wallet-linked'
    | 'security.wallet-unlinked'
    | 'security.wallet-suspended';
  /** A sentence for the user that names the device, the status or the wallet. */
  readonly detail: string;
}
