-- The audit log of admin actions: written in the transaction of the action, immutable afterwards.

create table audit_entry (
  id           uuid primary key,
  at           timestamptz not null, -- domain time
  recorded_at  timestamptz not null default clock_timestamp(),
  actor        text not null,        -- an admin's e-mail address, or `system`
  action       text not null,        -- subject.verb, for example `withdrawal.take`
  subject_type text not null,
  subject_id   text not null,
  reason       text,
  before       jsonb,                -- the changed fields before the action
  after        jsonb,                -- the changed fields after the action
  trace_id     text,
  constraint audit_entry_action check (action ~ '^[a-z-]+\.[a-z-]+$')
);
-- One index for each filter, in the order of the list. An id has few entries, so that filtering them by type as well
-- needs no further index.
create index audit_entry_by_time on audit_entry (at, id);
create index audit_entry_of_actor on audit_entry (actor, at, id);
create index audit_entry_of_action on audit_entry (action, at, id);
create index audit_entry_of_subject_id on audit_entry (subject_id, at, id);
create index audit_entry_of_subject_type on audit_entry (subject_type, at, id);

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'audit: % is refused: audit entries are immutable', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger audit_entry_immutable before update or delete or truncate on audit_entry
  for each statement execute function audit_refuse();
