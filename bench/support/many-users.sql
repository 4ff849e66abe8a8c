-- `:users` users with 100.00 USDC each, in two deposits; a fifth of them have an investment of 10.00 in addition. Inserted
-- without triggers, since posting would take hours.
set session_replication_role = replica;
-- These indexes serve searches, which are not measured, and would slow the insertion.
drop index platform_user_email_trigrams, platform_user_mailbox_trigrams, platform_user_name_trigrams;
insert into strategy_nav (strategy_id, day, nav, apy, source)
select 'balanced-10', '2026-02-01'::date + n, 1.000261 ^ n, 10, 'target' from generate_series(0, 31) as n;
insert into platform_user (id, email, created_at, updated_at)
select md5('user' || n)::uuid, 'user' || n || '@example.org', '2026-01-01', '2026-01-01' from generate_series(1, :users) as n;
insert into ledger_account (owner_id, kind, asset, balance)
select md5('user' || n)::uuid, kind, 'USDC', balance
  from generate_series(1, :users) as n, (values ('user.available', 100), ('user.reserved', 0)) as account(kind, balance);
insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
select gen_random_uuid(), id, 'USDC', part, 50 * number, 'deposit', '2026-02-01'::timestamptz + number * interval '1 day'
  from ledger_account, (values (50, 1), (50, 2)) as part(part, number) where kind = 'user.available';
insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at)
select md5('investment' || n)::uuid, md5('user' || n)::uuid, 'balanced-10', 'active', 10, 10, '2026-02-01', '2026-02-01', '2026-02-01'
  from generate_series(1, :users, 5) as n;
set session_replication_role = origin;
analyze;
