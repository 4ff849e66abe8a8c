-- Net asset values of the strategies, what the custody provider reports of them, and users' investments.

create function strategy_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: what is published stays', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- The value of one unit on a UTC day. A row is published when the day before it begins.
create table strategy_nav (
  strategy_id text not null,
  day         date not null,
  nav         numeric(38, 24) not null,
  apy         numeric not null,           -- percent a year that led here from the day before
  correction  numeric not null default 1, -- what late reports of earlier days multiplied it by
  source      text not null,
  primary key (strategy_id, day),
  constraint strategy_nav_positive check (nav > 0 and correction > 0),
  constraint strategy_nav_apy check (apy > -100),
  constraint strategy_nav_source check (source in ('first', 'target', 'reported', 'suspended'))
);
create trigger strategy_nav_immutable before update or delete or truncate on strategy_nav
  for each statement execute function strategy_refuse_change();

-- What rolling a day found and posted: units that had been earning the day before, and the growth of the day.
create table strategy_accrual (
  strategy_id text not null,
  day         date not null,
  units       numeric not null, -- issued two days before or earlier, outstanding when the day began
  growth      numeric not null, -- posted, six decimals
  carry       numeric not null, -- below six decimals: goes into the next day's growth
  primary key (strategy_id, day),
  foreign key (strategy_id, day) references strategy_nav (strategy_id, day),
  constraint strategy_accrual_units check (units >= 0),
  constraint strategy_accrual_growth check (scale(growth) <= 6),
  constraint strategy_accrual_carry check (abs(carry) <= 0.0000005)
);
create trigger strategy_accrual_immutable before update or delete or truncate on strategy_accrual
  for each statement execute function strategy_refuse_change();

-- Reports of the custody provider. A provider repeats its calls: an event counts once.
create table yield_report (
  sequence        bigint generated always as identity,
  event_id        text primary key,
  strategy_id     text not null,
  day             date not null,
  apy             numeric not null,
  used_apy        numeric not null, -- the rate that the day had until then
  realised_amount numeric not null,
  state           text not null,
  reported_at     timestamptz not null, -- domain time
  applied_on      date,                 -- day of the value that took it in
  constraint yield_report_apy check (apy > -100 and used_apy > -100),
  constraint yield_report_realised check (realised_amount >= 0 and scale(realised_amount) <= 6),
  constraint yield_report_state check (state in ('rate', 'fold', 'waiting', 'ignored')),
  constraint yield_report_applied check (applied_on is null or state in ('rate', 'fold'))
);
create index yield_report_of_day on yield_report (strategy_id, day, sequence);
create index yield_report_open on yield_report (strategy_id) where applied_on is null and state in ('rate', 'fold');

create table investment (
  id              uuid primary key,
  user_id         uuid not null references platform_user (id),
  strategy_id     text not null,
  status          text not null,
  amount          numeric not null, -- principal, USDC
  units           numeric not null, -- 0 until they are issued
  issued_on       date,             -- UTC day on which the units were issued
  idempotency_key uuid,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  approved_by     text,
  approved_at     timestamptz,
  ended_at        timestamptz,      -- closed or cancelled
  final_value     numeric,          -- on closing
  fees            numeric not null default 0,
  constraint investment_idempotency_key unique (user_id, idempotency_key),
  constraint investment_status check (status in ('pending', 'active', 'closed', 'cancelled')),
  constraint investment_amount check (amount > 0 and scale(amount) <= 6),
  constraint investment_units check (units >= 0 and scale(units) <= 24 and (units > 0) = (issued_on is not null)),
  constraint investment_issued check
    (case status when 'pending' then units = 0 when 'cancelled' then true else units > 0 end),
  constraint investment_ended check ((status in ('closed', 'cancelled')) = (ended_at is not null)),
  constraint investment_final_value check ((status = 'closed') = (final_value is not null) and final_value >= 0),
  constraint investment_fees check (fees >= 0 and (fees = 0 or fees <= final_value)),
  constraint investment_approval check ((approved_by is null) = (approved_at is null))
);
-- A user's list also sums all that matches, so it reads the user's investments once; these two put the page in
-- order on the way. Current value has to be worked out for the sum anyway, and is sorted by from there.
create index investment_of_user on investment (user_id, created_at, id);
create index investment_of_user_by_amount on investment (user_id, amount, id);
create index investment_of_user_by_strategy on investment (user_id, strategy_id);
-- Lists over all users. Within a strategy the order of units is the order of values.
create index investment_by_time on investment (created_at, id);
create index investment_by_amount on investment (amount, id);
create index investment_by_status on investment (status, created_at, id);
create index investment_by_strategy on investment (strategy_id, units, id);

-- What is shown is rounded half to even; PostgreSQL's own round() goes away from zero.
create function round_half_even(value numeric, places integer) returns numeric
  language sql immutable parallel safe as $$
  select case when abs(value - trunc(value, places)) * power(10::numeric, places) = 0.5
               and mod(trunc(value, places) * power(10::numeric, places), 2) = 0
              then trunc(value, places) else round(value, places) end
$$;
