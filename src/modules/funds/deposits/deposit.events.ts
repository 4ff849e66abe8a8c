import type { DomainEvent, PlatformEvent } from '../../../events/domain-events.js';
import type { Money } from '../../../common/money.js';
import type { DepositFailure } from './entities/deposit.entity.js';
import type { Mined } from '../../providers/chain/chain.client.js';

/** Topic `deposit`: emitted in the transaction that changes the deposit. */
export interface DepositEvent extends DomainEvent, Mined {
  /**
   * `claimed`: reported by its user only; `seen`: first shown by the chain or the provider; `confirming`: confirmations
   * or block changed, also back to none after a reorganisation; `held`: confirmed and below the minimum; `completed`:
   * credited; `covered`: confirmed, and credited by hand before.
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
  /** In USDC, or in ETH for ETH; null until completed. */
  readonly credited: Money | null;
  readonly txHash: string;
  readonly fromAddress: string | null;
  readonly toAddress: string;
  /** True while neither the chain nor the provider has shown the transfer. */
  readonly onlyClaimed?: boolean;
  /** A sentence for the user, in `held`, `covered` and `failed`; null otherwise. */
  readonly reason: string | null;
  /** Of `held`: the minimum, in `currency`. Absent from events before this field. */
  readonly minimum?: Money | null;
  /** Of `failed`. Absent from events before this field. */
  readonly failure?: DepositFailure | null;
}

/** True for a stablecoin deposit below DUST_THRESHOLD. The ledger calls something else dust: the part below the sixth decimal. */
export function isDust(event: PlatformEvent, threshold: Money): boolean {
  const { amount, currency } = event as DepositEvent;
  return event.name.startsWith('deposit.') && currency !== 'ETH' && amount.isLessThan(threshold);
}
