-- Yield reports also wait for an admin if their realised amount is not what the invested value explains.
alter table yield_report
  add column waiting_for     text[] not null default '{}', -- what an admin decides or has decided about
  add column expected_amount numeric,                      -- at the reported rate; null without a stated amount
  add constraint yield_report_waiting_for check (waiting_for <@ array['rate', 'realisedAmount']),
  add constraint yield_report_expected check (expected_amount >= 0 and scale(expected_amount) <= 6);

update yield_report set waiting_for = '{rate}' where state = 'waiting' or decided_at is not null;
