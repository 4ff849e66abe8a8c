import type { Fact } from '../../database/domain-events.js';

/** Topic `security`: what happens to somebody's account, told in the transaction that does it. */
export interface SecurityFact extends Fact {
  readonly name:
    | 'security.new-device'
    | 'security.status-changed'
    | 'security.wallet-linked'
    | 'security.wallet-unlinked'
    | 'security.wallet-suspended';
  /** A sentence for the user: from where, to which status, which wallet. */
  readonly detail: string;
}
