-- Operators decide on yield reports; and sums for the dashboard and the reports, so that no figure costs a look at
-- everything that ever happened.

-- A report beyond the tolerance waits until an admin decides, once.
alter table yield_report
  add column id              uuid not null default gen_random_uuid(),
  add column decided_at      timestamptz, -- domain time
  add column decided_by      text,        -- an admin's e-mail address
  add column decision_reason text,
  add constraint yield_report_id unique (id),
  drop constraint yield_report_state,
  add constraint yield_report_state check (state in ('rate', 'fold', 'waiting', 'ignored', 'rejected')),
  add constraint yield_report_decided check
    ((decided_at is null) = (decided_by is null)
     and case state when 'waiting' then decided_at is null when 'rejected' then decided_at is not null else true end);
create index yield_report_by_time on yield_report (reported_at, id);
create index yield_report_by_state on yield_report (state, reported_at, id);

-- What each hour of domain time changed, by strategy ('' where there is none). Whoever writes a fact appends what it
-- changes here, in the same transaction: nothing is ever behind, and no row is waited for. `report_fold` puts the
-- rows together from time to time; sums over both tables are the same before and after.
create table report_delta (
  hour             timestamptz not null,
  strategy_id      text not null default '',
  users            bigint not null default 0,  -- registered
  holders          bigint not null default 0,  -- users who began to have an open investment, less those who ceased to
  made             bigint not null default 0,  -- investments made, whatever became of them
  made_amount      numeric not null default 0, -- their principal when they were made
  active           bigint not null default 0,  -- investments that became active, less those that ceased to be
  pending          bigint not null default 0,  -- the same of pending ones
  principal        numeric not null default 0, -- of open investments
  accrued          numeric not null default 0, -- growth owed to their holders: the account strategy.accrued
  management_fees  numeric not null default 0, -- received by the income accounts
  performance_fees numeric not null default 0,
  settled          bigint not null default 0,  -- deposits and withdrawals completed
  settled_ms       numeric not null default 0, -- milliseconds that they took together
  constraint report_delta_hour check (hour = date_trunc('hour', hour, 'UTC'))
);

-- The same, folded: a row for each hour, and one for each UTC day, which says the same in fewer rows.
create table report_rollup (
  span  text not null,
  since timestamptz not null,
  like report_delta including defaults,
  primary key (span, since, strategy_id),
  constraint report_rollup_span check (span in ('hour', 'day')),
  constraint report_rollup_since check (since = date_trunc(span, since, 'UTC'))
);
alter table report_rollup drop column hour;

-- Gaps in which users had no open investment: from the hour in which one ended (-infinity: never had one) to the hour
-- in which one began (infinity: not yet). They tell how many users of one time were there at another, which sums can not.
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

-- The strategy of the investment that a posting names; '' where it names none.
create function report_strategy_of(posting uuid) returns text language plpgsql stable as $$
begin
  return coalesce((select strategy_id from ledger_transaction as posted, investment
                    where posted.id = posting and reference_type = 'investment'
                      and pg_input_is_valid(split_part(reference_id, ':', 1), 'uuid')
                      and investment.id = split_part(reference_id, ':', 1)::uuid), '');
end
$$ set search_path = public, pg_temp;

-- A user begins to hold where the balance of user.invested leaves zero and ceases to where it comes to it; the account
-- is locked by its posting, so that one entry after the other is seen. The entry before the first of a stretch is the
-- last of the stretch before.
create function report_entries_posted() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, holders, accrued, management_fees, performance_fees)
  select report_hour(entry.effective_at),
         case account.kind when 'user.invested' then '' when 'strategy.accrued' then account.scope
                           else report_strategy_of(entry.transaction_id) end,
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

-- Puts what was appended so far together with what was before. One at a time; writers are not held up, and every
-- snapshot sees each change in one of the two places.
create function report_fold() returns void language plpgsql as $$
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

-- All of it anew from what it sums up: for what was there before this migration, and after rows were loaded with
-- triggers off. Writers wait meanwhile.
create function report_rebuild() returns void language plpgsql as $$
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
  select report_hour(entry.effective_at), report_strategy_of(entry.transaction_id),
         coalesce(sum(entry.amount) filter (where entry.amount > 0), 0), sum(entry.amount)
    from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
   where kind = 'user.invested' and entry.asset = 'USDC' group by 1, 2;

  insert into report_delta (hour, strategy_id, accrued, management_fees, performance_fees)
  select report_hour(entry.effective_at),
         case kind when 'strategy.accrued' then account.scope else report_strategy_of(entry.transaction_id) end,
         coalesce(sum(amount) filter (where kind = 'strategy.accrued'), 0),
         coalesce(sum(amount) filter (where kind = 'income.management-fee'), 0),
         coalesce(sum(amount) filter (where kind = 'income.performance-fee'), 0)
    from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
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
select report_rebuild();
