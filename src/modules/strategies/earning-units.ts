import type { Tx } from '../../database/unit-of-work.js';
import { addDays, startOfDay, type Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import { PLATFORM, unitsOf } from '../ledger/domain/chart-of-accounts.js';

// Entries of the units issued, found by account and time; each one's investment by its transaction, and the day
// of issue by that. Sub-selects, so that the plan is a handful of index look-ups per movement whatever the size
// of the tables and the age of their statistics. An approved investment has its units from the approval on,
// which is the later of its two transactions.
const JOINED = `
  with movement as (
    select -entry.amount as units, entry.effective_at as moved_at,
           (select split_part(reference_id, ':', 1) from ledger_transaction where id = entry.transaction_id)
             as investment_id
      from ledger_entry as entry
     where entry.account_id = (select id from ledger_account
                                where owner_id = $1 and kind = 'strategy.units' and scope = '' and asset = $2)
       and entry.effective_at >= $3 and entry.effective_at < $5
  ), dated as (
    select units, moved_at,
           (select max(effective_at) from ledger_transaction
             where type in ('investment', 'units-issued') and reference_type = 'investment'
               and reference_id = investment_id) as issued_at
      from movement
  )
  select coalesce(sum(units), 0) as units from dated
   where issued_at < $4 and (issued_at >= $3 or moved_at >= $4)`;

/**
 * What joined and left the units that earn on `day`, compared with the day before: those issued two days before,
 * less what has gone since, and what yesterday took from the older ones. Costs as much as the two days' activity.
 */
export async function earningUnitsChange(tx: Tx, strategyId: string, day: Day): Promise<Money> {
  const [row] = await tx.query<{ units: string }[]>(JOINED, [
    PLATFORM,
    unitsOf(strategyId),
    startOfDay(addDays(day, -2)),
    startOfDay(addDays(day, -1)),
    startOfDay(day),
  ]);
  return Money.of(row?.units ?? '0');
}
