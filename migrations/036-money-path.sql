-- Cheaper statements for requests that move money: fewer statements per posting, row triggers that run only for rows that
-- change a figure, and fewer indexes.
--
-- Processes of version 1.0.0 work with this schema. Triggers and functions keep their results; a query that used a dropped
-- index reads the user's rows by another one; `transactions` and `failed_transactions` of `user_figures` become functions that
-- the same SQL calls; the functions that compact totals can still be called without arguments.

-- The tables that are altered, in the order in which requests write them, so that a request waits and does not deadlock. If
-- a long read holds one of them, the migration fails after ten seconds and the next start repeats it; requests would wait for
-- the migration otherwise.
set local lock_timeout = '10s';
lock table idempotency_result, webhook_event, transaction_request, admin_transaction, yield_report, faucet_payout,
           withdrawal, investment, ledger_entry, user_transaction, user_figures in access exclusive mode;

-- Rounding and idempotency

-- As before, with fewer operations for a value that is not half-way between two results: one that is has one decimal more.
create or replace function round_half_even(value numeric, places integer) returns numeric
  language sql immutable parallel safe as $$
  select case when min_scale(value) = places + 1
               and abs(value - trunc(value, places)) * power(10::numeric, places) = 0.5
               and mod(trunc(value, places) * power(10::numeric, places), 2) = 0
              then trunc(value, places) else round(value, places) end
$$;

-- The same keys. A regular expression with a repetition count takes longer than the rest of the insertion's checks.
alter table idempotency_result drop constraint idempotency_result_key,
  add constraint idempotency_result_key check (length(key) between 1 and 255 and key !~ '[^\x21-\x7e]');

-- The ledger

-- Checks inserted entries and applies them to the users' balances. All entries of a transaction arrive in one statement
-- and sum to zero in each asset. The trigger runs after the statement, over the rows that were actually inserted: a
-- row-level trigger before the insert would also change balances for rows that ON CONFLICT skips.
create or replace function ledger_entry_apply() returns trigger language plpgsql as $$
declare
  posting record;
  entry record;
  balance_now numeric;
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

  for entry in select account_id, asset, amount, balance_after from new_entries order by id loop
    if entry.balance_after is null then
      perform from ledger_account where id = entry.account_id and asset = entry.asset and balance is null;
    else
      update ledger_account set balance = balance + entry.amount where id = entry.account_id and asset = entry.asset
      returning balance into balance_now;
    end if;
    if not found then
      raise exception 'ledger: no account % in % that matches the entry', entry.account_id, entry.asset
        using errcode = 'foreign_key_violation';
    end if;
    continue when entry.balance_after is null;
    if entry.balance_after is distinct from balance_now then
      raise exception 'ledger: the balance is %, not %', balance_now, entry.balance_after using errcode = 'check_violation';
    end if;
    if scale(entry.amount) > ledger_scale(entry.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', entry.amount, entry.asset
        using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables

-- Posts any number of transactions in one round trip. Each: {id, type, referenceType, referenceId, at, description,
-- entries: [{owner, kind, scope, asset, amount, category}]}. Accounts are opened and locked in the order of their
-- identity, whatever the order of the entries, so that concurrent postings cannot deadlock. Of a user's accounts
-- user.available comes first; callers that lock an account beforehand lock that one. Accounts of the platform are not
-- locked.
create or replace function ledger_post(postings jsonb) returns void language plpgsql as $$
declare
  platform constant uuid := '00000000-0000-0000-0000-000000000000';
  line record;
  its_owner uuid;
  its_kind text;
  its_scope text;
  its_asset text;
  its_account bigint;
  balance_now numeric;
  entries ledger_entry[];
begin
  insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
  select id, type, "referenceType", "referenceId", at, description
    from jsonb_to_recordset(postings)
      as posting(id uuid, type text, "referenceType" text, "referenceId" text, at timestamptz, description text);

  for line in
    select posting.id as transaction_id, posting.at as effective_at,
           given.owner, given.kind, given.scope, given.asset, given.amount, given.category
      from rows from (jsonb_to_recordset(postings) as (id uuid, at timestamptz, entries jsonb))
             with ordinality as posting(id, at, entries, place),
           lateral rows from (jsonb_to_recordset(posting.entries)
             as (owner uuid, kind text, scope text, asset text, amount numeric, category text))
             with ordinality as given(owner, kind, scope, asset, amount, category, place)
     order by given.owner, given.kind, given.scope, given.asset, posting.place, given.place
  loop
    if (line.owner, line.kind, line.scope, line.asset) is distinct from (its_owner, its_kind, its_scope, its_asset) then
      its_owner := line.owner;
      its_kind := line.kind;
      its_scope := line.scope;
      its_asset := line.asset;
      if its_owner = platform then
        select id, null into its_account, balance_now from ledger_account
         where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset;
      else
        select id, balance into its_account, balance_now from ledger_account
         where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset
           for no key update;
      end if;
      if not found then
        select id, balance into its_account, balance_now
          from ledger_account_named(its_owner, its_kind, its_scope, its_asset);
      end if;
    end if;
    balance_now := balance_now + line.amount;
    entries := entries || row(null, line.transaction_id, its_account, line.asset, line.amount, balance_now,
                              line.category, line.effective_at)::ledger_entry;
  end loop;

  insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
  select transaction_id, account_id, asset, amount, balance_after, category, effective_at from unnest(entries);
end
$$ set search_path = public, pg_temp
   set plan_cache_mode = force_generic_plan; -- planning each call would cost more than the posting itself

-- Indexes

-- No list takes longer without the indexes that are dropped here (`npm run bench -- lists`).
drop index investment_of_user_by_amount;
drop index investment_of_user_by_strategy;
drop index investment_pending_of_user;
drop index user_transaction_by_status;
drop index user_transaction_by_time;
create index user_transaction_by_time on user_transaction (user_id, created_at, id) include (type, status);

-- Partial, because most rows have null.
alter table investment drop constraint investment_moved_once;
create unique index investment_moved_once on investment (moved_from) where moved_from is not null;

-- Figures of users. Their transactions are counted when they are read.

drop trigger user_figures_apply_new_transaction on user_transaction;
drop trigger user_figures_apply_failure on user_transaction;
drop function user_figures_apply_transaction();
drop view user_figures_recomputed;
alter table user_figures drop column transactions, drop column failed_transactions;

-- For version 1.0.0: PostgreSQL reads `f.transactions` as `transactions(f)` if `f` has no such column. A later release drops
-- both functions.
create function transactions(figures user_figures) returns integer language sql stable as $$
  select count(*)::integer from user_transaction where user_id = figures.user_id
$$;
create function failed_transactions(figures user_figures) returns integer language sql stable as $$
  select count(*)::integer from user_transaction where user_id = figures.user_id and status = 'failed'
$$;

-- The same figures computed from the ledger, to compare with the table or to fill it.
create view user_figures_recomputed as
select platform_user.id as user_id,
       coalesce(moved.investments, 0)::integer as investments, coalesce(moved.total_invested, 0) as total_invested,
       coalesce(moved.total_withdrawn, 0) as total_withdrawn, coalesce(moved.total_earnings, 0) as total_earnings
  from platform_user
  left join (
    select account.owner_id,
           count(*) filter (where is_new) as investments,
           sum(entry.amount) filter (where is_new) as total_invested,
           -sum(entry.amount) filter (where entry.category = 'withdrawal') as total_withdrawn,
           sum(entry.amount) filter (where entry.category = 'earning') as total_earnings
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      join ledger_transaction as posted on posted.id = entry.transaction_id
      left join investment on posted.reference_type = 'investment' and investment.id::text = posted.reference_id
      cross join lateral (
        select account.kind = 'user.invested' and posted.type = 'investment' and investment.moved_from is null
      ) as judged(is_new)
     where account.balance is not null and account.asset = 'USDC'
     group by account.owner_id
  ) as moved on moved.owner_id = platform_user.id;

-- The figures are updated at commit: their row is locked after all other rows and only briefly, so that transactions with
-- different lock orders cannot deadlock on it. Requesting and releasing a withdrawal move money between accounts of one
-- user, which sums to zero here and is left out; paying it out does not.
create or replace function user_figures_apply_entry() returns trigger language plpgsql as $$
declare
  about record;
begin
  select owner_id, account.kind, posted.type, reference_type, reference_id into about
    from ledger_account as account, ledger_transaction as posted
   where account.id = new.account_id and posted.id = new.transaction_id;
  if new.category = 'withdrawal' then
    if about.type not in ('withdrawal-requested', 'withdrawal-released') then
      update user_figures set total_withdrawn = total_withdrawn - new.amount where user_id = about.owner_id;
    end if;
  elsif new.category = 'earning' then
    update user_figures set total_earnings = total_earnings + new.amount where user_id = about.owner_id;
  elsif about.kind = 'user.invested' and about.type = 'investment'
        and not (about.reference_type = 'investment'
                 and exists (select from investment where id = about.reference_id::uuid and moved_from is not null)) then
    update user_figures set investments = investments + 1, total_invested = total_invested + new.amount
     where user_id = about.owner_id;
  end if;
  return null;
end
$$ set search_path = public, pg_temp;

-- Reports. The triggers of investments, entries and transactions run for each row: these are written one by one, and WHEN
-- clauses select those that change a figure.

drop trigger report_investments_made on investment;
create or replace function report_investments_made() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, made, made_amount, active, pending, principal)
  values (report_hour(new.created_at), new.strategy_id, 1, new.amount, (new.status = 'active')::int,
          (new.status = 'pending')::int, case when new.status in ('active', 'pending') then new.amount else 0 end);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_investments_made after insert on investment
  for each row execute function report_investments_made();

drop trigger report_investments_changed on investment;
create or replace function report_investments_changed() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, active, pending, principal)
  values (report_hour(new.updated_at), new.strategy_id, (new.status = 'active')::int - (old.status = 'active')::int,
          (new.status = 'pending')::int - (old.status = 'pending')::int,
          case when new.status in ('active', 'pending') then new.amount else 0 end
            - case when old.status in ('active', 'pending') then old.amount else 0 end);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_investments_changed after update of status, amount on investment
  for each row execute function report_investments_changed();

-- A user becomes a holder when the balance of user.invested leaves zero and stops being one when it returns to zero. The
-- posting locks the account, so that its entries are seen one after the other: the entry before the first entry of a
-- holding period is the last entry of the previous period.
drop trigger report_entries_posted on ledger_entry;
drop function report_entries_posted();
create or replace function report_entry_posted() returns trigger language plpgsql as $$
declare
  its_kind text;
  its_scope text;
  at constant timestamptz := report_hour(new.effective_at);
  before timestamptz;
begin
  select kind, scope into its_kind, its_scope from ledger_account where id = new.account_id;
  if its_kind = 'strategy.accrued' then
    insert into report_delta (hour, strategy_id, accrued) values (at, its_scope, new.amount);
  elsif its_kind = 'income.management-fee' then
    insert into report_delta (hour, strategy_id, management_fees) values (at, report_strategy(new.transaction_id), new.amount);
  elsif its_kind = 'income.performance-fee' then
    insert into report_delta (hour, strategy_id, performance_fees) values (at, report_strategy(new.transaction_id), new.amount);
  elsif its_kind = 'user.invested' and new.balance_after = 0 then
    insert into report_delta (hour, holders) values (at, -1);
    insert into report_gap_delta (ended, resumed, users) values (at, 'infinity', 1);
  elsif its_kind = 'user.invested' then
    before := report_hour((select max(effective_at) from ledger_entry where account_id = new.account_id and id < new.id));
    insert into report_delta (hour, holders) values (at, 1);
    if before is not null then
      insert into report_gap_delta (ended, resumed, users) values (before, 'infinity', -1);
    end if;
    if before is distinct from at then
      insert into report_gap_delta (ended, resumed, users) values (coalesce(before, '-infinity'), at, 1);
    end if;
  end if;
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_entry_posted after insert on ledger_entry
  for each row when (new.asset = 'USDC' and (new.balance_after is null or new.balance_after in (0, new.amount)))
  execute function report_entry_posted();

drop trigger report_transactions_added on user_transaction;
drop function report_transactions_added();
drop trigger report_transactions_changed on user_transaction;
drop function report_transactions_changed();
create or replace function report_transaction_settled() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, settled, settled_ms)
  values (report_hour(new.completed_at), 1, extract(epoch from new.completed_at - new.created_at) * 1000);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger report_transactions_added after insert on user_transaction for each row
  when (new.type in ('deposit', 'withdrawal') and new.completed_at is not null) execute function report_transaction_settled();
create trigger report_transactions_changed after update of completed_at on user_transaction for each row
  when (new.type in ('deposit', 'withdrawal') and old.completed_at is null and new.completed_at is not null)
  execute function report_transaction_settled();

-- Totals of lists. The triggers name the columns that list_total_row reads, so that they do not run for updates of others.

-- Appends what a row contributes now and takes back what it contributed before.
create or replace function track_list_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_delta select * from list_total_row(new);
  elsif tg_op = 'DELETE' then
    insert into list_total_delta
    select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from list_total_row(old);
  else
    insert into list_total_delta
    select list, facets, day, band, -rows, -amount, -since, -took, -units, -value, -growth from list_total_row(old)
    union all select * from list_total_row(new);
  end if;
  return null;
end
$$ set search_path = public, pg_temp;

drop trigger withdrawal_list_totals on withdrawal;
create trigger withdrawal_list_totals
  after insert or delete or update of status, amount, created_at, completed_at on withdrawal
  for each row execute function track_list_totals();
drop trigger investment_list_totals on investment;
create trigger investment_list_totals
  after insert or delete or update of status, strategy_id, amount, created_at, units, final_value, closed_growth on investment
  for each row execute function track_list_totals();
drop trigger user_transaction_list_totals on user_transaction;
create trigger user_transaction_list_totals
  after insert or delete or update of status, type, reference_type on user_transaction
  for each row execute function track_list_totals();
drop trigger admin_transaction_list_totals on admin_transaction;
create trigger admin_transaction_list_totals
  after insert or delete or update of status, type on admin_transaction
  for each row execute function track_list_totals();
drop trigger webhook_event_list_totals on webhook_event;
create trigger webhook_event_list_totals
  after insert or delete or update of status, provider, kind, received_at on webhook_event
  for each row execute function track_list_totals();
drop trigger transaction_request_list_totals on transaction_request;
create trigger transaction_request_list_totals
  after insert or delete or update of status, type, assigned_to on transaction_request
  for each row execute function track_list_totals();
drop trigger yield_report_list_totals on yield_report;
create trigger yield_report_list_totals
  after insert or delete or update of state on yield_report
  for each row execute function track_list_totals();
drop trigger faucet_payout_list_totals on faucet_payout;
create trigger faucet_payout_list_totals after insert or delete on faucet_payout
  for each row execute function track_list_totals();

-- Compaction of the totals of lists and of reports. Version 1.0.0 calls the two functions without arguments.

-- Move deltas into the compacted tables, at most `max_rows` of each kind (null: all), and return the greatest number that was
-- moved. One process at a time runs them; writers do not wait, and every snapshot sees each change in exactly one of the two
-- tables.
create function compact_list_totals(max_rows bigint) returns bigint language plpgsql as $$
declare
  moved bigint;
begin
  with gone as (
    delete from list_total_delta where ctid = any (array(select ctid from list_total_delta limit max_rows)) returning *
  ), compacted as (
    insert into list_total as held (list, facets, span, place, rows, amount, since, took, units, value, growth)
    select list, facets, span, kind.place, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
      from gone,
           lateral (values ('all', 0), ('day', day_number(day)), ('fine', band), ('coarse', amount_band(band, 1)))
             as kind(span, place)
     where kind.place is not null group by 1, 2, 3, 4
    on conflict (list, span, place, facets) do update
      set rows = held.rows + excluded.rows, amount = held.amount + excluded.amount, since = held.since + excluded.since,
          took = held.took + excluded.took, units = held.units + excluded.units, value = held.value + excluded.value,
          growth = held.growth + excluded.growth
  )
  select count(*) into moved from gone;
  return moved;
end
$$ set search_path = public, pg_temp;

create function compact_report_totals(max_rows bigint) returns bigint language plpgsql as $$
declare
  moved bigint;
  moved_gaps bigint;
begin
  with gone as (
    delete from report_delta where ctid = any (array(select ctid from report_delta limit max_rows)) returning *
  ), compacted as (
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
          settled = held.settled + excluded.settled, settled_ms = held.settled_ms + excluded.settled_ms
  )
  select count(*) into moved from gone;

  with gone as (
    delete from report_gap_delta where ctid = any (array(select ctid from report_gap_delta limit max_rows)) returning *
  ), compacted as (
    insert into report_gap as held
    select ended, resumed, sum(users) from gone group by 1, 2
    on conflict (ended, resumed) do update set users = held.users + excluded.users
  )
  select count(*) into moved_gaps from gone;
  return greatest(moved, moved_gaps);
end
$$ set search_path = public, pg_temp;

create or replace function compact_list_totals() returns void language sql as $$ select compact_list_totals(null) $$;
create or replace function compact_report_totals() returns void language sql as $$ select compact_report_totals(null) $$;
