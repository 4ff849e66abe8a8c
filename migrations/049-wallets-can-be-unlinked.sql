-- Links between wallets and users can end. An ended link stays in the table, for the comparison of payments with the chain,
-- and opens nothing. A suspended one is still the user's and signs nobody in until it is linked anew.
alter table wallet
  add column id uuid not null default gen_random_uuid(),
  add column suspended_at timestamptz,
  add column unlinked_at timestamptz;
alter table wallet drop constraint wallet_pkey;
alter table wallet add primary key (id);
drop index wallet_however_written;
create unique index wallet_linked on wallet (lower(address)) where unlinked_at is null;
create index wallet_by_address on wallet (address);
comment on column wallet.created_at is 'when it was linked, or linked anew';

create or replace function first_wallet(owner uuid) returns text language sql stable
  return (select address from wallet
           where user_id = owner and unlinked_at is null and suspended_at is null
           order by created_at, address limit 1);
