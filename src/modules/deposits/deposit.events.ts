import type { DomainEvent } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/mined.js';

/** Topic `deposit`: what happens to a deposit, told in the transaction that does it. */
export interface DepositEvent extends DomainEvent, Mined {
  /**
   * `claimed`: only its user has told of it so far; `seen`: the chain or the provider shows it for the first time;
   * `held`: arrived and final, but below the minimum; `completed`: credited; `covered`: arrived and final, but credited
   * by hand before.
   */
  readonly name:
    | 'deposit.claimed'
    | 'deposit.seen'
    | 'deposit.confirming'
    | 'deposit.completed'
    | 'deposit.held'
    | 'deposit.covered'
    | 'deposit.failed';
  readonly depositId: string;
  readonly currency: string;
  readonly network: string;
  /** As received, in `currency`. */
  readonly amount: Money;
  /** In USDC (or ETH for ETH), once completed. */
  readonly credited: Money | null;
  readonly txHash: string;
  readonly fromAddress: string | null;
  readonly toAddress: string;
  /** True while neither the chain nor the provider has shown the transfer. */
  readonly onlyClaimed?: boolean;
  /** A sentence for the user, of `held`, `covered` and `failed`. */
  readonly reason: string | null;
}
