-- Callbacks of each kind are worked on by themselves.
create index webhook_event_due_of_kind on webhook_event (kind, due_at, id) where status = 'received';
drop index webhook_event_due;
