-- The transactions that users see. They are written in the database transaction of the event that they record, and no
-- decision about money reads them.

-- Type and status of a user's transaction under the names of admin transactions, for the admins' list (admin_transaction_list).
create function admin_list_type(type text) returns text language sql immutable parallel safe as $$
  select case when type in ('divestment', 'earning', 'fee') then 'transfer' else type end
$$;

create function admin_list_status(status text) returns text language sql immutable parallel safe as $$
  select case status when 'completed' then 'confirmed' when 'cancelled' then 'failed' else status end
$$;

-- One record per event: deposit, investment, withdrawal, reversal; a closing writes divestment, earning and fee.
create table user_transaction (
  id             uuid primary key,
  user_id        uuid not null references platform_user,
  type           text not null,
  status         text not null,
  amount         numeric not null,
  currency       text not null,
  balance_change numeric not null,
  reference_type text not null,
  reference_id   text not null,
  description    text not null,
  from_address   text,
  to_address     text,
  tx_hash        text,
  block_number   bigint,
  confirmations  integer not null,
  gas_used       text,
  gas_price      text,
  strategy_id    text,
  strategy_name  text,
  created_at     timestamptz not null,
  submitted_at   timestamptz,
  completed_at   timestamptz,
  timeline       jsonb not null,
  constraint user_transaction_fact unique (reference_type, reference_id, type)
);
comment on table user_transaction is 'The transactions that users see, written in the transaction of the event that they record. No decision about money reads them.';
comment on column user_transaction.id is 'identifier of the transaction (UUID)';
comment on column user_transaction.user_id is 'the user';
comment on column user_transaction.type is 'deposit, withdrawal, investment, divestment, earning, fee or reversal';
comment on column user_transaction.status is 'pending, processing, completed, failed or cancelled';
comment on column user_transaction.amount is 'in the currency; negative for a loss only';
comment on column user_transaction.currency is 'USDC, USDT or ETH';
comment on column user_transaction.balance_change is 'change of the available USDC balance so far; the sum of a user''s rows is that balance';
comment on column user_transaction.reference_type is 'the kind of record that it is about';
comment on column user_transaction.reference_id is 'identifier of that record';
comment on column user_transaction.description is 'one sentence';
comment on column user_transaction.from_address is 'sender of the transfer';
comment on column user_transaction.to_address is 'receiver of the transfer';
comment on column user_transaction.tx_hash is 'hash of the transfer on chain';
comment on column user_transaction.block_number is 'number of the block that contains the transfer';
comment on column user_transaction.confirmations is 'blocks from that of the transfer on';
comment on column user_transaction.gas_used is 'units of gas, as decimal text';
comment on column user_transaction.gas_price is 'gwei, as decimal text';
comment on column user_transaction.strategy_id is 'the strategy, if any';
comment on column user_transaction.strategy_name is 'its name at that time';
comment on column user_transaction.created_at is 'domain time of the creation';
comment on column user_transaction.submitted_at is 'domain time at which it was seen on chain, or handed to the custody provider';
comment on column user_transaction.completed_at is 'domain time at which it was completed';
comment on column user_transaction.timeline is '[{status, timestamp, description}], oldest first';

create index user_transaction_by_amount on user_transaction (user_id, amount, id);
create index user_transaction_by_type on user_transaction (user_id, type, created_at, id);
create index user_transaction_listed on user_transaction (created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_type on user_transaction (admin_list_type(type), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_status on user_transaction (admin_list_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_type_and_status
  on user_transaction (admin_list_type(type), admin_list_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_by_time on user_transaction (user_id, created_at, id) include (type, status);
create index user_transaction_settled on user_transaction (completed_at) include (created_at)
  where type in ('deposit', 'withdrawal') and completed_at is not null;

create function check_user_transaction(checked user_transaction) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.type in ('deposit', 'withdrawal', 'investment', 'divestment', 'earning', 'fee', 'reversal'))
      then 'user_transaction_type'
    when not (checked.status in ('pending', 'processing', 'completed', 'failed', 'cancelled'))
      then 'user_transaction_status'
    when not (checked.amount >= 0 or checked.type = 'earning') then 'user_transaction_amount'
    when not (checked.balance_change in (0, checked.amount, -checked.amount)) then 'user_transaction_balance_change'
    when not ((checked.status = 'completed') = (checked.completed_at is not null)) then 'user_transaction_completed'
    when not (jsonb_typeof(checked.timeline) = 'array') then 'user_transaction_timeline'
  end;
begin
  if violated is not null then perform raise_check_violation('user_transaction', violated); end if;
  return true;
end
$$;
alter table user_transaction add constraint user_transaction_rules check (check_user_transaction(user_transaction));

create trigger user_transaction_kept before update on user_transaction for each row execute function refuse_change(
  'id', 'user_id', 'type', 'reference_type', 'reference_id', 'strategy_id', 'created_at');
create trigger user_transaction_decided before update on user_transaction for each row when (old.status = 'completed')
  execute function refuse_change('status', 'amount', 'currency', 'balance_change', 'to_address', 'tx_hash', 'completed_at');
create trigger user_transaction_permanent before delete or truncate on user_transaction
  for each statement execute function refuse_change();

-- Without these statistics the planner assumes that each type and status is rare, and sorts all rows of it instead of
-- reading a page from the index.
create statistics user_transaction_listed on admin_list_type(type), admin_list_status(status) from user_transaction;
