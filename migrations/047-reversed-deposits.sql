-- A reversal takes back a deposit, and a withdrawal by hand books the late payment of a withdrawal.
--
-- Confirm reversals of deposits and late payments only when no process of the previous version runs: its integrity check does not
-- know reversals of USDT deposits, and it does not require the hash of a late payment.

-- As in 036: the migration fails and is repeated instead of making requests wait for it.
set local lock_timeout = '10s';

alter table admin_transaction
  add column deposit_id uuid references deposit, -- of a reversal: the deposit that it takes back
  drop constraint admin_transaction_reversal,
  -- withdrawal_id of a withdrawal: the one whose late payment it books
  add constraint admin_transaction_reversal check
    (case type when 'reversal' then num_nonnulls(withdrawal_id, deposit_id) = 1
               when 'withdrawal' then deposit_id is null
               else num_nonnulls(withdrawal_id, deposit_id) = 0 end);

create index admin_transaction_of_deposit on admin_transaction (deposit_id) where deposit_id is not null;
drop index admin_transaction_one_reversal;
create unique index admin_transaction_one_reversal on admin_transaction (withdrawal_id)
  where type = 'reversal' and status <> 'failed';

-- Failures are rare: the job that looks for late payments finds the completed withdrawals that have failed before.
create index withdrawal_event_failed on withdrawal_event (withdrawal_id) where status = 'failed';

-- The held deposits that are looked up on chain: those of the last day, and those that a reorganisation has removed.
create index deposit_held_on_chain on deposit (succeeded, updated_at)
  where network = 'ERC20' and currency = 'USDC' and hold_reason = 'BELOW_MINIMUM';
