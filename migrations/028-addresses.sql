-- The address books of users: destinations that their withdrawals may go to.

create table withdrawal_address (
  id          uuid primary key,
  user_id     uuid not null references platform_user on delete cascade,
  label       text not null,
  address     text not null,        -- checksummed; as the user gave it if its checksum was wrong
  network     text not null,
  created_at  timestamptz not null, -- domain time
  usable_from timestamptz not null, -- domain time
  constraint withdrawal_address_address check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint withdrawal_address_network check (network in ('ERC20', 'BEP20')),
  constraint withdrawal_address_usable check (usable_from >= created_at)
);
-- One entry per user and address, regardless of upper and lower case.
create unique index withdrawal_address_of_user on withdrawal_address (user_id, lower(address));

-- Counts the completed withdrawals of a user to an address.
create index withdrawal_completed_to on withdrawal (user_id, lower(to_address)) where status = 'completed';
