-- Lifetime figures of users for the admins' list. Triggers update them, so that the list can be sorted by them without
-- adding up the ledger.

-- Amounts are in USDC.
create table user_figures (
  user_id             uuid primary key references platform_user on delete cascade,
  investments         integer not null default 0, -- ever made; a move does not count as a new investment
  total_invested      numeric not null default 0, -- their principal
  total_withdrawn     numeric not null default 0, -- paid out
  total_earnings      numeric not null default 0, -- growth realised on closing, before fees; a loss is negative
  transactions        integer not null default 0, -- rows of user_transaction
  failed_transactions integer not null default 0,
  constraint user_figures_invested check (investments >= 0 and total_invested >= 0),
  constraint user_figures_transactions check (failed_transactions between 0 and transactions)
) with (fillfactor = 70); -- leaves space for heap-only updates
create index user_figures_by_invested on user_figures (total_invested, user_id);

-- The same figures computed from the ledger and the transactions, to compare with the table or to fill it.
create view user_figures_recomputed as
select platform_user.id as user_id,
       coalesce(moved.investments, 0)::integer as investments, coalesce(moved.total_invested, 0) as total_invested,
       coalesce(moved.total_withdrawn, 0) as total_withdrawn, coalesce(moved.total_earnings, 0) as total_earnings,
       coalesce(shown.transactions, 0)::integer as transactions,
       coalesce(shown.failed_transactions, 0)::integer as failed_transactions
  from platform_user
  left join (
    select account.owner_id,
           count(*) filter (where is_new) as investments,
           sum(entry.amount) filter (where is_new) as total_invested,
           -sum(entry.amount) filter (where entry.category = 'withdrawal') as total_withdrawn,
           sum(entry.amount) filter (where entry.category = 'earning') as total_earnings
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      join ledger_transaction as posted on posted.id = entry.transaction_id
      left join investment on posted.reference_type = 'investment' and investment.id::text = posted.reference_id
      cross join lateral (
        select account.kind = 'user.invested' and posted.type = 'investment' and investment.moved_from is null
      ) as judged(is_new)
     where account.balance is not null and account.asset = 'USDC'
     group by account.owner_id
  ) as moved on moved.owner_id = platform_user.id
  left join (
    select user_id, count(*) as transactions, count(*) filter (where status = 'failed') as failed_transactions
      from user_transaction group by user_id
  ) as shown on shown.user_id = platform_user.id;

create function user_figures_create() returns trigger language plpgsql as $$
begin
  insert into user_figures (user_id) values (new.id);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger user_figures_create after insert on platform_user
  for each row execute function user_figures_create();

-- The figures are updated at commit: their row is locked after all other rows and only briefly, so that transactions with
-- different lock orders cannot deadlock on it. Requesting and releasing a withdrawal move money between accounts of one
-- user, which sums to zero here; paying it out does not.
create function user_figures_apply_entry() returns trigger language plpgsql as $$
declare
  account ledger_account;
begin
  select * into account from ledger_account where id = new.account_id;
  if new.category = 'withdrawal' then
    update user_figures set total_withdrawn = total_withdrawn - new.amount where user_id = account.owner_id;
  elsif new.category = 'earning' then
    update user_figures set total_earnings = total_earnings + new.amount where user_id = account.owner_id;
  elsif account.kind = 'user.invested' then
    update user_figures set investments = investments + 1, total_invested = total_invested + new.amount
     where user_id = account.owner_id
       and exists (select from ledger_transaction where id = new.transaction_id and type = 'investment')
       and not exists (
         select from ledger_transaction as posted
           join investment on investment.id = posted.reference_id::uuid and investment.moved_from is not null
          where posted.id = new.transaction_id and posted.reference_type = 'investment');
  end if;
  return null;
end
$$ set search_path = public, pg_temp;
create constraint trigger user_figures_apply_entry after insert on ledger_entry
  deferrable initially deferred for each row
  when (new.balance_after is not null and new.asset = 'USDC'
        and (new.category in ('withdrawal', 'earning') or (new.category = 'investment' and new.amount > 0)))
  execute function user_figures_apply_entry();

create function user_figures_apply_transaction() returns trigger language plpgsql as $$
begin
  update user_figures
     set transactions = transactions + case tg_op when 'INSERT' then 1 else 0 end,
         failed_transactions = failed_transactions
           + case when new.status = 'failed' then 1 else 0 end
           - case when tg_op = 'UPDATE' and old.status = 'failed' then 1 else 0 end
   where user_id = new.user_id;
  return null;
end
$$ set search_path = public, pg_temp;
create constraint trigger user_figures_apply_new_transaction after insert on user_transaction
  deferrable initially deferred for each row execute function user_figures_apply_transaction();
create constraint trigger user_figures_apply_failure after update on user_transaction
  deferrable initially deferred for each row when ((old.status = 'failed') is distinct from (new.status = 'failed'))
  execute function user_figures_apply_transaction();
