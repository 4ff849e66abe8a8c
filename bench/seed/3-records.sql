-- The records of the modules, and the users' transactions, for the events of 1-histories.sql, whose postings 2-ledger.sql inserts.
-- `8 + step` makes ids of users' transactions differ from the ids of records, whose kinds are 1 to 5 (seed_id).

insert into deposit (id, user_id, network, currency, tx_hash, log_index, provider_deposit_id, to_address, status, amount, credited, confirmations,
                     required_confirmations, succeeded, created_at, updated_at, seen_at, confirmed_at)
select id, user_id, 'ERC20', 'USDC', seed_hash('deposit', n), 0, 'deposit-' || n, '0x' || substr(md5(user_id::text) || md5(history::text), 1, 40),
       'completed', amount, amount, 12, 12, true, at, at, at, at
  from seed_deposit join seed_user using (history) order by n;

insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at, approved_at, approved_by, executed_at,
                        taken_by, completed_at, completed_by, tx_hash, chain_check, chain_checked_at, note)
select id, user_id, amount, 'USDC', '0x' || substr(md5(user_id::text) || md5(history::text), 1, 40), 'absent', status, at,
       case when status = 'approved' then at + interval '1 hour' end, case when status = 'approved' then 'operator@example.com' end,
       case when status in ('processing', 'completed') then at + interval '1 hour' end,
       case when status in ('processing', 'completed') then format('operator%s@example.com', n % 40) end, settled,
       case when settled is not null then format('operator%s@example.com', n % 40) end, case when settled is not null then seed_hash('paid', n) end,
       case when settled is not null then 'matched' end, settled, case when status in ('rejected', 'failed') then 'As decided' end
  from seed_withdrawal join seed_user using (history)
 cross join lateral (select case status when 'completed' then at + interval '2 hours' end as settled) as paid order by n;
insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
select id, 'pending', 'request', at, 'user', user_id::text from seed_withdrawal join seed_user using (history) order by n;
insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
select id, 'processing', 'take', at + interval '1 hour', 'admin', format('operator%s@example.com', n % 40)
  from seed_withdrawal where status in ('processing', 'completed') order by n;
insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
select id, status, case status when 'completed' then 'complete' when 'rejected' then 'reject' when 'failed' then 'fail' else 'approve' end,
       at + interval '1 hour' * case status when 'approved' then 1 else 2 end, 'admin',
       case status when 'completed' then format('operator%s@example.com', n % 40) else 'operator@example.com' end
  from seed_withdrawal where status not in ('pending', 'processing') order by n;

insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at, ended_at, final_value, fees)
select id, user_id, strategy_id, status, amount, units, case when units > 0 then issued_on end, at, coalesce(ended_at, at), ended_at,
       case status when 'closed' then value end, case status when 'closed' then fee else 0 end
  from seed_investment join seed_user using (history) order by n;

insert into user_transaction (id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description, to_address, tx_hash,
                              confirmations, strategy_id, strategy_name, created_at, submitted_at, completed_at, timeline)
select seed_id(at, 8 + step, n), user_id, type, status, amount, 'USDC', sign * amount, reference_type, reference_id::text, description,
       case when type in ('deposit', 'withdrawal') then '0x' || substr(md5(user_id::text) || md5(history::text), 1, 40) end, tx_hash,
       case type when 'deposit' then 12 else 0 end, strategy_id, name, at, case when tx_hash is not null then at end, done,
       jsonb_build_array(jsonb_build_object('status', status, 'timestamp', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                            'description', 'Booked'))
  from (
    select at, n, 1 as step, history, 'deposit' as type, 'completed' as status, amount, 1 as sign, 'deposit' as reference_type, id as reference_id,
           'Deposit over ERC20' as description, seed_hash('deposit', n) as tx_hash, null as strategy_id, null as name, at as done from seed_deposit
    union all
    select at, n, 1, history, 'withdrawal', case status when 'rejected' then 'failed' when 'approved' then 'pending' else status end, amount,
           case status when 'rejected' then 0 else -1 end, 'withdrawal', id, 'Withdrawal',
           case status when 'completed' then seed_hash('paid', n) end, null, null, case status when 'completed' then at + interval '2 hours' end
      from seed_withdrawal
    union all
    select at, n, 1, history, 'investment', 'completed', amount, -1, 'investment', id, 'Investment in ' || name, null, strategy_id, name, at
      from seed_investment
    union all
    select ended_at, ended_n, step, history, type, 'completed', shown.amount, sign, 'investment', id, description || name, null, strategy_id, name, ended_at
      from seed_investment, lateral (values (1, 'divestment', amount, 1, 'Principal back from ', true), (2, 'earning', value - amount, 1, 'Growth of ', status = 'closed'),
                                            (3, 'fee', fee, -1, 'Fees of ', status = 'closed')) as shown(step, type, amount, sign, description, happened)
     where ended_n is not null and happened and shown.amount <> 0
  ) as shown join seed_user using (history)
 order by at, n, step;
