-- Totals of lists and of reports as sums by hour and by day that a job recomputes from the rows, instead of changes that
-- triggers append and a job compacts. A write marks the hours of the records that it changes; most marks come from a consumer
-- of domain events, so that a request that moves money writes nothing for totals. src/lists and src/modules/reports have the
-- statements.

-- As in 036: in the order in which requests use the tables, so that a request waits and does not deadlock.
set local lock_timeout = '10s';
lock table webhook_event, transaction_request, admin_transaction, yield_report, faucet_payout, deposit, withdrawal, investment,
           ledger_entry, user_transaction, audit_entry, platform_user in access exclusive mode;

drop trigger withdrawal_list_totals on withdrawal;
drop trigger investment_list_totals on investment;
drop trigger user_transaction_list_totals on user_transaction;
drop trigger admin_transaction_list_totals on admin_transaction;
drop trigger audit_entry_list_totals on audit_entry;
drop trigger webhook_event_list_totals on webhook_event;
drop trigger transaction_request_list_totals on transaction_request;
drop trigger yield_report_list_totals on yield_report;
drop trigger faucet_payout_list_totals on faucet_payout;
drop trigger deposit_list_totals on deposit;
drop trigger report_users_added on platform_user;
drop trigger report_users_removed on platform_user;
drop trigger report_investments_made on investment;
drop trigger report_investments_changed on investment;
drop trigger report_transactions_added on user_transaction;
drop trigger report_transactions_changed on user_transaction;

-- As in 042, without the totals of reports and of users.
create or replace function ledger_entry_apply() returns trigger language plpgsql as $$
declare
  posting record;
  entry ledger_entry;
  account ledger_account;
begin
  for posting in
    select transaction_id, effective_at, sum(size)::bigint as size, bool_and(total = 0) as is_balanced
      from (select transaction_id, effective_at, asset, count(*) as size, sum(amount) as total
              from new_entries group by transaction_id, effective_at, asset) as sums
     group by transaction_id, effective_at
  loop
    if not posting.is_balanced then
      raise exception 'ledger: the entries do not sum to zero' using errcode = 'check_violation';
    end if;
    if posting.size <> (select count(*) from ledger_transaction as posted join ledger_entry on transaction_id = posted.id
                         where posted.id = posting.transaction_id and posted.effective_at = posting.effective_at) then
      raise exception 'ledger: entries are added to a posted or unknown transaction' using errcode = 'check_violation';
    end if;
  end loop;

  for entry in select * from new_entries order by id loop
    if entry.balance_after is null then
      select * into account from ledger_account
       where id = entry.account_id and asset = entry.asset and balance is null;
    else
      update ledger_account set balance = balance + entry.amount where id = entry.account_id and asset = entry.asset
      returning * into account;
    end if;
    if not found then
      raise exception 'ledger: no account % in % that matches the entry', entry.account_id, entry.asset
        using errcode = 'foreign_key_violation';
    end if;
    if entry.balance_after is distinct from account.balance then
      raise exception 'ledger: the balance is %, not %', account.balance, entry.balance_after using errcode = 'check_violation';
    end if;
    if entry.balance_after is not null and scale(entry.amount) > ledger_scale(entry.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', entry.amount, entry.asset
        using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables

drop function track_list_totals(), rebuild_list_totals(), compact_list_totals(), compact_list_totals(bigint),
  list_totals(text, text[]), list_totals_of_days(text, text[], date, date), list_totals_above(text, text[], numeric),
  report_users_added(), report_users_removed(), report_investments_made(), report_investments_changed(),
  report_transaction_added(), report_transaction_settled(), rebuild_report_totals(), compact_report_totals(),
  compact_report_totals(bigint), count_in_reports(ledger_entry, ledger_account),
  count_in_user_figures(ledger_entry, ledger_account), report_strategy(uuid), day_number(date);
drop view list_total_recomputed;
drop table list_total, report_gap;
delete from list_total_delta;
delete from report_delta;
delete from report_gap_delta;

-- Sums of a list by its filters: of each hour of the last two days, and of each day, month and year, in UTC and in the list's own
-- time. Each is recomputed from the one below it; a day whose hours are not kept, from its rows.
create table list_sum (
  list   text not null,
  span   text not null,
  at     timestamptz not null, -- its beginning
  facets text[] not null,      -- the values that the list is filtered by
  rows   bigint not null,
  amount numeric not null,
  since  numeric not null,     -- seconds from 1970 to the creation
  took   numeric not null,     -- seconds from the creation to the completion
  units  numeric not null,     -- of active investments
  value  numeric not null,     -- of the other investments, and of deposits in USDC
  growth numeric not null,     -- realised by closing parts
  primary key (list, span, at, facets),
  constraint list_sum_span check (span in ('hour', 'day', 'month', 'year')),
  constraint list_sum_at check (at = date_trunc(span, at, 'UTC'))
) with (fillfactor = 70); -- leaves space for heap-only updates

-- Hours to recompute: of a list, or of reports. A mark is appended in the transaction that changes a record, or by the consumer
-- of its event, and deleted by the recomputation, which thus sees the change. Marks have no key, so that no writer waits.
create table total_mark (
  id   bigint generated always as identity primary key,
  name text not null,
  hour timestamptz not null,
  constraint total_mark_hour check (hour = date_trunc('hour', hour, 'UTC'))
);
create index total_mark_by_name on total_mark (name, hour);

create table total_run (
  name        text primary key,
  as_of       timestamptz not null default 'epoch', -- the sums include every change up to this time
  hours_since timestamptz not null default 'epoch'  -- the first day whose sums by hour are kept
) with (fillfactor = 50);

-- Times in which a user had no open investment: from the hour in which the last one ended (-infinity: there was none before) to
-- the hour in which the next one began (infinity: not yet). Recomputed for each user whose investments change.
create table user_gap (
  user_id uuid not null,
  ended   timestamptz not null,
  resumed timestamptz not null,
  primary key (user_id, ended, resumed)
);
create index user_gap_by_resumption on user_gap (resumed, ended);
create index user_gap_by_end on user_gap (ended);

create view user_gap_recomputed as
select step.user_id, gap.ended, gap.resumed from (
  select account.owner_id as user_id, report_hour(entry.effective_at) as at,
         entry.balance_after = 0 as ceased, entry.balance_after = entry.amount as began,
         report_hour(max(entry.effective_at) over earlier) as before,
         row_number() over (partition by account.owner_id order by entry.id desc) = 1 as is_last
    from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
   where account.kind = 'user.invested' and account.asset = 'USDC'
  window earlier as (partition by account.owner_id order by entry.id rows between unbounded preceding and 1 preceding)
) as step,
lateral (select coalesce(before, '-infinity'), at where began and before is distinct from at
         union all
         select at, 'infinity' where ceased and is_last) as gap(ended, resumed);

-- As in 036, one user after the other, so that the figures of a few users cost a few reads.
create or replace view user_figures_recomputed as
select platform_user.id as user_id, moved.investments, moved.total_invested, moved.total_withdrawn, moved.total_earnings
  from platform_user
 cross join lateral (
    select count(*) filter (where is_new)::integer as investments,
           coalesce(sum(entry.amount) filter (where is_new), 0) as total_invested,
           coalesce(-sum(entry.amount) filter (where entry.category = 'withdrawal'), 0) as total_withdrawn,
           coalesce(sum(entry.amount) filter (where entry.category = 'earning'), 0) as total_earnings
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      left join ledger_transaction as posted
        on posted.id = entry.transaction_id and account.kind = 'user.invested' and entry.amount > 0
      cross join lateral (
        select posted.type = 'investment'
               and not (posted.reference_type = 'investment'
                        and exists (select from investment
                                     where id = case posted.reference_type when 'investment' then posted.reference_id::uuid end
                                       and moved_from is not null))
      ) as judged(is_new)
     where account.owner_id = platform_user.id and account.balance is not null and account.asset = 'USDC'
       and (account.kind = 'user.invested' or entry.category in ('withdrawal', 'earning'))
 ) as moved;

-- What the sums of reports read by time.
create index investment_by_approval on investment (approved_at) where approved_at is not null;
create index investment_by_end on investment (ended_at) where ended_at is not null;
create index investment_closing_by_time on investment_closing (at);
create index user_transaction_settled on user_transaction (completed_at) include (created_at)
  where type in ('deposit', 'withdrawal') and completed_at is not null;

-- Computes all gaps again, and marks every hour that has a row or a sum, so that the job computes all sums again, some hours at a
-- time.
create function mark_all_totals() returns void language sql as $$
  delete from user_gap;
  insert into user_gap select * from user_gap_recomputed;
  insert into total_mark (name, hour)
  select distinct name, report_hour(at) from (
    select list, at from list_sum where span in ('hour', 'day') union all
    select 'withdrawal', created_at from withdrawal union all
    select 'investment', created_at from investment union all
    select 'transaction', created_at from user_transaction union all
    select 'transaction', created_at from admin_transaction union all
    select 'audit_entry', at from audit_entry union all
    select 'webhook_event', received_at from webhook_event union all
    select 'transaction_request', created_at from transaction_request union all
    select 'yield_report', reported_at from yield_report union all
    select 'faucet_payout', requested_at from faucet_payout union all
    select 'deposit', created_at from deposit union all
    select 'report', created_at from platform_user union all
    select 'report', step.at from investment, lateral (values (created_at), (approved_at), (ended_at)) as step(at) union all
    select 'report', at from investment_closing union all
    select 'report', completed_at from user_transaction where type in ('deposit', 'withdrawal') union all
    select 'report', since from report_rollup where span = 'hour' union all
    select 'report', effective_at from ledger_entry where account_id in (
      select id from ledger_account where kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee'))
  ) as record(name, at) where at is not null
$$ set search_path = public, pg_temp;

select mark_all_totals();

-- Processes of the previous version read and compact the former tables while they still run. A later release drops this: the tables
-- list_total_delta, report_delta and report_gap_delta, which stay empty, the view, and the functions that name list_total_delta.
create view report_gap as select ended, resumed, 1::bigint as users from user_gap;
create function compact_list_totals(max_rows bigint) returns bigint language sql as $$ select 0::bigint $$;
create function compact_report_totals(max_rows bigint) returns bigint language sql as $$ select 0::bigint $$;
create function list_totals_of_days(its_list text, wanted text[], first date, last date) returns setof list_total_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'day' and utc_day(at) between first and last and facets_match(facets, wanted)
$$;
create function list_totals(its_list text, wanted text[]) returns setof list_total_delta language sql stable as $$
  select * from list_totals_of_days(its_list, wanted, '-infinity', 'infinity')
$$;
create function list_totals_above(its_list text, wanted text[], lowest numeric) returns setof list_total_delta
language sql stable as $$
  select counted.* from withdrawal, list_total_row(withdrawal) as counted
   where its_list = 'withdrawal' and withdrawal.amount >= next_amount_band(lowest, 3) and facets_match(counted.facets, wanted)
  union all
  select counted.* from investment, list_total_row(investment) as counted
   where its_list = 'investment' and investment.amount >= next_amount_band(lowest, 3) and facets_match(counted.facets, wanted)
$$;
