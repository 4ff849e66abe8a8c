import type { DomainEvent } from '../../events/domain-events.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/domain/mined.js';

/** Topic `withdrawal`: emitted in the transaction that creates or changes the withdrawal. */
export interface WithdrawalEvent extends DomainEvent {
  /**
   * `cancelled`: the user has cancelled it, which also leads to the status `rejected`. `released`: the amount of a failed
   * withdrawal is available again.
   */
  readonly name:
    | 'withdrawal.requested'
    | 'withdrawal.approved'
    | 'withdrawal.taken'
    | 'withdrawal.completed'
    | 'withdrawal.rejected'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'withdrawal.released';
  readonly withdrawalId: string;
  readonly amount: Money;
  readonly currency: string;
  readonly toAddress: string;
  /** Null until the withdrawal is completed. */
  readonly txHash: string | null;
  /** In `rejected` the operator's reason, in `failed` the provider's; null otherwise. */
  readonly reason: string | null;
}

/** Topic `withdrawal-on-chain`: the chain shows the transfer that paid a completed withdrawal. */
export interface WithdrawalOnChainEvent extends DomainEvent {
  readonly name: 'withdrawal-on-chain.matched';
  readonly withdrawalId: string;
  readonly mined: Mined;
}
