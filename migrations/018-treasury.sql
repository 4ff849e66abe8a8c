-- What admins book by hand or have carried between the deposit provider and custody: each booking is made by one admin,
-- approved by another and posted when it is confirmed. And the release of what a failed withdrawal still reserves.

alter table withdrawal
  add column released_at timestamptz, -- what it had reserved is available again
  add constraint withdrawal_released check (released_at is null or status = 'failed');

-- Each run nets the entries of the ledger after the run before, up to `up_to`. The sums are of everything up to there,
-- so that no run has to add up the whole ledger again.
create table treasury_run (
  id       uuid primary key,
  number   integer not null, -- 1, 2, …
  at       timestamptz not null,
  run_by   text not null,
  up_to    bigint not null, -- an id of ledger_entry below which nothing is uncommitted any more
  received jsonb not null,  -- network: USDC that the deposit provider has got, transfers of the treasury left out
  owed     numeric not null, -- USDC that it has to keep: what users may spend, and what waits in suspense
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
  withdrawal_id    uuid references withdrawal, -- of a reversal: what it gives back
  from_suspense    boolean not null default false,
  purpose          text,  -- of a transfer: which way it goes, and why
  network          text,  -- where the tokens are; null where none move
  strategy_id      text,
  run_id           uuid references treasury_run,
  created_at       timestamptz not null,
  created_by       text not null, -- admins' e-mail addresses: they live in the configuration
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
  -- Four eyes: whoever asks for it is not who approves it.
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
-- A failed withdrawal is given back by one reversal; a rejected one leaves the way free for another.
create unique index admin_transaction_one_reversal on admin_transaction (withdrawal_id) where status <> 'failed';
create index admin_transaction_unverified on admin_transaction (chain_checked_at, id) where chain_check = 'unverified';
create index admin_transaction_open_transfer on admin_transaction (id) where type = 'transfer' and status = 'processing';
create index admin_transaction_moved on admin_transaction (network, purpose) include (amount)
  where type = 'transfer' and status <> 'failed';

-- An approved transfer, for an operator to carry out at the custody provider. What it moves stands in the transaction.
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
create index admin_transaction_of_run on admin_transaction (run_id) where run_id is not null;
create index transaction_request_by_creation on transaction_request (created_at, id);
create index transaction_request_by_status on transaction_request (status, created_at, id);
create index transaction_request_by_type on transaction_request (type, created_at, id);
create index transaction_request_of_assignee on transaction_request (assigned_to, created_at, id);

-- The admins' one list: what users are shown, in the words of the chain, and the admins' own. What an admin's own
-- leaves for its user is not listed: it stands there already. (As a column: a branch with a condition of its own could not
-- be read in the order of its index.)
create function chain_type(type text) returns text language sql immutable parallel safe as $$
  select case when type in ('divestment', 'earning', 'fee') then 'transfer' else type end
$$;
create function chain_status(status text) returns text language sql immutable parallel safe as $$
  select case status when 'completed' then 'confirmed' when 'cancelled' then 'failed' else status end
$$;
create view shown_to_admins as
  select id, user_id, chain_type(type) as type, amount, currency, chain_status(status) as status, tx_hash, block_number,
         confirmations, created_at, completed_at as confirmed_at, submitted_at as processed_at, description, from_address,
         to_address, reference_type <> 'admin-transaction' and type <> 'reversal' as listed
    from user_transaction
  union all
  select id, user_id, type, amount, currency, status, tx_hash, block_number,
         confirmations, created_at, confirmed_at, approved_at, description, null, null, true
    from admin_transaction;

create index user_transaction_shown_to_admins on user_transaction (created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_shown_by_type on user_transaction (chain_type(type), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index user_transaction_shown_by_status on user_transaction (chain_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
create index admin_transaction_by_creation on admin_transaction (created_at, id);
create index admin_transaction_by_type on admin_transaction (type, created_at, id);
create index admin_transaction_by_status on admin_transaction (status, created_at, id);
create index admin_transaction_of_user on admin_transaction (user_id, created_at, id);
