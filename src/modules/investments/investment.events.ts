import type { DomainEvent } from '../../database/domain-events.js';
import { Money } from '../../common/money.js';
import type { Investment } from './entities/investment.entity.js';

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
  /** Of a partial closing, the principal of the closed part. */
  readonly principal: Money;
  /**
   * Growth realised on closing; a loss is negative. On cancelling the paid amount less the principal, which is negative
   * for a loss and for growth of earlier legs that is taken back. Zero otherwise.
   */
  readonly growth: Money;
  /** Management and performance fee together, on closing; zero otherwise. */
  readonly fees: Money;
  /** The number of a partial closing and the principal that stays invested. */
  readonly part?: { readonly number: number; readonly left: Money };
  /** The investment waits for an admin's approval; of `created` only. */
  readonly isPending?: boolean;
  /** Reason of a rejection. */
  readonly reason?: string;
  /** Names of both strategies if the investment was closed or created by a move. */
  readonly moved?: { readonly from: string; readonly to: string };
}

type Amounts = Partial<Pick<InvestmentEvent, 'principal' | 'growth' | 'fees'>>;
type Extras = Pick<InvestmentEvent, 'part' | 'isPending' | 'reason' | 'moved'>;

/** The event of a change of `investment`, at the time of the change. Amounts that are not given are the principal and zero. */
export function investmentEvent(
  name: InvestmentEvent['name'],
  { id, userId, strategyId, amount, updatedAt }: Investment,
  strategyName: string,
  fields: Amounts & Extras = {},
): InvestmentEvent {
  const defaults = { principal: amount, growth: Money.ZERO, fees: Money.ZERO };
  return { name, userId, at: updatedAt, investmentId: id, strategyId, strategyName, ...defaults, ...fields };
}
