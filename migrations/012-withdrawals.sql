-- Withdrawals and their transitions. The money itself is in the ledger.

create table withdrawal (
  id                 uuid primary key,
  user_id            uuid not null references platform_user,
  amount             numeric not null,
  currency           text not null,
  to_address         text not null, -- checksummed; as the user gave it if its checksum was wrong
  address_checksum   text not null,
  status             text not null,
  created_at         timestamptz not null, -- domain time
  recorded_at        timestamptz not null default clock_timestamp(), -- real time, to compare with the times of blocks
  approved_at        timestamptz,
  approved_by        text,          -- an admin's e-mail address: admins are not stored in the database
  executed_at        timestamptz,
  completed_at       timestamptz,
  cancelled_at       timestamptz,   -- set if its user cancelled it; the status is `rejected` then, too
  released_at        timestamptz,   -- when the reserved amount of a failed withdrawal became available again
  tx_hash            text,
  tx_hash_shared     boolean not null default false, -- an admin allowed a hash that another withdrawal already has
  chain_check        text,
  chain_check_reason text,
  chain_checked_at   timestamptz,
  note               text,          -- a sentence of the operator or the provider
  constraint withdrawal_status check
    (status in ('pending', 'approved', 'processing', 'completed', 'rejected', 'failed')),
  constraint withdrawal_amount check (amount > 0 and scale(amount) <= 6),
  constraint withdrawal_currency check (currency = 'USDC'),
  constraint withdrawal_to_address check (to_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint withdrawal_address_checksum check (address_checksum in ('valid', 'absent', 'mismatch')),
  constraint withdrawal_chain_check check (chain_check in ('matched', 'mismatch', 'unverified')),
  constraint withdrawal_chain_check_reason check
    (chain_check_reason is null
     or (chain_check = 'mismatch'
         and chain_check_reason in ('TRANSACTION_UNKNOWN', 'TRANSACTION_REVERTED', 'NO_SUCH_TRANSFER', 'OLDER_THAN_REQUEST',
                                    'SENDER_NOT_CUSTODY', 'TRANSFER_USED_BEFORE'))),
  constraint withdrawal_approved check
    (num_nonnulls(approved_at, approved_by) = case when approved_at is null then 0 else 2 end
     and (status <> 'approved' or approved_at is not null)),
  constraint withdrawal_completed check
    (num_nonnulls(tx_hash, completed_at, chain_check, chain_checked_at) = case status when 'completed' then 4 else 0 end
     and tx_hash <> ''),
  constraint withdrawal_cancelled check (cancelled_at is null or status = 'rejected'),
  constraint withdrawal_released check (released_at is null or status = 'failed')
);

-- One withdrawal owns a hash; further withdrawals may carry it only with tx_hash_shared.
create unique index withdrawal_tx_hash on withdrawal (tx_hash) where not tx_hash_shared;
create index withdrawal_of_tx_hash on withdrawal (tx_hash) where tx_hash is not null;
create index withdrawal_unverified on withdrawal (chain_checked_at, id) where chain_check = 'unverified';

-- A user's list and the rolling daily limit; then the filters and sort orders of the admins' list.
create index withdrawal_of_user on withdrawal (user_id, created_at, id) include (amount, status);
create index withdrawal_by_status on withdrawal (status, created_at, id);
create index withdrawal_by_status_and_amount on withdrawal (status, amount, id);
create index withdrawal_by_creation on withdrawal (created_at, id);
create index withdrawal_by_amount on withdrawal (amount, id);
create index withdrawal_by_completion on withdrawal (completed_at desc nulls last, id desc);
-- Late payments: the job searches the chain for payments of failed withdrawals.
create index withdrawal_failed on withdrawal (created_at, id) where status = 'failed';

-- Each transition, written together with it.
create table withdrawal_event (
  id            bigint generated always as identity primary key,
  withdrawal_id uuid not null references withdrawal,
  status        text not null, -- after the transition
  verb          text not null,
  at            timestamptz not null,
  by_type       text not null,
  by_id         text not null, -- a user's id, an admin's e-mail address or a provider's name
  note          text,
  constraint withdrawal_event_by_type check (by_type in ('user', 'admin', 'provider'))
);
create index withdrawal_event_of_withdrawal on withdrawal_event (withdrawal_id, id);
-- Late payments: the job also searches for payments of recently rejected or cancelled withdrawals.
create index withdrawal_event_rejected on withdrawal_event (at) where status = 'rejected';
