import type { Fact } from '../../database/facts.js';
import type { Money } from '../../kernel/money.js';

/** Topic `investment`: what happens to an investment, told in the transaction that does it. */
export interface InvestmentFact extends Fact {
  readonly name:
    | 'investment.created'
    | 'investment.approved'
    | 'investment.rejected'
    | 'investment.closed'
    | 'investment.cancelled';
  readonly investmentId: string;
  readonly strategyId: string;
  readonly strategyName: string;
  readonly principal: Money;
  /** Realised on closing, a loss is negative; zero otherwise. */
  readonly growth: Money;
  /** Management and performance fee together, on closing; zero otherwise. */
  readonly fees: Money;
  /** D29: the names of both strategies, where one was closed and this or the other opened by a move. */
  readonly moved?: { readonly from: string; readonly to: string };
}
