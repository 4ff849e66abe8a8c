-- Deposit addresses and deposits, as the provider and the chain report them. The money itself is in the ledger.

-- An EVM address may serve several tokens of one user.
create table deposit_address (
  id                  uuid primary key,
  user_id             uuid not null references platform_user,
  currency            text not null,
  network             text not null,
  address             text not null,
  provider_address_id text not null,
  created_at          timestamptz not null,
  seal                bytea,
  constraint deposit_address_of_user unique (user_id, currency, network),
  constraint deposit_address_place unique (network, address, currency),
  constraint deposit_address_currency check (currency in ('USDT', 'USDC')),
  constraint deposit_address_network check (network in ('TRC20', 'ERC20', 'BEP20'))
);
comment on table deposit_address is 'The personal address of a user for one currency and network, kept for ever.';
comment on column deposit_address.id is 'identifier of the address (UUID)';
comment on column deposit_address.user_id is 'the user';
comment on column deposit_address.currency is 'USDC or USDT';
comment on column deposit_address.network is 'ERC20, BEP20 or TRC20';
comment on column deposit_address.address is 'in the form of the network; EVM addresses are checksummed';
comment on column deposit_address.provider_address_id is 'identifier at the deposit provider';
comment on column deposit_address.created_at is 'domain time of the creation';
comment on column deposit_address.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

-- Searches by key.
create index deposit_address_search_address on deposit_address (lower(address) collate "C");

create trigger deposit_address_kept before update on deposit_address for each row execute function refuse_change(
  'id', 'user_id', 'currency', 'network', 'address', 'provider_address_id', 'created_at');
create trigger deposit_address_permanent before delete or truncate on deposit_address
  for each statement execute function refuse_change();

create table deposit (
  id                     uuid primary key,
  user_id                uuid not null references platform_user,
  network                text not null,
  currency               text not null,
  tx_hash                text not null,
  log_index              integer,
  provider_deposit_id    text,
  from_address           text,
  to_address             text not null,
  status                 text not null,
  amount                 numeric not null,
  credited               numeric,
  confirmations          integer not null,
  required_confirmations integer not null,
  succeeded              boolean not null,
  only_claimed           boolean not null default false,
  hold_reason            text,
  failure                text,
  reason                 text,
  block_number           integer,
  gas_used               text,
  gas_price              text,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  seen_at                timestamptz not null,
  confirmed_at           timestamptz,
  checked_at             timestamptz
);
comment on table deposit is 'Transfers to deposit addresses, as the provider, the chain and users report them. The money is in the ledger.';
comment on column deposit.id is 'identifier of the deposit (UUID)';
comment on column deposit.user_id is 'the user to whom the address belongs';
comment on column deposit.network is 'ERC20, BEP20 or TRC20';
comment on column deposit.currency is 'USDC, USDT, or ETH over ERC20';
comment on column deposit.tx_hash is 'hash of the transfer on chain';
comment on column deposit.log_index is 'place of the transfer in its transaction; null until the chain shows it, and on networks that are not read';
comment on column deposit.provider_deposit_id is 'identifier at the deposit provider; null until the provider reports it';
comment on column deposit.from_address is 'sender, if known';
comment on column deposit.to_address is 'the deposit address';
comment on column deposit.status is 'pending, confirming, completed (credited) or failed';
comment on column deposit.amount is 'as received, with all decimals, in the currency';
comment on column deposit.credited is 'credited amount in USDC, or in ETH for ETH; null before';
comment on column deposit.confirmations is 'blocks from that of the transfer on, when it was last reported';
comment on column deposit.required_confirmations is 'confirmations from which the deposit is credited';
comment on column deposit.succeeded is 'the provider or the chain reports that the transfer succeeded';
comment on column deposit.only_claimed is 'only the user has reported it, so it counts in no total';
comment on column deposit.hold_reason is 'why a confirmed deposit is in suspense: BELOW_MINIMUM or BOOKED_BY_HAND';
comment on column deposit.failure is 'of a failed one: reverted, refused, vanished or unproven';
comment on column deposit.reason is 'of a failed one: a sentence';
comment on column deposit.block_number is 'number of the block that contains the transfer';
comment on column deposit.gas_used is 'units of gas, as decimal text';
comment on column deposit.gas_price is 'gwei, as decimal text';
comment on column deposit.created_at is 'domain time at which it was first reported';
comment on column deposit.updated_at is 'domain time of the latest change';
comment on column deposit.seen_at is 'domain time at which the provider or the chain last reported it';
comment on column deposit.confirmed_at is 'domain time at which it was credited';
comment on column deposit.checked_at is 'real time at which the job last looked it up';

-- A transfer is recorded once. A deposit that vanished from the chain or was never proven does not block a transfer that
-- appears later: that transfer becomes a deposit of its own.
create unique index deposit_identity on deposit (network, tx_hash, log_index)
  where failure is null or failure not in ('vanished', 'unproven');
create unique index deposit_provider_id on deposit (provider_deposit_id)
  where failure is null or failure not in ('vanished', 'unproven');
create index deposit_of_provider_id on deposit (provider_deposit_id) where provider_deposit_id is not null;
-- A user's list: one index for each filter and each sort order.
create index deposit_by_time on deposit (user_id, created_at, id);
create index deposit_by_amount on deposit (user_id, amount, id);
create index deposit_by_confirmations on deposit (user_id, confirmations, id);
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
-- The admins' list: one index for each filter and each sort order.
create index deposit_by_creation on deposit (created_at, id);
create index deposit_by_received_amount on deposit (amount, id);
create index deposit_by_confirmation_count on deposit (confirmations, id);
create index deposit_by_status_and_creation on deposit (status, created_at, id);
create index deposit_by_currency_and_creation on deposit (currency, created_at, id);
create index deposit_by_network_and_creation on deposit (network, created_at, id);
create index deposit_by_hold_reason on deposit (hold_reason, created_at, id) where hold_reason is not null;
-- The summary values USDT that is not credited yet at the rate of the settings, row by row.
create index deposit_uncredited_usdt on deposit (created_at, id)
  where currency = 'USDT' and status in ('pending', 'confirming');
-- The held deposits that are looked up on chain: those of the last day, and those that a reorganisation has removed.
create index deposit_held_on_chain on deposit (succeeded, updated_at)
  where network = 'ERC20' and currency = 'USDC' and hold_reason = 'BELOW_MINIMUM';
-- While the place in the transaction is unknown, one deposit per address: a claim of one user cannot block another user's. Deposits that
-- the service does not read on chain are told apart by the provider's id, since one transaction can pay an address twice.
create unique index deposit_identity_without_log_index on deposit (network, tx_hash, to_address, currency)
  where log_index is null and (provider_deposit_id is null or network = 'ERC20' and currency = 'USDC')
    and (failure is null or failure not in ('vanished', 'unproven'));
-- Searches by key.
create index deposit_search_hash on deposit (tx_hash collate "C");

create function check_deposit(checked deposit) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.network in ('TRC20', 'ERC20', 'BEP20')) then 'deposit_network'
    when not (checked.currency in ('USDC', 'USDT') or (checked.currency = 'ETH' and checked.network = 'ERC20'))
      then 'deposit_currency'
    when not (checked.amount > 0 and scale(checked.amount) <= 18) then 'deposit_amount'
    when not (checked.status in ('pending', 'confirming', 'completed', 'failed')) then 'deposit_status'
    when not (checked.confirmations >= 0 and checked.required_confirmations > 0
              and (checked.status <> 'confirming' or checked.confirmations > 0)) then 'deposit_confirmations'
    when not ((checked.status = 'completed') = (checked.credited is not null and checked.confirmed_at is not null)
              and checked.credited >= 0) then 'deposit_credited'
    when not (checked.status <> 'completed'
              or (checked.succeeded and checked.confirmations >= checked.required_confirmations)) then 'deposit_completed'
    when not (checked.hold_reason is null
              or (checked.hold_reason in ('BELOW_MINIMUM', 'BOOKED_BY_HAND') and checked.status = 'confirming'))
      then 'deposit_held'
    when not (checked.failure in ('reverted', 'refused', 'vanished', 'unproven')) then 'deposit_failure'
    when not ((checked.status = 'failed') = (checked.failure is not null and checked.reason is not null))
      then 'deposit_failed'
  end;
begin
  if violated is not null then perform raise_check_violation('deposit', violated); end if;
  return true;
end
$$;
alter table deposit add constraint deposit_rules check (check_deposit(deposit));

create trigger deposit_kept before update on deposit for each row execute function refuse_change(
  'id', 'user_id', 'network', 'currency', 'tx_hash', 'provider_deposit_id', 'to_address', 'required_confirmations', 'credited',
  'failure', 'created_at', 'confirmed_at');
-- The amount is open until the deposit is held, credited or failed: a report can correct it.
create trigger deposit_amount_kept before update on deposit
  for each row when (old.hold_reason is not null or old.status in ('completed', 'failed'))
  execute function refuse_change('amount', 'from_address', 'log_index');
create trigger deposit_decided before update on deposit for each row when (old.status in ('completed', 'failed'))
  execute function refuse_change('status', 'only_claimed', 'succeeded');
create trigger deposit_permanent before delete or truncate on deposit for each statement execute function refuse_change();
