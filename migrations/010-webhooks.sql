-- Callbacks of the providers: each is stored once before it is acknowledged, and processed afterwards.

create table webhook_event (
  id          uuid primary key,
  provider    text not null,
  kind        text not null,
  event_key   text not null, -- identifies the event when a provider repeats its callback
  body        text not null,
  status      text not null,
  reason      text,
  attempts    integer not null,
  received_at timestamptz not null,
  due_at      timestamptz not null,
  settled_at  timestamptz,
  constraint webhook_event_key unique (provider, event_key),
  constraint webhook_event_kind check (kind in ('deposit', 'withdrawal', 'yield')),
  constraint webhook_event_status check (status in ('received', 'processed', 'ignored', 'failed')),
  constraint webhook_event_settled check ((status = 'received') = (settled_at is null)),
  constraint webhook_event_reason check (status not in ('ignored', 'failed') or reason is not null)
);
-- Each kind is processed in a queue of its own.
create index webhook_event_due_of_kind on webhook_event (kind, due_at, id) where status = 'received';
-- The admins' list: one index for each filter.
create index webhook_event_by_time on webhook_event (received_at, id);
create index webhook_event_by_status on webhook_event (status, received_at, id);
create index webhook_event_by_provider on webhook_event (provider, received_at, id);
create index webhook_event_by_kind on webhook_event (kind, received_at, id);
