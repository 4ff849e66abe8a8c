-- Alerts: conditions that an operator has to look at, each with what to do about it.

create table alert (
  id           uuid primary key,
  kind         text not null,
  subject_type text not null, -- `deposit`, `withdrawal`, …
  subject_id   text not null,
  user_id      uuid,          -- no foreign key: an alert must not hinder what it reports
  tx_hash      text,
  message      text not null,
  next_step    text not null,
  created_at   timestamptz not null, -- domain time
  resolved_at  timestamptz,
  resolved_by  text,          -- an admin's e-mail address, or `system` when the condition ended by itself
  reason       text,
  constraint alert_kind check (kind in (
    'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
    'screening-away', 'screening-blocked', 'log-restored')),
  constraint alert_texts check (message <> '' and next_step <> '' and reason <> ''),
  constraint alert_resolved check (num_nonnulls(resolved_at, resolved_by, reason) in (0, 3))
);

-- One condition has one open alert, whichever process finds it first.
create unique index alert_open_once on alert (kind, subject_type, subject_id) where resolved_at is null;
-- The event of a transaction that an admin has resolved is not raised again.
create index alert_of_subject on alert (kind, subject_id);
create index alert_of_user on alert (user_id) where user_id is not null;
-- The list, by its one filter, the newest first.
create index alert_open on alert (created_at, id) where resolved_at is null;
create index alert_resolved on alert (created_at, id) where resolved_at is not null;
