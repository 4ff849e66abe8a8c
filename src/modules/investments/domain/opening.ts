import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import type { NavDayLock } from '../../strategies/navs.service.js';
import { NOTHING_CLOSED, type Investment, type Origin } from '../investment.row.js';
import { unitsFor } from './valuation.js';

/**
 * A new investment that is active from the start and earns from the next day on. `moved` names the investment that was
 * moved into it and what that one carries over.
 */
export function openedInvestment(
  userId: string,
  strategyId: string,
  amount: Money,
  day: NavDayLock,
  moved?: { readonly from: string; readonly origin: Origin },
): Investment {
  return {
    id: newId(),
    userId,
    strategyId,
    status: 'active',
    amount,
    units: unitsFor(amount, day),
    issuedOn: day.day,
    createdAt: day.at,
    updatedAt: day.at,
    approvedBy: null,
    approvedAt: null,
    movedFrom: moved?.from ?? null,
    origin: moved?.origin ?? {
      firstPrincipal: amount,
      firstMadeAt: day.at,
      carriedFees: Money.ZERO,
      carriedPerformanceFees: Money.ZERO,
    },
    endedAt: null,
    finalValue: null,
    forfeited: Money.ZERO,
    fees: Money.ZERO,
    closedPart: NOTHING_CLOSED,
    endedBy: null,
    note: null,
  };
}

/** What every posting of an investment says. */
export function posted(investment: Investment, day: NavDayLock) {
  return {
    investmentId: investment.id,
    userId: investment.userId,
    strategyId: investment.strategyId,
    principal: investment.amount,
    units: investment.units,
    at: day.at,
  };
}
