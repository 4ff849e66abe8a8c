-- Withdrawals and their transitions, and the address books of users. The money itself is in the ledger.

create table withdrawal (
  id                   uuid primary key,
  user_id              uuid not null references platform_user,
  amount               numeric not null,
  currency             text not null,
  to_address           text not null,
  address_checksum     text not null,
  status               text not null,
  created_at           timestamptz not null,
  recorded_at          timestamptz not null default clock_timestamp(),
  approved_at          timestamptz,
  approved_by          text,
  executed_at          timestamptz,
  completed_at         timestamptz,
  cancelled_at         timestamptz,
  released_at          timestamptz,
  tx_hash              text,
  tx_hash_shared       boolean not null default false,
  chain_check          text,
  chain_check_reason   text,
  chain_checked_at     timestamptz,
  note                 text,
  taken_by             text,
  completed_by         text,
  returned_at          timestamptz,
  platform_held_at     timestamptz,
  platform_released_at timestamptz
);
comment on table withdrawal is 'Withdrawals of users. The money is in the ledger.';
comment on column withdrawal.id is 'identifier of the withdrawal (UUID)';
comment on column withdrawal.user_id is 'the user';
comment on column withdrawal.amount is 'USDC, at most six decimals';
comment on column withdrawal.currency is 'always USDC';
comment on column withdrawal.to_address is 'checksummed; as the user gave it if its checksum was wrong';
comment on column withdrawal.address_checksum is 'valid, absent or mismatch: the checksum of the address as it was given';
comment on column withdrawal.status is 'pending, approved, processing, completed, rejected or failed';
comment on column withdrawal.created_at is 'domain time of the request';
comment on column withdrawal.recorded_at is 'real time of the request, to compare with the times of blocks';
comment on column withdrawal.approved_at is 'domain time of the approval';
comment on column withdrawal.approved_by is 'e-mail address of the admin who approved it';
comment on column withdrawal.executed_at is 'domain time at which an operator took it';
comment on column withdrawal.completed_at is 'domain time of the completion';
comment on column withdrawal.cancelled_at is 'domain time at which the user cancelled it; the status is rejected then';
comment on column withdrawal.released_at is 'domain time at which the reserved amount of a failed one became available again';
comment on column withdrawal.tx_hash is 'hash of the payment';
comment on column withdrawal.tx_hash_shared is 'an admin allowed a hash that another withdrawal already has';
comment on column withdrawal.chain_check is 'matched, mismatch or unverified: what the chain says about the payment';
comment on column withdrawal.chain_check_reason is 'why it is a mismatch';
comment on column withdrawal.chain_checked_at is 'domain time of the latest comparison with the chain';
comment on column withdrawal.note is 'a sentence of the operator or the provider';
comment on column withdrawal.taken_by is 'e-mail address of the operator who took it, or name of the provider';
comment on column withdrawal.completed_by is 'e-mail address of the operator who completed it, or name of the provider';
comment on column withdrawal.returned_at is 'domain time at which the amount became available again, by a rejection, a cancellation or a release';
comment on column withdrawal.platform_held_at is 'domain time at which it exceeded the limit of the platform; null otherwise';
comment on column withdrawal.platform_released_at is 'domain time at which there was room again, or two admins released it';

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
-- Late payments: the job searches the chain for payments of failed withdrawals.
create index withdrawal_failed on withdrawal (created_at, id) where status = 'failed';
-- Counts the completed withdrawals of a user to an address.
create index withdrawal_completed_to on withdrawal (user_id, lower(to_address)) where status = 'completed';
-- The admins' lists and the metrics. The mismatches of withdrawals are few; most of their completed rows are matched.
create index withdrawal_mismatch on withdrawal (created_at, id) where chain_check = 'mismatch';
-- The withdrawals that their users cancelled, for the admins' list and its sums.
create index withdrawal_cancelled on withdrawal (created_at, id) where cancelled_at is not null;
-- The sums of the windows: 30 days of one user, and 24 hours of the platform. Rejected and released withdrawals do not count.
create index withdrawal_counted_of_user on withdrawal (user_id, created_at) include (amount)
  where status <> 'rejected' and released_at is null;
create index withdrawal_counted_of_platform on withdrawal (created_at) include (amount)
  where status <> 'rejected' and released_at is null and platform_held_at is null;
create index withdrawal_released_to_platform on withdrawal (platform_released_at) include (amount)
  where status <> 'rejected' and released_at is null and platform_released_at is not null;
create index withdrawal_held on withdrawal (created_at, id) include (amount)
  where status = 'pending' and platform_held_at is not null and platform_released_at is null;
create index withdrawal_by_completion_time on withdrawal (coalesce(completed_at, '-infinity'), id);
-- Searches by key.
create index withdrawal_search_hash on withdrawal (tx_hash collate "C") where tx_hash is not null;
create index withdrawal_search_address on withdrawal (lower(to_address) collate "C");
-- Further filters of the admins' list.
create index withdrawal_by_taker on withdrawal (taken_by, created_at, id) where taken_by is not null;
create index withdrawal_by_completer on withdrawal (completed_by, created_at, id) where completed_by is not null;
create index withdrawal_by_taking on withdrawal (executed_at, id) where executed_at is not null;
-- Queues: what waits is found without the rows that are done. The other queues have an index by status.
create index withdrawal_unreleased on withdrawal (created_at) include (amount) where status = 'failed' and released_at is null;

create function check_withdrawal(checked withdrawal) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.status in ('pending', 'approved', 'processing', 'completed', 'rejected', 'failed'))
      then 'withdrawal_status'
    when not (checked.amount > 0 and scale(checked.amount) <= 6) then 'withdrawal_amount'
    when not (checked.currency = 'USDC') then 'withdrawal_currency'
    when not (checked.to_address ~ '^0x[0-9a-fA-F]{40}$') then 'withdrawal_to_address'
    when not (checked.address_checksum in ('valid', 'absent', 'mismatch')) then 'withdrawal_address_checksum'
    when not (checked.chain_check in ('matched', 'mismatch', 'unverified')) then 'withdrawal_chain_check'
    when not (checked.chain_check_reason is null
              or (checked.chain_check = 'mismatch'
                  and checked.chain_check_reason in ('TRANSACTION_UNKNOWN', 'TRANSACTION_REVERTED', 'NO_SUCH_TRANSFER',
                                                     'OLDER_THAN_REQUEST', 'SENDER_NOT_CUSTODY', 'TRANSFER_USED_BEFORE')))
      then 'withdrawal_chain_check_reason'
    when not (num_nonnulls(checked.approved_at, checked.approved_by) = case when checked.approved_at is null then 0 else 2 end
              and (checked.status <> 'approved' or checked.approved_at is not null)) then 'withdrawal_approved'
    when not (num_nonnulls(checked.tx_hash, checked.completed_at, checked.chain_check, checked.chain_checked_at)
                = case checked.status when 'completed' then 4 else 0 end
              and checked.tx_hash <> '') then 'withdrawal_completed'
    when not (checked.cancelled_at is null or checked.status = 'rejected') then 'withdrawal_cancelled'
    when not (checked.released_at is null or checked.status = 'failed') then 'withdrawal_released'
    when not (checked.platform_held_at is null or checked.platform_released_at is not null
              or checked.status in ('pending', 'rejected')) then 'withdrawal_platform_held'
    when not (checked.platform_released_at is null or checked.platform_held_at is not null)
      then 'withdrawal_platform_released'
  end;
begin
  if violated is not null then perform raise_check_violation('withdrawal', violated); end if;
  return true;
end
$$;
alter table withdrawal add constraint withdrawal_rules check (check_withdrawal(withdrawal));

create trigger withdrawal_decided before update on withdrawal
  for each row when (old.status in ('completed', 'rejected') or old.released_at is not null)
  execute function refuse_change('status', 'tx_hash_shared');
create trigger withdrawal_permanent before delete or truncate on withdrawal
  for each statement execute function refuse_change();
-- The return of a taken withdrawal clears the taking and the approval. Only one of the two triggers runs for a row.
create trigger withdrawal_kept before update on withdrawal
  for each row when (not (old.status = 'processing' and new.status = 'pending'
                          and num_nonnulls(new.approved_at, new.approved_by, new.executed_at, new.taken_by) = 0))
  execute function refuse_change(
    'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'approved_at', 'approved_by',
    'executed_at', 'completed_at', 'cancelled_at', 'released_at', 'tx_hash', 'platform_held_at', 'platform_released_at');
create trigger withdrawal_returned before update on withdrawal
  for each row when (old.status = 'processing' and new.status = 'pending'
                     and num_nonnulls(new.approved_at, new.approved_by, new.executed_at, new.taken_by) = 0)
  execute function refuse_change(
    'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'completed_at', 'cancelled_at',
    'released_at', 'tx_hash', 'platform_held_at', 'platform_released_at');

create table withdrawal_event (
  id            bigint generated always as identity primary key,
  withdrawal_id uuid not null references withdrawal,
  status        text not null,
  verb          text not null,
  at            timestamptz not null,
  by_type       text not null,
  by_id         text not null,
  note          text,
  constraint withdrawal_event_by_type check (by_type in ('user', 'admin', 'provider', 'system'))
);
comment on table withdrawal_event is 'Transitions of withdrawals, written together with them. Rows never change.';
comment on column withdrawal_event.id is 'number in the order of insertion';
comment on column withdrawal_event.withdrawal_id is 'the withdrawal';
comment on column withdrawal_event.status is 'status after the transition';
comment on column withdrawal_event.verb is 'what was done, such as take';
comment on column withdrawal_event.at is 'domain time of the transition';
comment on column withdrawal_event.by_type is 'user, admin, provider or system';
comment on column withdrawal_event.by_id is 'identifier of the user, e-mail address of the admin, or name of the provider';
comment on column withdrawal_event.note is 'stated by who did it';

create index withdrawal_event_of_withdrawal on withdrawal_event (withdrawal_id, id);
-- Late payments: the job also searches for payments of recently rejected or cancelled withdrawals.
create index withdrawal_event_rejected on withdrawal_event (at) where status = 'rejected';
-- Failures are rare: the job that looks for late payments finds the completed withdrawals that have failed before.
create index withdrawal_event_failed on withdrawal_event (withdrawal_id) where status = 'failed';

create trigger withdrawal_event_kept before update or delete or truncate on withdrawal_event
  for each statement execute function refuse_change();

create table withdrawal_address (
  id          uuid primary key,
  user_id     uuid not null references platform_user on delete cascade,
  label       text not null,
  address     text not null,
  network     text not null,
  created_at  timestamptz not null,
  usable_from timestamptz not null,
  seal        bytea,
  constraint withdrawal_address_address check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint withdrawal_address_network check (network in ('ERC20', 'BEP20')),
  constraint withdrawal_address_usable check (usable_from >= created_at)
);
comment on table withdrawal_address is 'The address books of users: destinations of their withdrawals.';
comment on column withdrawal_address.id is 'identifier of the address (UUID)';
comment on column withdrawal_address.user_id is 'the user';
comment on column withdrawal_address.label is 'given by the user';
comment on column withdrawal_address.address is 'checksummed; as the user gave it if its checksum was wrong';
comment on column withdrawal_address.network is 'ERC20 or BEP20';
comment on column withdrawal_address.created_at is 'domain time of the creation';
comment on column withdrawal_address.usable_from is 'domain time from which withdrawals may go to it';
comment on column withdrawal_address.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

-- One entry per user and address, regardless of upper and lower case.
create unique index withdrawal_address_of_user on withdrawal_address (user_id, lower(address));

create trigger withdrawal_address_kept before update on withdrawal_address
  for each row execute function refuse_change('id', 'user_id', 'address', 'network', 'created_at', 'usable_from');
