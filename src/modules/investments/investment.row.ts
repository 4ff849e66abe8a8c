import type { Day } from '../../kernel/days.js';
import { Money } from '../../kernel/money.js';
import type { InvestmentStatus } from './investment.transitions.js';

/** An investment as it is stored. */
export interface Investment {
  readonly id: string;
  readonly userId: string;
  readonly strategyId: string;
  readonly status: InvestmentStatus;
  /** Principal, USDC. */
  readonly amount: Money;
  /** Zero until they are issued. */
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
  readonly fees: Money;
}

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
}

export const INVESTMENT_COLUMNS = `id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at,
  approved_by, approved_at, ended_at, final_value, fees`;

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
  };
}
