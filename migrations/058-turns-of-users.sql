-- Users take turns in the queues of webhook deliveries and mails; announcements are claimed as the items of the other queues; a
-- webhook can be disabled because too many deliveries wait.

set local lock_timeout = '10s'; -- as in 036

-- The user of the subscription, of deliveries that wait. Those of processes of the previous version get it from the trigger.
alter table webhook_delivery add column user_id uuid;
update webhook_delivery set user_id = subscription.user_id from webhook_subscription as subscription
 where subscription.id = subscription_id and webhook_delivery.status = 'pending';
create function set_webhook_delivery_user() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from webhook_subscription where id = new.subscription_id);
  return new;
end
$$;
create trigger webhook_delivery_user before insert or update of status on webhook_delivery
  for each row when (new.user_id is null and new.status = 'pending') execute function set_webhook_delivery_user();
alter table webhook_delivery
  add constraint webhook_delivery_user check (status <> 'pending' or user_id is not null);

-- From user to user, and from webhook to webhook of a user.
create index webhook_delivery_turn on webhook_delivery (user_id, subscription_id, due_at, id) where status = 'pending';
drop index webhook_delivery_due;

-- Mails to admins have no user: each address has its turn.
create index mail_turn on mail (is_security, (coalesce(user_id, md5(recipient)::uuid)), due_at, id) where status = 'waiting';
drop index mail_due;

-- Due at once, also those that processes of the previous version insert.
alter table announcement
  add column attempts integer not null default 0,
  add column due_at timestamptz not null default 'epoch';

alter table webhook_subscription
  drop constraint webhook_subscription_reason,
  add constraint webhook_subscription_reason check (disabled_reason in ('user', 'gone', 'failing', 'email-changed', 'backlog'));
