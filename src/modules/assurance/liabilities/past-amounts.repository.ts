import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { addDays, type Day, startOfDay } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { PLATFORM } from '../../core/ledger/domain/chart-of-accounts.js';
import { scaleOf } from '../proofs/domain/sum-tree.js';
import { USERS } from '../../identity/users/users.repository.js';
import { GROUP_SIZE } from './domain/grouped-sum-tree.js';
import { LIABILITY_ASSETS, type LiabilityAsset, type PlaceBalance } from './domain/asset-lines.js';

/** The components of a user's leaf at the end of a day, in whole smallest parts of the asset; may be negative. */
export interface PastAmounts {
  readonly userId: string;
  readonly available: string;
  readonly reserved: string;
  readonly invested: string;
  readonly held: string;
}

/** Groups of leaves that are read at once. One transaction writes their chunks, about one megabyte. */
const GROUPS_PER_BATCH = 32;
/**
 * Credits up to this time after midnight cover a debit before midnight: clocks of two processes differ by up to two minutes,
 * and a transaction can wait for locks after it has read its clock.
 */
const LATE_CREDIT_SECONDS = 300;

// Reads tables of the modules ledger, users, investments, strategies and deposits. $1: the midnight that ends the day,
// $2: an asset.

// An amount below zero counts as zero if late credits cover it: the process that posted the credit had a clock ahead of the one
// that posted the debit. For any other amount below zero TreeBuildingService throws, and the day is not closed.
const LATE_CREDITS_END = `$1::timestamptz + interval '${LATE_CREDIT_SECONDS} seconds'`;
const zeroIfCovered = (amount: string) =>
  `case when ${amount} < 0 and ${amount} + late_credits >= 0 then 0 else ${amount} end`;

// A balance at that midnight is the present one less the entries since then, which are few.
const BALANCE = `
  select account.owner_id as user_id, account.kind, ${zeroIfCovered('(account.balance - since.amount)')} as amount
    from ledger_account as account
   cross join lateral (
     select coalesce(sum(entry.amount), 0) as amount,
            coalesce(sum(entry.amount) filter (where entry.amount > 0 and entry.effective_at < ${LATE_CREDITS_END}), 0) as late_credits
       from ledger_entry as entry
      where entry.account_id = account.id and entry.effective_at >= $1) as since
   where account.asset = $2 and account.kind in ('user.available', 'user.reserved')`;

// The postings that hold, release and reverse a deposit refer to its id, so that its entries add up to zero after the hold.
// The `case` casts no other reference, which may be no UUID.
const HELD = `
  select user_id, ${zeroIfCovered('amount')} as held
    from (select deposit.user_id, coalesce(sum(entry.amount) filter (where entry.effective_at < $1), 0) as amount,
                 coalesce(sum(entry.amount) filter (where entry.amount > 0 and entry.effective_at >= $1), 0) as late_credits
            from ledger_account as account
            join ledger_entry as entry on entry.account_id = account.id
            join ledger_transaction as posted on posted.id = entry.transaction_id
            join deposit on deposit.id = case posted.reference_type when 'deposit' then posted.reference_id::uuid end
           where account.owner_id = '${PLATFORM}' and account.kind = 'suspense' and account.asset = $2
             and entry.effective_at < ${LATE_CREDITS_END}
           group by deposit.user_id) as suspense
   where amount <> 0`;

// The principal and the units come from the row of an investment that has not changed since that midnight, otherwise from the
// ledger, where postings of a partial closing refer to `<investment id>:<number>`.
const POSITIONS = `
  with changed as materialized (
    select id, user_id, strategy_id from investment where updated_at >= $1 and created_at < $1
  ), past as materialized (
    select split_part(posted.reference_id, ':', 1)::uuid as id,
           (min(entry.effective_at) filter (where account.kind = 'user.units' and entry.amount > 0) at time zone 'UTC')::date
             as issued_on,
           coalesce(sum(entry.amount) filter (where account.kind = 'user.units'), 0) as units,
           coalesce(sum(entry.amount) filter (where account.kind = 'user.invested'), 0) as amount
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      join ledger_transaction as posted on posted.id = entry.transaction_id
     where account.owner_id in (select user_id from changed) and account.kind in ('user.invested', 'user.units')
       and entry.effective_at < $1 and posted.reference_type = 'investment'
     group by 1
  ), position as (
    select user_id, strategy_id, issued_on, units, amount
      from investment where updated_at < $1 and status in ('pending', 'active')
    union all
    select user_id, strategy_id, issued_on, units, amount
      from changed join past using (id) where past.units <> 0 or past.amount <> 0
  )`;

// $3: the day. An investment grows by the rule of investments/domain/valuation.ts. A negative value replaces the user's
// sum, so that other investments do not hide it.
const INVESTED = `${POSITIONS}
  select user_id, case when min(value) < 0 then min(value) else sum(value) end as invested
    from (select user_id, case when $3::date >= issued_on + 2 then round_half_even(units * nav.nav, ${MICRO_SCALE})
                               else amount end as value
            from position
            left join strategy_nav as nav on nav.strategy_id = position.strategy_id and nav.day = $3::date) as valued
   group by user_id`;

// $2: the day. The query regards only positions that INVESTED values with the NAV of the day.
const STRATEGIES_WITHOUT_NAV = `${POSITIONS}
  select distinct strategy_id as id
    from position
   where units <> 0 and $2::date >= issued_on + 2
     and not exists (select from strategy_nav as nav where nav.strategy_id = position.strategy_id and nav.day = $2::date)
   order by 1`;

// Selects no rows, for assets that users cannot invest. Uses $3, because `streamAmounts` passes the same parameters for all assets.
const NOTHING_INVESTED = `select null::uuid as user_id, 0::numeric as invested where $3::date is null`;

// Each user who existed at that midnight has a leaf, and so has each owner of an amount whom USERS leaves out.
// $3: the day, $4: 10 to the power of the asset's decimals, $5: shuffle key.
const amountsSql = (invested: string) => `
  with balance as (
    select user_id, sum(amount) filter (where kind = 'user.available') as available,
           sum(amount) filter (where kind = 'user.reserved') as reserved
      from (${BALANCE}) as account group by user_id
  )
  select user_id as "userId",
         trunc(coalesce(available, 0) * $4::numeric)::text as available,
         trunc(coalesce(reserved, 0) * $4::numeric)::text as reserved,
         trunc(coalesce(invested, 0) * $4::numeric)::text as invested,
         trunc(coalesce(held, 0) * $4::numeric)::text as held
    from (select id as user_id, created_at from ${USERS} as account) as person
    full join balance using (user_id)
    full join (${invested}) as investments using (user_id)
    full join (${HELD}) as suspense using (user_id)
   where created_at < $1
      or (coalesce(available, 0), coalesce(reserved, 0), coalesce(invested, 0), coalesce(held, 0)) <> (0, 0, 0, 0)
   order by sha256($5::bytea || uuid_send(user_id))`;

const IS_OWED = `
  select exists (select from (${BALANCE}) as account where amount <> 0) or exists (${HELD}) as "isOwed"`;

/**
 * SQL for what the ledger owes to users in each asset: their balances, the growth of their investments and their held deposits,
 * up to the instant `end`. Reads no table of another module than the ledger.
 */
const owedSql = (end: string) => `
  select asset, sum(amount) as owed
    from (select account.asset, sum(entry.amount) as amount
            from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
           where account.kind in ('user.available', 'user.reserved', 'user.invested', 'strategy.accrued')
             and entry.effective_at < ${end}
           group by account.asset
          union all
          ${heldSql(end)}) as part
   group by asset`;

/** SQL for what suspense holds for deposits in each asset up to the instant `end`. */
export const heldSql = (end: string) => `
  select account.asset, sum(entry.amount)
    from ledger_account as account
    join ledger_entry as entry on entry.account_id = account.id
    join ledger_transaction as posted on posted.id = entry.transaction_id
   where account.kind = 'suspense' and posted.reference_type = 'deposit' and entry.effective_at < ${end}
   group by account.asset`;

/**
 * SQL for the amount by which the value of all investments may be below the ledger: each is rounded to six decimals, and so is the
 * posted growth of each strategy.
 */
export const roundingSql = (end: string) => `
  select 0.0000005 * (count(*) + count(distinct strategy_id)) as rounding
    from investment where created_at < ${end} and (ended_at is null or ended_at >= ${end})`;

/** Computes amounts at a past midnight. A repetition has the same result, because ledger entries and NAVs are immutable. */
@Injectable()
export class PastAmountsRepository {
  /** True if users own any of the asset at the end of the day. */
  async isOwed(snapshot: Snapshot, day: Day, asset: LiabilityAsset): Promise<boolean> {
    const [row] = await snapshot.query<{ isOwed: boolean }>(IS_OWED, [midnightAfter(day), asset]);
    return row?.isOwed ?? false;
  }

  /** The ids of strategies without a NAV of the day although users hold units that are valued with it. */
  async findStrategiesWithoutNav(snapshot: Snapshot, day: Day): Promise<string[]> {
    const rows = await snapshot.query<{ id: string }>(STRATEGIES_WITHOUT_NAV, [midnightAfter(day), day]);
    return rows.map(({ id }) => id);
  }

  /**
   * The amounts of all users who existed or owned something at the end of the day, in the order of `sortKeyOf`, in batches of whole groups. An
   * amount below zero, which no late credits cover, means that entries were changed while the triggers were disabled.
   */
  streamAmounts(
    snapshot: Snapshot,
    day: Day,
    asset: LiabilityAsset,
    shuffleKey: Buffer,
  ): AsyncGenerator<PastAmounts[], void> {
    const sql = amountsSql(asset === 'USDC' ? INVESTED : NOTHING_INVESTED);
    const parameters = [midnightAfter(day), asset, day, String(10n ** BigInt(scaleOf(asset))), shuffleKey];
    return snapshot.batches(sql, parameters, GROUP_SIZE * GROUPS_PER_BATCH);
  }

  /** What the ledger owes to users in each asset, less the most that the rounding of investments can take from it. */
  async findOwed(snapshot: Snapshot, day: Day): Promise<Map<string, Money>> {
    const rows = await snapshot.query<{ asset: string; owed: string }>(
      `select asset, owed - case asset when 'USDC' then rounding else 0 end as owed
         from (${owedSql('$1')}) as ledger, (${roundingSql('$1')}) as investments`,
      [midnightAfter(day)],
    );
    return new Map(rows.map(({ asset, owed }) => [asset, Money.of(owed)]));
  }

  /**
   * Balances of the deposit provider and of custody at the end of the day, debits positive. The query adds up all entries,
   * because accounts of the platform store no balance.
   */
  async findPlaceBalances(snapshot: Snapshot, day: Day): Promise<PlaceBalance[]> {
    const rows = await snapshot.query<Omit<PlaceBalance, 'amount'> & { amount: string }>(
      `select account.kind, account.scope, account.asset, -sum(entry.amount) as amount
         from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
        where account.owner_id = '${PLATFORM}' and account.kind in ('asset.deposit-provider', 'asset.custody')
          and account.asset = any($2::text[]) and entry.effective_at < $1
        group by account.kind, account.scope, account.asset
        order by account.kind, account.scope, account.asset`,
      [midnightAfter(day), LIABILITY_ASSETS],
    );
    return rows.map((row) => ({ ...row, amount: Money.of(row.amount) }));
  }
}

function midnightAfter(day: Day): Date {
  return startOfDay(addDays(day, 1));
}
