-- The checks of all money, and the pauses of withdrawals that a violated invariant or an admin starts.

-- Withdrawals are paused while a row is open. At most one is.
create table withdrawal_pause (
  id            uuid primary key,
  since         timestamptz not null, -- domain time
  paused_by     text not null,        -- an admin's e-mail address, or `system`
  reason        text not null,
  resumed_at    timestamptz,
  resumed_by    text,
  resume_reason text,
  constraint withdrawal_pause_reason check (reason <> '' and resume_reason <> ''),
  constraint withdrawal_pause_resumed check (num_nonnulls(resumed_at, resumed_by, resume_reason) in (0, 3))
);
create unique index withdrawal_pause_open on withdrawal_pause ((true)) where resumed_at is null;

create table integrity_run (
  id              uuid primary key,
  checked_at      timestamptz not null, -- domain time
  duration_ms     integer not null,
  entries         bigint not null,      -- the number of ledger entries that were read
  status          text not null,
  broken          jsonb not null,       -- the violated invariants: [{name, severity, breakCount, breaks}]
  paused          boolean not null,     -- this run paused withdrawals
  night           date unique,          -- set on the nightly run: there is one per night
  acknowledged_by text,                 -- the admin who resumed withdrawals despite these violations
  constraint integrity_run_status check (status in ('holds', 'warning', 'broken')),
  constraint integrity_run_broken check (jsonb_typeof(broken) = 'array' and (status = 'holds') = (broken = '[]')),
  constraint integrity_run_paused check (not paused or status = 'broken'),
  constraint integrity_run_figures check (duration_ms >= 0 and entries >= 0)
);
create index integrity_run_by_time on integrity_run (checked_at, id);
create index integrity_run_acknowledged on integrity_run (checked_at, id) where acknowledged_by is not null;
