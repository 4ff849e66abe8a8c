-- Bookings by hand and transfers between the deposit provider and custody. One admin creates a booking, another approves
-- it, and its confirmation posts it. A reversal releases the reserved amount of a failed withdrawal.

-- Each run nets the ledger entries after the previous run, up to `up_to`. Its sums cover all entries up to there, so that
-- no run has to add up the whole ledger again.
create table treasury_run (
  id       uuid primary key,
  number   integer not null, -- 1, 2, …
  at       timestamptz not null,
  run_by   text not null,
  up_to    bigint not null,  -- an id of ledger_entry below which no entry is uncommitted any more
  received jsonb not null,   -- by network: USDC received by the deposit provider, without transfers of the treasury
  owed     numeric not null, -- USDC to retain: available to users, or in suspense
  constraint treasury_run_number unique (number),
  constraint treasury_run_received check (jsonb_typeof(received) = 'object')
);

create table admin_transaction (
  id               uuid primary key,
  type             text not null,
  status           text not null,
  user_id          uuid references platform_user,
  amount           numeric not null,
  currency         text not null,
  description      text not null,
  withdrawal_id    uuid references withdrawal, -- of a reversal: the withdrawal that it releases
  from_suspense    boolean not null default false,
  purpose          text,  -- of a transfer: its direction and reason
  network          text,  -- where the tokens are; null if no tokens move
  strategy_id      text,
  run_id           uuid references treasury_run,
  created_at       timestamptz not null,
  created_by       text not null, -- an admin's e-mail address, as in the other columns of this kind
  approved_at      timestamptz,
  approved_by      text,
  confirmed_at     timestamptz,
  confirmed_by     text,
  rejected_at      timestamptz,
  rejected_by      text,
  reason           text,
  tx_hash          text,
  block_number     bigint,
  confirmations    integer not null default 0,
  gas_used         text,
  gas_price        text, -- gwei
  chain_check      text,
  chain_checked_at timestamptz,
  constraint admin_transaction_type check (type in ('deposit', 'withdrawal', 'transfer', 'reversal')),
  constraint admin_transaction_status check (status in ('pending', 'processing', 'confirmed', 'failed')),
  constraint admin_transaction_user check ((user_id is null) = (type = 'transfer')),
  constraint admin_transaction_amount check (amount > 0 and scale(amount) <= 6),
  constraint admin_transaction_currency check (currency = 'USDC'),
  constraint admin_transaction_reversal check ((withdrawal_id is not null) = (type = 'reversal')),
  constraint admin_transaction_suspense check (not from_suspense or type = 'deposit'),
  constraint admin_transaction_purpose check
    ((purpose is not null) = (type = 'transfer') and purpose in ('sweep', 'allocate', 'deallocate')),
  constraint admin_transaction_network check
    ((network is null) = (type = 'reversal') and network in ('ERC20', 'BEP20', 'TRC20')),
  constraint admin_transaction_planned check (type = 'transfer' or num_nonnulls(strategy_id, run_id) = 0),
  -- Four eyes: the approving admin is not the one who created it.
  constraint admin_transaction_approved check
    (num_nonnulls(approved_at, approved_by) in (0, 2) and approved_by <> created_by
     and (status = 'failed' or (approved_at is null) = (status = 'pending'))),
  constraint admin_transaction_confirmed check
    (num_nonnulls(confirmed_at, confirmed_by) = case status when 'confirmed' then 2 else 0 end),
  constraint admin_transaction_rejected check
    (num_nonnulls(rejected_at, rejected_by, reason) = case status when 'failed' then 3 else 0 end),
  constraint admin_transaction_hash check
    (num_nonnulls(tx_hash, chain_check, chain_checked_at) in (0, 3) and (tx_hash is null or status = 'confirmed')
     and tx_hash <> ''),
  constraint admin_transaction_chain_check check (chain_check in ('matched', 'mismatch', 'unverified'))
);
create unique index admin_transaction_tx_hash on admin_transaction (tx_hash);
-- One reversal releases a failed withdrawal; a rejected reversal does not count.
create unique index admin_transaction_one_reversal on admin_transaction (withdrawal_id) where status <> 'failed';
create index admin_transaction_unverified on admin_transaction (chain_checked_at, id) where chain_check = 'unverified';
create index admin_transaction_open_transfer on admin_transaction (id) where type = 'transfer' and status = 'processing';
create index admin_transaction_moved on admin_transaction (network, purpose) include (amount)
  where type = 'transfer' and status <> 'failed';
create index admin_transaction_of_run on admin_transaction (run_id) where run_id is not null;
create index admin_transaction_by_creation on admin_transaction (created_at, id);
create index admin_transaction_by_type on admin_transaction (type, created_at, id);
create index admin_transaction_by_status on admin_transaction (status, created_at, id);
create index admin_transaction_of_user on admin_transaction (user_id, created_at, id);

-- An approved transfer for an operator to carry out at the custody provider. Amount and direction are in the transaction.
create table transaction_request (
  id             uuid primary key,
  transaction_id uuid not null references admin_transaction,
  type           text not null,
  status         text not null,
  requested_by   text not null,
  assigned_to    text,
  note           text,
  created_at     timestamptz not null,
  completed_at   timestamptz,
  constraint transaction_request_of_transaction unique (transaction_id),
  constraint transaction_request_type check (type in ('sweep', 'allocate', 'deallocate')),
  constraint transaction_request_status check (status in ('pending', 'completed', 'rejected')),
  constraint transaction_request_completed check
    ((completed_at is not null) = (status = 'completed') and (status <> 'completed' or assigned_to is not null))
);
create index transaction_request_by_creation on transaction_request (created_at, id);
create index transaction_request_by_status on transaction_request (status, created_at, id);
create index transaction_request_by_type on transaction_request (type, created_at, id);
create index transaction_request_of_assignee on transaction_request (assigned_to, created_at, id);

-- The admins' list of transactions: the users' transactions under the type and status names of admin transactions, and the
-- admin transactions. A user's transaction that an admin transaction caused is not listed a second time. `listed` is a
-- column because PostgreSQL could not read a branch of the union with its own condition in the order of an index.
create function admin_list_type(type text) returns text language sql immutable parallel safe as $$
  select case when type in ('divestment', 'earning', 'fee') then 'transfer' else type end
$$;
create function admin_list_status(status text) returns text language sql immutable parallel safe as $$
  select case status when 'completed' then 'confirmed' when 'cancelled' then 'failed' else status end
$$;
create view admin_transaction_list as
  select id, user_id, admin_list_type(type) as type, amount, currency, admin_list_status(status) as status, tx_hash,
         block_number, confirmations, created_at, completed_at as confirmed_at, submitted_at as processed_at, description,
         from_address, to_address, reference_type <> 'admin-transaction' and type <> 'reversal' as listed,
         gas_used, gas_price
    from user_transaction
  union all
  select id, user_id, type, amount, currency, status, tx_hash, block_number,
         confirmations, created_at, confirmed_at, approved_at, description, null, null, true, gas_used, gas_price
    from admin_transaction;

create index user_transaction_listed on user_transaction (created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_type on user_transaction (admin_list_type(type), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_status on user_transaction (admin_list_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_listed_by_type_and_status
  on user_transaction (admin_list_type(type), admin_list_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
-- Without these statistics the planner assumes that each type and status is rare, and sorts all rows of it instead of
-- reading a page from the index.
create statistics user_transaction_listed on admin_list_type(type), admin_list_status(status) from user_transaction;
