-- Mechanisms that all modules use: leases of background jobs, replica lag, idempotency results, the domain clock, amounts, and what
-- refuses changes and announces them to processes.

create extension if not exists pg_trgm; -- trusted: the owner of the database may create it

-- Reports the violation of a rule of check_<table> as PostgreSQL reports that of a CHECK constraint. Tables of the money path have one
-- constraint that calls such a function: PostgreSQL parses all CHECK constraints of a table for each statement that writes a row, which
-- takes longer than the insertion, and prepares the function once per connection. A null result satisfies a rule.
create function raise_check_violation(its_table text, rule text) returns void language plpgsql immutable as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', its_table, rule
    using errcode = 'check_violation', schema = 'public', table = its_table, constraint = rule;
end
$$;

-- The arguments of a trigger for each row are columns: a value that is not null stays. Without arguments the statement is refused.
create function refuse_change() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  kept text;
begin
  if tg_op = 'UPDATE' and tg_nargs > 0 then
    before := to_jsonb(old);
    after := to_jsonb(new);
    foreach kept in array tg_argv loop
      if before -> kept <> 'null' and before -> kept <> after -> kept then
        raise exception '%: % of a row does not change', tg_table_name, kept using errcode = 'restrict_violation';
      end if;
    end loop;
    return new;
  end if;
  raise exception '%: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
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

-- The current UTC day by the database's clock. One function that is not parallel safe would keep PostgreSQL from planning any part of a
-- statement in parallel. Tests and the sandbox move the domain clock; they pass the offset as a setting of their transaction.
create function domain_today() returns date language sql volatile parallel safe as $$
  select ((clock_timestamp() + make_interval(secs =>
            coalesce(nullif(current_setting('platform.clock_offset_ms', true), ''), '0')::float8 / 1000))
          at time zone 'UTC')::date
$$;

-- Rounds half to even, as all displayed amounts are rounded. PostgreSQL's round() rounds half away from zero. A value that is half-way
-- between two results has one decimal more; the others are rounded with fewer operations.
create function round_half_even(value numeric, places integer) returns numeric
  language sql immutable parallel safe as $$
  select case when min_scale(value) = places + 1
               and abs(value - trunc(value, places)) * power(10::numeric, places) = 0.5
               and mod(trunc(value, places) * power(10::numeric, places), 2) = 0
              then trunc(value, places) else round(value, places) end
$$;

-- An amount as the API sends it: at least two decimals, no further zeros at the end.
create function api_amount(amount numeric) returns text language sql immutable parallel safe as $$
  select case when scale(trim_scale(amount)) < 2 then round(amount, 2) else trim_scale(amount) end::text
$$;

-- A row is used because a session-level lock would hold a connection for the duration of the job and would not work behind a pooler.
create table lease (
  name   text primary key,
  holder uuid not null,
  until  timestamptz not null
);
comment on table lease is 'The right of one process to run a background job.';
comment on column lease.name is 'name of the job';
comment on column lease.holder is 'the process that runs the job';
comment on column lease.until is 'real time; the lease is free when this is past';

-- An alert reports a job without a recent success here, whatever its lease says.
create table job_run (
  name         text primary key,
  succeeded_at timestamptz not null
);
comment on table job_run is 'The latest success of each background job that runs in one process at a time.';
comment on column job_run.name is 'name of the job';
comment on column job_run.succeeded_at is 'real time of the latest success';

create table replica_beat (
  only_row boolean primary key default true check (only_row),
  at       timestamptz not null
);
comment on table replica_beat is 'One row that processes with read replicas update twice a second. Its age on a replica is the lag of the replica.';
comment on column replica_beat.only_row is 'always true';
comment on column replica_beat.at is 'real time of the latest update';

insert into replica_beat (at) values ('-infinity');

create table idempotency_result (
  caller      text not null,
  route       text not null,
  key         text not null,
  fingerprint bytea not null,
  status      smallint not null,
  answer      json not null,
  created_at  timestamptz not null,
  primary key (caller, route, key)
);
comment on table idempotency_result is 'Answers to requests with an Idempotency-Key, written in the transaction of the request.';
comment on column idempotency_result.caller is 'user:<id> or admin:<id>';
comment on column idempotency_result.route is 'method and pattern of the route';
comment on column idempotency_result.key is 'the header Idempotency-Key';
comment on column idempotency_result.fingerprint is 'SHA-256 of the request';
comment on column idempotency_result.status is 'HTTP status of the answer';
comment on column idempotency_result.answer is 'body of the answer without its time and trace id';
comment on column idempotency_result.created_at is 'real time of the request';

create index idempotency_result_by_age on idempotency_result (created_at);

create function check_idempotency_result(checked idempotency_result) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (length(checked.key) between 1 and 255 and checked.key !~ '[^\x21-\x7e]') then 'idempotency_result_key'
    when not (length(checked.fingerprint) = 32) then 'idempotency_result_fingerprint'
    when not (checked.status between 200 and 299) then 'idempotency_result_status'
  end;
begin
  if violated is not null then perform raise_check_violation('idempotency_result', violated); end if;
  return true;
end
$$;
alter table idempotency_result add constraint idempotency_result_rules check (check_idempotency_result(idempotency_result));

-- Locks an idempotency key until the transaction ends. Fails without waiting, so that PostgreSQL refuses all later statements of the
-- transaction: on idempotency_key_in_progress while another transaction holds the lock, and on idempotency_key_used if a result
-- was stored after p_after. The result is read in a statement after the lock, so that it sees what the previous holder committed.
create function claim_idempotency_key(p_caller text, p_route text, p_key text, p_after timestamptz) returns void
language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'idempotency:' || p_caller, p_route, p_key), 0)) then
    raise exception 'a request with this idempotency key is in progress' using constraint = 'idempotency_key_in_progress';
  end if;
  if exists (select from idempotency_result
              where caller = p_caller and route = p_route and key = p_key and created_at > p_after) then
    raise exception 'this idempotency key has a stored response' using constraint = 'idempotency_key_used';
  end if;
end
$$;

comment on table migrations is 'The files of migrations that have been applied. TypeORM keeps this table.';
comment on column migrations.id is 'number in the order of application';
comment on column migrations.timestamp is 'number of the file';
comment on column migrations.name is 'name and number of the file';
