-- A changed APY counts from the day after the change, also for days that are published later than on time.
alter table strategy
  add column former_apy numeric, -- percent per year, before `apy_from`
  add column apy_from date,      -- null if the APY has never changed
  add constraint strategy_apy_from check (num_nonnulls(former_apy, apy_from) in (0, 2));
