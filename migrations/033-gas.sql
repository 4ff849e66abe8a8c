-- What the chain says of a transaction's gas, where the service has asked it: units, and gwei for each.
alter table user_transaction add column gas_used text, add column gas_price text;
alter table admin_transaction add column gas_used text, add column gas_price text;

create or replace view shown_to_admins as
  select id, user_id, chain_type(type) as type, amount, currency, chain_status(status) as status, tx_hash, block_number,
         confirmations, created_at, completed_at as confirmed_at, submitted_at as processed_at, description, from_address,
         to_address, reference_type <> 'admin-transaction' and type <> 'reversal' as listed, gas_used, gas_price
    from user_transaction
  union all
  select id, user_id, type, amount, currency, status, tx_hash, block_number,
         confirmations, created_at, confirmed_at, approved_at, description, null, null, true, gas_used, gas_price
    from admin_transaction;
