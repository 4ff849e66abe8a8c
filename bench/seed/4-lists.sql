-- Rows without money: as many notifications, audit entries, callbacks, deliveries and reconciled lines as transactions, and
-- fewer of rarer kinds. History 0 has the same number of rows on every platform.

create unlogged table seed_row as
select n, first_day + mod(n / rows::numeric, 1) * days * interval '1 day' as at, history, user_id
  from seed_plan, generate_series(1, rows) as n join seed_user on history = 1 + n % (select max(history) from seed_user)
union all
select rows + n, first_day + n / 2501.0 * days * interval '1 day', history, user_id
  from seed_plan, seed_user, generate_series(1, 2500) as n where history = 0;

insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at, read_at)
select seed_id(at, 32, n), user_id,
       (array['investment', 'earning', 'withdrawal', 'deposit', 'security', 'system', 'promotion'])[n % 7 + 1],
       'Something happened', 'It happened to your money.', (array['critical', 'high', 'normal', 'low'])[n % 4 + 1],
       'transaction', '{}', at, case when n % 10 < 7 then at + interval '1 hour' end
  from seed_row order by seed_row.at;

insert into audit_entry (id, at, actor, action, subject_type, subject_id, reason, before, after)
select seed_id(at, 34, n), at, (array['admin', 'admin2', 'operator', 'support'])[n % 4 + 1] || '@example.com',
       subject || '.' || verb, subject, user_id, 'As decided', '{"status": "pending"}', '{"status": "completed"}'
  from seed_row,
       lateral (select (array['withdrawal', 'investment', 'user', 'transaction'])[n % 4 + 1] as subject,
                       (array['take', 'complete', 'approve', 'reject', 'update'])[n % 5 + 1] as verb) as action
 order by seed_row.at;

-- The seals are wrong: the callbacks are only listed.
insert into webhook_event (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at, seal)
select seed_id(at, 35, n), case n % 3 when 0 then 'custody' else 'crypto2b' end,
       (array['withdrawal', 'deposit', 'yield'])[n % 3 + 1], 'event-' || n, '{}', status,
       case when status in ('ignored', 'failed') then 'malformed' end, 1, at, timestamptz '2999-01-01',
       case when status <> 'received' then at end, '\x00'
  from seed_row,
       lateral (select case when n % 100 = 1 then 'received' when n % 10 = 2 then 'failed' when n % 10 = 3 then 'ignored'
                            else 'processed' end) as chosen(status)
 order by seed_row.at;

-- A subscription for every hundredth history. Outstanding deliveries are due in the future.
insert into webhook_subscription (id, user_id, url, events, status, secret, created_at, updated_at)
select seed_id(first_day, 36, history), user_id, 'http://127.0.0.1:9/' || history, array['deposit.seen'], 'active', '\x00',
       first_day, first_day
  from seed_plan, seed_user where history % 100 = 0;
insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at, settled_at,
                              response_status, failure, user_id)
select seed_id(at, 37, n), seed_id(first_day, 36, history / 100 * 100), 'deposit.seen', '{}', status, 1, at,
       timestamptz '2999-01-01', case when status <> 'pending' then at end, case when status = 'delivered' then 200 end,
       case when status = 'dead' then 'timeout' end,
       case when status = 'pending' then (select user_id from webhook_subscription
                                           where id = seed_id(first_day, 36, history / 100 * 100)) end
  from seed_plan, seed_row,
       lateral (select case n % 10 when 1 then 'dead' when 2 then 'pending' else 'delivered' end) as chosen(status)
 where history = 0 or history >= 100
 order by seed_row.at;

insert into reconciliation (id, source, format, first_day, last_day, fingerprint, made_by, made_at, lines, matched,
                            missing_here, missing_there, differing, unreadable, chain_unread, sums)
select seed_id(first_day, 38, n), 'custody', 'json', first_day, first_day, n, 'admin@example.com',
       first_day + n * interval '1 minute', 0, 0, 0, 0, 0, 0, 0, '[]'
  from seed_plan, generate_series(0, greatest(rows / 1000, 10)) as n;
insert into reconciliation_line (id, reconciliation_id, position, outcome, differs, direction, currency, line,
                                 there_reference, there_amount, there_status, there_at, difference, dust, status, owner)
select seed_id(at, 39, n), seed_id(first_day, 38, case history when 0 then 0 else 1 + n % greatest(rows / 1000, 10) end), n,
       'missing-here', '{}', 'in', 'USDC', n, n, 1, 'settled', at, 1, 0, case when n % 5 > 0 then 'open' else 'assigned' end,
       case when n % 5 = 0 then 'admin@example.com' end
  from seed_plan, seed_row order by n;

insert into admin_transaction (id, type, status, amount, currency, description, purpose, network, created_at, created_by,
                               approved_at, approved_by, rejected_at, rejected_by, reason)
select seed_id(at, 40, n), 'transfer', status, 10, 'USDC', 'Sweep', 'sweep', 'ERC20', at, 'admin@example.com',
       case status when 'processing' then at end, case status when 'processing' then 'admin2@example.com' end,
       case status when 'failed' then at end, case status when 'failed' then 'admin2@example.com' end,
       case status when 'failed' then 'No' end
  from seed_row, lateral (select (array['pending', 'processing', 'failed'])[n / 10 % 3 + 1]) as chosen(status)
 where n % 10 = 0 order by seed_row.at;
insert into transaction_request (id, transaction_id, type, status, requested_by, assigned_to, created_at)
select id, id, purpose, case status when 'processing' then 'pending' else 'rejected' end, created_by, 'operator@example.com',
       created_at
  from admin_transaction where status <> 'pending' order by created_at;

insert into yield_report (event_id, strategy_id, day, apy, used_apy, realised_amount, state, reported_at, decided_at, decided_by)
select n, 'balanced-10', at::date, 10, 10, 0, state, at, case state when 'rejected' then at end,
       case state when 'rejected' then 'admin@example.com' end
  from seed_row, lateral (select (array['waiting', 'ignored', 'rejected'])[n / 10 % 3 + 1]) as chosen(state)
 where n % 10 = 0 order by seed_row.at;
insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused)
select seed_id(at, 41, n), at, 1, 1, 'holds', '[]', false from seed_row where n <= 1000 order by seed_row.at;
insert into faucet_account (address, next_nonce, signatures) values ('seed', 1000000000, 1000000000);
insert into faucet_payout (id, wallet_address, amount, status, requested_at, sender, nonce, tx_hash, signed_transaction,
                           block_number, gas_used, gas_price, settled_at)
select seed_id(at, 42, n), '0x' || substr(md5(user_id::text) || md5(history::text), 1, 40), 100, 'completed', at, 'seed', n,
       seed_hash('faucet', n), '0x', n, 1, 1, at
  from seed_row where n % 10 = 0 order by seed_row.at;

-- What the decisions of the records say, for the integrity check.
insert into user_status_change (user_id, status, changed_at, changed_by)
select id, status, created_at, 'admin@example.com' from platform_user where status <> 'active' order by created_at;
insert into audit_entry (id, at, actor, action, subject_type, subject_id)
select gen_random_uuid(), at, 'operator@example.com', action, subject_type, id::text
  from (select approved_at as at, 'withdrawal.approve' as action, 'withdrawal' as subject_type, id from withdrawal where approved_at is not null
        union all
        select at, 'withdrawal.' || verb, 'withdrawal', withdrawal_id from withdrawal_event where verb in ('take', 'execute') and by_type = 'admin'
        union all
        select created_at, 'transaction.create', 'transaction', id from admin_transaction where run_id is null
        union all
        select approved_at, 'transaction.approve', 'transaction', id from admin_transaction where approved_at is not null
        union all
        select coalesce(confirmed_at, rejected_at), case status when 'confirmed' then 'transaction.confirm' else 'transaction.reject' end, 'transaction', id
          from admin_transaction where status in ('confirmed', 'failed')
        union all
        select decided_at, case state when 'rejected' then 'yield-report.reject' else 'yield-report.accept' end, 'yield-report', id
          from yield_report where decided_at is not null) as decision
 order by at;
