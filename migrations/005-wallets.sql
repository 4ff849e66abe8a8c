-- Wallets that users sign in with.

-- A link between a wallet and a user. The row of an unlinked wallet stays for the comparison of payments with the chain,
-- and cannot sign in. A suspended wallet still belongs to the user and cannot sign in until it is linked again.
create table wallet (
  id           uuid not null default gen_random_uuid() primary key,
  address      text not null, -- checksummed (EIP-55)
  user_id      uuid not null references platform_user on delete cascade,
  created_at   timestamptz not null, -- the last time it was linked
  suspended_at timestamptz,
  unlinked_at  timestamptz,
  constraint wallet_address check (address ~ '^0x[0-9a-fA-F]{40}$')
);
create unique index wallet_linked on wallet (lower(address)) where unlinked_at is null;
create index wallet_by_address on wallet (address);
create index wallet_of_user on wallet (user_id, created_at, address);
create index wallet_address_trigrams on wallet using gin (address gin_trgm_ops);

-- The wallet that is shown for a user: the one that was linked first.
create function first_wallet(owner uuid) returns text language sql stable
  return (select address from wallet
           where user_id = owner and unlinked_at is null and suspended_at is null
           order by created_at, address limit 1);

-- Challenges for wallets to sign. Each is used once and expires after five minutes of real time.
create table wallet_nonce (
  nonce      text primary key,
  address    text not null,
  expires_at timestamptz not null
);
create index wallet_nonce_expired on wallet_nonce (expires_at);
