import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { INVESTMENT_COLUMNS, investmentOf, type Investment, type InvestmentRow } from './investment.row.js';

// Writes of the table `investment`. The status is written here and nowhere else.

/**
 * Adds an investment. Refuses with DUPLICATE_INVESTMENT when the user's key has made one: of several at once with
 * one key the others wait here for the first, and go on only if it came to nothing.
 */
export async function addInvestment(tx: Tx, investment: Investment, key: string | null): Promise<void> {
  const added = await tx.query<unknown[]>(
    `insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, idempotency_key, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
     on conflict on constraint investment_idempotency_key do nothing
     returning id`,
    [
      investment.id,
      investment.userId,
      investment.strategyId,
      investment.status,
      investment.amount.toString(),
      investment.units.toString(),
      investment.issuedOn,
      key,
      investment.createdAt,
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
    `select ${INVESTMENT_COLUMNS} from investment where id = $1 for update`,
    [id],
  );
  return row ? investmentOf(row) : fail('INVESTMENT_NOT_FOUND');
}

/** Writes what verbs change of an investment that is locked. */
export async function saveInvestment(tx: Tx, investment: Investment): Promise<void> {
  await tx.query(
    `update investment
        set status = $2, units = $3, issued_on = $4, updated_at = $5, approved_by = $6, approved_at = $7,
            ended_at = $8, final_value = $9, fees = $10
      where id = $1`,
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
    ],
  );
}
