-- Failed withdrawals that the chain may still show as paid are looked for at every turn.
create index withdrawal_failed on withdrawal (created_at, id) where status = 'failed';
