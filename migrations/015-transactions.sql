-- The transactions that users see. They are written in the database transaction of the event that they record, and no
-- decision about money reads them.

-- One record per event: deposit, investment, withdrawal, reversal; a closing writes divestment, earning and fee.
create table user_transaction (
  id             uuid primary key,
  user_id        uuid not null references platform_user,
  type           text not null,
  status         text not null,
  amount         numeric not null, -- in its currency; negative only for a loss
  currency       text not null,
  balance_change numeric not null, -- of the available USDC balance so far; the sum of a user's rows is that balance
  reference_type text not null,
  reference_id   text not null,
  description    text not null,
  from_address   text,
  to_address     text,
  tx_hash        text,
  block_number   bigint,
  confirmations  integer not null,
  gas_used       text,
  gas_price      text, -- gwei
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
