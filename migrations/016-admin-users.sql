-- What admins see of users and do with them: figures that follow the ledger, search by parts of words, and the
-- history of every account's status.

create extension if not exists pg_trgm; -- trusted: the owner of the database may create it

alter table platform_user
  add column created_by     text,                           -- an admin's e-mail address; null: their own first sign-in
  add column email_verified boolean not null default false; -- the identity provider has vouched for the present address
update platform_user set email_verified = true where last_login_at is not null;

-- Each filter and each sort of the admins' list; the parts of words that it is searched for.
create index platform_user_by_creation on platform_user (created_at, id);
create index platform_user_by_login on platform_user (last_login_at desc nulls last, id desc);
create index platform_user_by_status on platform_user (status, created_at, id);
create index platform_user_email_parts on platform_user using gin (email gin_trgm_ops);
create index platform_user_mailbox_parts on platform_user using gin (split_part(email, '@', 1) gin_trgm_ops);
create index platform_user_name_parts on platform_user using gin (full_name gin_trgm_ops);
create index wallet_address_parts on wallet using gin (address gin_trgm_ops);
-- What is open, by user: their risk. What is too young to have grown: worth its principal, whatever its units.
create index investment_open on investment (user_id, strategy_id) include (status, amount)
  where status in ('pending', 'active');
create index investment_young on investment (issued_on) where status = 'active';

-- Written in the transaction that changes the status.
create table user_status_change (
  id         bigint generated always as identity primary key,
  user_id    uuid not null references platform_user on delete cascade,
  status     text not null,
  reason     text,
  changed_at timestamptz not null,
  changed_by text not null, -- an admin's e-mail address
  constraint user_status_change_status check (status in ('active', 'inactive', 'suspended'))
);
create index user_status_change_of_user on user_status_change (user_id, id);

-- Whoever is erased is forgotten by every process that has cached their sessions, as after a change of status.
create function tell_of_removal() returns trigger language plpgsql as $$
begin
  perform pg_notify('platform_notice', tg_argv[0] || ':' || old.id);
  return null;
end
$$;
create trigger platform_user_removed after delete on platform_user
  for each row execute function tell_of_removal('user');

-- Lifetime figures of each user, so that a list can be sorted by them however much has happened. Money is USDC.
create table user_figures (
  user_id             uuid primary key references platform_user on delete cascade,
  investments         integer not null default 0, -- ever made; what a move goes on with is no new one
  total_invested      numeric not null default 0, -- their principal
  total_withdrawn     numeric not null default 0, -- paid out
  total_earnings      numeric not null default 0, -- growth realised on closing, before fees; a loss is negative
  transactions        integer not null default 0, -- records that the user is shown
  failed_transactions integer not null default 0,
  constraint user_figures_invested check (investments >= 0 and total_invested >= 0),
  constraint user_figures_transactions check (failed_transactions between 0 and transactions)
) with (fillfactor = 70); -- room for updates in place
create index user_figures_by_invested on user_figures (total_invested, user_id);

-- The same, worked out from nothing: what the table begins with, and what it is compared with.
create view user_figures_anew as
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

insert into user_figures select * from user_figures_anew;

create function user_figures_begin() returns trigger language plpgsql as $$
begin
  insert into user_figures (user_id) values (new.id);
  return null;
end
$$ set search_path = public, pg_temp;
create trigger user_figures_begin after insert on platform_user
  for each row execute function user_figures_begin();

-- They follow at commit: a row of figures is locked last and shortly, whatever a transaction locked before it, so
-- that nobody waits for another in a circle. Requesting and releasing a withdrawal move money between a user's own
-- accounts, which sums to zero here; paying it out does not.
create function user_figures_follow_ledger() returns trigger language plpgsql as $$
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
create constraint trigger user_figures_follow_ledger after insert on ledger_entry
  deferrable initially deferred for each row
  when (new.balance_after is not null and new.asset = 'USDC'
        and (new.category in ('withdrawal', 'earning') or (new.category = 'investment' and new.amount > 0)))
  execute function user_figures_follow_ledger();

create function user_figures_follow_records() returns trigger language plpgsql as $$
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
create constraint trigger user_figures_follow_new_records after insert on user_transaction
  deferrable initially deferred for each row execute function user_figures_follow_records();
create constraint trigger user_figures_follow_failures after update on user_transaction
  deferrable initially deferred for each row when ((old.status = 'failed') is distinct from (new.status = 'failed'))
  execute function user_figures_follow_records();
