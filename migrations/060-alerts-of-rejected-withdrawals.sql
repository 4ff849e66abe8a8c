-- Withdrawals that were rejected or cancelled lately are looked for on chain, as failed ones are: one may have been paid.
create index withdrawal_event_rejected on withdrawal_event (at) where status = 'rejected';
