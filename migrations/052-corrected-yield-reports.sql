-- A corrected yield report replaces rate and amount of an earlier one of the same day. Null: a report that waits for a
-- decision and states no amount, which leaves the amount as it is.
alter table yield_report
  alter column realised_amount drop not null,
  add constraint yield_report_realised_stated check (realised_amount is not null or state in ('waiting', 'rejected'));
