-- The audit log of admin actions: written in the transaction of the action, immutable afterwards.

create table audit_entry (
  id           uuid primary key,
  at           timestamptz not null,
  recorded_at  timestamptz not null default clock_timestamp(),
  actor        text not null,
  action       text not null,
  subject_type text not null,
  subject_id   text not null,
  reason       text,
  before       jsonb,
  after        jsonb,
  trace_id     text,
  constraint audit_entry_action check (action ~ '^[a-z-]+\.[a-z-]+$')
);
comment on table audit_entry is 'The audit log of admins'' actions, written in the transaction of the action. Rows never change.';
comment on column audit_entry.id is 'identifier of the entry (UUID)';
comment on column audit_entry.at is 'domain time of the action';
comment on column audit_entry.recorded_at is 'real time of the insertion';
comment on column audit_entry.actor is 'e-mail address of an admin, or system';
comment on column audit_entry.action is 'subject.verb, such as withdrawal.take';
comment on column audit_entry.subject_type is 'the kind of record that was changed';
comment on column audit_entry.subject_id is 'identifier of that record';
comment on column audit_entry.reason is 'stated by the actor';
comment on column audit_entry.before is 'the changed fields before the action';
comment on column audit_entry.after is 'the changed fields after the action';
comment on column audit_entry.trace_id is 'of the request, as in its answer and in the log';

-- One index for each filter, in the order of the list. An id has few entries, so that filtering them by type as well
-- needs no further index.
create index audit_entry_by_time on audit_entry (at, id);
create index audit_entry_of_actor on audit_entry (actor, at, id);
create index audit_entry_of_action on audit_entry (action, at, id);
create index audit_entry_of_subject_type on audit_entry (subject_type, at, id);
create index audit_entry_of_subject_id on audit_entry (subject_id, at, id) include (subject_type);

create trigger audit_entry_immutable before update or delete or truncate on audit_entry
  for each statement execute function refuse_change();
