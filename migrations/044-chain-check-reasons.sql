-- A transfer pays a withdrawal only if it was mined after the withdrawal was recorded. Blocks carry real time, so the row
-- carries the database's own time beside created_at, which is domain time.

alter table withdrawal
  add column recorded_at timestamptz,
  add column chain_check_reason text;

update withdrawal set recorded_at = least(created_at, now());

alter table withdrawal
  alter column recorded_at set default clock_timestamp(),
  alter column recorded_at set not null,
  add constraint withdrawal_chain_check_reason check
    (chain_check_reason is null
     or (chain_check = 'mismatch'
         and chain_check_reason in ('TRANSACTION_UNKNOWN', 'TRANSACTION_REVERTED', 'NO_SUCH_TRANSFER', 'OLDER_THAN_REQUEST',
                                    'SENDER_NOT_CUSTODY', 'TRANSFER_USED_BEFORE')));
