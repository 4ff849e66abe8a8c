import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Closing } from './domain/closing.js';
import { INVESTMENT_COLUMNS, investmentOf, type Investment, type InvestmentRow } from './investment.row.js';

// Writes of the table `investment`. The status is written here and nowhere else.

/**
 * Adds an investment. Refuses with DUPLICATE_INVESTMENT when the user's idempotency key has made one: of several at
 * once with one key the others wait here for the first, and go on only if it came to nothing.
 */
export async function addInvestment(tx: Tx, investment: Investment, key?: string): Promise<void> {
  const added = await tx.query<unknown[]>(
    prepared(`insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, idempotency_key, created_at, updated_at,
                             moved_from, first_principal, first_made_at, carried_fees, carried_performance_fees)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13, $14)
     on conflict on constraint investment_idempotency_key do nothing
     returning id`),
    [
      investment.id,
      investment.userId,
      investment.strategyId,
      investment.status,
      investment.amount.toString(),
      investment.units.toString(),
      investment.issuedOn,
      key ?? null,
      investment.createdAt,
      investment.movedFrom,
      firstPrincipalOf(investment),
      investment.movedFrom === null ? null : investment.origin.firstMadeAt,
      investment.origin.carriedFees.toString(),
      investment.origin.carriedPerformanceFees.toString(),
    ],
  );
  if (added.length > 0) return;
  const [earlier] = await tx.query<{ id: string }[]>(
    'select id from investment where user_id = $1 and idempotency_key = $2',
    [investment.userId, key],
  );
  fail('DUPLICATE_INVESTMENT', { investmentId: earlier?.id });
}

/** The investment, locked for the rest of the transaction. Throws INVESTMENT_NOT_FOUND. */
export async function lockInvestment(tx: Tx, id: string): Promise<Investment> {
  const [row] = await tx.query<InvestmentRow[]>(
    prepared(`select ${INVESTMENT_COLUMNS} from investment where id = $1 for update`),
    [id],
  );
  return row ? investmentOf(row) : fail('INVESTMENT_NOT_FOUND');
}

/** The same of a user's own investment. Throws PERMISSION_DENIED for another user's too. */
export async function lockOwnInvestment(tx: Tx, userId: string, id: string): Promise<Investment> {
  const investment = await lockInvestment(tx, id);
  if (investment.userId !== userId) fail('PERMISSION_DENIED');
  return investment;
}

/** Writes what verbs change of an investment that is locked. */
export async function saveInvestment(tx: Tx, investment: Investment): Promise<void> {
  await tx.query(
    prepared(`update investment
        set status = $2, units = $3, issued_on = $4, updated_at = $5, approved_by = $6, approved_at = $7,
            ended_at = $8, final_value = $9, fees = $10, amount = $11, closed_principal = $12,
            closed_growth = $13, closed_fees = $14, ended_by = $15, note = $16, first_principal = $17,
            first_made_at = $18, carried_fees = $19, carried_performance_fees = $20, forfeited = $21
      where id = $1`),
    [
      investment.id,
      investment.status,
      investment.units.toString(),
      investment.issuedOn,
      investment.updatedAt,
      investment.approvedBy,
      investment.approvedAt,
      investment.endedAt,
      investment.finalValue?.toString() ?? null,
      investment.fees.toString(),
      investment.amount.toString(),
      investment.closedPart.principal.toString(),
      investment.closedPart.growth.toString(),
      investment.closedPart.fees.toString(),
      investment.endedBy,
      investment.note,
      firstPrincipalOf(investment),
      investment.movedFrom === null ? null : investment.origin.firstMadeAt,
      investment.origin.carriedFees.toString(),
      investment.origin.carriedPerformanceFees.toString(),
      investment.forfeited.toString(),
    ],
  );
}

/** Records a partial closing of an investment that is locked, and answers its number. */
export async function addClosing(
  tx: Tx,
  investmentId: string,
  { value, principal, units, fees, forfeited }: Closing,
  { at, by }: { at: Date; by: string },
): Promise<number> {
  const [row] = await tx.query<{ number: number }[]>(
    `insert into investment_closing
       (investment_id, number, at, closed_by, value, principal, units, management_fee, performance_fee, carried_fee,
        carried_performance_fee, forfeited)
     select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
       from investment_closing where investment_id = $1
     returning number`,
    [
      investmentId,
      at,
      by,
      value.toString(),
      principal.toString(),
      units.toString(),
      fees.management.toString(),
      fees.performance.toString(),
      fees.carried.toString(),
      fees.carriedPerformance.toString(),
      forfeited.toString(),
    ],
  );
  return (row as { number: number }).number;
}

/** Stored for moved investments alone: on the others it is their own amount. */
function firstPrincipalOf({ movedFrom, origin }: Investment): string | null {
  return movedFrom === null ? null : origin.firstPrincipal.toString();
}
