-- Without these the planner takes every word of the admins' transactions for rare, and would rather sort all of them than
-- walk over the index to a page.

create statistics user_transaction_shown on chain_type(type), chain_status(status) from user_transaction;
analyze user_transaction;

-- And both words together: few are of the one and the other.
create index user_transaction_shown_by_both on user_transaction (chain_type(type), chain_status(status), created_at, id)
  where reference_type <> 'admin-transaction' and type <> 'reversal';
