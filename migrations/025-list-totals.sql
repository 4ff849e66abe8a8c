-- Totals of the admins' lists (counts and sums by what a list can be filtered by) that cost the same for a hundred rows
-- and for a million. To add a list: a function list_total_row, a trigger, and a branch of the view list_total_recomputed.

-- What each row contributes to the totals of its list. A trigger appends it in the transaction that writes the row, with
-- the previous contribution negated, so that totals are never behind and writers never wait for a shared row.
-- compact_list_totals moves the rows into list_total; sums over both tables are the same before and after.
create table list_total_delta (
  list   text not null,              -- the name of the list, usually that of its table
  facets text[] not null,            -- the values that the list is filtered by, in the order of list_total_row
  day    date,                       -- UTC, of the list's own time; null if the list is not filtered by time
  band   numeric,                    -- the amount, rounded down to three digits; null if not filtered by amount
  rows   bigint not null,
  amount numeric not null default 0,
  since  numeric not null default 0, -- seconds from 1970 to the creation
  took   numeric not null default 0, -- seconds from the creation to the completion
  units  numeric not null default 0, -- of active investments
  value  numeric not null default 0, -- of the other investments, whose value does not change from day to day
  growth numeric not null default 0  -- realised by closing parts
);

-- The compacted rows: for all time, for each day, and for each band of amounts, in bands of three digits and of one.
create table list_total (
  list   text not null,
  facets text[] not null,
  span   text not null,
  place  numeric not null, -- the day as days since 1970, or the lower end of the band; 0 for all time
  rows   bigint not null,
  amount numeric not null default 0,
  since  numeric not null default 0,
  took   numeric not null default 0,
  units  numeric not null default 0,
  value  numeric not null default 0,
  growth numeric not null default 0,
  primary key (list, span, place, facets),
  constraint list_total_span check (span in ('all', 'day', 'fine', 'coarse'))
);

-- The lower end of an amount's band: its first digits. All amounts below 1 share one band.
create function amount_band(amount numeric, digits integer) returns numeric language sql immutable parallel safe as $$
  select case when amount < 1 then 0 else trunc(amount, digits - length(trunc(amount)::text)) end
$$;
-- The lower end of the next band.
create function next_amount_band(amount numeric, digits integer) returns numeric language sql immutable parallel safe as $$
  select case when amount < 1 then 1
              else amount_band(amount, digits) + power(10::numeric, length(trunc(amount)::text) - digits) end
$$;
create function day_number(day date) returns numeric language sql immutable parallel safe as $$
  select (day - date '1970-01-01')::numeric
$$;

-- The contribution of a row to the totals of its list. The result is empty if the list does not show the row.
create function list_total_row(listed withdrawal) returns setof list_total_delta language sql stable as $$
  select 'withdrawal', array[listed.status], utc_day(listed.created_at), amount_band(listed.amount, 3), 1::bigint,
         listed.amount, extract(epoch from listed.created_at), coalesce(extract(epoch from listed.completed_at - listed.created_at), 0),
         0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed investment) returns setof list_total_delta language sql stable as $$
  select 'investment', array[listed.status, listed.strategy_id], utc_day(listed.created_at), amount_band(listed.amount, 3),
         1::bigint, listed.amount, extract(epoch from listed.created_at), 0::numeric,
         case listed.status when 'active' then listed.units else 0 end,
         case listed.status when 'active' then 0 else coalesce(listed.final_value, listed.amount) end, listed.closed_growth
$$;
create function list_total_row(listed user_transaction) returns setof list_total_delta language sql stable as $$
  select 'transaction', array[admin_list_status(listed.status), admin_list_type(listed.type)], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
   where listed.reference_type <> 'admin-transaction' and listed.type <> 'reversal'
$$;
create function list_total_row(listed admin_transaction) returns setof list_total_delta language sql stable as $$
  select 'transaction', array[listed.status, listed.type], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed audit_entry) returns setof list_total_delta language sql stable as $$
  select 'audit_entry', array[listed.actor, listed.action, listed.subject_type], utc_day(listed.at), null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed webhook_event) returns setof list_total_delta language sql stable as $$
  select 'webhook_event', array[listed.status, listed.provider, listed.kind], utc_day(listed.received_at), null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed transaction_request) returns setof list_total_delta language sql stable as $$
  select 'transaction_request', array[listed.status, listed.type, listed.assigned_to], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed yield_report) returns setof list_total_delta language sql stable as $$
  select 'yield_report', array[listed.state], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;
create function list_total_row(listed faucet_payout) returns setof list_total_delta language sql stable as $$
  select 'faucet_payout', array[]::text[], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;

create function track_list_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_delta select * from list_total_row(new);
  elsif tg_op = 'DELETE' then
    insert into list_total_delta
    select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from list_total_row(old);
  elsif (select before from list_total_row(old) as before)
        is distinct from (select after from list_total_row(new) as after) then
    insert into list_total_delta
    select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from list_total_row(old)
    union all select * from list_total_row(new);
  end if;
  return null;
end
$$ set search_path = public, pg_temp;

create trigger withdrawal_list_totals after insert or update or delete on withdrawal
  for each row execute function track_list_totals();
create trigger investment_list_totals after insert or update or delete on investment
  for each row execute function track_list_totals();
create trigger user_transaction_list_totals after insert or update or delete on user_transaction
  for each row execute function track_list_totals();
create trigger admin_transaction_list_totals after insert or update or delete on admin_transaction
  for each row execute function track_list_totals();
create trigger audit_entry_list_totals after insert on audit_entry
  for each row execute function track_list_totals();
create trigger webhook_event_list_totals after insert or update or delete on webhook_event
  for each row execute function track_list_totals();
create trigger transaction_request_list_totals after insert or update or delete on transaction_request
  for each row execute function track_list_totals();
create trigger yield_report_list_totals after insert or update or delete on yield_report
  for each row execute function track_list_totals();
create trigger faucet_payout_list_totals after insert or update or delete on faucet_payout
  for each row execute function track_list_totals();

-- Moves the deltas into list_total. One process at a time runs it; writers do not wait, and every snapshot sees each
-- contribution in exactly one of the two tables.
create function compact_list_totals() returns void language plpgsql as $$
begin
  with gone as (delete from list_total_delta returning *)
  insert into list_total as held (list, facets, span, place, rows, amount, since, took, units, value, growth)
  select list, facets, span, kind.place, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
    from gone,
         lateral (values ('all', 0), ('day', day_number(day)), ('fine', band), ('coarse', amount_band(band, 1)))
           as kind(span, place)
   where kind.place is not null group by 1, 2, 3, 4
  on conflict (list, span, place, facets) do update
    set rows = held.rows + excluded.rows, amount = held.amount + excluded.amount, since = held.since + excluded.since,
        took = held.took + excluded.took, units = held.units + excluded.units, value = held.value + excluded.value,
        growth = held.growth + excluded.growth;
end
$$ set search_path = public, pg_temp;

-- The contributions of all rows, computed from the listed tables, to compare with the totals or to fill them.
create view list_total_recomputed as
select list_total_row.* from withdrawal, list_total_row(withdrawal) union all
select list_total_row.* from investment, list_total_row(investment) union all
select list_total_row.* from user_transaction, list_total_row(user_transaction) union all
select list_total_row.* from admin_transaction, list_total_row(admin_transaction) union all
select list_total_row.* from audit_entry, list_total_row(audit_entry) union all
select list_total_row.* from webhook_event, list_total_row(webhook_event) union all
select list_total_row.* from transaction_request, list_total_row(transaction_request) union all
select list_total_row.* from yield_report, list_total_row(yield_report) union all
select list_total_row.* from faucet_payout, list_total_row(faucet_payout);

-- Computes all totals again, after rows were loaded while triggers were disabled. Writers wait until it is done.
create function rebuild_list_totals() returns void language plpgsql as $$
begin
  lock table withdrawal, investment, user_transaction, admin_transaction, audit_entry, webhook_event, transaction_request,
             yield_report, faucet_payout in share mode;
  lock table list_total_delta, list_total in exclusive mode;
  delete from list_total_delta;
  delete from list_total;
  insert into list_total_delta
  select list, facets, day, band, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
    from list_total_recomputed group by list, facets, day, band;
  perform compact_list_totals();
end
$$ set search_path = public, pg_temp;

-- Whether the first facets equal the wanted ones; null matches every value.
create function facets_match(facets text[], wanted text[]) returns boolean language sql immutable parallel safe as $$
  select (wanted[1] is null or facets[1] = wanted[1]) and (wanted[2] is null or facets[2] = wanted[2])
     and (wanted[3] is null or facets[3] = wanted[3])
$$;

-- Totals over all time.
create function list_totals(its_list text, wanted text[]) returns setof list_total_delta language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_total where list = its_list and span = 'all' and place = 0 and facets_match(facets, wanted)
  union all
  select * from list_total_delta where list = its_list and facets_match(facets, wanted)
$$;
-- Totals over whole days, first and last included.
create function list_totals_of_days(its_list text, wanted text[], first date, last date) returns setof list_total_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_total where list = its_list and span = 'day' and place between day_number(first) and day_number(last)
                      and facets_match(facets, wanted)
  union all
  select * from list_total_delta where list = its_list and day between first and last and facets_match(facets, wanted)
$$;
-- Totals over the bands of amounts above the band of `lowest`.
create function list_totals_above(its_list text, wanted text[], lowest numeric) returns setof list_total_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_total where list = its_list and span = 'coarse' and place >= next_amount_band(lowest, 1)
                      and facets_match(facets, wanted)
  union all
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_total where list = its_list and span = 'fine' and place >= next_amount_band(lowest, 3)
                      and place < next_amount_band(lowest, 1) and facets_match(facets, wanted)
  union all
  select * from list_total_delta where list = its_list and band >= next_amount_band(lowest, 3) and facets_match(facets, wanted)
$$;

