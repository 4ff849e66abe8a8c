import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { Money } from '../../../common/money.js';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import type { DisposalKind, MonthlySettlement, UnitEvent } from './domain/annual-figures.js';

interface UnitEventRow {
  readonly isAcquisition: boolean;
  readonly kind: DisposalKind;
  readonly investmentId: string;
  readonly strategyId: string;
  readonly at: Date;
  readonly units: string;
  readonly principal: string;
  readonly growth: string;
  readonly fees: string;
}

type SettlementRow = Record<keyof MonthlySettlement, string>;

// The postings of an acquisition, or of a disposal, have the same reference. They can have different times: the principal of an
// investment that waits for its approval moves before the units are issued. $1: user. $2: end. $3: limit.
const UNIT_EVENTS = `
  with entry as (
    select posted.reference_id, posted.type in ('investment', 'units-issued') as is_acquisition, posted.type,
           account.kind, account.asset, moved.amount, moved.effective_at, moved.id
      from ledger_account as account
      join ledger_entry as moved on moved.account_id = account.id
      join ledger_transaction as posted on posted.id = moved.transaction_id
     where account.owner_id = $1 and account.kind in ('user.available', 'user.invested', 'user.units')
       and posted.reference_type = 'investment' and moved.effective_at < $2::timestamptz
       and posted.type in ('investment', 'units-issued', 'divestment', 'earning', 'fee')
  ), event as (
    select reference_id, is_acquisition, split_part(reference_id, ':', 1)::uuid as investment_id,
           max(effective_at) filter (where kind = 'user.units') as at, min(id) filter (where kind = 'user.units') as position,
           abs(sum(amount) filter (where kind = 'user.units')) as units,
           coalesce(abs(sum(amount) filter (where kind = 'user.invested')), 0) as principal, -- a small part can be growth alone
           coalesce(sum(amount) filter (where type = 'earning'), 0) as growth,
           coalesce(-sum(amount) filter (where type = 'fee'), 0) as fees
      from entry group by 1, 2, 3
  )
  select is_acquisition as "isAcquisition", investment_id as "investmentId", investment.strategy_id as "strategyId", event.at,
         event.units::text, principal::text, growth::text, event.fees::text,
         case when reference_id like '%:%' then 'partial-closing' when investment.status = 'cancelled' then 'cancellation'
              when exists (select from investment as next where next.moved_from = investment_id) then 'move'
              else 'closing' end as kind
    from event join investment on investment.id = investment_id
   where event.units is not null
   order by event.at, position limit $3`;

// The reference of a posting is the id of its investment or, for a partial closing, `<investment id>:<number>`. Fees and forfeited
// growth are read from the accounts of the platform. $1: user. $2: start. $3: end.
const SETTLEMENTS = `
  with reference as (
    select id::text as id, strategy_id from investment where user_id = $1
     union all
    select concat(investment_id, ':', number), strategy_id
      from investment join investment_closing on investment_id = investment.id where user_id = $1
  )
  select to_char(entry.effective_at at time zone 'UTC', 'YYYY-MM') as month, strategy_id as "strategyId",
         coalesce(sum(amount) filter (where kind = 'expense.yield'), 0)::text as forfeited,
         coalesce(sum(amount) filter (where kind = 'income.management-fee'), 0)::text as "managementFees",
         coalesce(sum(amount) filter (where kind = 'income.performance-fee'), 0)::text as "performanceFees"
    from reference
    join ledger_transaction as posted
      on posted.type in ('earning', 'forfeit', 'fee') and posted.reference_type = 'investment' and posted.reference_id = reference.id
    join ledger_entry as entry on entry.transaction_id = posted.id
    join ledger_account as account on account.id = entry.account_id
   where kind in ('expense.yield', 'income.management-fee', 'income.performance-fee')
     and entry.effective_at >= $2::timestamptz and entry.effective_at < $3::timestamptz
   group by 1, 2`;

/** Reads the tables of the modules investments and ledger. */
@Injectable()
export class AnnualStatementsRepository {
  /** The first events of a user's units before `to.until`, at most `limit`, in the order of their postings. */
  async findUnitEvents(snapshot: Snapshot, userId: string, to: Moment, limit: number): Promise<UnitEvent[]> {
    const rows = await snapshot.query<UnitEventRow>(UNIT_EVENTS, [userId, untilAsTimestamp(to), limit]);
    return rows.map(({ isAcquisition, kind, principal, growth, fees, ...row }) => {
      const common = { ...row, units: Money.of(row.units) };
      const cost = Money.of(principal);
      return isAcquisition
        ? { ...common, kind: 'acquisition', cost }
        : { ...common, kind, lotCost: cost, proceeds: cost.plus(Money.of(growth)), fees: Money.of(fees) };
    });
  }

  /** What the closings at `from` or later and before `to.until` settled. */
  async findSettlements(
    snapshot: Snapshot,
    userId: string,
    from: Date,
    to: Moment,
  ): Promise<MonthlySettlement[]> {
    const parameters = [userId, from, untilAsTimestamp(to)];
    const rows = await snapshot.query<SettlementRow>(SETTLEMENTS, parameters);
    return rows.map(({ month, strategyId, forfeited, managementFees, performanceFees }) => ({
      month,
      strategyId,
      forfeited: Money.of(forfeited),
      managementFees: Money.of(managementFees),
      performanceFees: Money.of(performanceFees),
    }));
  }
}
