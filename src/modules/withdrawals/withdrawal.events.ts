import type { DomainEvent } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/domain/mined.js';

/** Topic `withdrawal`: what happens to a withdrawal, told in the transaction that does it. */
export interface WithdrawalEvent extends DomainEvent {
  /** `cancelled`: by the user; its status is rejected all the same. `released`: what a failed one reserved is free. */
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
  /** An operator's or provider's sentence, of `rejected` and `failed`. */
  readonly reason: string | null;
}

/** Topic `withdrawal-on-chain`: the chain shows the transfer that completed one. */
export interface WithdrawalOnChainEvent extends DomainEvent {
  readonly name: 'withdrawal-on-chain.matched';
  readonly withdrawalId: string;
  readonly mined: Mined;
}
