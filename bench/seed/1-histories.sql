-- Plans the data: users, the events of each active user ("history") in the order of time, and the NAVs by day.
-- Reads seed_plan(users, histories, events_per_history, rows, days, first_day) and writes the working tables seed_*.

-- Ids start with the time, as those of the service, so that indexes grow at one end.
create function seed_id(at timestamptz, kind integer, n bigint) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
          || '8' || lpad(to_hex(n), 15, '0'))::uuid
$$;
-- A pseudo-random number from 0 to below `width`.
create function seed_any(width integer, a bigint, b bigint) returns integer language sql immutable parallel safe as $$
  select ((a * 7919 + b * 104729 + (a + 13) * (b + 7) * 31) % width)::integer
$$;
create function seed_hash(kind text, n bigint) returns text language sql immutable parallel safe as $$
  select '0x' || md5(kind || n) || md5(n || kind)
$$;

-- One row for each active user. History 0 is that of the busy user, whose lists have the same length on every platform.
-- The other histories are distributed evenly over the users. `place` is the number of the user. `phase` delays a history by
-- up to twenty events, so that histories start at different times; multiples of the golden ratio are spread evenly.
create unlogged table seed_history as
select history, 1 + history * ((users - 1) / histories) as place,
       case history when 0 then 2000 else events_per_history end as events,
       case history when 0 then 0 else 20 * mod(history * 0.6180339887, 1) end as phase
  from seed_plan, generate_series(0, histories) as history;

-- Twenty events: 2 deposits, 8 investments, 8 withdrawals, a closing and a cancellation. They appear as 22 transactions: the closing
-- appears as three, of the principal, the growth and the fee.
-- `wait` is an investment that stays pending, `queue` a withdrawal that is not finished.
create unlogged table seed_event as
select row_number() over (order by at, history, k) as n, event.* from (
  select history, k, events, place,
         date_trunc('milliseconds', first_day
           + (k + phase + seed_any(1000, history, k) / 1000.0) / (events + 20) * (days - 0.25) * interval '1 day') as at,
         (array['deposit', 'invest', 'withdraw', 'invest', 'withdraw', 'invest', 'reject', 'invest', 'close', 'withdraw',
                'invest', 'fail', 'invest', 'cancel', 'withdraw', 'invest', 'queue', 'wait', 'deposit', 'withdraw']
         )[k % 20 + 1] as kind,
         (history + k) % 3 as strategy
    from seed_plan, seed_history cross join lateral generate_series(0, events - 1) as k
) as event;
update seed_event set kind = case kind when 'queue' then 'withdraw' else 'invest' end
 where kind in ('queue', 'wait') and k + 20 < events; -- only the last event of its kind is still waiting
alter table seed_event add primary key (history, k);

insert into platform_user (id, email, full_name, status, created_at, updated_at, last_login_at, email_verified)
select seed_id(born, 1, place), case place when 1 then 'busy@example.org' else 'user-' || place || '@example.org' end,
       'Person ' || md5(place::text), case when place % 50 = 7 then 'suspended' when place % 50 = 9 then 'inactive' else 'active' end,
       born, born, case when place % 4 > 0 then born + interval '1 day' end, true
  from (
    select place, coalesce(first_event - interval '1 hour', first_day + place::numeric / users * days * interval '1 day') as born
      from seed_plan cross join generate_series(1, users) as place
      left join (select place, min(at) as first_event from seed_event group by place) as active using (place)
  ) as person
 order by born;
insert into user_account_change (user_id, email, changed_at) select id, email, created_at from platform_user order by created_at;
create unlogged table seed_user as
select history, events, platform_user.id as user_id
  from seed_history join platform_user
    on email = case place when 1 then 'busy@example.org' else 'user-' || place || '@example.org' end;
alter table seed_user add primary key (history);
insert into wallet (address, user_id, created_at, seal) -- the seal is wrong: the wallets only show and cannot sign in
select '0x' || substr(md5('wallet' || id) || md5(id::text), 1, 40), id, created_at, '' from platform_user
 where ('x' || substr(md5(id::text), 1, 2))::bit(8)::integer % 2 = 0;

-- `factor` is the growth of a day: the 365th root of 1 + apy / 100, as in the strategies module.
create unlogged table seed_strategy as
select * from (values (0, 'conservative-5', 'Conservative 5%', 5, 1.00013368061711344035050847977280613045097493438508), (1, 'balanced-10', 'Balanced 10%', 10, 1.00026115787606781216168668170538490400263734114540),
                      (2, 'aggressive-20', 'Aggressive 20%', 20, 1.00049963589095561841879976308992521743634513942171))
  as strategy(strategy, strategy_id, name, apy, factor);
do $$
declare
  strategy_row seed_strategy;
  value numeric;
begin
  for strategy_row in select * from seed_strategy loop
    value := 1;
    for place in 0 .. (select days from seed_plan) loop
      insert into strategy_nav (strategy_id, day, nav, apy, source)
      select strategy_row.strategy_id, first_day::date + place, value, strategy_row.apy, case place when 0 then 'first' else 'target' end from seed_plan;
      value := round(value * strategy_row.factor, 24);
    end loop;
  end loop;
end $$;

-- Counted from 0, event 8 of the twenty closes the investment of event 1, and event 13 cancels that of event 3.
create unlogged table seed_investment as
select made.n, made.history, made.at, made.strategy, strategy_id, name, amount, made.at::date as issued_on,
       case made.kind when 'wait' then 0 else round(amount / bought.nav, 24) end as units,
       case when made.kind = 'wait' then 'pending' when ended.n is null then 'active'
            when ended.kind = 'close' then 'closed' else 'cancelled' end as status,
       ended.n as ended_n, ended.at as ended_at, seed_id(made.at, 2, made.n) as id
  from seed_event as made
  join seed_strategy using (strategy)
  cross join lateral (select round(10 + seed_any(14000, made.history, made.k) / 100.0, 2) as amount) as worth
  join strategy_nav as bought using (strategy_id)
  left join seed_event as ended on ended.history = made.history and ended.k = made.k + case made.k % 20 when 1 then 7 else 10 end
                              and made.k % 20 in (1, 3)
 where made.kind in ('invest', 'wait') and bought.day = made.at::date + 1;
alter table seed_investment add column value numeric, add column fee numeric; -- at its end; the fee is a thousandth of the value
update seed_investment set value = round_half_even(units * nav, 6), fee = trunc(units * nav * 0.001, 6)
  from strategy_nav
 where strategy_nav.strategy_id = seed_investment.strategy_id and day = ended_at::date;

create unlogged table seed_withdrawal as
select n, history, at, round(1 + seed_any(2400, history, k) / 100.0, 2) as amount, seed_id(at, 3, n) as id,
       case kind when 'reject' then 'rejected' when 'fail' then 'failed' when 'withdraw' then 'completed'
                 else (array['pending', 'approved', 'processing'])[history % 3 + 1] end as status
  from seed_event where kind in ('withdraw', 'reject', 'fail', 'queue');
create unlogged table seed_deposit as
select n, history, at, 2000.00 as amount, seed_id(at, 4, n) as id from seed_event where kind = 'deposit';
analyze seed_event, seed_investment, seed_withdrawal, seed_deposit, seed_user;
