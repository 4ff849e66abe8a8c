-- What operators look at: alerts, pauses of withdrawals, checks of all money, and measurements behind the service levels.

create table alert (
  id           uuid primary key,
  kind         text not null,
  subject_type text not null,
  subject_id   text not null,
  user_id      uuid,
  tx_hash      text,
  message      text not null,
  next_step    text not null,
  created_at   timestamptz not null,
  resolved_at  timestamptz,
  resolved_by  text,
  reason       text,
  constraint alert_texts check (message <> '' and next_step <> '' and reason <> ''),
  constraint alert_resolved check (num_nonnulls(resolved_at, resolved_by, reason) in (0, 3)),
  constraint alert_kind check (kind in (
    'admins-file', 'clock-apart', 'deposit-reorganised', 'deposit-unconfirmed', 'event-webhook-failing',
    'events-behind', 'events-parked', 'forged-credential', 'job-overdue', 'large-deposit', 'log-restored',
    'payment-mismatch', 'platform-limit', 'record-differs', 'screening-away', 'screening-blocked', 'screening-review',
    'second-transfer', 'unknown-tier', 'withdrawal-paid-after-failure'))
);
comment on table alert is 'A condition that an operator has to look at, with the next step to take.';
comment on column alert.id is 'identifier of the alert (UUID)';
comment on column alert.kind is 'the kind of condition, one of those in docs/operations.md';
comment on column alert.subject_type is 'the kind of record that the alert is about, such as deposit';
comment on column alert.subject_id is 'identifier of that record';
comment on column alert.user_id is 'the user concerned, if any; without a foreign key, so that an alert blocks no change of the user';
comment on column alert.tx_hash is 'hash of the transaction concerned, if any';
comment on column alert.message is 'what has happened, in a sentence';
comment on column alert.next_step is 'what to do, in a sentence';
comment on column alert.created_at is 'domain time of the creation';
comment on column alert.resolved_at is 'domain time at which the condition ended; null while the alert is open';
comment on column alert.resolved_by is 'e-mail address of an admin, or system if the condition ended by itself';
comment on column alert.reason is 'how it was resolved';

-- A condition has one open alert, even if several processes find it at once.
create unique index alert_open_once on alert (kind, subject_type, subject_id) where resolved_at is null;
-- An alert about a transaction is not raised again after an admin resolved it.
create index alert_of_subject on alert (kind, subject_id);
create index alert_of_user on alert (user_id) where user_id is not null;
-- The list with its one filter, newest first.
create index alert_open on alert (created_at, id) where resolved_at is null;
create index alert_resolved on alert (created_at, id) where resolved_at is not null;

-- The erasure of a user deletes the alerts about the user.
create trigger alert_kept before update on alert for each row execute function refuse_change(
  'id', 'kind', 'subject_type', 'subject_id', 'user_id', 'tx_hash', 'message', 'next_step', 'created_at', 'resolved_at', 'resolved_by',
  'reason');

create table withdrawal_pause (
  id            uuid primary key,
  since         timestamptz not null,
  paused_by     text not null,
  reason        text not null,
  resumed_at    timestamptz,
  resumed_by    text,
  resume_reason text,
  constraint withdrawal_pause_reason check (reason <> '' and resume_reason <> ''),
  constraint withdrawal_pause_resumed check (num_nonnulls(resumed_at, resumed_by, resume_reason) in (0, 3))
);
comment on table withdrawal_pause is 'Pauses of all withdrawals. At most one row is open.';
comment on column withdrawal_pause.id is 'identifier of the pause (UUID)';
comment on column withdrawal_pause.since is 'domain time at which the pause began';
comment on column withdrawal_pause.paused_by is 'e-mail address of an admin, or system';
comment on column withdrawal_pause.reason is 'why';
comment on column withdrawal_pause.resumed_at is 'domain time at which the pause ended';
comment on column withdrawal_pause.resumed_by is 'e-mail address of the admin who ended it';
comment on column withdrawal_pause.resume_reason is 'why it was ended';

create unique index withdrawal_pause_open on withdrawal_pause ((true)) where resumed_at is null;

create trigger withdrawal_pause_kept before update on withdrawal_pause for each row execute function refuse_change(
  'id', 'since', 'paused_by', 'reason', 'resumed_at', 'resumed_by', 'resume_reason');
create trigger withdrawal_pause_permanent before delete or truncate on withdrawal_pause
  for each statement execute function refuse_change();

create table integrity_run (
  id              uuid primary key,
  checked_at      timestamptz not null,
  duration_ms     integer not null,
  entries         bigint not null,
  status          text not null,
  broken          jsonb not null,
  paused          boolean not null,
  night           date unique,
  acknowledged_by text,
  constraint integrity_run_status check (status in ('holds', 'warning', 'broken')),
  constraint integrity_run_broken check (jsonb_typeof(broken) = 'array' and (status = 'holds') = (broken = '[]')),
  constraint integrity_run_paused check (not paused or status = 'broken'),
  constraint integrity_run_figures check (duration_ms >= 0 and entries >= 0)
);
comment on table integrity_run is 'Results of the full check of all money.';
comment on column integrity_run.id is 'identifier of the run (UUID)';
comment on column integrity_run.checked_at is 'domain time of the check';
comment on column integrity_run.duration_ms is 'duration in milliseconds';
comment on column integrity_run.entries is 'number of ledger entries that were read';
comment on column integrity_run.status is 'holds, warning or broken';
comment on column integrity_run.broken is 'the violated invariants: [{name, severity, breakCount, breaks}]';
comment on column integrity_run.paused is 'whether this run paused withdrawals';
comment on column integrity_run.night is 'the night of a nightly run; null for a run that an admin started';
comment on column integrity_run.acknowledged_by is 'e-mail address of the admin who resumed withdrawals in spite of the violations';

create index integrity_run_by_time on integrity_run (checked_at, id);
create index integrity_run_acknowledged on integrity_run (checked_at, id) where acknowledged_by is not null;

create trigger integrity_run_kept before update on integrity_run for each row execute function refuse_change(
  'id', 'checked_at', 'duration_ms', 'entries', 'status', 'broken', 'paused', 'night', 'acknowledged_by');

create table sla_minute (
  minute    timestamptz primary key,
  requests  integer not null,
  failures  integer not null,
  histogram integer[] not null,
  constraint sla_minute_whole check (minute = date_trunc('minute', minute, 'UTC')),
  constraint sla_minute_requests check (requests >= 0),
  constraint sla_minute_failures check (failures between 0 and requests),
  constraint sla_minute_histogram check (cardinality(histogram) = 35)
);
comment on table sla_minute is 'Measurements of the service levels, by minute of real time. A minute without a row is one in which no process ran.';
comment on column sla_minute.minute is 'beginning of the minute, UTC';
comment on column sla_minute.requests is 'requests that all processes served';
comment on column sla_minute.failures is 'those that were answered with 5xx';
comment on column sla_minute.histogram is 'requests by duration, in the buckets of src/modules/operations/sla/domain/histogram.ts';
