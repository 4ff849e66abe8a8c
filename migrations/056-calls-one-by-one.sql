-- Drops the functions that locked, read and wrote for several modules in one call (035 and its successors): transactions send
-- these statements one by one. Version 1.0.0 does not call them.

drop function read_together(jsonb);
drop function write_together(jsonb);

drop function investment_with_key(uuid, uuid);
drop function is_evm_deposit_address(text);
drop function lock_available_balance(uuid, text);
drop function lock_investment(uuid);
drop function lock_nav_day_shared(text);
drop function lock_status_of_withdrawal_user(uuid);
drop function lock_user_account(uuid);
drop function lock_user_status(uuid);
drop function lock_withdrawal(uuid);
drop function matched_payments_as(uuid, text);
drop function transaction_hash_holder(jsonb);
drop function used_withdrawal_limit(uuid, timestamptz);
drop function withdrawal_owner(uuid);
drop function withdrawals_are_paused();
drop function with_text_numbers(jsonb);

drop function insert_audit_entries(jsonb);
drop function insert_investments(jsonb);
drop function insert_live_events(jsonb);
drop function insert_mails(jsonb);
drop function insert_notifications(jsonb);
drop function insert_user_transactions(jsonb);
drop function insert_webhook_deliveries(jsonb);
drop function insert_withdrawals(jsonb);
drop function settle_alerts(jsonb);
drop function store_idempotency_results(jsonb);
drop function update_investments(jsonb);
drop function update_mined_transactions(jsonb);
drop function update_withdrawals(jsonb);
drop function upsert_user_transactions(jsonb);
