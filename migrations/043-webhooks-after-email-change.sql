-- A changed e-mail address disables the user's webhooks, whose receivers may belong to the owner of the former address.

set local lock_timeout = '10s'; -- as in 036
alter table webhook_subscription
  drop constraint webhook_subscription_reason,
  add constraint webhook_subscription_reason check (disabled_reason in ('user', 'gone', 'failing', 'email-changed'));
