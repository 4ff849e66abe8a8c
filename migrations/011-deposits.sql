-- Deposit addresses and deposits, as the provider and the chain report them. The money itself is in the ledger.

-- One address per user, currency and network, kept forever. An EVM address may serve several tokens of one user.
create table deposit_address (
  id                  uuid primary key,
  user_id             uuid not null references platform_user,
  currency            text not null,
  network             text not null,
  address             text not null, -- in the network's own form; EVM addresses are checksummed
  provider_address_id text not null,
  created_at          timestamptz not null,
  constraint deposit_address_of_user unique (user_id, currency, network),
  constraint deposit_address_currency check (currency in ('USDT', 'USDC')),
  constraint deposit_address_network check (network in ('TRC20', 'ERC20', 'BEP20')),
  constraint deposit_address_place unique (network, address, currency)
);

create table deposit (
  id                     uuid primary key,
  user_id                uuid not null references platform_user,
  network                text not null,
  currency               text not null,
  tx_hash                text not null,
  log_index              integer, -- place in the transaction; null until the chain shows it, or on unreadable networks
  provider_deposit_id    text,    -- null until the provider reports the deposit
  from_address           text,
  to_address             text not null,
  status                 text not null,
  amount                 numeric not null, -- as received, with all its decimals
  credited               numeric,          -- in USDC, or ETH for ETH
  confirmations          integer not null,
  required_confirmations integer not null,
  succeeded              boolean not null, -- the provider or the chain reports that the transfer succeeded
  only_claimed           boolean not null default false, -- only the user has reported it: counts in no total
  hold_reason            text,             -- confirmed, and held in suspense
  failure                text,
  reason                 text,             -- of a failure: a sentence
  block_number           integer,
  gas_used               text,
  gas_price              text, -- gwei
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  seen_at                timestamptz not null, -- when its provider or the chain last reported it
  confirmed_at           timestamptz,
  checked_at             timestamptz, -- when the poller last looked it up; real time
  constraint deposit_network check (network in ('TRC20', 'ERC20', 'BEP20')),
  constraint deposit_currency check (currency in ('USDC', 'USDT') or (currency = 'ETH' and network = 'ERC20')),
  constraint deposit_amount check (amount > 0 and scale(amount) <= 18),
  constraint deposit_status check (status in ('pending', 'confirming', 'completed', 'failed')),
  constraint deposit_confirmations check
    (confirmations >= 0 and required_confirmations > 0 and (status <> 'confirming' or confirmations > 0)),
  constraint deposit_credited check
    ((status = 'completed') = (credited is not null and confirmed_at is not null) and credited >= 0),
  constraint deposit_completed check (status <> 'completed' or (succeeded and confirmations >= required_confirmations)),
  constraint deposit_held check
    (hold_reason is null or (hold_reason in ('BELOW_MINIMUM', 'BOOKED_BY_HAND') and status = 'confirming')),
  constraint deposit_failure check (failure in ('reverted', 'refused', 'vanished', 'unproven')),
  constraint deposit_failed check ((status = 'failed') = (failure is not null and reason is not null))
);

-- A transfer is recorded once. A deposit that vanished from the chain or was never proven does not block a transfer that
-- appears later: that transfer becomes a deposit of its own.
create unique index deposit_identity on deposit (network, tx_hash, log_index)
  where failure is null or failure not in ('vanished', 'unproven');
-- While the place in the transaction is unknown, one deposit per address: a claim of one user cannot block another user's.
create unique index deposit_identity_without_log_index on deposit (network, tx_hash, to_address, currency)
  where log_index is null and (failure is null or failure not in ('vanished', 'unproven'));
create unique index deposit_provider_id on deposit (provider_deposit_id)
  where failure is null or failure not in ('vanished', 'unproven');
create index deposit_of_provider_id on deposit (provider_deposit_id) where provider_deposit_id is not null;

-- A user's list: one index for each filter and each sort order.
create index deposit_by_time on deposit (user_id, created_at, id);
create index deposit_by_amount on deposit (user_id, amount, id);
create index deposit_by_confirmations on deposit (user_id, confirmations, id);
create index deposit_by_status on deposit (user_id, status, created_at, id);
create index deposit_by_currency on deposit (user_id, currency, created_at, id);

-- Deposits at one address that together may reach the minimum.
create index deposit_held_at_address on deposit (network, to_address) where hold_reason is not null;
-- The poller looks up reported deposits first and claims afterwards.
create index deposit_open on deposit (checked_at nulls first, id)
  where status in ('pending', 'confirming') and hold_reason is null and not only_claimed;
create index deposit_open_claim on deposit (checked_at nulls first, id)
  where status in ('pending', 'confirming') and hold_reason is null and only_claimed;
-- The number of open claims per user is limited.
create index deposit_open_claim_of_user on deposit (user_id)
  where status in ('pending', 'confirming') and hold_reason is null and only_claimed;
-- The public deposit status counts open deposits per network.
create index deposit_open_on_network on deposit (network, currency, status) where status in ('pending', 'confirming');
-- Credited deposits are looked up on chain for another day, to detect reorganisations.
create index deposit_credited_on_chain on deposit (confirmed_at)
  where network = 'ERC20' and currency = 'USDC' and status = 'completed';
