-- A report reads a row for each day or hour of a long time. They come from the index, where they lie side by side: in
-- the table those of each day lie on a page of their own.
alter table report_rollup
  drop constraint report_rollup_pkey,
  add primary key (span, since, strategy_id)
    include (users, holders, made, made_amount, active, pending, principal, accrued, management_fees, performance_fees,
             settled, settled_ms);
