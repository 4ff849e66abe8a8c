-- A transfer that admins have booked by hand already is not credited a second time when the provider or the chain tells of
-- it: its deposit is held for good. And what admins have booked stands in reconciliations as what it is.

alter table deposit
  drop constraint deposit_held,
  add constraint deposit_held check
    (hold_reason is null or (hold_reason in ('BELOW_MINIMUM', 'BOOKED_BY_HAND') and status = 'confirming'));

alter table reconciliation_line
  drop constraint reconciliation_line_here_type,
  add constraint reconciliation_line_here_type check
    (here_type in ('deposit', 'withdrawal', 'treasury-transfer', 'admin-transaction'));
