-- Functions that lock, read and write for several modules in one call. Each function concerns the tables of one module;
-- `read_together` and `write_together` at the end call those that a transaction names. Amounts in answers are text, because
-- JSON numbers would become floating-point numbers. None of the functions sets `search_path`, because PostgreSQL plans cached
-- statements, such as those of foreign keys, anew if `search_path` differs from their last execution.

-- A row as JSON, in which numbers are text.
create function with_text_numbers(record jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case jsonb_typeof(value) when 'number' then to_jsonb(value #>> '{}') else value end)
    from jsonb_each(record)
$$;

-- Users

-- The share lock prevents a change of the status until the transaction ends.
create function lock_user_status(its_id uuid) returns text language sql volatile as $$
  select status from platform_user where id = its_id for share
$$;

-- Strategies

-- Writes that move units hold the lock together; publishing a day waits for all of them. The newest two days, newest first.
create function lock_nav_day_shared(its_strategy text) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('strategy ' || its_strategy, 0));
  return (select json_agg(json_build_object('day', day, 'nav', nav::text) order by day desc)
            from (select day, nav from strategy_nav where strategy_id = its_strategy order by day desc limit 2) as newest);
end
$$;

-- Ledger

-- Null for an owner without the account, which cannot be locked.
create function lock_available_balance(its_owner uuid, its_asset text) returns text language sql volatile as $$
  select balance::text from ledger_account
   where owner_id = its_owner and kind = 'user.available' and scope = '' and asset = its_asset for update
$$;

-- Investments

create function investment_with_key(its_user uuid, its_key uuid) returns uuid language sql stable as $$
  select id from investment where user_id = its_user and idempotency_key = its_key
$$;

create function insert_investments(rows jsonb) returns void language sql volatile as $$
  insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, idempotency_key, created_at,
                          updated_at, approved_by, approved_at, ended_at, ended_by, note, final_value, fees,
                          closed_principal, closed_growth, closed_fees, moved_from, first_principal, first_made_at,
                          carried_fees, carried_performance_fees, forfeited, management_fee_percent,
                          performance_fee_percent)
  select id, user_id, strategy_id, status, amount, units, issued_on, idempotency_key, created_at, updated_at, approved_by,
         approved_at, ended_at, ended_by, note, final_value, fees, closed_principal, closed_growth, closed_fees,
         moved_from, first_principal, first_made_at, carried_fees, carried_performance_fees, forfeited,
         management_fee_percent, performance_fee_percent
    from jsonb_populate_recordset(null::investment, rows)
$$;

create function lock_investment(its_id uuid) returns json language sql volatile as $$
  select with_text_numbers(to_jsonb(investment)) from investment where id = its_id for update
$$;

-- Changes of locked investments, [{id, column: value, …}]. Columns that a change does not name keep their values.
create function update_investments(rows jsonb) returns void language plpgsql volatile as $$
declare
  item jsonb;
  next investment;
begin
  for item in select value from jsonb_array_elements(rows) loop
    select changed.* into next
      from investment, jsonb_populate_record(investment, item) as changed where investment.id = (item ->> 'id')::uuid;
    if not found then raise exception 'investment % does not exist', item ->> 'id'; end if;
    update investment
       set status = next.status, amount = next.amount, units = next.units, issued_on = next.issued_on,
           updated_at = next.updated_at, approved_by = next.approved_by, approved_at = next.approved_at,
           ended_at = next.ended_at, ended_by = next.ended_by, note = next.note, final_value = next.final_value,
           fees = next.fees, closed_principal = next.closed_principal, closed_growth = next.closed_growth,
           closed_fees = next.closed_fees, first_principal = next.first_principal, carried_fees = next.carried_fees,
           carried_performance_fees = next.carried_performance_fees, forfeited = next.forfeited,
           management_fee_percent = next.management_fee_percent, performance_fee_percent = next.performance_fee_percent
     where id = next.id;
  end loop;
end
$$;

-- Deposits

create function is_evm_deposit_address(its_address text) returns boolean language sql stable as $$
  select exists (select from deposit_address where network in ('ERC20', 'BEP20') and address = its_address)
$$;

-- Withdrawals

create function withdrawals_are_paused() returns boolean language sql stable as $$
  select exists (select from withdrawal_pause where resumed_at is null)
$$;

-- The used part of a user's daily limit: the withdrawals since the start of the window, except rejected and cancelled ones,
-- and failed ones after their release. It returns a table of one row, since PostgreSQL plans such a function as a part of the
-- query that calls it, but calls a function that returns a value once per row.
create function used_withdrawal_limit(its_user uuid, since timestamptz) returns table (used numeric) language sql stable as $$
  select coalesce(sum(amount), 0) from withdrawal
   where user_id = its_user and created_at > since and status <> 'rejected' and released_at is null
$$;

create function lock_withdrawal(its_id uuid) returns json language sql volatile as $$
  select with_text_numbers(to_jsonb(withdrawal)) from withdrawal where id = its_id for update
$$;

-- Locks the status of the withdrawal's user as `lock_user_status` does.
create function lock_status_of_withdrawal_user(its_withdrawal uuid) returns text language sql volatile as $$
  select lock_user_status(user_id) from withdrawal where id = its_withdrawal
$$;

-- The user of a withdrawal as admins see it. Reads `platform_user` of the module users.
create function withdrawal_owner(its_withdrawal uuid) returns json language sql stable as $$
  select json_build_object('userEmail', owner.email, 'userStatus', owner.status, 'accountCreatedAt', owner.created_at,
                           'walletAddress', first_wallet(owner.id))
    from platform_user as owner where id = (select user_id from withdrawal where id = its_withdrawal)
$$;

-- The number of payments of an amount to an address that are matched with the hash already. Reads `admin_transaction` of
-- the module treasury and `wallet` of the module wallets.
create function matched_payments(its_hash text, its_address text, its_amount numeric) returns integer
language sql stable as $$
  select (select count(*)::integer from withdrawal
           where tx_hash = its_hash and lower(to_address) = lower(its_address) and amount = its_amount
             and chain_check = 'matched')
       + (select count(*)::integer from admin_transaction as booked
           where tx_hash = its_hash and type = 'withdrawal' and amount = its_amount and chain_check = 'matched'
             and exists (select from wallet
                          where wallet.user_id = booked.user_id and lower(address) = lower(its_address)))
$$;

create function matched_payments_as(its_withdrawal uuid, its_hash text) returns integer language sql stable as $$
  select matched_payments(its_hash, to_address, amount) from withdrawal where id = its_withdrawal
$$;

-- Locks the forms of a hash, a JSON array, and returns the record that has it in any form: the withdrawal that had it first,
-- an admin transaction of the module treasury, or a deposit that is more than a user's claim. Lock order: after the row that
-- is booked and before any account.
create function transaction_hash_holder(its_forms jsonb) returns json language plpgsql volatile as $$
declare
  forms text[] := array(select jsonb_array_elements_text(its_forms));
begin
  perform pg_advisory_xact_lock(hashtextextended('tx-hash:' || form, 0)) from unnest(forms) as form;
  return (select to_json(holder)
            from ((select 'withdrawal' as type, id from withdrawal where tx_hash = any(forms) order by tx_hash_shared limit 1)
                  union all select 'transaction', id from admin_transaction where tx_hash = any(forms)
                  union all select 'deposit', id from deposit
                             where network in ('ERC20', 'BEP20', 'TRC20') and tx_hash = any(forms)
                               and failure is null and status in ('confirming', 'completed')
                  limit 1) as holder);
end
$$;

-- The withdrawals and the first step of each.
create function insert_withdrawals(rows jsonb) returns void language sql volatile as $$
  insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
  select id, user_id, amount, currency, to_address, address_checksum, status, created_at
    from jsonb_populate_recordset(null::withdrawal, rows);
  insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
  select id, status, 'request', created_at, by_type, by_id
    from jsonb_to_recordset(rows) as step(id uuid, status text, created_at timestamptz, by_type text, by_id text);
$$;

-- Transitions of locked withdrawals, [{withdrawal, step}], each with its step. Columns of the withdrawal that are not named
-- keep their values.
create function update_withdrawals(rows jsonb) returns void language plpgsql volatile as $$
declare
  item jsonb;
  next withdrawal;
begin
  for item in select value from jsonb_array_elements(rows) loop
    select changed.* into next
      from withdrawal, jsonb_populate_record(withdrawal, item -> 'withdrawal') as changed
     where withdrawal.id = (item #>> '{withdrawal,id}')::uuid;
    if not found then raise exception 'withdrawal % does not exist', item #>> '{withdrawal,id}'; end if;
    update withdrawal
       set status = next.status, approved_at = next.approved_at, approved_by = next.approved_by,
           executed_at = next.executed_at, completed_at = next.completed_at, cancelled_at = next.cancelled_at,
           tx_hash = next.tx_hash, tx_hash_shared = next.tx_hash_shared, chain_check = next.chain_check,
           chain_check_reason = next.chain_check_reason, chain_checked_at = next.chain_checked_at,
           released_at = next.released_at, note = next.note
     where id = next.id;
    insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id, note)
    select next.id, next.status, verb, at, by_type, by_id, note
      from jsonb_populate_record(null::withdrawal_event, item -> 'step');
  end loop;
end
$$;

-- Alerts

create function settle_alerts(rows jsonb) returns void language sql volatile as $$
  update alert set resolved_at = settled.resolved_at, resolved_by = settled.resolved_by, reason = settled.reason
    from jsonb_populate_recordset(null::alert, rows) as settled
   where alert.kind = settled.kind and alert.subject_id = settled.subject_id and alert.resolved_at is null
$$;

-- Transaction records

create function insert_user_transactions(rows jsonb) returns void language sql volatile as $$
  insert into user_transaction
    (id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description, from_address,
     to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name, created_at,
     submitted_at, completed_at, timeline)
  select id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description,
         from_address, to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name,
         created_at, submitted_at, completed_at, timeline
    from jsonb_populate_recordset(null::user_transaction, rows)
$$;

-- Inserts or updates records, [{record, verb, allowedFrom}], in their order. Fails if the status of an existing record does
-- not allow the verb. A repeated step is added to the timeline once. A null of the new step does not erase an address or hash.
create function upsert_user_transactions(rows jsonb) returns void language plpgsql volatile as $$
declare
  item jsonb;
begin
  for item in select value from jsonb_array_elements(rows) loop
    insert into user_transaction as existing
      (id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description,
       from_address, to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name,
       created_at, submitted_at, completed_at, timeline)
    select id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description,
           from_address, to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name,
           created_at, submitted_at, completed_at, timeline
      from jsonb_populate_record(null::user_transaction, item -> 'record')
    on conflict on constraint user_transaction_fact do update
       set status = excluded.status, amount = excluded.amount, currency = excluded.currency,
           balance_change = excluded.balance_change, description = excluded.description,
           from_address = coalesce(excluded.from_address, existing.from_address),
           to_address = coalesce(excluded.to_address, existing.to_address),
           tx_hash = coalesce(excluded.tx_hash, existing.tx_hash),
           block_number = excluded.block_number, confirmations = excluded.confirmations,
           gas_used = excluded.gas_used, gas_price = excluded.gas_price,
           submitted_at = coalesce(existing.submitted_at, excluded.submitted_at), completed_at = excluded.completed_at,
           timeline = case when existing.timeline #>> '{-1,description}' = excluded.timeline #>> '{0,description}'
                           then existing.timeline else existing.timeline || excluded.timeline end
     where item -> 'allowedFrom' ? existing.status;
    if not found then
      raise exception 'transaction of % %: its status does not allow %', item #>> '{record,reference_type}',
        item #>> '{record,reference_id}', item ->> 'verb';
    end if;
  end loop;
end
$$;

-- Blocks and gas of transfers whose records exist already.
create function update_mined_transactions(rows jsonb) returns void language sql volatile as $$
  update user_transaction as existing
     set block_number = mined.block_number, confirmations = mined.confirmations, gas_used = mined.gas_used,
         gas_price = mined.gas_price
    from jsonb_populate_recordset(null::user_transaction, rows) as mined
   where existing.reference_type = mined.reference_type and existing.reference_id = mined.reference_id
     and existing.type in ('deposit', 'withdrawal')
$$;

-- Notifications

create function insert_notifications(rows jsonb) returns void language sql volatile as $$
  insert into notification (id, user_id, type, title, message, priority, category, action_url, metadata, created_at)
  select id, user_id, type, title, message, priority, category, action_url, metadata, created_at
    from jsonb_populate_recordset(null::notification, rows)
$$;

-- Webhook subscriptions

-- A delivery for each active subscription of the event's user that lists the event. The key-share lock waits for a concurrent
-- deletion of a subscription; otherwise the foreign key would fail, and the transaction of the event with it.
create function insert_webhook_deliveries(rows jsonb) returns void language sql volatile as $$
  with delivery as (
    select subscription.id as subscription_id, event.type, event.body, event.at
      from jsonb_to_recordset(rows) as event(user_id uuid, type text, body text, at timestamptz)
      join webhook_subscription as subscription
        on subscription.user_id = event.user_id and subscription.status = 'active'
       and event.type = any(subscription.events)
       for key share of subscription
  )
  insert into webhook_delivery (id, subscription_id, event, body, status, attempts, created_at, due_at)
  select gen_random_uuid(), subscription_id, type, body, 'pending', 0, at, at from delivery
$$;

-- Mail

-- Nothing for an erased user, or if the user does not want e-mail that is optional. Reads `platform_user` of the module users.
create function insert_mails(rows jsonb) returns void language sql volatile as $$
  insert into mail (id, user_id, recipient, kind, details, status, attempts, created_at, due_at)
  select given.id, person.id, coalesce(given.recipient, person.email), given.kind, given.details, 'waiting', 0, given.at,
         given.at
    from jsonb_to_recordset(rows)
           as given(id uuid, user_id uuid, recipient text, kind text, details jsonb, is_security boolean, at timestamptz)
    join platform_user as person on person.id = given.user_id
   where (given.is_security or person.notify_email) and person.email not like 'erased-%@erased.invalid'
$$;

-- Audit log

create function insert_audit_entries(rows jsonb) returns void language sql volatile as $$
  insert into audit_entry (id, at, actor, action, subject_type, subject_id, reason, before, after, trace_id)
  select id, at, actor, action, subject_type, subject_id, reason, before, after, trace_id
    from jsonb_populate_recordset(null::audit_entry, rows)
$$;

-- Live delivery

-- The rows get their numbers in the order of the list. An event without data gets the balance that the transaction leaves.
create function insert_live_events(rows jsonb) returns void language sql volatile as $$
  insert into live_event (id, recipient_type, recipient_id, permission, type, at, data)
  select id, "recipientType", "recipientId", permission, type, at, coalesce(data, live_balance("recipientId"::uuid))
    from rows from (jsonb_to_recordset(rows) as (id uuid, "recipientType" text, "recipientId" text, permission text,
           type text, at timestamptz, data text)) with ordinality
           as event(id, "recipientType", "recipientId", permission, type, at, data, place)
   order by place
$$;

-- Idempotency keys

-- `answer` is JSON in text, which keeps the order of its fields. Replaces a result that has expired.
create function store_idempotency_results(rows jsonb) returns void language sql volatile as $$
  insert into idempotency_result (caller, route, key, fingerprint, status, answer, created_at)
  select caller, route, key, decode(fingerprint, 'hex'), status, answer::json, created_at
    from jsonb_to_recordset(rows) as result(caller text, route text, key text, fingerprint text, status smallint,
                                            answer text, created_at timestamptz)
  on conflict (caller, route, key) do update
     set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
         created_at = excluded.created_at
$$;

-- All modules

-- Executes reads, [[name, parameter, …], …], in their order. A statement of a volatile function sees what was committed
-- before it, so that a read after a lock sees the work of the transaction that held the lock. Stops after a claim of an
-- idempotency key that another request holds or has used. `src/database/transaction-calls.ts` calls it.
create function read_together(reads jsonb) returns json language plpgsql volatile as $$
declare
  item jsonb;
  claim record;
  answer json;
  answers json[] := '{}';
begin
  for place in 0 .. jsonb_array_length(reads) - 1 loop
    item := reads -> place;
    case item ->> 0
      when 'claim_idempotency_key' then
        claim := idempotency_claim(item ->> 1, item ->> 2, item ->> 3, item ->> 4, (item ->> 5)::timestamptz);
        answers := array_append(answers, json_build_object('isOurs', claim.is_ours, 'status', claim.status,
          'fingerprint', encode(claim.fingerprint, 'hex'), 'answer', claim.answer));
        exit when not claim.is_ours or claim.fingerprint is not null;
        continue;
      when 'lock_user_status' then answer := to_json(lock_user_status((item ->> 1)::uuid));
      when 'lock_nav_day_shared' then answer := lock_nav_day_shared(item ->> 1);
      when 'lock_available_balance' then answer := to_json(lock_available_balance((item ->> 1)::uuid, item ->> 2));
      when 'investment_with_key' then answer := to_json(investment_with_key((item ->> 1)::uuid, (item ->> 2)::uuid));
      when 'lock_investment' then answer := lock_investment((item ->> 1)::uuid);
      when 'is_evm_deposit_address' then answer := to_json(is_evm_deposit_address(item ->> 1));
      when 'withdrawals_are_paused' then answer := to_json(withdrawals_are_paused());
      when 'used_withdrawal_limit' then
        answer := to_json((select used from used_withdrawal_limit((item ->> 1)::uuid, (item ->> 2)::timestamptz))::text);
      when 'lock_withdrawal' then answer := lock_withdrawal((item ->> 1)::uuid);
      when 'lock_status_of_withdrawal_user' then
        answer := to_json(lock_status_of_withdrawal_user((item ->> 1)::uuid));
      when 'withdrawal_owner' then answer := withdrawal_owner((item ->> 1)::uuid);
      when 'transaction_hash_holder' then answer := transaction_hash_holder(item -> 1);
      when 'matched_payments_as' then answer := to_json(matched_payments_as((item ->> 1)::uuid, item ->> 2));
    end case;
    answers := array_append(answers, answer);
  end loop;
  return array_to_json(answers);
end
$$;

-- Writes the rows of one transaction, {name: [row, …]}: first the records themselves, then their postings, then what follows
-- from them, live events after everything that changes a balance. Fails for a name that it does not know.
create function write_together(rows jsonb) returns void language plpgsql volatile as $$
declare
  written integer := 0;
begin
  if rows ? 'investment_changes' then
    perform update_investments(rows -> 'investment_changes'); written := written + 1;
  end if;
  if rows ? 'investments' then perform insert_investments(rows -> 'investments'); written := written + 1; end if;
  if rows ? 'withdrawals' then perform insert_withdrawals(rows -> 'withdrawals'); written := written + 1; end if;
  if rows ? 'withdrawal_changes' then
    perform update_withdrawals(rows -> 'withdrawal_changes'); written := written + 1;
  end if;
  if rows ? 'postings' then perform ledger_post(rows -> 'postings'); written := written + 1; end if;
  if rows ? 'settled_alerts' then perform settle_alerts(rows -> 'settled_alerts'); written := written + 1; end if;
  if rows ? 'user_transactions' then
    perform insert_user_transactions(rows -> 'user_transactions'); written := written + 1;
  end if;
  if rows ? 'user_transaction_steps' then
    perform upsert_user_transactions(rows -> 'user_transaction_steps'); written := written + 1;
  end if;
  if rows ? 'mined_transactions' then
    perform update_mined_transactions(rows -> 'mined_transactions'); written := written + 1;
  end if;
  if rows ? 'notifications' then perform insert_notifications(rows -> 'notifications'); written := written + 1; end if;
  if rows ? 'webhook_events' then
    perform insert_webhook_deliveries(rows -> 'webhook_events'); written := written + 1;
  end if;
  if rows ? 'mails' then perform insert_mails(rows -> 'mails'); written := written + 1; end if;
  if rows ? 'audit_entries' then perform insert_audit_entries(rows -> 'audit_entries'); written := written + 1; end if;
  if rows ? 'live_events' then perform insert_live_events(rows -> 'live_events'); written := written + 1; end if;
  if rows ? 'idempotency_results' then
    perform store_idempotency_results(rows -> 'idempotency_results'); written := written + 1;
  end if;
  if written <> (select count(*) from jsonb_object_keys(rows)) then
    raise exception 'write_together: one of these names is unknown: %', (select string_agg(name, ', ')
      from jsonb_object_keys(rows) as name);
  end if;
end
$$;
