-- The payments that the chain has confirmed for a hash are counted by a prepared statement of
-- src/modules/funds/withdrawals/withdrawal-payments.repository.ts: PostgreSQL planned the function at every call.
drop function matched_payments(text, text, numeric);
