import type { Day } from '../../kernel/days.js';
import { Money } from '../../kernel/money.js';
import type { InvestmentStatus } from './investment.transitions.js';

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
  /** Closed or cancelled. */
  readonly endedAt: Date | null;
  /** On closing, before fees. */
  readonly finalValue: Money | null;
  /** On closing. */
  readonly fees: Money;
  /** What partial closings have redeemed so far (D28). */
  readonly closedPart: ClosedPart;
  /** The admin who closed or rejected it; null where its user ended it. */
  readonly endedBy: string | null;
  /** Why it was rejected. */
  readonly note: string | null;
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
}

export const INVESTMENT_COLUMNS = `id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at,
  approved_by, approved_at, ended_at, final_value, fees, closed_principal, closed_growth, closed_fees, ended_by, note`;

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
    endedAt: row.ended_at,
    finalValue: row.final_value === null ? null : Money.of(row.final_value),
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
