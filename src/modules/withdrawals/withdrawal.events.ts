import type { DomainEvent } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/domain/mined.js';

/** Topic `withdrawal`: emitted in the transaction that changes the withdrawal. */
export interface WithdrawalEvent extends DomainEvent {
  /** `cancelled`: by the user, the status is rejected. `released`: the amount of a failed withdrawal is available again. */
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
  readonly txHash: string | null;
  /** A sentence of the operator or provider, in `rejected` and `failed`; null otherwise. */
  readonly reason: string | null;
}

/** Topic `withdrawal-on-chain`: the chain shows the transfer that paid a completed withdrawal. */
export interface WithdrawalOnChainEvent extends DomainEvent {
  readonly name: 'withdrawal-on-chain.matched';
  readonly withdrawalId: string;
  readonly mined: Mined;
}
