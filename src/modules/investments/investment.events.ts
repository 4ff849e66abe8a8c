import type { DomainEvent } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';

/** Topic `investment`: what happens to an investment, told in the transaction that does it. */
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
  /** What the fact is about: on partial closing the part that was closed. */
  readonly principal: Money;
  /**
   * Realised on closing, a loss is negative. On cancelling, what is paid less the principal: below zero for a loss and
   * for growth of earlier legs that is taken back. Zero otherwise.
   */
  readonly growth: Money;
  /** Management and performance fee together, on closing; zero otherwise. */
  readonly fees: Money;
  /** Of a partial closing, its number and the principal that stays invested. */
  readonly part?: { readonly number: number; readonly left: Money };
  /** Why it was rejected. */
  readonly reason?: string;
  /** The names of both strategies, where one was closed and this or the other opened by a move. */
  readonly moved?: { readonly from: string; readonly to: string };
}
