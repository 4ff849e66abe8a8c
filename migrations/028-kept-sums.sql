-- Totals of the admins' lists that stay cheap: counts and sums by what a list can be filtered by, kept with each row as
-- the sums of the reports are (019). And report_rebuild without a look-up per entry.

-- What each row adds to its list. Whoever writes a row appends this in the same transaction, negative for how the row was
-- before: nothing is ever behind, and no row is waited for. `list_fold` puts the rows together from time to time; sums
-- over both tables are the same before and after.
create table list_delta (
  list   text not null,             -- the table
  facets text[] not null,           -- what the list is filtered by, in the order that `counted` has below
  day    date,                      -- UTC, of the list's own time; null where it is not asked for
  band   numeric,                   -- three digits of the amount; null where it is not asked for
  rows   bigint not null,
  amount numeric not null default 0,
  since  numeric not null default 0, -- seconds from 1970 to the creation
  took   numeric not null default 0, -- seconds from the creation to the completion
  units  numeric not null default 0, -- of active investments
  value  numeric not null default 0, -- of the others, whose value no day changes
  growth numeric not null default 0  -- realised by closing parts
);

-- The same, folded: for all time, for each day, and for each band of amounts, in bands of three digits and of one.
create table list_sum (
  span  text not null,
  place numeric not null, -- the day as days since 1970, or where the band begins; 0 for all time
  like list_delta including defaults,
  primary key (list, span, place, facets),
  constraint list_sum_span check (span in ('all', 'day', 'fine', 'coarse'))
);
alter table list_sum drop column day, drop column band;

-- Where the band of an amount begins: its first digits, what is below 1 together.
create function amount_band(amount numeric, digits integer) returns numeric language sql immutable parallel safe as $$
  select case when amount < 1 then 0 else trunc(amount, digits - length(trunc(amount)::text)) end
$$;
-- Where the next one begins.
create function amount_band_after(amount numeric, digits integer) returns numeric language sql immutable parallel safe as $$
  select case when amount < 1 then 1
              else amount_band(amount, digits) + power(10::numeric, length(trunc(amount)::text) - digits) end
$$;
create function day_place(day date) returns numeric language sql immutable parallel safe as $$ select (day - date '1970-01-01')::numeric $$;
create function utc_day(at timestamptz) returns date language sql immutable parallel safe as $$ select (at at time zone 'UTC')::date $$;

-- What a row adds to its list: no row where it is not listed.
create function counted(new withdrawal) returns setof list_delta language sql stable as $$
  select 'withdrawal', array[new.status], utc_day(new.created_at), amount_band(new.amount, 3), 1::bigint, new.amount,
         extract(epoch from new.created_at), coalesce(extract(epoch from new.completed_at - new.created_at), 0), 0::numeric, 0::numeric, 0::numeric
$$;
create function counted(new investment) returns setof list_delta language sql stable as $$
  select 'investment', array[new.status, new.strategy_id], utc_day(new.created_at), amount_band(new.amount, 3), 1::bigint, new.amount,
         extract(epoch from new.created_at), 0::numeric, case new.status when 'active' then new.units else 0 end,
         case new.status when 'active' then 0 else coalesce(new.final_value, new.amount) end, new.closed_growth
$$;
create function counted(new user_transaction) returns setof list_delta language sql stable as $$
  select 'transaction', array[chain_status(new.status), chain_type(new.type)], null::date, null::numeric, 1::bigint, 0::numeric, 0::numeric,
         0::numeric, 0::numeric, 0::numeric, 0::numeric
   where new.reference_type <> 'admin-transaction' and new.type <> 'reversal'
$$;
create function counted(new admin_transaction) returns setof list_delta language sql stable as $$
  select 'transaction', array[new.status, new.type], null::date, null::numeric, 1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric,
         0::numeric, 0::numeric
$$;
create function counted(new audit_entry) returns setof list_delta language sql stable as $$
  select 'audit_entry', array[new.actor, new.action, new.subject_type], utc_day(new.at), null::numeric, 1::bigint, 0::numeric, 0::numeric,
         0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function counted(new webhook_event) returns setof list_delta language sql stable as $$
  select 'webhook_event', array[new.status, new.provider, new.kind], utc_day(new.received_at), null::numeric, 1::bigint, 0::numeric, 0::numeric,
         0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function counted(new transaction_request) returns setof list_delta language sql stable as $$
  select 'transaction_request', array[new.status, new.type, new.assigned_to], null::date, null::numeric, 1::bigint, 0::numeric, 0::numeric,
         0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function counted(new yield_report) returns setof list_delta language sql stable as $$
  select 'yield_report', array[new.state], null::date, null::numeric, 1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric,
         0::numeric
$$;
create function counted(new faucet_payout) returns setof list_delta language sql stable as $$
  select 'faucet_payout', array[]::text[], null::date, null::numeric, 1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric,
         0::numeric
$$;

create function list_follow() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_delta select * from counted(new);
  elsif tg_op = 'DELETE' then
    insert into list_delta select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from counted(old);
  elsif (select before from counted(old) as before) is distinct from (select after from counted(new) as after) then
    insert into list_delta select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from counted(old)
    union all select * from counted(new);
  end if;
  return null;
end
$$ set search_path = public, pg_temp;

create trigger withdrawal_listed after insert or update or delete on withdrawal for each row execute function list_follow();
create trigger investment_listed after insert or update or delete on investment for each row execute function list_follow();
create trigger user_transaction_listed after insert or update or delete on user_transaction for each row execute function list_follow();
create trigger admin_transaction_listed after insert or update or delete on admin_transaction for each row execute function list_follow();
create trigger audit_entry_listed after insert on audit_entry for each row execute function list_follow();
create trigger webhook_event_listed after insert or update or delete on webhook_event for each row execute function list_follow();
create trigger transaction_request_listed after insert or update or delete on transaction_request for each row execute function list_follow();
create trigger yield_report_listed after insert or update or delete on yield_report for each row execute function list_follow();
create trigger faucet_payout_listed after insert or update or delete on faucet_payout for each row execute function list_follow();

-- Puts what was appended so far together with what was before. One at a time; writers are not held up, and every
-- snapshot sees each row in one of the two places.
create function list_fold() returns void language plpgsql as $$
begin
  with gone as (delete from list_delta returning *)
  insert into list_sum as held (list, facets, span, place, rows, amount, since, took, units, value, growth)
  select list, facets, span, kind.place, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
    from gone, lateral (values ('all', 0), ('day', day_place(day)), ('fine', band), ('coarse', amount_band(band, 1))) as kind(span, place)
   where kind.place is not null group by 1, 2, 3, 4
  on conflict (list, span, place, facets) do update
    set rows = held.rows + excluded.rows, amount = held.amount + excluded.amount, since = held.since + excluded.since,
        took = held.took + excluded.took, units = held.units + excluded.units, value = held.value + excluded.value,
        growth = held.growth + excluded.growth;
end
$$ set search_path = public, pg_temp;

-- All rows as they are counted, worked out from nothing: what the tables begin with, and what they are compared with.
create view list_anew as
select counted.* from withdrawal, counted(withdrawal) union all
select counted.* from investment, counted(investment) union all
select counted.* from user_transaction, counted(user_transaction) union all
select counted.* from admin_transaction, counted(admin_transaction) union all
select counted.* from audit_entry, counted(audit_entry) union all
select counted.* from webhook_event, counted(webhook_event) union all
select counted.* from transaction_request, counted(transaction_request) union all
select counted.* from yield_report, counted(yield_report) union all
select counted.* from faucet_payout, counted(faucet_payout);

-- For what was there before this migration, and after rows were loaded with triggers off. Writers wait meanwhile.
create function list_rebuild() returns void language plpgsql as $$
begin
  lock table withdrawal, investment, user_transaction, admin_transaction, audit_entry, webhook_event, transaction_request,
             yield_report, faucet_payout in share mode;
  lock table list_delta, list_sum in exclusive mode;
  delete from list_delta;
  delete from list_sum;
  insert into list_delta
  select list, facets, day, band, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
    from list_anew group by list, facets, day, band;
  perform list_fold();
end
$$ set search_path = public, pg_temp;
select list_rebuild();

-- What is asked for of the facets; null is any.
create function facets_match(facets text[], wanted text[]) returns boolean language sql immutable parallel safe as $$
  select (wanted[1] is null or facets[1] = wanted[1]) and (wanted[2] is null or facets[2] = wanted[2])
     and (wanted[3] is null or facets[3] = wanted[3])
$$;

-- Sums over everything that was ever listed, by facets.
create function list_kept(its_list text, wanted text[]) returns setof list_delta language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'all' and place = 0 and facets_match(facets, wanted)
  union all
  select * from list_delta where list = its_list and facets_match(facets, wanted)
$$;
-- Over the whole days from one to another, both included.
create function list_kept_of_days(its_list text, wanted text[], first date, last date) returns setof list_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'day' and place between day_place(first) and day_place(last)
                    and facets_match(facets, wanted)
  union all
  select * from list_delta where list = its_list and day between first and last and facets_match(facets, wanted)
$$;
-- Over the bands of amounts that lie above the one of `lowest`.
create function list_kept_above(its_list text, wanted text[], lowest numeric) returns setof list_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'coarse' and place >= amount_band_after(lowest, 1) and facets_match(facets, wanted)
  union all
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'fine' and place >= amount_band_after(lowest, 3)
                    and place < amount_band_after(lowest, 1) and facets_match(facets, wanted)
  union all
  select * from list_delta where list = its_list and band >= amount_band_after(lowest, 3) and facets_match(facets, wanted)
$$;

-- What is too young to have grown is worth its principal; and when any investment changed last.
drop index investment_young;
create index investment_young on investment (issued_on) include (strategy_id, amount, units, created_at) where status = 'active';
create index investment_waiting_of_user on investment (user_id) include (amount) where status = 'pending';
create index investment_by_change on investment (updated_at);

-- As in 019, but the strategies of all entries are found by joins, in one pass.
create or replace function report_rebuild() returns void language plpgsql as $$
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

  -- Principal as it came and went: the row knows only what is left after a part was closed.
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

  perform report_fold();
end
$$ set search_path = public, pg_temp;
