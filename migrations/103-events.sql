-- Domain events. Their readers (notifications, mails, webhooks, live delivery, totals) read them after the commit, in the order of
-- the numbers.

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
  number       bigint primary key default next_domain_event_number(),
  id           uuid not null,
  type         text not null,
  at           timestamptz not null,
  user_id      uuid,
  subject_type text,
  subject_id   text,
  data         jsonb not null,
  balance      json,
  written_at   timestamptz not null default clock_timestamp(),
  constraint domain_event_data check (jsonb_typeof(data) = 'object'),
  constraint domain_event_balance check (balance is null or user_id is not null)
);
comment on table domain_event is 'Events of committed transactions, in their order. Consumers make notifications, mails, webhooks, live messages and sums of them.';
comment on column domain_event.number is 'order of delivery, drawn immediately before the commit; gaps are normal';
comment on column domain_event.id is 'identifier of the event for receivers';
comment on column domain_event.type is 'such as deposit.completed';
comment on column domain_event.at is 'domain time of the event';
comment on column domain_event.user_id is 'the user concerned; null for events of the platform';
comment on column domain_event.subject_type is 'the kind of record';
comment on column domain_event.subject_id is 'identifier of the record';
comment on column domain_event.data is 'what consumers need and cannot compute later';
comment on column domain_event.balance is 'the balance of the user after the transaction, if the transaction changed it';
comment on column domain_event.written_at is 'real time of the insertion';
alter sequence domain_event_number owned by domain_event.number;

create unique index domain_event_by_id on domain_event (id);
create index domain_event_of_user on domain_event (user_id, number) where user_id is not null;

create trigger domain_event_kept before update on domain_event
  for each statement execute function refuse_change();

-- The row moves in the transaction that writes what follows from the events.
create table event_consumer (
  name     text primary key,
  number   bigint not null,
  moved_at timestamptz not null default clock_timestamp()
);
comment on table event_consumer is 'How far each consumer of domain events has read.';
comment on column event_consumer.name is 'name of the consumer';
comment on column event_consumer.number is 'number of the last event that it has handled';
comment on column event_consumer.moved_at is 'real time of the latest step';

create table event_failure (
  consumer     text not null references event_consumer,
  event_number bigint not null,
  event_id     uuid not null,
  error        text not null,
  failed_at    timestamptz not null default clock_timestamp(),
  primary key (consumer, event_number)
);
comment on table event_failure is 'Events that a consumer could not handle and has passed over.';
comment on column event_failure.consumer is 'name of the consumer';
comment on column event_failure.event_number is 'number of the event';
comment on column event_failure.event_id is 'identifier of the event';
comment on column event_failure.error is 'message of the last error';
comment on column event_failure.failed_at is 'real time of the last attempt';

-- The balance of a user as GET /api/user/balance answers it after this transaction. Two transactions can change different accounts
-- of a user without waiting for each other. The lock lets one commit before the other one reads: volatile, so that the select
-- sees what was committed while the lock was waited for.
create function user_balance(user_id uuid) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('user-balance:' || user_id, 0));
  return (
    select format('{"total":"%s","available":"%s","invested":"%s","reserved":"%s"}', api_amount(available + invested),
                  api_amount(available), api_amount(invested), api_amount(reserved))::json
      from (select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
                   coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
                   coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved
              from ledger_account where owner_id = user_id and asset = 'USDC') as funds);
end
$$;
