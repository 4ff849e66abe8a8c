import type { DomainEvent } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';

/** Topic `investment`: emitted in the transaction that changes the investment. */
export interface InvestmentEvent extends DomainEvent {
  readonly name:
    | 'investment.created'
    | 'investment.approved'
    | 'investment.rejected'
    | 'investment.partially-closed'
    | 'investment.closed'
    | 'investment.cancelled';
  readonly investmentId: string;
  readonly strategyId: string;
  readonly strategyName: string;
  /** On partial closing the principal of the closed part. */
  readonly principal: Money;
  /**
   * Growth realised on closing; a loss is negative. On cancelling the paid amount less the principal, which is negative
   * for a loss and for growth of earlier legs that is taken back. Zero otherwise.
   */
  readonly growth: Money;
  /** Management and performance fee together, on closing; zero otherwise. */
  readonly fees: Money;
  /** Of a partial closing, its number and the principal that stays invested. */
  readonly part?: { readonly number: number; readonly left: Money };
  /** The investment waits for an admin's approval; of `created` only. */
  readonly isPending?: boolean;
  /** Of a rejection. */
  readonly reason?: string;
  /** Names of both strategies if the investment was closed or created by a move. */
  readonly moved?: { readonly from: string; readonly to: string };
}
