-- Live delivery over WebSocket: the events that are sent, and the tickets that open a connection.

-- The number of an event, drawn when its row is inserted. Its transaction holds its locks by then, so that two events about
-- the same money are numbered in the order of their transactions.
create sequence live_event_sequence cache 1;
-- A transaction has its id before it draws a number. So every transaction with a number up to a certain one has ended, when
-- those below an id that is assigned later have ended.
create function live_event_number() returns bigint language plpgsql as $$
begin
  perform pg_current_xact_id();
  return nextval('live_event_sequence');
end
$$;
-- The place of an event in the order in which every process delivers it. Drawn by one process at a time.
create sequence live_event_position cache 1;

-- Written in the transaction that causes the event, and deleted after 24 hours of real time.
create table live_event (
  id             uuid primary key,
  sequence       bigint not null default live_event_number(),
  -- Null until every transaction that may have a smaller number has ended.
  position       bigint,
  recipient_type text not null,
  recipient_id   text not null, -- empty: all admins who hold the permission
  permission     text,          -- that an admin needs
  type           text not null,
  at             timestamptz not null, -- domain time
  data           text not null,        -- JSON, sent byte for byte
  created_at     timestamptz not null default clock_timestamp(),
  constraint live_event_recipient check (recipient_type = 'admin' or recipient_id <> ''),
  constraint live_event_recipient_type check (recipient_type in ('user', 'admin')),
  constraint live_event_permission check ((recipient_type = 'admin') = (permission is not null)),
  constraint live_event_data check (data is json object)
);
alter sequence live_event_sequence owned by live_event.sequence;
alter sequence live_event_position owned by live_event.position;
create unique index live_event_by_position on live_event (position);
create index live_event_unpositioned on live_event (sequence) where position is null;
create index live_event_of_recipient on live_event (recipient_type, recipient_id, position);
create index live_event_age on live_event (created_at);

-- An amount as the API sends it: at least two decimals, no further zeros at the end.
create function live_amount(amount numeric) returns text language sql immutable parallel safe as $$
  select case when scale(trim_scale(amount)) < 2 then round(amount, 2) else trim_scale(amount) end::text
$$;

-- The data of balance.changed, as GET /api/user/balance answers it after this transaction. Two transactions can change different
-- accounts of a user without waiting for each other. The lock lets one commit before the other one reads: volatile, so that the
-- select sees what was committed while the lock was waited for.
create function live_balance(user_id uuid) returns text language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('live-balance:' || user_id, 0));
  return (
    select format('{"total":"%s","available":"%s","invested":"%s","reserved":"%s"}', live_amount(available + invested),
                  live_amount(available), live_amount(invested), live_amount(reserved))
      from (select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
                   coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
                   coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved
              from ledger_account where owner_id = user_id and asset = 'USDC') as funds);
end
$$;

-- A ticket opens one connection. The database's clock decides, because several processes issue and redeem tickets.
create table live_ticket (
  ticket_hash        bytea primary key, -- SHA-256
  owner_type         text not null,
  owner_id           text not null,
  session_id         uuid not null,        -- or the id of the API key
  session_expires_at timestamptz, -- the connection ends then; null for an API key without an end
  key_id             uuid,
  key_scopes         text[],
  expires_at         timestamptz not null,
  constraint live_ticket_owner_type check (owner_type in ('user', 'admin')),
  constraint live_ticket_key check ((key_id is null) = (key_scopes is null))
);
create index live_ticket_expired on live_ticket (expires_at);
create index live_ticket_of_owner on live_ticket (owner_type, owner_id);
