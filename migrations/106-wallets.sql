-- Wallets that users sign in with.

-- The row of an unlinked wallet stays for the comparison of payments with the chain, and cannot sign in. A suspended wallet still
-- belongs to the user and cannot sign in until it is linked again.
create table wallet (
  id           uuid primary key default gen_random_uuid(),
  address      text not null,
  user_id      uuid not null references platform_user on delete cascade,
  created_at   timestamptz not null,
  suspended_at timestamptz,
  unlinked_at  timestamptz,
  seal         bytea,
  constraint wallet_address check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint wallet_seal check (unlinked_at is not null or suspended_at is not null or seal is not null)
);
comment on table wallet is 'Links between wallets and the users who sign in with them. An unlinked wallet keeps its row.';
comment on column wallet.id is 'identifier of the wallet (UUID)';
comment on column wallet.address is 'checksummed (EIP-55)';
comment on column wallet.user_id is 'the user';
comment on column wallet.created_at is 'domain time of the latest link';
comment on column wallet.suspended_at is 'domain time at which its sign-ins were suspended';
comment on column wallet.unlinked_at is 'domain time at which it was unlinked';
comment on column wallet.seal is 'MAC of the row; null where the wallet cannot sign in';

create unique index wallet_linked on wallet (lower(address)) where unlinked_at is null;
create index wallet_by_address on wallet (address);
create index wallet_of_user on wallet (user_id, created_at, address);
create index wallet_address_trigrams on wallet using gin (address gin_trgm_ops);
-- Searches by key.
create index wallet_search_address on wallet (lower(address) collate "C");

-- The wallet that is shown for a user: the one that was linked first.
create function first_wallet(owner uuid) returns text language sql stable
  return (select address from wallet
           where user_id = owner and unlinked_at is null and suspended_at is null
           order by created_at, address limit 1);

create table wallet_nonce (
  nonce      text primary key,
  address    text not null,
  expires_at timestamptz not null,
  seal       bytea not null
);
comment on table wallet_nonce is 'Challenges for wallets to sign, each used once within five minutes.';
comment on column wallet_nonce.nonce is 'random text in the message';
comment on column wallet_nonce.address is 'checksummed address of the wallet';
comment on column wallet_nonce.expires_at is 'real time at which it ends';
comment on column wallet_nonce.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index wallet_nonce_expired on wallet_nonce (expires_at);
