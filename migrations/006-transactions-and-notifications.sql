-- What users are shown of what happens to their money. Both tables are written in the database transaction of the
-- fact that they tell, and are never read to decide about money.

-- One record per fact: deposit, investment, withdrawal, reversal; on closing divestment, earning and fee.
create table user_transaction (
  id             uuid primary key,
  user_id        uuid not null references platform_user,
  type           text not null,
  status         text not null,
  amount         numeric not null, -- in its currency; below zero for a loss alone
  currency       text not null,
  balance_change numeric not null, -- to the available USDC balance so far: a user's sum to that balance
  reference_type text not null,
  reference_id   text not null,
  description    text not null,
  from_address   text,
  to_address     text,
  tx_hash        text,
  block_number   bigint,
  confirmations  integer not null,
  strategy_id    text,
  strategy_name  text,
  created_at     timestamptz not null,
  submitted_at   timestamptz, -- seen on chain, or handed to the custody provider
  completed_at   timestamptz,
  timeline       jsonb not null, -- [{status, timestamp, description}], oldest first
  constraint user_transaction_fact unique (reference_type, reference_id, type),
  constraint user_transaction_type check
    (type in ('deposit', 'withdrawal', 'investment', 'divestment', 'earning', 'fee', 'reversal')),
  constraint user_transaction_status check (status in ('pending', 'processing', 'completed', 'failed', 'cancelled')),
  constraint user_transaction_amount check (amount >= 0 or type = 'earning'),
  constraint user_transaction_balance_change check (balance_change in (0, amount, -amount)),
  constraint user_transaction_completed check ((status = 'completed') = (completed_at is not null)),
  constraint user_transaction_timeline check (jsonb_typeof(timeline) = 'array')
);
create index user_transaction_by_time on user_transaction (user_id, created_at, id);
create index user_transaction_by_amount on user_transaction (user_id, amount, id);
create index user_transaction_by_type on user_transaction (user_id, type, created_at, id);
create index user_transaction_by_status on user_transaction (user_id, status, created_at, id);

create table notification (
  id            uuid primary key,
  user_id       uuid not null references platform_user,
  type          text not null,
  title         text not null,
  message       text not null,
  priority      text not null,
  priority_rank smallint not null generated always as
    (case priority when 'critical' then 4 when 'high' then 3 when 'normal' then 2 else 1 end) stored, -- to sort by
  category      text not null,
  action_url    text,
  metadata      jsonb not null,
  created_at    timestamptz not null,
  read_at       timestamptz,
  constraint notification_type check
    (type in ('investment', 'earning', 'withdrawal', 'deposit', 'security', 'system', 'promotion')),
  constraint notification_priority check (priority in ('critical', 'high', 'normal', 'low')),
  constraint notification_category check (category in ('transaction', 'portfolio', 'account', 'platform')),
  constraint notification_metadata check (jsonb_typeof(metadata) = 'object')
);
create index notification_by_time on notification (user_id, created_at, id);
create index notification_by_priority on notification (user_id, priority_rank, created_at, id);
create index notification_by_type on notification (user_id, type, created_at, id);
create index notification_unread on notification (user_id, created_at, id) include (type, priority) where read_at is null;
