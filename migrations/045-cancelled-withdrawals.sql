-- A withdrawal that its user took back has the status rejected, as one that an operator rejected: the time tells them apart.

alter table withdrawal add column cancelled_at timestamptz;

update withdrawal set cancelled_at = event.at
  from withdrawal_event as event where event.withdrawal_id = withdrawal.id and event.verb = 'cancel';

alter table withdrawal add constraint withdrawal_cancelled check (cancelled_at is null or status = 'rejected');
