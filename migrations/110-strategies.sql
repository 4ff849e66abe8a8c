-- Strategies, their published net asset values, the growth posted for each day, and the yield reports of the custody provider.

-- A strategy that is removed from the file stays for the investments that were made in it.
create table strategy (
  id          text primary key,
  position    integer not null,
  name        text not null,
  description text not null,
  risk_level  text not null,
  apy         numeric not null,
  minimum     numeric not null,
  maximum     numeric not null,
  protocols   jsonb not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  removed_at  timestamptz,
  former_apy  numeric,
  apy_from    date,
  constraint strategy_risk_level check (risk_level in ('low', 'medium', 'high')),
  constraint strategy_apy check (apy >= 0),
  constraint strategy_limits check (minimum > 0 and maximum >= minimum),
  constraint strategy_apy_from check (num_nonnulls(former_apy, apy_from) in (0, 2))
);
comment on table strategy is 'Strategies, filled from STRATEGIES_FILE at the start. One that is removed from the file stays.';
comment on column strategy.id is 'such as balanced-10';
comment on column strategy.position is 'place in the file, from 0';
comment on column strategy.name is 'shown to users';
comment on column strategy.description is 'shown to users';
comment on column strategy.risk_level is 'low, medium or high';
comment on column strategy.apy is 'target, percent per year';
comment on column strategy.minimum is 'smallest investment, USDC';
comment on column strategy.maximum is 'largest investment, USDC';
comment on column strategy.protocols is '[{name, weight}], weights in percent';
comment on column strategy.created_at is 'domain time at which it was first in the file';
comment on column strategy.updated_at is 'domain time of the latest change';
comment on column strategy.removed_at is 'domain time at which it was first missing from the file';
comment on column strategy.former_apy is 'target before apy_from, percent per year';
comment on column strategy.apy_from is 'first UTC day of the present target; null if it has never changed';

-- The database's clock decides which days have begun: a process whose clock is wrong can publish nothing. The argument of a trigger is the
-- number of days from today to the last day that a row may be about.
create function refuse_early_day() returns trigger language plpgsql as $$
begin
  if new.day > domain_today() + tg_argv[0]::integer then
    raise exception '%: the row of % for % is refused: by the clock of the database it is too early', tg_table_name, new.strategy_id, new.day
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end
$$ set search_path = public, pg_temp;

create table strategy_nav (
  strategy_id text not null,
  day         date not null,
  nav         numeric(38, 24) not null,
  apy         numeric not null,
  correction  numeric not null default 1,
  source      text not null,
  primary key (strategy_id, day),
  constraint strategy_nav_positive check (nav > 0 and correction > 0),
  constraint strategy_nav_apy check (apy > -100),
  constraint strategy_nav_source check (source in ('first', 'target', 'reported', 'suspended'))
);
comment on table strategy_nav is 'The value of one unit of a strategy on a UTC day, published when the day before it begins.';
comment on column strategy_nav.strategy_id is 'the strategy';
comment on column strategy_nav.day is 'the UTC day';
comment on column strategy_nav.nav is 'USDC per unit, 24 decimals';
comment on column strategy_nav.apy is 'rate that was applied to the value of the day before, percent per year';
comment on column strategy_nav.correction is 'factor from late reports of earlier days';
comment on column strategy_nav.source is 'first, target, reported or suspended';

create trigger strategy_nav_immutable before update or delete or truncate on strategy_nav
  for each statement execute function refuse_change();

create trigger strategy_nav_day_begun before insert on strategy_nav
  for each row execute function refuse_early_day(1);

create table strategy_accrual (
  strategy_id text not null,
  day         date not null,
  units       numeric not null,
  growth      numeric not null,
  carry       numeric not null,
  primary key (strategy_id, day),
  foreign key (strategy_id, day) references strategy_nav (strategy_id, day),
  constraint strategy_accrual_units check (units >= 0),
  constraint strategy_accrual_growth check (scale(growth) <= 6),
  constraint strategy_accrual_carry check (abs(carry) <= 0.0000005)
);
comment on table strategy_accrual is 'The growth that was posted when a day began.';
comment on column strategy_accrual.strategy_id is 'the strategy';
comment on column strategy_accrual.day is 'the UTC day';
comment on column strategy_accrual.units is 'units that earned on the day before';
comment on column strategy_accrual.growth is 'posted, USDC, six decimals';
comment on column strategy_accrual.carry is 'the part below six decimals, added to the growth of the next day, USDC';

create trigger strategy_accrual_immutable before update or delete or truncate on strategy_accrual
  for each statement execute function refuse_change();

create trigger strategy_accrual_day_begun before insert on strategy_accrual
  for each row execute function refuse_early_day(0);

-- A report outside the tolerance has the state `waiting` until an admin decides, once. A corrected report replaces rate and amount of
-- an earlier one of the same day; it may omit the amount while it waits, which leaves the amount unchanged.
create table yield_report (
  id              uuid not null default gen_random_uuid(),
  sequence        bigint not null generated always as identity,
  event_id        text primary key,
  strategy_id     text not null,
  day             date not null,
  apy             numeric not null,
  used_apy        numeric not null,
  realised_amount numeric,
  state           text not null,
  reported_at     timestamptz not null,
  applied_on      date,
  decided_at      timestamptz,
  decided_by      text,
  decision_reason text,
  waiting_for     text[] not null default '{}',
  expected_amount numeric,
  seal            bytea,
  constraint yield_report_id unique (id),
  constraint yield_report_apy check (apy > -100 and used_apy > -100),
  constraint yield_report_realised check (realised_amount >= 0 and scale(realised_amount) <= 6),
  constraint yield_report_state check (state in ('rate', 'fold', 'waiting', 'ignored', 'rejected')),
  constraint yield_report_applied check (applied_on is null or state in ('rate', 'fold')),
  constraint yield_report_decided check
    ((decided_at is null) = (decided_by is null)
     and case state when 'waiting' then decided_at is null when 'rejected' then decided_at is not null else true end),
  constraint yield_report_waiting_for check (waiting_for <@ array['rate', 'realisedAmount']),
  constraint yield_report_expected check (expected_amount >= 0 and scale(expected_amount) <= 6)
);
comment on table yield_report is 'Reports of the custody provider about the yield of a strategy on a day.';
comment on column yield_report.id is 'identifier of the report (UUID)';
comment on column yield_report.sequence is 'order of arrival';
comment on column yield_report.event_id is 'identifier of the callback, so that a repetition counts once';
comment on column yield_report.strategy_id is 'the strategy';
comment on column yield_report.day is 'the UTC day that it is about';
comment on column yield_report.apy is 'achieved rate, percent per year';
comment on column yield_report.used_apy is 'rate of the day before this report, percent per year';
comment on column yield_report.realised_amount is 'yield that the provider realised, USDC; null if not stated';
comment on column yield_report.state is 'rate or fold (accepted), waiting, ignored or rejected';
comment on column yield_report.reported_at is 'domain time';
comment on column yield_report.applied_on is 'UTC day of the NAV that includes the report';
comment on column yield_report.decided_at is 'domain time of the decision of an admin';
comment on column yield_report.decided_by is 'e-mail address of that admin';
comment on column yield_report.decision_reason is 'why';
comment on column yield_report.waiting_for is 'what an admin decides or has decided about: rate, realisedAmount';
comment on column yield_report.expected_amount is 'yield at the reported rate, USDC; null without a stated amount';
comment on column yield_report.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index yield_report_of_day on yield_report (strategy_id, day, sequence);
create index yield_report_open on yield_report (strategy_id) where applied_on is null and state in ('rate', 'fold');
create index yield_report_by_time on yield_report (reported_at, id);
create index yield_report_by_state on yield_report (state, reported_at, id);

create trigger yield_report_kept before update on yield_report for each row execute function refuse_change(
  'id', 'event_id', 'strategy_id', 'day', 'apy', 'reported_at', 'applied_on', 'decided_at', 'decided_by', 'decision_reason',
  'expected_amount');
-- The acceptance of a waiting report replaces these columns.
create trigger yield_report_decided before update on yield_report for each row when (old.state <> 'waiting')
  execute function refuse_change('state', 'sequence', 'used_apy', 'realised_amount');
create trigger yield_report_permanent before delete or truncate on yield_report
  for each statement execute function refuse_change();
