-- One trigger follows the inserted entries of a posting. Totals of reports and of users followed them by triggers of their own,
-- one call per entry, and PostgreSQL parsed their conditions for each statement. The results stay the same.

-- As in 036: in the order in which requests use the tables, so that a request waits and does not deadlock.
set local lock_timeout = '10s';
lock table ledger_account, ledger_entry, user_transaction in access exclusive mode;

-- Accounts

-- ledger_entry_apply updates balances, one trigger deeper than the statement of a client.
create or replace function ledger_refuse() returns trigger language plpgsql as $$
begin
  if tg_name = 'ledger_account_changes_through_entries' and pg_trigger_depth() > 1 then
    return null;
  end if;
  raise exception 'ledger: % of % is refused: posted rows are immutable, and balances change through entries only',
    tg_op, tg_table_name using errcode = 'restrict_violation';
end
$$;
drop trigger ledger_account_changes_through_entries on ledger_account;
create trigger ledger_account_changes_through_entries before update on ledger_account
  for each statement execute function ledger_refuse();

-- Totals that follow entries, in USDC

drop trigger user_figures_apply_entry on ledger_entry;
drop function user_figures_apply_entry();
drop function changes_user_figures(ledger_entry);

-- Changes the user's figures by an entry. Requesting and releasing a withdrawal move money between accounts of one user, which
-- sums to zero and is left out; paying it out does not. A move from one strategy to another is not a new investment.
create function count_in_user_figures(entry ledger_entry, account ledger_account) returns void language plpgsql as $$
declare
  posted ledger_transaction;
begin
  if entry.category = 'earning' then
    update user_figures set total_earnings = total_earnings + entry.amount where user_id = account.owner_id;
    return;
  end if;
  select * into posted from ledger_transaction where id = entry.transaction_id;
  if entry.category = 'withdrawal' and posted.type not in ('withdrawal-requested', 'withdrawal-released') then
    update user_figures set total_withdrawn = total_withdrawn - entry.amount where user_id = account.owner_id;
  elsif entry.category = 'investment' and account.kind = 'user.invested' and posted.type = 'investment' then
    update user_figures set investments = investments + 1, total_invested = total_invested + entry.amount
     where user_id = account.owner_id
       and not (posted.reference_type = 'investment'
                and exists (select from investment where id = posted.reference_id::uuid and moved_from is not null));
  end if;
end
$$;

-- As in 036, and takes back a move that its posting has counted as a new investment: version 1.0.0 posts a move before it inserts
-- the investment, and count_in_user_figures then does not find `moved_from`.
create or replace function report_investments_made() returns trigger language plpgsql as $$
begin
  insert into report_delta (hour, strategy_id, made, made_amount, active, pending, principal)
  values (report_hour(new.created_at), new.strategy_id, 1, new.amount, (new.status = 'active')::int,
          (new.status = 'pending')::int, case when new.status in ('active', 'pending') then new.amount else 0 end);
  if new.moved_from is not null and exists (select from ledger_transaction where type = 'investment'
                                             and reference_type = 'investment' and reference_id = new.id::text) then
    update user_figures set investments = investments - 1, total_invested = total_invested - new.amount
     where user_id = new.user_id;
  end if;
  return null;
end
$$ set search_path = public, pg_temp;

drop trigger report_entry_posted on ledger_entry;
drop function report_entry_posted();
drop function changes_reports(ledger_entry);

-- Changes the reported figures by an entry on an account that is accrued yield, income from fees, or a user's invested money
-- whose balance leaves zero or returns to it. The user becomes a holder or stops being one. The posting locks the account, so
-- that its entries are seen one after the other: the entry before the first entry of a holding period is the last entry of the
-- previous period.
create function count_in_reports(entry ledger_entry, account ledger_account) returns void language plpgsql as $$
declare
  at constant timestamptz := report_hour(entry.effective_at);
  before timestamptz;
begin
  case account.kind
    when 'strategy.accrued' then
      insert into report_delta (hour, strategy_id, accrued) values (at, account.scope, entry.amount);
    when 'income.management-fee' then
      insert into report_delta (hour, strategy_id, management_fees)
      values (at, report_strategy(entry.transaction_id), entry.amount);
    when 'income.performance-fee' then
      insert into report_delta (hour, strategy_id, performance_fees)
      values (at, report_strategy(entry.transaction_id), entry.amount);
    when 'user.invested' then
      if entry.balance_after = 0 then
        insert into report_delta (hour, holders) values (at, -1);
        insert into report_gap_delta (ended, resumed, users) values (at, 'infinity', 1);
      else
        before := report_hour((select max(effective_at) from ledger_entry where account_id = account.id and id < entry.id));
        insert into report_delta (hour, holders) values (at, 1);
        if before is not null then
          insert into report_gap_delta (ended, resumed, users) values (before, 'infinity', -1);
        end if;
        if before is distinct from at then
          insert into report_gap_delta (ended, resumed, users) values (coalesce(before, '-infinity'), at, 1);
        end if;
      end if;
  end case;
end
$$;

-- The condition is in the function, which costs less than a condition of the trigger.
create function report_transaction_added() returns trigger language plpgsql as $$
begin
  if new.type in ('deposit', 'withdrawal') and new.completed_at is not null then
    insert into report_delta (hour, settled, settled_ms)
    values (report_hour(new.completed_at), 1, extract(epoch from new.completed_at - new.created_at) * 1000);
  end if;
  return null;
end
$$ set search_path = public, pg_temp;
drop trigger report_transactions_added on user_transaction;
create trigger report_transactions_added after insert on user_transaction
  for each row execute function report_transaction_added();
drop function is_settled_transfer(user_transaction);

-- Entries

-- Checks inserted entries and applies them to the users' balances and to the totals. All entries of a transaction arrive in one
-- statement and sum to zero in each asset. The trigger runs after the statement, over the rows that were actually inserted: a
-- row-level trigger before the insert would also change balances for rows that ON CONFLICT skips.
create or replace function ledger_entry_apply() returns trigger language plpgsql as $$
declare
  posting record;
  entry ledger_entry;
  account ledger_account;
begin
  for posting in
    select transaction_id, effective_at, sum(size)::bigint as size, bool_and(total = 0) as is_balanced
      from (select transaction_id, effective_at, asset, count(*) as size, sum(amount) as total
              from new_entries group by transaction_id, effective_at, asset) as sums
     group by transaction_id, effective_at
  loop
    if not posting.is_balanced then
      raise exception 'ledger: the entries do not sum to zero' using errcode = 'check_violation';
    end if;
    if posting.size <> (select count(*) from ledger_transaction as posted join ledger_entry on transaction_id = posted.id
                         where posted.id = posting.transaction_id and posted.effective_at = posting.effective_at) then
      raise exception 'ledger: entries are added to a posted or unknown transaction' using errcode = 'check_violation';
    end if;
  end loop;

  for entry in select * from new_entries order by id loop
    if entry.balance_after is null then
      select * into account from ledger_account
       where id = entry.account_id and asset = entry.asset and balance is null;
    else
      update ledger_account set balance = balance + entry.amount where id = entry.account_id and asset = entry.asset
      returning * into account;
    end if;
    if not found then
      raise exception 'ledger: no account % in % that matches the entry', entry.account_id, entry.asset
        using errcode = 'foreign_key_violation';
    end if;
    if entry.balance_after is distinct from account.balance then
      raise exception 'ledger: the balance is %, not %', account.balance, entry.balance_after using errcode = 'check_violation';
    end if;
    if entry.balance_after is not null and scale(entry.amount) > ledger_scale(entry.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', entry.amount, entry.asset
        using errcode = 'check_violation';
    end if;

    continue when entry.asset <> 'USDC';
    if account.kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee')
       or (account.kind = 'user.invested' and entry.balance_after in (0, entry.amount)) then
      perform count_in_reports(entry, account);
    end if;
    if entry.balance_after is not null
       and (entry.category in ('withdrawal', 'earning') or (entry.category = 'investment' and entry.amount > 0)) then
      perform count_in_user_figures(entry, account);
    end if;
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables
