-- Strategies, filled from STRATEGIES_FILE when the service starts. A strategy that is removed from the file stays, for
-- the investments that were made in it.
create table strategy (
  id          text primary key,
  position    integer not null, -- place in the file, from 0
  name        text not null,
  description text not null,
  risk_level  text not null,
  apy         numeric not null, -- target, percent per year
  minimum     numeric not null, -- smallest investment, USDC
  maximum     numeric not null, -- largest investment, USDC
  protocols   jsonb not null,   -- [{"name", "weight"}], weights in percent
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  removed_at  timestamptz,      -- when the strategy was first missing from the file
  constraint strategy_risk_level check (risk_level in ('low', 'medium', 'high')),
  constraint strategy_apy check (apy >= 0),
  constraint strategy_limits check (minimum > 0 and maximum >= minimum)
);

-- Strategies: the published net asset values, the growth posted for each day, and the yield reports of the custody
-- provider. Strategies themselves come from the configuration.

create function strategy_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: published rows are immutable', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- The value of one unit on a UTC day. A row is published when the day before it begins.
create table strategy_nav (
  strategy_id text not null,
  day         date not null,
  nav         numeric(38, 24) not null,
  apy         numeric not null,           -- percent per year, applied to the value of the day before
  correction  numeric not null default 1, -- factor from late reports of earlier days
  source      text not null,
  primary key (strategy_id, day),
  constraint strategy_nav_positive check (nav > 0 and correction > 0),
  constraint strategy_nav_apy check (apy > -100),
  constraint strategy_nav_source check (source in ('first', 'target', 'reported', 'suspended'))
);
create trigger strategy_nav_immutable before update or delete or truncate on strategy_nav
  for each statement execute function strategy_refuse_change();

-- The growth that was posted when a day began, and the units that had been earning the day before.
create table strategy_accrual (
  strategy_id text not null,
  day         date not null,
  units       numeric not null, -- issued two days before or earlier, outstanding when the day began
  growth      numeric not null, -- posted, six decimals
  carry       numeric not null, -- the part below six decimals: added to the next day's growth
  primary key (strategy_id, day),
  foreign key (strategy_id, day) references strategy_nav (strategy_id, day),
  constraint strategy_accrual_units check (units >= 0),
  constraint strategy_accrual_growth check (scale(growth) <= 6),
  constraint strategy_accrual_carry check (abs(carry) <= 0.0000005)
);
create trigger strategy_accrual_immutable before update or delete or truncate on strategy_accrual
  for each statement execute function strategy_refuse_change();

-- The database's clock decides which days have begun: a process whose clock is wrong can publish nothing.
create function strategy_nav_refuse_early_day() returns trigger language plpgsql as $$
begin
  if new.day > domain_today() + 1 then
    raise exception 'the value of % for % is refused: by the clock of the database the day before has not begun',
      new.strategy_id, new.day using errcode = 'check_violation', constraint = 'strategy_nav_day_begun';
  end if;
  return new;
end
$$ set search_path = public, pg_temp;
create trigger strategy_nav_day_begun before insert on strategy_nav
  for each row execute function strategy_nav_refuse_early_day();

create function strategy_accrual_refuse_early_day() returns trigger language plpgsql as $$
begin
  if new.day > domain_today() then
    raise exception 'the growth of % on % is refused: by the clock of the database that day has not begun',
      new.strategy_id, new.day using errcode = 'check_violation', constraint = 'strategy_accrual_day_begun';
  end if;
  return new;
end
$$ set search_path = public, pg_temp;
create trigger strategy_accrual_day_begun before insert on strategy_accrual
  for each row execute function strategy_accrual_refuse_early_day();

-- Reports of the custody provider. The event id makes repeated callbacks idempotent. A report outside the tolerance has
-- the state `waiting` until an admin decides, once. A corrected report replaces rate and amount of an earlier one of the
-- same day; it may omit the amount while it waits, which leaves the amount unchanged.
create table yield_report (
  id              uuid not null default gen_random_uuid(),
  sequence        bigint generated always as identity,
  event_id        text primary key,
  strategy_id     text not null,
  day             date not null,
  apy             numeric not null,
  used_apy        numeric not null, -- the rate of the day before this report
  realised_amount numeric,
  state           text not null,
  reported_at     timestamptz not null, -- domain time
  applied_on      date,                 -- day of the net asset value that includes the report
  decided_at      timestamptz,          -- domain time
  decided_by      text,                 -- an admin's e-mail address
  decision_reason text,
  constraint yield_report_id unique (id),
  constraint yield_report_apy check (apy > -100 and used_apy > -100),
  constraint yield_report_realised check (realised_amount >= 0 and scale(realised_amount) <= 6),
  constraint yield_report_realised_stated check (realised_amount is not null or state in ('waiting', 'rejected')),
  constraint yield_report_state check (state in ('rate', 'fold', 'waiting', 'ignored', 'rejected')),
  constraint yield_report_applied check (applied_on is null or state in ('rate', 'fold')),
  constraint yield_report_decided check
    ((decided_at is null) = (decided_by is null)
     and case state when 'waiting' then decided_at is null when 'rejected' then decided_at is not null else true end)
);
create index yield_report_of_day on yield_report (strategy_id, day, sequence);
create index yield_report_open on yield_report (strategy_id) where applied_on is null and state in ('rate', 'fold');
create index yield_report_by_time on yield_report (reported_at, id);
create index yield_report_by_state on yield_report (state, reported_at, id);
