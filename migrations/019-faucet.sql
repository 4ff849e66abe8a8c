-- The faucet of test USDC. A payout is stored with its signed transaction before that is sent, so that any process can
-- send the same transaction again, after a crash too, and learn the result from the chain.

-- The next nonce of each sending account. A process that takes a nonce locks the row.
create table faucet_account (
  address    text primary key,
  next_nonce bigint not null,
  signatures bigint not null, -- incremented with every nonce taken: shows whether another process took one meanwhile
  constraint faucet_account_counts check (next_nonce >= 0 and signatures >= 0)
);

create table faucet_payout (
  id                 uuid primary key,
  wallet_address     text not null, -- checksummed, so that an account has one form
  amount             numeric not null,
  reason             text,
  status             text not null,
  requested_at       timestamptz not null, -- domain time
  sender             text not null references faucet_account,
  nonce              bigint not null,
  tx_hash            text not null,
  signed_transaction text not null,
  block_number       bigint,
  gas_used           numeric,
  gas_price          numeric, -- gwei
  settled_at         timestamptz,
  constraint faucet_payout_wallet check (wallet_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint faucet_payout_amount check (amount > 0 and scale(amount) <= 6),
  constraint faucet_payout_status check (status in ('pending', 'completed', 'failed')),
  constraint faucet_payout_hash check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint faucet_payout_settled check
    (num_nulls(block_number, gas_used, gas_price, settled_at) = case status when 'pending' then 4 else 0 end)
);
create unique index faucet_payout_tx on faucet_payout (tx_hash);
-- Two pending payouts never share a nonce: only one of them could be mined.
create unique index faucet_payout_pending_nonce on faucet_payout (sender, nonce) where status = 'pending';
create index faucet_payout_by_time on faucet_payout (requested_at, id);

-- The limit of one payout per address and 24 hours: written in the transaction of the payout, and deleted again if the
-- chain reverts the payout.
create table faucet_turn (
  wallet_address text primary key,
  payout_id      uuid not null references faucet_payout deferrable initially deferred,
  taken_at       timestamptz not null -- domain time
);
create unique index faucet_turn_address_ignoring_case on faucet_turn (lower(wallet_address));
create index faucet_turn_of_payout on faucet_turn (payout_id);
