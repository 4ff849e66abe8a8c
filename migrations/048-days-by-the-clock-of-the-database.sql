-- The value of a day is published when the day before it begins, by the clock of the database: a process whose clock is wrong
-- can publish nothing. Tests and the sandbox move domain time; they tell how far by a setting of their transaction.

create function domain_today() returns date language sql volatile as $$
  select ((clock_timestamp() + make_interval(secs =>
            coalesce(nullif(current_setting('platform.clock_offset_ms', true), ''), '0')::float8 / 1000))
          at time zone 'UTC')::date
$$;

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
