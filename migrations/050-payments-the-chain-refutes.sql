-- Payments that the chain refutes: alerts, filters by the chain check, and their count for the metrics.

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit'));

-- The admins' lists and the metrics. The mismatches of withdrawals are few; most of their completed rows are matched.
create index withdrawal_mismatch on withdrawal (created_at, id) where chain_check = 'mismatch';
create index admin_transaction_by_chain_check on admin_transaction (chain_check, created_at, id) where chain_check is not null;

-- As in 025, with the chain check as a further facet.
create or replace function list_total_row(listed withdrawal) returns setof list_total_delta language sql stable as $$
  select 'withdrawal', array[listed.status, listed.chain_check], utc_day(listed.created_at), amount_band(listed.amount, 3),
         1::bigint, listed.amount, extract(epoch from listed.created_at),
         coalesce(extract(epoch from listed.completed_at - listed.created_at), 0), 0::numeric, 0::numeric, 0::numeric
$$;
create or replace function list_total_row(listed admin_transaction) returns setof list_total_delta language sql stable as $$
  select 'transaction', array[listed.status, listed.type, listed.chain_check], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;

drop trigger withdrawal_list_totals on withdrawal;
create trigger withdrawal_list_totals
  after insert or delete or update of status, amount, created_at, completed_at, chain_check on withdrawal
  for each row execute function track_list_totals();
drop trigger admin_transaction_list_totals on admin_transaction;
create trigger admin_transaction_list_totals
  after insert or delete or update of status, type, chain_check on admin_transaction
  for each row execute function track_list_totals();

select rebuild_list_totals();
