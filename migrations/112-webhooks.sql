-- Callbacks of the providers: each is stored once before it is acknowledged, and processed afterwards.

create table webhook_event (
  id          uuid primary key,
  provider    text not null,
  kind        text not null,
  event_key   text not null,
  body        text not null,
  status      text not null,
  reason      text,
  attempts    integer not null,
  received_at timestamptz not null,
  due_at      timestamptz not null,
  settled_at  timestamptz,
  seal        bytea,
  constraint webhook_event_key unique (provider, event_key),
  constraint webhook_event_kind check (kind in ('deposit', 'withdrawal', 'yield')),
  constraint webhook_event_status check (status in ('received', 'processed', 'ignored', 'failed')),
  constraint webhook_event_settled check ((status = 'received') = (settled_at is null)),
  constraint webhook_event_reason check (status not in ('ignored', 'failed') or reason is not null),
  constraint webhook_event_seal check (status = 'processed' or seal is not null)
);
comment on table webhook_event is 'Callbacks of the providers, each stored once before it is acknowledged.';
comment on column webhook_event.id is 'identifier of the callback (UUID)';
comment on column webhook_event.provider is 'name of the provider';
comment on column webhook_event.kind is 'deposit, withdrawal or yield';
comment on column webhook_event.event_key is 'identifies the event when the provider repeats it';
comment on column webhook_event.body is 'as it was received';
comment on column webhook_event.status is 'received (waits), processed, ignored or failed';
comment on column webhook_event.reason is 'why it was ignored or failed';
comment on column webhook_event.attempts is 'attempts so far';
comment on column webhook_event.received_at is 'domain time';
comment on column webhook_event.due_at is 'domain time of the next attempt';
comment on column webhook_event.settled_at is 'domain time at which it was processed, ignored or failed';
comment on column webhook_event.seal is 'MAC of the row, which shows that its signature was verified';

-- Each kind is processed in a queue of its own.
create index webhook_event_due_of_kind on webhook_event (kind, due_at, id) where status = 'received';
-- The admins' list: one index for each filter.
create index webhook_event_by_time on webhook_event (received_at, id);
create index webhook_event_by_status on webhook_event (status, received_at, id);
create index webhook_event_by_provider on webhook_event (provider, received_at, id);
create index webhook_event_by_kind on webhook_event (kind, received_at, id);

create function note_pending_callback() returns trigger language plpgsql as $$
begin
  insert into webhook_pending (event_id) values (new.id) on conflict do nothing;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables
create trigger webhook_event_stored after insert on webhook_event
  for each row when (new.status = 'received') execute function note_pending_callback();
create trigger webhook_event_replayed after update of status on webhook_event
  for each row when (new.status = 'received' and old.status <> 'received') execute function note_pending_callback();
-- Among settled callbacks admins look for those that failed.
create trigger webhook_event_settled before update on webhook_event
  for each row when (old.status <> 'received' and new.status <> 'received')
  execute function refuse_change('status', 'reason', 'settled_at');
-- The attempts of a callback that waits are counted one by one: it cannot fail before it was attempted, nor stop the queue by a
-- number that is out of range.
create trigger webhook_event_inserted before insert on webhook_event
  for each row when (new.status = 'received' and new.attempts <> 0) execute function refuse_change();
create trigger webhook_event_attempted before update of attempts on webhook_event
  for each row when (new.attempts > old.attempts::bigint + 1) execute function refuse_change();

-- A callback that is settled and has a row here is processed again. The foreign key refuses to delete a waiting callback.
create table webhook_pending (
  event_id uuid primary key references webhook_event
);
comment on table webhook_pending is 'Callbacks that wait. The row is deleted in the transaction that settles the callback.';
comment on column webhook_pending.event_id is 'the callback';
