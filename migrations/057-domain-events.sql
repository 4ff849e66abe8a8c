-- One row for each domain event. Its readers (notifications, mails, webhooks, live delivery, totals) read it after the commit, in
-- the order of the numbers.

create sequence domain_event_number cache 1;

-- A transaction has its id before it draws a number. So every transaction with a number up to a certain one has ended, when
-- those below an id that is assigned later have ended.
create function next_domain_event_number() returns bigint language plpgsql volatile as $$
begin
  perform pg_current_xact_id();
  return nextval('domain_event_number');
end
$$;

create table domain_event (
  -- Drawn immediately before the commit, when the transaction holds its locks: two events about the same money are numbered in
  -- the order of their transactions.
  number       bigint primary key default next_domain_event_number(),
  id           uuid not null,
  type         text not null,
  at           timestamptz not null, -- domain time
  user_id      uuid,
  subject_type text,
  subject_id   text,
  data         jsonb not null,
  balance      json, -- of the user after the transaction, if the transaction changed it
  written_at   timestamptz not null default clock_timestamp(),
  constraint domain_event_data check (jsonb_typeof(data) = 'object'),
  constraint domain_event_balance check (balance is null or user_id is not null)
);
alter sequence domain_event_number owned by domain_event.number;
create unique index domain_event_by_id on domain_event (id);
create index domain_event_of_user on domain_event (user_id, number) where user_id is not null;

create function domain_event_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'an event is never changed' using errcode = 'restrict_violation';
end
$$;
create trigger domain_event_kept before update on domain_event
  for each statement execute function domain_event_refuse_change();

-- How far each consumer has read: it moves in the transaction that writes what follows from the events.
create table event_consumer (
  name     text primary key,
  number   bigint not null,
  moved_at timestamptz not null default clock_timestamp()
);

-- Events that a consumer could not handle, and has passed over.
create table event_failure (
  consumer     text not null references event_consumer,
  event_number bigint not null,
  event_id     uuid not null,
  error        text not null,
  failed_at    timestamptz not null default clock_timestamp(),
  primary key (consumer, event_number)
);

alter table live_event drop constraint live_event_rules;
drop function check_live_event(live_event);
drop table live_event;
drop function live_event_number();
drop function live_balance(uuid);

-- The balance of a user as GET /api/user/balance answers it after this transaction. Two transactions can change different accounts
-- of a user without waiting for each other. The lock lets one commit before the other one reads: volatile, so that the select
-- sees what was committed while the lock was waited for.
create function user_balance(user_id uuid) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('user-balance:' || user_id, 0));
  return (
    select format('{"total":"%s","available":"%s","invested":"%s","reserved":"%s"}', live_amount(available + invested),
                  live_amount(available), live_amount(invested), live_amount(reserved))::json
      from (select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
                   coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
                   coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved
              from ledger_account where owner_id = user_id and asset = 'USDC') as funds);
end
$$;

-- Notifications of one kind and user within ten minutes: the first one has no `repeats`, the others are one with their number.
alter table notification add column kind text, add column repeats integer;
-- The same of mails: the mail of the others lists the details of each, and is due when the ten minutes are over.
alter table mail add column repeats integer, add column further_details jsonb not null default '[]';
