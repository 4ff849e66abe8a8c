import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import type { InvestmentStatus } from './domain/investment.state-machine.js';

/** An investment as it is stored. */
export interface Investment {
  readonly id: string;
  readonly userId: string;
  readonly strategyId: string;
  readonly status: InvestmentStatus;
  /** Principal, USDC; what is left of it after partial closings. */
  readonly amount: Money;
  /** Zero until they are issued; what is left of them. */
  readonly units: Money;
  /** UTC day on which the units were issued; null until then. */
  readonly issuedOn: Day | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  /** The investment that was moved into this one; null where none was. */
  readonly movedFrom: string | null;
  /** What earlier legs of a moved investment leave to this one. */
  readonly origin: Origin;
  /** Closed or cancelled. */
  readonly endedAt: Date | null;
  /** What it was priced at on closing, before fees; on cancelling, what was paid. */
  readonly finalValue: Money | null;
  /** The value of the day on which it ended less `finalValue`. */
  readonly forfeited: Money;
  /** On closing. */
  readonly fees: Money;
  /** What partial closings have redeemed so far. */
  readonly closedPart: ClosedPart;
  /** The admin who closed or rejected it; null where its user ended it. */
  readonly endedBy: string | null;
  /** Why it was rejected. */
  readonly note: string | null;
}

/** The beginning of a chain of moves. An investment that was not moved is its own beginning and carries no fees. */
export interface Origin {
  /** Principal of the first investment; what is left of it after partial closings. */
  readonly firstPrincipal: Money;
  /** When the first investment was made: the lock-up counts from here. */
  readonly firstMadeAt: Date;
  /** Fees that closing would have charged for the earlier legs; what partial closings have left of them. */
  readonly carriedFees: Money;
  /** The part of `carriedFees` that is performance fees; the rest is management fees. */
  readonly carriedPerformanceFees: Money;
}

/** Sums over an investment's partial closings. */
export interface ClosedPart {
  readonly principal: Money;
  /** A loss is negative. */
  readonly growth: Money;
  readonly fees: Money;
}

export const NOTHING_CLOSED: ClosedPart = { principal: Money.ZERO, growth: Money.ZERO, fees: Money.ZERO };

export interface InvestmentRow {
  id: string;
  user_id: string;
  strategy_id: string;
  status: InvestmentStatus;
  amount: string;
  units: string;
  issued_on: Day | null;
  created_at: Date;
  updated_at: Date;
  approved_by: string | null;
  approved_at: Date | null;
  ended_at: Date | null;
  final_value: string | null;
  fees: string;
  closed_principal: string;
  closed_growth: string;
  closed_fees: string;
  ended_by: string | null;
  note: string | null;
  moved_from: string | null;
  first_principal: string | null;
  first_made_at: Date | null;
  carried_fees: string;
  carried_performance_fees: string;
  forfeited: string;
}

export const INVESTMENT_COLUMNS = `id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at,
  approved_by, approved_at, ended_at, final_value, fees, closed_principal, closed_growth, closed_fees, ended_by, note,
  moved_from, first_principal, first_made_at, carried_fees, carried_performance_fees, forfeited`;

export function investmentOf(row: InvestmentRow): Investment {
  return {
    id: row.id,
    userId: row.user_id,
    strategyId: row.strategy_id,
    status: row.status,
    amount: Money.of(row.amount),
    units: Money.of(row.units),
    issuedOn: row.issued_on,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    approvedBy: row.approved_by,
    approvedAt: row.approved_at,
    movedFrom: row.moved_from,
    origin: {
      firstPrincipal: Money.of(row.first_principal ?? row.amount),
      firstMadeAt: row.first_made_at ?? row.created_at,
      carriedFees: Money.of(row.carried_fees),
      carriedPerformanceFees: Money.of(row.carried_performance_fees),
    },
    endedAt: row.ended_at,
    finalValue: row.final_value === null ? null : Money.of(row.final_value),
    forfeited: Money.of(row.forfeited),
    fees: Money.of(row.fees),
    closedPart: {
      principal: Money.of(row.closed_principal),
      growth: Money.of(row.closed_growth),
      fees: Money.of(row.closed_fees),
    },
    endedBy: row.ended_by,
    note: row.note,
  };
}
