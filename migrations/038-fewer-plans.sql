-- Statements on the money path are planned once per connection, and the rules of their rows are parsed once per connection.

-- As in 036: in the order in which requests write the tables, so that a request waits and does not deadlock. If a long read
-- holds one of them, the migration fails after ten seconds and the next start repeats it.
set local lock_timeout = '10s';
lock table deposit, withdrawal, investment, user_transaction, notification in access exclusive mode;

-- Plans. A connection plans each statement of these functions, and of the triggers that they fire, once and keeps the plan.
-- Without the settings a statement that depends on a value, such as a key that may be null, was planned again in each call, and
-- a plan that was made while a table had few rows read the whole table until the next ANALYZE, although it had grown.
alter function read_together(jsonb) set plan_cache_mode = force_generic_plan;
alter function read_together(jsonb) set enable_seqscan = off;
alter function write_together(jsonb) set plan_cache_mode = force_generic_plan;
alter function write_together(jsonb) set enable_seqscan = off;

-- Rules of rows. For each statement that writes a row PostgreSQL parses and prepares all CHECK constraints of the table again,
-- which took longer than the insertion itself. One constraint that calls a PL/pgSQL function is parsed quickly, and the
-- function is prepared once per connection. A violation is reported as before, with the name of the rule. A null result
-- satisfies a rule, as it satisfies a constraint. Adding the constraints reads the tables, some seconds per million rows.

create function raise_check_violation(its_table text, rule text) returns void language plpgsql immutable as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', its_table, rule
    using errcode = 'check_violation', schema = 'public', table = its_table, constraint = rule;
end
$$;

create function check_deposit(checked deposit) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.network in ('TRC20', 'ERC20', 'BEP20')) then 'deposit_network'
    when not (checked.currency in ('USDC', 'USDT') or (checked.currency = 'ETH' and checked.network = 'ERC20'))
      then 'deposit_currency'
    when not (checked.amount > 0 and scale(checked.amount) <= 18) then 'deposit_amount'
    when not (checked.status in ('pending', 'confirming', 'completed', 'failed')) then 'deposit_status'
    when not (checked.confirmations >= 0 and checked.required_confirmations > 0
              and (checked.status <> 'confirming' or checked.confirmations > 0)) then 'deposit_confirmations'
    when not ((checked.status = 'completed') = (checked.credited is not null and checked.confirmed_at is not null)
              and checked.credited >= 0) then 'deposit_credited'
    when not (checked.status <> 'completed'
              or (checked.succeeded and checked.confirmations >= checked.required_confirmations)) then 'deposit_completed'
    when not (checked.hold_reason is null
              or (checked.hold_reason in ('BELOW_MINIMUM', 'BOOKED_BY_HAND') and checked.status = 'confirming'))
      then 'deposit_held'
    when not (checked.failure in ('reverted', 'refused', 'vanished', 'unproven')) then 'deposit_failure'
    when not ((checked.status = 'failed') = (checked.failure is not null and checked.reason is not null))
      then 'deposit_failed'
  end;
begin
  if violated is not null then perform raise_check_violation('deposit', violated); end if;
  return true;
end
$$;
alter table deposit
  drop constraint deposit_network, drop constraint deposit_currency, drop constraint deposit_amount,
  drop constraint deposit_status, drop constraint deposit_confirmations, drop constraint deposit_credited,
  drop constraint deposit_completed, drop constraint deposit_held, drop constraint deposit_failure,
  drop constraint deposit_failed,
  add constraint deposit_rules check (check_deposit(deposit));

create function check_withdrawal(checked withdrawal) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.status in ('pending', 'approved', 'processing', 'completed', 'rejected', 'failed'))
      then 'withdrawal_status'
    when not (checked.amount > 0 and scale(checked.amount) <= 6) then 'withdrawal_amount'
    when not (checked.currency = 'USDC') then 'withdrawal_currency'
    when not (checked.to_address ~ '^0x[0-9a-fA-F]{40}$') then 'withdrawal_to_address'
    when not (checked.address_checksum in ('valid', 'absent', 'mismatch')) then 'withdrawal_address_checksum'
    when not (checked.chain_check in ('matched', 'mismatch', 'unverified')) then 'withdrawal_chain_check'
    when not (checked.chain_check_reason is null
              or (checked.chain_check = 'mismatch'
                  and checked.chain_check_reason in ('TRANSACTION_UNKNOWN', 'TRANSACTION_REVERTED', 'NO_SUCH_TRANSFER',
                                                     'OLDER_THAN_REQUEST', 'SENDER_NOT_CUSTODY', 'TRANSFER_USED_BEFORE')))
      then 'withdrawal_chain_check_reason'
    when not (num_nonnulls(checked.approved_at, checked.approved_by) = case when checked.approved_at is null then 0 else 2 end
              and (checked.status <> 'approved' or checked.approved_at is not null)) then 'withdrawal_approved'
    when not (num_nonnulls(checked.tx_hash, checked.completed_at, checked.chain_check, checked.chain_checked_at)
                = case checked.status when 'completed' then 4 else 0 end
              and checked.tx_hash <> '') then 'withdrawal_completed'
    when not (checked.cancelled_at is null or checked.status = 'rejected') then 'withdrawal_cancelled'
    when not (checked.released_at is null or checked.status = 'failed') then 'withdrawal_released'
  end;
begin
  if violated is not null then perform raise_check_violation('withdrawal', violated); end if;
  return true;
end
$$;
alter table withdrawal
  drop constraint withdrawal_status, drop constraint withdrawal_amount, drop constraint withdrawal_currency,
  drop constraint withdrawal_to_address, drop constraint withdrawal_address_checksum,
  drop constraint withdrawal_chain_check, drop constraint withdrawal_chain_check_reason,
  drop constraint withdrawal_approved, drop constraint withdrawal_completed, drop constraint withdrawal_cancelled,
  drop constraint withdrawal_released,
  add constraint withdrawal_rules check (check_withdrawal(withdrawal));

create function check_investment(checked investment) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.status in ('pending', 'active', 'closed', 'cancelled')) then 'investment_status'
    when not (checked.amount > 0 and scale(checked.amount) <= 6) then 'investment_amount'
    when not (checked.units >= 0 and scale(checked.units) <= 24
              and (checked.units > 0) = (checked.issued_on is not null)) then 'investment_units'
    when not (case checked.status when 'pending' then checked.units = 0 when 'cancelled' then true else checked.units > 0 end)
      then 'investment_issued'
    when not ((checked.approved_by is null) = (checked.approved_at is null)) then 'investment_approval'
    when not ((checked.status in ('closed', 'cancelled')) = (checked.ended_at is not null)) then 'investment_ended'
    when not (checked.ended_by is null or checked.ended_at is not null) then 'investment_ended_by'
    when not (checked.note is null or (checked.status = 'cancelled' and checked.ended_by is not null))
      then 'investment_note'
    when not (case checked.status when 'closed' then checked.final_value is not null when 'cancelled' then true
                                  else checked.final_value is null end
              and checked.final_value >= 0 and scale(checked.final_value) <= 6) then 'investment_final_value'
    when not (checked.status <> 'cancelled' or checked.final_value <= coalesce(checked.first_principal, checked.amount))
      then 'investment_cancelled'
    when not (checked.fees >= 0 and (checked.fees = 0 or checked.fees <= checked.final_value)) then 'investment_fees'
    when not (checked.closed_principal >= 0 and checked.closed_fees >= 0) then 'investment_closed_part'
    when not ((checked.first_principal is null) = (checked.first_made_at is null)
              and (checked.first_principal is null or checked.moved_from is not null)
              and (checked.moved_from is not null or checked.carried_fees = 0)) then 'investment_moved'
    when not (checked.first_principal > 0 and scale(checked.first_principal) <= 6) then 'investment_first_principal'
    when not (checked.carried_performance_fees between 0 and checked.carried_fees and scale(checked.carried_fees) <= 6
              and scale(checked.carried_performance_fees) <= 6) then 'investment_carried_fees'
    when not (checked.forfeited >= 0 and (checked.forfeited = 0 or checked.final_value is not null))
      then 'investment_forfeited'
    when not ((checked.management_fee_percent is null) = (checked.performance_fee_percent is null)
              and (checked.management_fee_percent is null
                   or (checked.status = 'closed' and checked.management_fee_percent >= 0
                       and checked.performance_fee_percent >= 0))) then 'investment_fee_rates'
  end;
begin
  if violated is not null then perform raise_check_violation('investment', violated); end if;
  return true;
end
$$;
alter table investment
  drop constraint investment_status, drop constraint investment_amount, drop constraint investment_units,
  drop constraint investment_issued, drop constraint investment_approval, drop constraint investment_ended,
  drop constraint investment_ended_by, drop constraint investment_note, drop constraint investment_final_value,
  drop constraint investment_cancelled, drop constraint investment_fees, drop constraint investment_closed_part,
  drop constraint investment_moved, drop constraint investment_first_principal,
  drop constraint investment_carried_fees, drop constraint investment_forfeited, drop constraint investment_fee_rates,
  add constraint investment_rules check (check_investment(investment));

create function check_user_transaction(checked user_transaction) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.type in ('deposit', 'withdrawal', 'investment', 'divestment', 'earning', 'fee', 'reversal'))
      then 'user_transaction_type'
    when not (checked.status in ('pending', 'processing', 'completed', 'failed', 'cancelled'))
      then 'user_transaction_status'
    when not (checked.amount >= 0 or checked.type = 'earning') then 'user_transaction_amount'
    when not (checked.balance_change in (0, checked.amount, -checked.amount)) then 'user_transaction_balance_change'
    when not ((checked.status = 'completed') = (checked.completed_at is not null)) then 'user_transaction_completed'
    when not (jsonb_typeof(checked.timeline) = 'array') then 'user_transaction_timeline'
  end;
begin
  if violated is not null then perform raise_check_violation('user_transaction', violated); end if;
  return true;
end
$$;
alter table user_transaction
  drop constraint user_transaction_type, drop constraint user_transaction_status, drop constraint user_transaction_amount,
  drop constraint user_transaction_balance_change, drop constraint user_transaction_completed,
  drop constraint user_transaction_timeline,
  add constraint user_transaction_rules check (check_user_transaction(user_transaction));

create function check_notification(checked notification) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.type in ('investment', 'earning', 'withdrawal', 'deposit', 'security', 'system', 'promotion'))
      then 'notification_type'
    when not (checked.priority in ('critical', 'high', 'normal', 'low')) then 'notification_priority'
    when not (checked.category in ('transaction', 'portfolio', 'account', 'platform')) then 'notification_category'
    when not (jsonb_typeof(checked.metadata) = 'object') then 'notification_metadata'
  end;
begin
  if violated is not null then perform raise_check_violation('notification', violated); end if;
  return true;
end
$$;
alter table notification
  drop constraint notification_type, drop constraint notification_priority, drop constraint notification_category,
  drop constraint notification_metadata,
  add constraint notification_rules check (check_notification(notification));
