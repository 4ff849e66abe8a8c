-- Webhooks of users: their subscriptions and the outbox of deliveries.

-- The secret signs the events. It is encrypted with WEBHOOK_ENCRYPTION_KEY, so that a copy of the database cannot sign.
create table webhook_subscription (
  id              uuid primary key,
  user_id         uuid not null references platform_user on delete cascade,
  url             text not null,
  description     text,
  events          text[] not null,
  status          text not null,
  disabled_reason text,
  secret          bytea not null,
  previous_secret bytea,
  previous_until  timestamptz,
  failing_since   timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint webhook_subscription_status check (status in ('active', 'disabled')),
  constraint webhook_subscription_disabled check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhook_subscription_previous check ((previous_secret is null) = (previous_until is null)),
  constraint webhook_subscription_events check (cardinality(events) > 0),
  constraint webhook_subscription_reason check (disabled_reason in ('user', 'gone', 'failing', 'email-changed', 'backlog'))
);
comment on table webhook_subscription is 'Webhooks of users.';
comment on column webhook_subscription.id is 'identifier of the webhook (UUID)';
comment on column webhook_subscription.user_id is 'the user';
comment on column webhook_subscription.url is 'where events are sent';
comment on column webhook_subscription.description is 'given by the user';
comment on column webhook_subscription.events is 'types of events that are sent';
comment on column webhook_subscription.status is 'active or disabled';
comment on column webhook_subscription.disabled_reason is 'user, gone, failing, email-changed or backlog';
comment on column webhook_subscription.secret is 'signs the events; encrypted under WEBHOOK_ENCRYPTION_KEY';
comment on column webhook_subscription.previous_secret is 'signs as well until previous_until';
comment on column webhook_subscription.previous_until is 'domain time';
comment on column webhook_subscription.failing_since is 'domain time of the first failure since the last success';
comment on column webhook_subscription.created_at is 'domain time of the creation';
comment on column webhook_subscription.updated_at is 'domain time of the latest change';

create index webhook_subscription_of_user on webhook_subscription (user_id, created_at, id);

create table webhook_delivery (
  id              uuid primary key,
  subscription_id uuid not null references webhook_subscription on delete cascade,
  event           text not null,
  body            text not null,
  status          text not null,
  attempts        integer not null,
  created_at      timestamptz not null,
  due_at          timestamptz not null,
  attempted_at    timestamptz,
  settled_at      timestamptz,
  response_status integer,
  failure         text,
  duration_ms     integer,
  user_id         uuid,
  constraint webhook_delivery_status check (status in ('pending', 'delivered', 'dead')),
  constraint webhook_delivery_settled check ((status = 'pending') = (settled_at is null)),
  constraint webhook_delivery_failure check (failure in ('status', 'timeout', 'connection', 'address-refused', 'unsent')),
  constraint webhook_delivery_delivered check (status <> 'delivered' or (failure is null and response_status is not null)),
  constraint webhook_delivery_attempts check (attempts >= 0),
  constraint webhook_delivery_user check (status <> 'pending' or user_id is not null)
);
comment on table webhook_delivery is 'The outbox of users'' webhooks. The id is sent in the header webhook-id.';
comment on column webhook_delivery.id is 'identifier of the delivery (UUID)';
comment on column webhook_delivery.subscription_id is 'the webhook';
comment on column webhook_delivery.event is 'type of the event';
comment on column webhook_delivery.body is 'as it is signed and sent';
comment on column webhook_delivery.status is 'pending, delivered or dead';
comment on column webhook_delivery.attempts is 'attempts so far';
comment on column webhook_delivery.created_at is 'domain time of the event';
comment on column webhook_delivery.due_at is 'domain time of the next attempt; during an attempt, when another process may repeat it';
comment on column webhook_delivery.attempted_at is 'domain time of the last attempt';
comment on column webhook_delivery.settled_at is 'domain time at which it was delivered or given up';
comment on column webhook_delivery.response_status is 'HTTP status of the last attempt';
comment on column webhook_delivery.failure is 'of the last attempt: status, timeout, connection, address-refused or unsent';
comment on column webhook_delivery.duration_ms is 'of the last attempt, milliseconds';
comment on column webhook_delivery.user_id is 'the user of the webhook, of deliveries that wait';

create index webhook_delivery_by_time on webhook_delivery (subscription_id, created_at, id);
create index webhook_delivery_by_status on webhook_delivery (subscription_id, status, created_at, id);
create index webhook_delivery_age on webhook_delivery (created_at);
-- From user to user, and from webhook to webhook of a user.
create index webhook_delivery_turn on webhook_delivery (user_id, subscription_id, due_at, id) where status = 'pending';

create function set_webhook_delivery_user() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from webhook_subscription where id = new.subscription_id);
  return new;
end
$$;
create trigger webhook_delivery_user before insert or update of status on webhook_delivery
  for each row when (new.user_id is null and new.status = 'pending') execute function set_webhook_delivery_user();
