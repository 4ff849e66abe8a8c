-- Totals by hour and day for the admins' dashboard and reports, so that their cost follows the number of days in a period
-- instead of the number of records.

-- What changed in each hour of domain time, by strategy ('' for changes without one). Triggers append a row in the
-- transaction of each change, so that the figures are never behind and writers never wait for a shared row.
-- compact_report_totals moves the rows into report_rollup; sums over both tables are the same before and after.
create table report_delta (
  hour             timestamptz not null,
  strategy_id      text not null default '',
  users            bigint not null default 0,  -- registered
  holders          bigint not null default 0,  -- users who got a first open investment, less those who lost their last one
  made             bigint not null default 0,  -- investments made, whatever their status is now
  made_amount      numeric not null default 0, -- their principal at that time
  active           bigint not null default 0,  -- investments that became active, less those that ceased to be
  pending          bigint not null default 0,  -- investments that became pending, less those that ceased to be
  principal        numeric not null default 0, -- of open investments
  accrued          numeric not null default 0, -- growth owed to their holders: the account strategy.accrued
  management_fees  numeric not null default 0, -- received by the income accounts
  performance_fees numeric not null default 0,
  settled          bigint not null default 0,  -- deposits and withdrawals completed
  settled_ms       numeric not null default 0, -- the sum of their durations in milliseconds
  constraint report_delta_hour check (hour = date_trunc('hour', hour, 'UTC'))
);

-- The compacted rows: one for each hour, and one for each UTC day, which holds the sums of its hours. The primary key
-- includes all columns: a report reads a row per day or hour from the index, where these are adjacent; in the table each
-- would be on a page of its own.
create table report_rollup (
  span             text not null,
  since            timestamptz not null,
  strategy_id      text not null default '',
  users            bigint not null default 0,
  holders          bigint not null default 0,
  made             bigint not null default 0,
  made_amount      numeric not null default 0,
  active           bigint not null default 0,
  pending          bigint not null default 0,
  principal        numeric not null default 0,
  accrued          numeric not null default 0,
  management_fees  numeric not null default 0,
  performance_fees numeric not null default 0,
  settled          bigint not null default 0,
  settled_ms       numeric not null default 0,
  primary key (span, since, strategy_id)
    include (users, holders, made, made_amount, active, pending, principal, accrued, management_fees, performance_fees,
             settled, settled_ms),
  constraint report_rollup_span check (span in ('hour', 'day')),
  constraint report_rollup_since check (since = date_trunc(span, since, 'UTC'))
);

-- Periods in which users had no open investment: from the hour in which their last one ended (-infinity: they never had
-- one) to the hour in which the next one began (infinity: not yet). They give the number of users who held investments at
-- two points in time, which sums by hour cannot. Deltas and compacted rows, as above.
create table report_gap_delta (
  ended   timestamptz not null,
  resumed timestamptz not null,
  users   bigint not null
);
create table report_gap (
  ended   timestamptz not null,
  resumed timestamptz not null,
  users   bigint not null,
  primary key (ended, resumed)
);
create index report_gap_by_end on report_gap (resumed, ended);

create function report_hour(at timestamptz) returns timestamptz language sql stable parallel safe
  return date_trunc('hour', at, 'UTC');

create function report_users_added() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, users) select report_hour(created_at), count(*) from changed group by 1;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_users_added after insert on platform_user
  referencing new table as changed for each statement execute function report_users_added();

create function report_users_removed() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, users) select report_hour(created_at), -count(*) from changed group by 1;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_users_removed after delete on platform_user
  referencing old table as changed for each statement execute function report_users_removed();

create function report_investments_made() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, made, made_amount, active, pending, principal)
  select report_hour(created_at), strategy_id, count(*), sum(amount), count(*) filter (where status = 'active'),
         count(*) filter (where status = 'pending'),
         coalesce(sum(amount) filter (where status in ('active', 'pending')), 0)
    from changed group by 1, 2;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_investments_made after insert on investment
  referencing new table as changed for each statement execute function report_investments_made();

create function report_investments_changed() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, active, pending, principal)
  select report_hour(after.updated_at), after.strategy_id,
         count(*) filter (where after.status = 'active') - count(*) filter (where before.status = 'active'),
         count(*) filter (where after.status = 'pending') - count(*) filter (where before.status = 'pending'),
         coalesce(sum(after.amount) filter (where after.status in ('active', 'pending')), 0)
           - coalesce(sum(before.amount) filter (where before.status in ('active', 'pending')), 0)
    from before join after using (id)
   where (before.status, before.amount) is distinct from (after.status, after.amount)
   group by 1, 2;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_investments_changed after update on investment
  referencing old table as before new table as after
  for each statement execute function report_investments_changed();

-- The strategy of the investment that a posting refers to; '' if it refers to none.
create function report_strategy(posting uuid) returns text language plpgsql stable as $$
begin
  return coalesce((select strategy_id from ledger_transaction as posted, investment
                    where posted.id = posting and reference_type = 'investment'
                      and pg_input_is_valid(split_part(reference_id, ':', 1), 'uuid')
                      and investment.id = split_part(reference_id, ':', 1)::uuid), '');
end
$$ set search_path = public, pg_temp;

-- A user becomes a holder when the balance of user.invested leaves zero and stops being one when it returns to zero. The
-- posting locks the account, so that its entries are seen one after the other: the entry before the first entry of a
-- holding period is the last entry of the previous period.
create function report_entries_posted() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, holders, accrued, management_fees, performance_fees)
  select report_hour(entry.effective_at),
         case account.kind when 'user.invested' then '' when 'strategy.accrued' then account.scope
                           else report_strategy(entry.transaction_id) end,
         count(*) filter (where kind = 'user.invested' and balance_after = amount)
           - count(*) filter (where kind = 'user.invested' and balance_after = 0),
         coalesce(sum(amount) filter (where kind = 'strategy.accrued'), 0),
         coalesce(sum(amount) filter (where kind = 'income.management-fee'), 0),
         coalesce(sum(amount) filter (where kind = 'income.performance-fee'), 0)
    from changed as entry join ledger_account as account on account.id = entry.account_id
   where entry.asset = 'USDC'
     and (kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee')
          or (kind = 'user.invested' and balance_after in (0, amount)))
   group by 1, 2;
  if not found then
    return null;
  end if;
  insert into report_gap_delta (ended, resumed, users)
  select gap.ended, gap.resumed, gap.users from (
    select report_hour(entry.effective_at) as at, balance_after = 0 as ceased,
           (select report_hour(max(earlier.effective_at)) from ledger_entry as earlier
             where earlier.account_id = entry.account_id and earlier.id < entry.id) as before
      from changed as entry join ledger_account as account on account.id = entry.account_id
     where entry.asset = 'USDC' and kind = 'user.invested' and balance_after in (0, amount)
  ) as step,
  lateral (values (at, timestamptz 'infinity', 1, ceased),
                  (before, 'infinity', -1, not ceased and before is not null),
                  (coalesce(before, '-infinity'), at, 1, not ceased and before is distinct from at))
    as gap(ended, resumed, users, happened)
   where happened;
  return null;
end
$$ set search_path = public, pg_temp;

create trigger report_entries_posted after insert on ledger_entry
  referencing new table as changed for each statement execute function report_entries_posted();

create function report_transactions_added() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, settled, settled_ms)
  select report_hour(completed_at), count(*), sum(extract(epoch from completed_at - created_at) * 1000)
    from changed where type in ('deposit', 'withdrawal') and completed_at is not null group by 1;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_transactions_added after insert on user_transaction
  referencing new table as changed for each statement execute function report_transactions_added();

create function report_transactions_changed() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, settled, settled_ms)
  select report_hour(after.completed_at), count(*), sum(extract(epoch from after.completed_at - after.created_at) * 1000)
    from before join after using (id)
   where after.type in ('deposit', 'withdrawal') and before.completed_at is null and after.completed_at is not null
   group by 1;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_transactions_changed after update on user_transaction
  referencing old table as before new table as after
  for each statement execute function report_transactions_changed();

-- Moves the deltas into the compacted tables. One process at a time runs it; writers do not wait, and every snapshot sees
-- each change in exactly one of the two tables.
create function compact_report_totals() returns void language plpgsql as $$
begin
  with gone as (delete from report_delta returning *)
  insert into report_rollup as held
  select span, date_trunc(span, hour, 'UTC'), strategy_id, sum(users), sum(holders), sum(made), sum(made_amount),
         sum(active), sum(pending), sum(principal), sum(accrued), sum(management_fees), sum(performance_fees),
         sum(settled), sum(settled_ms)
    from gone, (values ('hour'), ('day')) as kind(span) group by 1, 2, 3
  on conflict (span, since, strategy_id) do update
    set users = held.users + excluded.users, holders = held.holders + excluded.holders,
        made = held.made + excluded.made, made_amount = held.made_amount + excluded.made_amount,
        active = held.active + excluded.active, pending = held.pending + excluded.pending,
        principal = held.principal + excluded.principal, accrued = held.accrued + excluded.accrued,
        management_fees = held.management_fees + excluded.management_fees,
        performance_fees = held.performance_fees + excluded.performance_fees,
        settled = held.settled + excluded.settled, settled_ms = held.settled_ms + excluded.settled_ms;

  with gone as (delete from report_gap_delta returning *)
  insert into report_gap as held
  select ended, resumed, sum(users) from gone group by 1, 2
  on conflict (ended, resumed) do update set users = held.users + excluded.users;
end
$$ set search_path = public, pg_temp;

-- Computes all totals from the underlying tables, after rows were loaded while triggers were disabled. Writers wait until
-- it is done.
create function rebuild_report_totals() returns void language plpgsql as $$
begin
  lock table platform_user, investment, ledger_entry, user_transaction in share mode;
  lock table report_delta, report_rollup, report_gap_delta, report_gap in exclusive mode;
  delete from report_delta;
  delete from report_rollup;
  delete from report_gap_delta;
  delete from report_gap;

  insert into report_delta (hour, users) select report_hour(created_at), count(*) from platform_user group by 1;

  insert into report_delta (hour, strategy_id, made, active, pending)
  select report_hour(at), strategy_id, sum(made), sum(active), sum(step.pending)
    from investment,
         lateral (select status = 'pending' or (status = 'cancelled' and units = 0) or approved_at is not null) as was(pending),
         lateral (values (created_at, 1, (not was.pending)::int, was.pending::int),
                         (approved_at, 0, 1, -1),
                         (ended_at, 0, -(units > 0)::int, -(units = 0)::int)) as step(at, made, active, pending)
   where at is not null group by 1, 2;

  -- Principal from the ledger: after a partial closing the investment holds only the remaining principal.
  insert into report_delta (hour, strategy_id, made_amount, principal)
  select report_hour(entry.effective_at), coalesce(strategy_id, ''),
         coalesce(sum(entry.amount) filter (where entry.amount > 0), 0), sum(entry.amount)
    from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
    left join ledger_transaction as posted on posted.id = entry.transaction_id and posted.reference_type = 'investment'
    left join investment on investment.id = case when pg_input_is_valid(split_part(posted.reference_id, ':', 1), 'uuid')
                                                 then split_part(posted.reference_id, ':', 1)::uuid end
   where kind = 'user.invested' and entry.asset = 'USDC' group by 1, 2;

  insert into report_delta (hour, strategy_id, accrued, management_fees, performance_fees)
  select report_hour(entry.effective_at),
         case kind when 'strategy.accrued' then account.scope else coalesce(strategy_id, '') end,
         coalesce(sum(entry.amount) filter (where kind = 'strategy.accrued'), 0),
         coalesce(sum(entry.amount) filter (where kind = 'income.management-fee'), 0),
         coalesce(sum(entry.amount) filter (where kind = 'income.performance-fee'), 0)
    from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
    left join ledger_transaction as posted on posted.id = entry.transaction_id and posted.reference_type = 'investment'
    left join investment on investment.id = case when pg_input_is_valid(split_part(posted.reference_id, ':', 1), 'uuid')
                                                 then split_part(posted.reference_id, ':', 1)::uuid end
   where kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee') and entry.asset = 'USDC'
   group by 1, 2;

  with step as (
    select report_hour(effective_at) as at, balance_after = 0 as ceased, balance_after = amount as began,
           report_hour(max(effective_at) over earlier) as before
      from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
     where kind = 'user.invested' and entry.asset = 'USDC'
    window earlier as (partition by account_id order by entry.id rows between unbounded preceding and 1 preceding)
  ), counted as (
    insert into report_delta (hour, holders) select at, sum(began::int - ceased::int) from step group by 1
  )
  insert into report_gap_delta (ended, resumed, users)
  select at, timestamptz 'infinity', 1 from step where ceased
  union all select before, 'infinity', -1 from step where began and before is not null
  union all select coalesce(before, '-infinity'), at, 1 from step where began and before is distinct from at;

  insert into report_delta (hour, settled, settled_ms)
  select report_hour(completed_at), count(*), sum(extract(epoch from completed_at - created_at) * 1000)
    from user_transaction where type in ('deposit', 'withdrawal') and completed_at is not null group by 1;

  perform compact_report_totals();
end
$$ set search_path = public, pg_temp;
