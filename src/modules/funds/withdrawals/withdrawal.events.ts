import type { DomainEvent } from '../../../events/domain-events.js';
import type { Money } from '../../../common/money.js';
import type { Mined } from '../../providers/chain/chain.client.js';

/** Topic `withdrawal`: emitted in the transaction that creates or changes the withdrawal. */
export interface WithdrawalEvent extends DomainEvent {
  /**
   * `cancelled`: the user has cancelled it, which also leads to the status `rejected`. `returned`: an admin has put it back to the
   * pending ones, which users are not notified of. `released`: the amount of a failed withdrawal is available again.
   */
  readonly name:
    | 'withdrawal.requested'
    | 'withdrawal.approved'
    | 'withdrawal.taken'
    | 'withdrawal.completed'
    | 'withdrawal.rejected'
    | 'withdrawal.cancelled'
    | 'withdrawal.failed'
    | 'withdrawal.returned'
    | 'withdrawal.released';
  readonly withdrawalId: string;
  readonly amount: Money;
  readonly currency: string;
  readonly toAddress: string;
  /** Null until the withdrawal is completed. */
  readonly txHash: string | null;
  /** In `rejected` and `returned` the operator's reason, in `failed` that of the provider or the operator; null otherwise. */
  readonly reason: string | null;
}

/** Topic `withdrawal-limit`: a withdrawal waits because of PLATFORM_WITHDRAWAL_PER_DAY, or goes on. */
export interface WithdrawalLimitEvent extends DomainEvent {
  readonly name: 'withdrawal-limit.held' | 'withdrawal-limit.released';
  readonly withdrawalId: string;
  readonly amount: Money;
  readonly currency: string;
}

/** Topic `withdrawal-on-chain`: the chain shows the transfer that paid a completed withdrawal. */
export interface WithdrawalOnChainEvent extends DomainEvent {
  readonly name: 'withdrawal-on-chain.matched';
  readonly withdrawalId: string;
  readonly mined: Mined;
}
