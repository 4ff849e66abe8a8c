-- Mechanisms that all modules use: leases of background jobs, replica lag, idempotency results, the domain clock and
-- rounding.

create extension if not exists pg_trgm; -- trusted: the owner of the database may create it

-- The right of one process to run a background job. A row is used because a session-level lock would hold a connection
-- for the duration of the job and would not work behind a pooler.
create table lease (
  name   text primary key,
  holder uuid not null,       -- the process that runs the job
  until  timestamptz not null -- real time; the lease is free when this is past
);

-- One row, updated twice a second by processes that use read replicas. Its age on a replica is the replica's lag.
create table replica_beat (
  only_row boolean primary key default true check (only_row),
  at       timestamptz not null -- real time
);
insert into replica_beat (at) values ('-infinity');

-- The response to a request with an Idempotency-Key, written in the transaction of that request.
create table idempotency_result (
  caller      text not null,     -- user:<id> or admin:<id>
  route       text not null,     -- method and pattern
  key         text not null,
  fingerprint bytea not null,    -- SHA-256 of the request
  status      smallint not null,
  answer      json not null,     -- the response body without its time and trace id
  created_at  timestamptz not null,
  primary key (caller, route, key),
  constraint idempotency_result_key check (key ~ '^[\x21-\x7e]{1,255}$'),
  constraint idempotency_result_fingerprint check (length(fingerprint) = 32),
  constraint idempotency_result_status check (status between 200 and 299)
);
create index idempotency_result_by_age on idempotency_result (created_at);

-- Locks an idempotency key until the transaction ends and returns the stored result, if there is one. The lock is taken
-- in a statement before the result is read, so that the read sees what the previous holder of the lock committed.
create function idempotency_claim(name text, its_caller text, its_route text, its_key text, after timestamptz,
                                  out is_ours boolean, out fingerprint bytea, out status smallint, out answer json)
language plpgsql as $$
begin
  is_ours := pg_try_advisory_xact_lock(hashtextextended('idempotency:' || name, 0));
  if is_ours then
    select stored.fingerprint, stored.status, stored.answer into fingerprint, status, answer
      from idempotency_result as stored
     where caller = its_caller and route = its_route and key = its_key and created_at > after;
  end if;
end
$$ set search_path = public, pg_temp;

-- The current UTC day by the database's clock. Tests and the sandbox move the domain clock; they pass the offset as a
-- setting of their transaction.
create function domain_today() returns date language sql volatile as $$
  select ((clock_timestamp() + make_interval(secs =>
            coalesce(nullif(current_setting('platform.clock_offset_ms', true), ''), '0')::float8 / 1000))
          at time zone 'UTC')::date
$$;

create function utc_day(at timestamptz) returns date language sql immutable parallel safe as $$
  select (at at time zone 'UTC')::date
$$;

-- Rounds half to even, as all displayed amounts are rounded. PostgreSQL's round() rounds half away from zero.
create function round_half_even(value numeric, places integer) returns numeric
  language sql immutable parallel safe as $$
  select case when abs(value - trunc(value, places)) * power(10::numeric, places) = 0.5
               and mod(trunc(value, places) * power(10::numeric, places), 2) = 0
              then trunc(value, places) else round(value, places) end
$$;

-- Processes cache sessions. These triggers send `topic:id` so that every process drops what it has cached for that row.
create function notify_row_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('platform_notice', tg_argv[0] || ':' || new.id);
  return null;
end
$$;
create function notify_row_deleted() returns trigger language plpgsql as $$
begin
  perform pg_notify('platform_notice', tg_argv[0] || ':' || old.id);
  return null;
end
$$;
