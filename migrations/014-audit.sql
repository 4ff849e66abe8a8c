-- Who did what on the admins' side: written in the transaction of the deed, and never changed afterwards.

create table audit_entry (
  id           uuid primary key,
  at           timestamptz not null, -- domain time
  recorded_at  timestamptz not null default clock_timestamp(),
  actor        text not null,        -- an admin's e-mail address, or `system`
  action       text not null,        -- subject.verb, as `withdrawal.take`
  subject_type text not null,
  subject_id   text not null,
  reason       text,
  before       jsonb,                -- what the deed changed, as it was and as it became
  after        jsonb,
  trace_id     text,
  constraint audit_entry_action check (action ~ '^[a-z-]+\.[a-z-]+$')
);
create index audit_entry_by_time on audit_entry (at, id);
create index audit_entry_of_actor on audit_entry (actor, at, id);
create index audit_entry_of_action on audit_entry (action, at, id);
create index audit_entry_of_subject on audit_entry (subject_type, subject_id, at, id);

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'audit: % is refused: what was recorded stays', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger audit_entry_stays before update or delete or truncate on audit_entry
  for each statement execute function audit_refuse();
