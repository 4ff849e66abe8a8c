-- Without these the planner takes every word of the admins' transactions for rare, and would rather sort all of them than
-- walk over the index to a page.

create statistics user_transaction_shown on chain_type(type), chain_status(status) from user_transaction;
analyze user_transaction;
