-- Bookings by hand and transfers between the deposit provider and custody. One admin creates a booking, another approves
-- it, and its confirmation posts it. A reversal releases the reserved amount of a failed withdrawal.

-- Each run nets the ledger entries after the previous run, up to `up_to`. Its sums cover all entries up to there, so that
-- no run has to add up the whole ledger again.
create table treasury_run (
  id       uuid primary key,
  number   integer not null,
  at       timestamptz not null,
  run_by   text not null,
  up_to    bigint not null,
  received jsonb not null,
  owed     numeric not null,
  constraint treasury_run_number unique (number),
  constraint treasury_run_received check (jsonb_typeof(received) = 'object')
);
comment on table treasury_run is 'Runs that net what the deposit provider holds against what users may withdraw, and plan transfers.';
comment on column treasury_run.id is 'identifier of the run (UUID)';
comment on column treasury_run.number is '1, 2, …';
comment on column treasury_run.at is 'domain time of the run';
comment on column treasury_run.run_by is 'e-mail address of the admin';
comment on column treasury_run.up_to is 'an id of ledger_entry below which no entry is uncommitted any more';
comment on column treasury_run.received is 'by network: USDC received by the deposit provider, without transfers of the treasury';
comment on column treasury_run.owed is 'USDC to retain: available to users, or in suspense';

create trigger treasury_run_kept before update or delete or truncate on treasury_run
  for each statement execute function refuse_change();

create table admin_transaction (
  id               uuid primary key,
  type             text not null,
  status           text not null,
  user_id          uuid references platform_user,
  amount           numeric not null,
  currency         text not null,
  description      text not null,
  withdrawal_id    uuid references withdrawal,
  from_suspense    boolean not null default false,
  purpose          text,
  network          text,
  strategy_id      text,
  run_id           uuid references treasury_run,
  created_at       timestamptz not null,
  created_by       text not null,
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
  gas_price        text,
  chain_check      text,
  chain_checked_at timestamptz,
  deposit_id       uuid references deposit,
  constraint admin_transaction_type check (type in ('deposit', 'withdrawal', 'transfer', 'reversal')),
  constraint admin_transaction_status check (status in ('pending', 'processing', 'confirmed', 'failed')),
  constraint admin_transaction_user check ((user_id is null) = (type = 'transfer')),
  constraint admin_transaction_amount check (amount > 0 and scale(amount) <= 6),
  constraint admin_transaction_currency check (currency = 'USDC'),
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
  constraint admin_transaction_chain_check check (chain_check in ('matched', 'mismatch', 'unverified')),
  constraint admin_transaction_reversal check
    (case type when 'reversal' then num_nonnulls(withdrawal_id, deposit_id) = 1
     when 'withdrawal' then deposit_id is null
     else num_nonnulls(withdrawal_id, deposit_id) = 0 end)
);
comment on table admin_transaction is 'A deposit, withdrawal, reversal or transfer that one admin requests and another approves. The confirmation posts it.';
comment on column admin_transaction.id is 'identifier of the transaction by hand (UUID)';
comment on column admin_transaction.type is 'deposit, withdrawal, transfer or reversal';
comment on column admin_transaction.status is 'pending (waits for approval), processing (approved), confirmed (posted) or failed (rejected)';
comment on column admin_transaction.user_id is 'the user whose money is booked; null for a transfer';
comment on column admin_transaction.amount is 'USDC, above zero, at most six decimals';
comment on column admin_transaction.currency is 'always USDC';
comment on column admin_transaction.description is 'why the admin requests it, in a sentence';
comment on column admin_transaction.withdrawal_id is 'of a reversal: the failed withdrawal that it releases; of a withdrawal: the one whose late payment it books';
comment on column admin_transaction.from_suspense is 'of a deposit: whether the money comes from the account suspense instead of from outside';
comment on column admin_transaction.purpose is 'of a transfer: sweep (to custody), allocate (to a strategy) or deallocate (back)';
comment on column admin_transaction.network is 'where the tokens are; null for a reversal, which moves none';
comment on column admin_transaction.strategy_id is 'of a transfer: the strategy that it funds or that pays it back';
comment on column admin_transaction.run_id is 'of a transfer: the treasury run that planned it';
comment on column admin_transaction.created_at is 'domain time of the creation';
comment on column admin_transaction.created_by is 'e-mail address of the admin who requested it';
comment on column admin_transaction.approved_at is 'domain time of the approval';
comment on column admin_transaction.approved_by is 'e-mail address of the second admin, never the one who requested it';
comment on column admin_transaction.confirmed_at is 'domain time of the confirmation, which posted it';
comment on column admin_transaction.confirmed_by is 'e-mail address of the admin who confirmed it';
comment on column admin_transaction.rejected_at is 'domain time of the rejection';
comment on column admin_transaction.rejected_by is 'e-mail address of the admin who rejected it';
comment on column admin_transaction.reason is 'why it was rejected';
comment on column admin_transaction.tx_hash is 'hash of the transfer on chain, stated by the admin who confirmed it';
comment on column admin_transaction.block_number is 'number of the block that contains the transfer';
comment on column admin_transaction.confirmations is 'blocks from that of the transfer on, when the chain was last read';
comment on column admin_transaction.gas_used is 'units of gas, as decimal text';
comment on column admin_transaction.gas_price is 'gwei, as decimal text';
comment on column admin_transaction.chain_check is 'matched, mismatch or unverified: what the chain says about the stated hash';
comment on column admin_transaction.chain_checked_at is 'domain time of the latest comparison with the chain';
comment on column admin_transaction.deposit_id is 'of a reversal: the deposit that it takes back';

create unique index admin_transaction_tx_hash on admin_transaction (tx_hash);
create index admin_transaction_unverified on admin_transaction (chain_checked_at, id) where chain_check = 'unverified';
create index admin_transaction_open_transfer on admin_transaction (id) where type = 'transfer' and status = 'processing';
create index admin_transaction_moved on admin_transaction (network, purpose) include (amount)
  where type = 'transfer' and status <> 'failed';
create index admin_transaction_of_run on admin_transaction (run_id) where run_id is not null;
create index admin_transaction_by_creation on admin_transaction (created_at, id);
create index admin_transaction_by_type on admin_transaction (type, created_at, id);
create index admin_transaction_by_status on admin_transaction (status, created_at, id);
create index admin_transaction_of_user on admin_transaction (user_id, created_at, id);
create index admin_transaction_of_deposit on admin_transaction (deposit_id) where deposit_id is not null;
-- One reversal releases a failed withdrawal; a rejected reversal does not count.
create unique index admin_transaction_one_reversal on admin_transaction (withdrawal_id)
  where type = 'reversal' and status <> 'failed';
create index admin_transaction_by_chain_check on admin_transaction (chain_check, created_at, id) where chain_check is not null;

create trigger admin_transaction_kept before update on admin_transaction for each row execute function refuse_change(
  'id', 'type', 'user_id', 'amount', 'currency', 'description', 'withdrawal_id', 'deposit_id', 'from_suspense', 'purpose', 'network',
  'strategy_id', 'run_id', 'created_at', 'created_by', 'approved_at', 'approved_by', 'confirmed_at', 'confirmed_by', 'rejected_at',
  'rejected_by', 'reason', 'tx_hash');
create trigger admin_transaction_decided before update on admin_transaction
  for each row when (old.status in ('confirmed', 'failed')) execute function refuse_change('status');
create trigger admin_transaction_permanent before delete or truncate on admin_transaction
  for each statement execute function refuse_change();
-- The strategy and the treasury run of a transfer are set when it is requested, or never.
create trigger admin_transaction_origin before update on admin_transaction
  for each row when (old.strategy_id is distinct from new.strategy_id or old.run_id is distinct from new.run_id)
  execute function refuse_change();

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
comment on table transaction_request is 'Approved transfers for an operator to carry out at the custody provider.';
comment on column transaction_request.id is 'identifier of the request (UUID)';
comment on column transaction_request.transaction_id is 'the transfer, with amount and direction';
comment on column transaction_request.type is 'sweep, allocate or deallocate';
comment on column transaction_request.status is 'pending, completed or rejected';
comment on column transaction_request.requested_by is 'e-mail address of the admin who requested the transfer';
comment on column transaction_request.assigned_to is 'e-mail address of the operator';
comment on column transaction_request.note is 'of the operator';
comment on column transaction_request.created_at is 'domain time of the creation';
comment on column transaction_request.completed_at is 'domain time of the completion';

create index transaction_request_by_creation on transaction_request (created_at, id);
create index transaction_request_by_status on transaction_request (status, created_at, id);
create index transaction_request_by_type on transaction_request (type, created_at, id);
create index transaction_request_of_assignee on transaction_request (assigned_to, created_at, id);

create trigger transaction_request_kept before update on transaction_request for each row execute function refuse_change(
  'id', 'transaction_id', 'type', 'requested_by', 'created_at', 'completed_at');
-- A request for a transfer is kept like the transfer itself.
create trigger transaction_request_permanent before delete or truncate on transaction_request
  for each statement execute function refuse_change();

-- A user's transaction that an admin transaction caused is not listed a second time. `listed` is a column because PostgreSQL could not
-- read a branch of the union with its own condition in the order of an index.
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
comment on view admin_transaction_list is 'The admins'' list of transactions: the users'' transactions under the names of admin transactions, and the transactions by hand.';
comment on column admin_transaction_list.id is 'identifier of the user transaction or of the transaction by hand';
comment on column admin_transaction_list.user_id is 'the user; null for a transfer';
comment on column admin_transaction_list.type is 'as in admin_transaction';
comment on column admin_transaction_list.amount is 'in the currency of the transaction';
comment on column admin_transaction_list.currency is 'USDC, USDT or ETH';
comment on column admin_transaction_list.status is 'as in admin_transaction';
comment on column admin_transaction_list.tx_hash is 'hash of the transfer on chain';
comment on column admin_transaction_list.block_number is 'number of the block that contains the transfer';
comment on column admin_transaction_list.confirmations is 'blocks from that of the transfer on';
comment on column admin_transaction_list.created_at is 'domain time of the request or of the event';
comment on column admin_transaction_list.confirmed_at is 'domain time at which it was completed';
comment on column admin_transaction_list.processed_at is 'domain time at which it was submitted or approved';
comment on column admin_transaction_list.description is 'one sentence';
comment on column admin_transaction_list.from_address is 'sender of the transfer';
comment on column admin_transaction_list.to_address is 'receiver of the transfer';
comment on column admin_transaction_list.listed is 'false for a user''s transaction that a transaction by hand has caused, which would be listed twice';
comment on column admin_transaction_list.gas_used is 'units of gas, as decimal text';
comment on column admin_transaction_list.gas_price is 'gwei, as decimal text';

-- Both forms of a hash; other text is unchanged. The same as hashForms in src/modules/providers/chain/domain/transaction-hash.ts.
create function hash_forms(hash text) returns text[] language sql immutable parallel safe as $$
  select case when hash ~ '^[0-9a-f]{64}$' then array[hash, '0x' || hash]
              when hash ~ '^0x[0-9a-f]{64}$' then array[substr(hash, 3), hash]
              else array[hash] end
$$;

-- The number of payments of this hash, address and amount that the chain has confirmed.
create function matched_payments(its_hash text, its_address text, its_amount numeric) returns integer
language sql stable as $$
  select (select count(*)::integer from withdrawal
           where tx_hash = any(hash_forms(its_hash)) and lower(to_address) = lower(its_address) and amount = its_amount
             and chain_check = 'matched')
       + (select count(*)::integer from admin_transaction as booked
           where tx_hash = any(hash_forms(its_hash)) and type = 'withdrawal' and amount = its_amount and chain_check = 'matched'
             and exists (select from wallet
                          where wallet.user_id = booked.user_id and lower(address) = lower(its_address)))
$$;
