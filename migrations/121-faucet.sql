-- The faucet of test USDC. A payout is stored with its signed transaction before that is sent, so that any process can
-- send the same transaction again, after a crash too, and learn the result from the chain.

-- A process that takes a nonce locks the row.
create table faucet_account (
  address    text primary key,
  next_nonce bigint not null,
  signatures bigint not null,
  constraint faucet_account_counts check (next_nonce >= 0 and signatures >= 0)
);
comment on table faucet_account is 'Sending accounts of the faucet of test USDC.';
comment on column faucet_account.address is 'checksummed address of the account';
comment on column faucet_account.next_nonce is 'nonce of its next transaction';
comment on column faucet_account.signatures is 'number of nonces taken, which shows whether another process took one meanwhile';

create table faucet_payout (
  id                 uuid primary key,
  wallet_address     text not null,
  amount             numeric not null,
  reason             text,
  status             text not null,
  requested_at       timestamptz not null,
  sender             text not null references faucet_account,
  nonce              bigint not null,
  tx_hash            text not null,
  signed_transaction text not null,
  block_number       bigint,
  gas_used           numeric,
  gas_price          numeric,
  settled_at         timestamptz,
  constraint faucet_payout_wallet check (wallet_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint faucet_payout_amount check (amount > 0 and scale(amount) <= 6),
  constraint faucet_payout_status check (status in ('pending', 'completed', 'failed')),
  constraint faucet_payout_hash check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint faucet_payout_settled check
    (num_nulls(block_number, gas_used, gas_price, settled_at) = case status when 'pending' then 4 else 0 end)
);
comment on table faucet_payout is 'Payouts of the faucet, stored with the signed transaction before it is sent.';
comment on column faucet_payout.id is 'identifier of the payout (UUID)';
comment on column faucet_payout.wallet_address is 'checksummed address of the receiver';
comment on column faucet_payout.amount is 'test USDC';
comment on column faucet_payout.reason is 'given by the caller, or why it failed';
comment on column faucet_payout.status is 'pending, completed or failed';
comment on column faucet_payout.requested_at is 'domain time of the request';
comment on column faucet_payout.sender is 'the sending account';
comment on column faucet_payout.nonce is 'nonce of the transaction';
comment on column faucet_payout.tx_hash is 'hash of the transaction';
comment on column faucet_payout.signed_transaction is 'the transaction as it is sent, in hexadecimal form';
comment on column faucet_payout.block_number is 'number of the block that contains it';
comment on column faucet_payout.gas_used is 'units of gas';
comment on column faucet_payout.gas_price is 'gwei';
comment on column faucet_payout.settled_at is 'domain time at which the chain showed the result';

create unique index faucet_payout_tx on faucet_payout (tx_hash);
-- Two pending payouts never share a nonce: only one of them could be mined.
create unique index faucet_payout_pending_nonce on faucet_payout (sender, nonce) where status = 'pending';
create index faucet_payout_by_time on faucet_payout (requested_at, id);

-- Written in the transaction of the payout, and deleted again if the chain reverts the payout.
create table faucet_turn (
  wallet_address text primary key,
  payout_id      uuid not null references faucet_payout deferrable initially deferred,
  taken_at       timestamptz not null
);
comment on table faucet_turn is 'The limit of one payout of the faucet per address and 24 hours.';
comment on column faucet_turn.wallet_address is 'checksummed address';
comment on column faucet_turn.payout_id is 'the payout that used the turn';
comment on column faucet_turn.taken_at is 'domain time of the payout';

create unique index faucet_turn_address_ignoring_case on faucet_turn (lower(wallet_address));
create index faucet_turn_of_payout on faucet_turn (payout_id);
