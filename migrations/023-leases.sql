-- Background work that one replica does at a time. A row, not a lock of a session: no connection is held while the
-- work waits for somebody outside, and it holds behind a pooler that gives each transaction another connection.

create table lease (
  name   text primary key,
  holder uuid not null,        -- a process
  until  timestamptz not null  -- real time; later than now, somebody is at work
);

-- What tells how far a read replica is behind: one row, written twice a second by whoever uses replicas.
create table replica_beat (
  only_row boolean primary key default true check (only_row),
  at       timestamptz not null -- real time
);
insert into replica_beat (at) values ('-infinity');
