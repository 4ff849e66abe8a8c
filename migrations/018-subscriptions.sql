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
  previous_secret bytea,        -- signs as well until previous_until
  previous_until  timestamptz,
  failing_since   timestamptz,  -- the first failure since the last success
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint webhook_subscription_status check (status in ('active', 'disabled')),
  constraint webhook_subscription_disabled check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhook_subscription_reason check (disabled_reason in ('user', 'gone', 'failing')),
  constraint webhook_subscription_previous check ((previous_secret is null) = (previous_until is null)),
  constraint webhook_subscription_events check (cardinality(events) > 0)
);
create index webhook_subscription_of_user on webhook_subscription (user_id, created_at, id);

-- The outbox: written in the transaction of the event, sent afterwards. The id is sent in the header webhook-id.
create table webhook_delivery (
  id              uuid primary key,
  subscription_id uuid not null references webhook_subscription on delete cascade,
  event           text not null,
  body            text not null,
  status          text not null,
  attempts        integer not null,
  created_at      timestamptz not null,
  due_at          timestamptz not null, -- during an attempt: when another process may retry
  attempted_at    timestamptz,
  settled_at      timestamptz,
  response_status integer,              -- of the last attempt, as are failure and duration_ms
  failure         text,
  duration_ms     integer,
  constraint webhook_delivery_status check (status in ('pending', 'delivered', 'dead')),
  constraint webhook_delivery_settled check ((status = 'pending') = (settled_at is null)),
  constraint webhook_delivery_failure check (failure in ('status', 'timeout', 'connection', 'address-refused', 'unsent')),
  constraint webhook_delivery_delivered check (status <> 'delivered' or (failure is null and response_status is not null)),
  constraint webhook_delivery_attempts check (attempts >= 0)
);
create index webhook_delivery_due on webhook_delivery (subscription_id, due_at, id) where status = 'pending';
create index webhook_delivery_by_time on webhook_delivery (subscription_id, created_at, id);
create index webhook_delivery_by_status on webhook_delivery (subscription_id, status, created_at, id);
create index webhook_delivery_age on webhook_delivery (created_at);
