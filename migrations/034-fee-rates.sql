-- The fee rates in force when an investment was closed or moved, so that its receipt can be computed again after a change
-- of MANAGEMENT_FEE_PERCENT or PERFORMANCE_FEE_PERCENT. Null for open and cancelled investments, and for those that ended
-- before this migration.
alter table investment
  add column management_fee_percent numeric,
  add column performance_fee_percent numeric,
  add constraint investment_fee_rates check
    ((management_fee_percent is null) = (performance_fee_percent is null)
     and (management_fee_percent is null or (status = 'closed' and management_fee_percent >= 0 and performance_fee_percent >= 0)));
