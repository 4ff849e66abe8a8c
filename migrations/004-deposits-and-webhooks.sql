-- Deposits: who owns which address, what arrived there, and what the providers told us of it. The money itself
-- stands in the ledger.

-- One per user, currency and network, kept for good. An EVM address can serve several tokens of one user.
create table deposit_address (
  id                  uuid primary key,
  user_id             uuid not null references platform_user,
  currency            text not null,
  network             text not null,
  address             text not null, -- in the network's own spelling: EVM addresses are checksummed
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
  log_index              integer, -- place in the transaction; null until the chain shows it, or where we can not read it
  provider_deposit_id    text,    -- null while the provider has not told of it
  from_address           text,
  to_address             text not null,
  status                 text not null,
  amount                 numeric not null, -- as received, with all its decimals
  credited               numeric,          -- in USDC, or ETH for ETH
  confirmations          integer not null,
  required_confirmations integer not null,
  succeeded              boolean not null, -- the provider, or the chain, says that the transfer is good
  hold_reason            text,             -- arrived, but in suspense until more follows
  failure                text,
  reason                 text,             -- of a failure: a sentence
  block_number           integer,
  gas_used               text,
  gas_price              text, -- gwei
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  seen_at                timestamptz not null, -- when its authority, provider or chain, last knew of it
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
  constraint deposit_held check (hold_reason is null or (hold_reason = 'BELOW_MINIMUM' and status = 'confirming')),
  constraint deposit_failure check (failure in ('reverted', 'refused', 'vanished', 'unproven')),
  constraint deposit_failed check ((status = 'failed') = (failure is not null and reason is not null))
);

-- A transfer is recorded once. What vanished, or never was what a user said, does not stand in the way of a
-- transfer that turns up after all: that one is a record of its own.
create unique index deposit_identity on deposit (network, tx_hash, log_index)
  where failure is null or failure not in ('vanished', 'unproven');
-- Where the place in the transaction is not known, one to each address: another user's claim takes nothing away.
create unique index deposit_identity_unplaced on deposit (network, tx_hash, to_address, currency)
  where log_index is null and (failure is null or failure not in ('vanished', 'unproven'));
create unique index deposit_provider_id on deposit (provider_deposit_id)
  where failure is null or failure not in ('vanished', 'unproven');

create index deposit_of_provider_id on deposit (provider_deposit_id) where provider_deposit_id is not null;

-- A user's list: each filter and each sort.
create index deposit_by_time on deposit (user_id, created_at, id);
create index deposit_by_amount on deposit (user_id, amount, id);
create index deposit_by_confirmations on deposit (user_id, confirmations, id);
create index deposit_by_status on deposit (user_id, status, created_at, id);
create index deposit_by_currency on deposit (user_id, currency, created_at, id);
-- What waits together for the minimum, and what the poller looks up.
create index deposit_held_at_address on deposit (network, to_address)
  where hold_reason is not null;
create index deposit_open on deposit (checked_at nulls first, id)
  where status in ('pending', 'confirming') and hold_reason is null;

-- Each callback as it came, once. Stored before it is answered, acted upon afterwards.
create table webhook_event (
  id           uuid primary key,
  provider     text not null,
  kind         text not null,
  event_key    text not null,
  body         text not null,
  status       text not null,
  reason       text,
  attempts     integer not null,
  received_at  timestamptz not null,
  due_at       timestamptz not null,
  settled_at   timestamptz,
  constraint webhook_event_key unique (provider, event_key),
  constraint webhook_event_kind check (kind in ('deposit', 'withdrawal', 'yield')),
  constraint webhook_event_status check (status in ('received', 'processed', 'ignored', 'failed')),
  constraint webhook_event_settled check ((status = 'received') = (settled_at is null)),
  constraint webhook_event_reason check (status not in ('ignored', 'failed') or reason is not null)
);
create index webhook_event_due on webhook_event (due_at, id) where status = 'received';
