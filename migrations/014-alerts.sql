-- Alerts: conditions that an operator has to look at, each with the next step to take.

create table alert (
  id           uuid primary key,
  kind         text not null,
  subject_type text not null, -- `deposit`, `withdrawal`, …
  subject_id   text not null,
  user_id      uuid,          -- no foreign key: an alert must not block changes to the user that it reports
  tx_hash      text,
  message      text not null,
  next_step    text not null,
  created_at   timestamptz not null, -- domain time
  resolved_at  timestamptz,
  resolved_by  text,          -- an admin's e-mail address, or `system` if the condition ended by itself
  reason       text,
  constraint alert_kind check (kind in (
    'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
    'screening-away', 'screening-blocked', 'log-restored')),
  constraint alert_texts check (message <> '' and next_step <> '' and reason <> ''),
  constraint alert_resolved check (num_nonnulls(resolved_at, resolved_by, reason) in (0, 3))
);

-- A condition has one open alert, even if several processes find it at once.
create unique index alert_open_once on alert (kind, subject_type, subject_id) where resolved_at is null;
-- An alert about a transaction is not raised again after an admin resolved it.
create index alert_of_subject on alert (kind, subject_id);
create index alert_of_user on alert (user_id) where user_id is not null;
-- The list with its one filter, newest first.
create index alert_open on alert (created_at, id) where resolved_at is null;
create index alert_resolved on alert (created_at, id) where resolved_at is not null;
