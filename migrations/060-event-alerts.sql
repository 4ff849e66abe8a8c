-- Alerts about the delivery of events: a late consumer, events that a consumer has passed over, and a webhook that does not answer.

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit',
  'events-behind', 'events-parked', 'event-webhook-failing'));
