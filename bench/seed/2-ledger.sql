-- The postings of all events in the order of time, with the resulting balances.

-- Account ids are computed, so that postings need no join: those of the platform start at 1, the six of an active user at
-- 1000 + 8 × history.
insert into ledger_account (id, owner_id, kind, scope, asset, balance) overriding system value
select id, '00000000-0000-0000-0000-000000000000', kind, scope, asset, null from (
  values (1, 'asset.deposit-provider', 'ERC20', 'USDC'), (2, 'asset.custody', '', 'USDC'), (3, 'income.management-fee', '', 'USDC')
  union all
  select place + strategy, kind, case kind when 'strategy.units' then '' else strategy_id end,
         case kind when 'strategy.units' then 'UNIT:' || strategy_id else 'USDC' end
    from seed_strategy, (values (4, 'strategy.units'), (7, 'strategy.accrued'), (10, 'expense.yield')) as sort(place, kind)
) as platform(id, kind, scope, asset)
union all
select 1000 + 8 * history + place, user_id, kind, '', asset, 0 from seed_user, (
  values (0, 'user.available', 'USDC'), (1, 'user.invested', 'USDC'), (2, 'user.reserved', 'USDC'), (3, 'user.units', 'UNIT:conservative-5'),
         (4, 'user.units', 'UNIT:balanced-10'), (5, 'user.units', 'UNIT:aggressive-20')) as own(place, kind, asset);
select setval(pg_get_serial_sequence('ledger_account', 'id'), (select max(id) from ledger_account));

-- Movements between accounts by account id. `own` is the first of the six accounts of the user, `user.available`.
create unlogged table seed_posting (
  at timestamptz, n bigint, step integer, history bigint, type text, category text, reference_type text, reference_id text,
  description text, amount numeric, debit bigint, credit bigint, units numeric, units_debit bigint, units_credit bigint
);
insert into seed_posting
select at, n, 1, history, 'deposit', 'deposit', 'deposit', id::text, 'Deposit of ' || amount || ' USDC', amount, 1, own, 0, null::bigint, null::bigint
  from seed_deposit, lateral (select 1000 + 8 * history) as account(own)
union all
select at, n, 1, history, 'withdrawal-requested', 'withdrawal', 'withdrawal', id::text, 'Reserved for a withdrawal', amount, own, own + 2, 0, null, null
  from seed_withdrawal, lateral (select 1000 + 8 * history) as account(own)
union all
select at + interval '2 hours', n, 2, history, case status when 'completed' then 'withdrawal-completed' else 'withdrawal-released' end,
       'withdrawal', 'withdrawal', id::text,
       case status when 'completed' then 'Paid out by the custody provider' else 'Released from a withdrawal' end, amount, own + 2,
       case status when 'completed' then 2 else own end, 0, null, null
  from seed_withdrawal, lateral (select 1000 + 8 * history) as account(own) where status in ('completed', 'rejected')
union all
select at, n, 1, history, 'investment', 'investment', 'investment', id::text, 'Investment in ' || strategy_id, amount, own, own + 1,
       units, 4 + strategy, own + 3 + strategy
  from seed_investment, lateral (select 1000 + 8 * history) as account(own)
union all
select ended_at, ended_n, 1, history, 'divestment', 'investment', 'investment', id::text, 'Principal returned from ' || strategy_id, amount,
       own + 1, own, units, own + 3 + strategy, 4 + strategy
  from seed_investment, lateral (select 1000 + 8 * history) as account(own) where ended_n is not null
union all
select ended_at, ended_n, 2, history, 'earning', 'earning', 'investment', id::text, 'Growth of ' || strategy_id, value - amount,
       7 + strategy, own, 0, null, null
  from seed_investment, lateral (select 1000 + 8 * history) as account(own) where status = 'closed'
union all
select ended_at, ended_n, 3, history, 'fee', 'fee', 'investment', id::text, 'Fees of ' || strategy_id, fee, own, 3, 0, null, null
  from seed_investment, lateral (select 1000 + 8 * history) as account(own) where status = 'closed'
union all
select ended_at, ended_n, 2, history, 'forfeit', 'internal', 'investment', id::text, 'Growth of ' || strategy_id || ' forfeited', value - amount,
       7 + strategy, 10 + strategy, 0, null, null
  from seed_investment where status = 'cancelled'
union all
select max(at) + interval '3 hours', 0, 1, 0, 'treasury-transfer', 'internal', 'treasury-transfer', seed_id(max(at), 5, 0)::text,
       'Moved between the deposit provider and custody', round(sum(amount) / 2, 6), 2, 1, 0, null, null from seed_deposit;

-- Earning units and growth per day, computed as in the strategies module.
do $$
declare
  earning_day record;
  exact numeric;
  grown numeric;
  carried numeric;
begin
  for earning_day in
    with change as (
      select strategy_id, day, sum(moved.units) as units
        from seed_investment, lateral (values (issued_on + 2, units), (ended_at::date + 1, -units)) as moved(day, units)
       where seed_investment.units > 0 and day is not null group by 1, 2
    ), day as (
      select strategy_id, day, nav - lag(nav, 1, nav) over by_day as rise,
             sum(coalesce(units, 0)) over by_day as units, row_number() over by_day as place
        from strategy_nav left join change using (strategy_id, day)
      window by_day as (partition by strategy_id order by day)
    )
    select strategy, day.* from day join seed_strategy using (strategy_id), seed_plan where place <= days order by strategy, place
  loop
    carried := case earning_day.place when 1 then 0 else carried end;
    exact := earning_day.units * earning_day.rise + carried;
    grown := round_half_even(exact, 6);
    carried := exact - grown;
    insert into strategy_accrual (strategy_id, day, units, growth, carry) values (earning_day.strategy_id, earning_day.day, earning_day.units, grown, carried);
    continue when grown = 0;
    insert into seed_posting
    values (earning_day.day, -earning_day.place, earning_day.strategy, 0, 'yield', 'internal', 'strategy-day', earning_day.strategy_id || ':' || earning_day.day,
            'Growth of ' || earning_day.strategy_id || ' on ' || earning_day.day, grown, 10 + earning_day.strategy, 7 + earning_day.strategy, 0, null, null);
  end loop;
end $$;

create unlogged table seed_entry as
select at, n, step, transaction_id, account_id, side.amount, category,
       sum(side.amount) over (partition by account_id order by at, n, step, place) as balance
  from (select posting.*, seed_id(at, 16 + step, n + 1000000) as transaction_id from seed_posting as posting) as posting,
       lateral (values (1, debit, -posting.amount), (2, credit, posting.amount), (3, units_debit, -units), (4, units_credit, units))
         as side(place, account_id, amount)
 where side.amount <> 0;

insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
select seed_id(at, 16 + step, n + 1000000), type, reference_type, reference_id, at, description from seed_posting order by at, n, step;
insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
select entry.transaction_id, account_id, asset, entry.amount, case when account_id >= 1000 then entry.balance end, category, at
  from seed_entry as entry join ledger_account on ledger_account.id = account_id
 order by at, n, step;
update ledger_account set balance = total
  from (select account_id, sum(amount) as total from seed_entry where account_id >= 1000 group by 1) as moved
 where account_id = id;
