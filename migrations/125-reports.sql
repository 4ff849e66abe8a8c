-- Totals of lists, reports and users as sums by hour and by day that a job recomputes from the rows.

-- The hour of a time, in UTC.
create function report_hour(at timestamptz) returns timestamptz language sql stable parallel safe
  return date_trunc('hour', at, 'UTC');

create table user_figures (
  user_id         uuid primary key references platform_user on delete cascade,
  investments     integer not null default 0,
  total_invested  numeric not null default 0,
  total_withdrawn numeric not null default 0,
  total_earnings  numeric not null default 0,
  invested        numeric not null default 0,
  constraint user_figures_invested check (investments >= 0 and total_invested >= 0)
) with (fillfactor = 70); -- leaves space for heap-only updates
comment on table user_figures is 'Lifetime figures of users, by which the admins'' list sorts. A consumer of events computes them from the ledger.';
comment on column user_figures.user_id is 'the user';
comment on column user_figures.investments is 'investments ever made; a move counts as none';
comment on column user_figures.total_invested is 'their principal, USDC';
comment on column user_figures.total_withdrawn is 'paid out, USDC';
comment on column user_figures.total_earnings is 'growth realised by closings, before fees, USDC; a loss is negative';
comment on column user_figures.invested is 'balance of the account user.invested, USDC';

create index user_figures_by_invested on user_figures (total_invested, user_id);

create function user_figures_create() returns trigger language plpgsql as $$
begin
  insert into user_figures (user_id) values (new.id);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger user_figures_create after insert on platform_user
  for each row execute function user_figures_create();

-- The same figures computed from the ledger, one user after the other, so that the figures of a few users cost a few reads.
create view user_figures_recomputed as
select platform_user.id as user_id, moved.investments, moved.total_invested, moved.total_withdrawn, moved.total_earnings,
       moved.invested
  from platform_user
 cross join lateral (
    select count(*) filter (where is_new)::integer as investments,
           coalesce(sum(entry.amount) filter (where is_new), 0) as total_invested,
           coalesce(-sum(entry.amount) filter (where entry.category = 'withdrawal'), 0) as total_withdrawn,
           coalesce(sum(entry.amount) filter (where entry.category = 'earning'), 0) as total_earnings,
           coalesce(sum(entry.amount) filter (where account.kind = 'user.invested'), 0) as invested
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
comment on view user_figures_recomputed is 'The figures of users computed from the ledger, to fill user_figures or to compare with it.';
comment on column user_figures_recomputed.user_id is 'the user';
comment on column user_figures_recomputed.investments is 'as in user_figures';
comment on column user_figures_recomputed.total_invested is 'as in user_figures';
comment on column user_figures_recomputed.total_withdrawn is 'as in user_figures';
comment on column user_figures_recomputed.total_earnings is 'as in user_figures';
comment on column user_figures_recomputed.invested is 'as in user_figures';

-- From the hour in which the last investment ended (-infinity: there was none before) to the hour in which the next one began
-- (infinity: not yet). Recomputed for each user whose investments change.
create table user_gap (
  user_id uuid not null,
  ended   timestamptz not null,
  resumed timestamptz not null,
  primary key (user_id, ended, resumed)
);
comment on table user_gap is 'Times in which a user had no open investment.';
comment on column user_gap.user_id is 'the user';
comment on column user_gap.ended is 'hour in which the last investment ended; -infinity: there was none before';
comment on column user_gap.resumed is 'hour in which the next one began; infinity: not yet';

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
comment on view user_gap_recomputed is 'The gaps of users computed from the ledger, to fill user_gap or to compare with it.';
comment on column user_gap_recomputed.user_id is 'the user';
comment on column user_gap_recomputed.ended is 'as in user_gap';
comment on column user_gap_recomputed.resumed is 'as in user_gap';

-- The primary key includes all columns: a report reads a row per day or hour from the index, where these are adjacent; in the table
-- each would be on a page of its own.
create table report_rollup (
  span              text not null,
  since             timestamptz not null,
  strategy_id       text not null default '',
  users             bigint not null default 0,
  holders           bigint not null default 0,
  made              bigint not null default 0,
  made_amount       numeric not null default 0,
  active            bigint not null default 0,
  pending           bigint not null default 0,
  principal         numeric not null default 0,
  accrued           numeric not null default 0,
  management_fees   numeric not null default 0,
  performance_fees  numeric not null default 0,
  settled           bigint not null default 0,
  settled_ms        numeric not null default 0,
  pending_principal numeric not null default 0,
  primary key (span, since, strategy_id)
    include (users, holders, made, made_amount, active, pending, principal, pending_principal, accrued, management_fees,
             performance_fees, settled, settled_ms),
  constraint report_rollup_span check (span in ('hour', 'day')),
  constraint report_rollup_since check (since = date_trunc(span, since, 'UTC'))
);
comment on table report_rollup is 'Sums of reports by hour and by UTC day, by strategy. A job computes them from the rows.';
comment on column report_rollup.span is 'hour or day';
comment on column report_rollup.since is 'UTC beginning of the span';
comment on column report_rollup.strategy_id is 'the strategy; empty for what has none';
comment on column report_rollup.users is 'users who registered';
comment on column report_rollup.holders is 'users who got a first open investment, less those who lost their last one';
comment on column report_rollup.made is 'investments made, whatever their status is now';
comment on column report_rollup.made_amount is 'their present principal, USDC';
comment on column report_rollup.active is 'investments that became active, less those that ceased to be';
comment on column report_rollup.pending is 'investments that became pending, less those that ceased to be';
comment on column report_rollup.principal is 'change of the principal of open investments, USDC';
comment on column report_rollup.accrued is 'change of the growth owed to their holders, USDC';
comment on column report_rollup.management_fees is 'received by the income account, USDC';
comment on column report_rollup.performance_fees is 'received by the income account, USDC';
comment on column report_rollup.settled is 'deposits and withdrawals completed';
comment on column report_rollup.settled_ms is 'sum of their durations in milliseconds';
comment on column report_rollup.pending_principal is 'the part of principal that waits for approval, USDC';

-- Sums of each hour of the last two days, and of each day, month and year, in UTC and in the list's own time. Each is recomputed from
-- the one below it; a day whose hours are not kept, from its rows.
create table list_sum (
  list   text not null,
  span   text not null,
  at     timestamptz not null,
  facets text[] not null,
  rows   bigint not null,
  amount numeric not null,
  since  numeric not null,
  took   numeric not null,
  units  numeric not null,
  value  numeric not null,
  growth numeric not null,
  primary key (list, span, at, facets),
  constraint list_sum_span check (span in ('hour', 'day', 'month', 'year')),
  constraint list_sum_at check (at = date_trunc(span, at, 'UTC'))
) with (fillfactor = 70); -- leaves space for heap-only updates
comment on table list_sum is 'Counts and sums of the admins'' lists by hour, day, month and year, by what the lists can be filtered by. A job computes them from the rows.';
comment on column list_sum.list is 'name of the list';
comment on column list_sum.span is 'hour, day, month or year';
comment on column list_sum.at is 'UTC beginning of the span, in the time of the list';
comment on column list_sum.facets is 'the values that the list is filtered by';
comment on column list_sum.rows is 'number of rows';
comment on column list_sum.amount is 'sum of their amounts';
comment on column list_sum.since is 'sum of the seconds from 1970 to their creation';
comment on column list_sum.took is 'sum of the seconds from their creation to their completion';
comment on column list_sum.units is 'sum of the units of active investments';
comment on column list_sum.value is 'sum of the values of other investments, and of deposits in USDC';
comment on column list_sum.growth is 'sum of the growth that partial closings realised';

-- A mark is appended in the transaction that changes a record, or by the consumer of its event, and deleted by the recomputation,
-- which thus sees the change. Marks have no key, so that no writer waits.
create table total_mark (
  id   bigint generated always as identity primary key,
  name text not null,
  hour timestamptz not null,
  constraint total_mark_hour check (hour = date_trunc('hour', hour, 'UTC'))
);
comment on table total_mark is 'Hours whose sums a job has to compute again.';
comment on column total_mark.id is 'number in the order of insertion';
comment on column total_mark.name is 'name of the list, or reports';
comment on column total_mark.hour is 'UTC beginning of the hour';

create index total_mark_by_name on total_mark (name, hour);

create table total_run (
  name        text primary key,
  as_of       timestamptz not null default 'epoch',
  hours_since timestamptz not null default 'epoch'
) with (fillfactor = 50);
comment on table total_run is 'State of the job that computes the sums of a list or of the reports.';
comment on column total_run.name is 'name of the list, or reports';
comment on column total_run.as_of is 'the sums include every change up to this time';
comment on column total_run.hours_since is 'the first day whose sums by hour are kept';

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
