-- The baseline ledger, modelled on public ledgers in PostgreSQL: every account has a balance; a posting locks both accounts
-- in a fixed order, updates and checks both balances, and inserts a transfer and two entries with the resulting balances.
-- It has no metadata and uses identity columns, so it does less work than those ledgers.
create table account (
  id             bigint generated always as identity primary key,
  name           text not null,
  currency       text not null,
  balance        numeric not null default 0,
  version        bigint not null default 0,
  allow_negative boolean not null,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now()
) with (fillfactor = 70);

create table transfer (
  id           uuid primary key,
  from_account bigint not null references account,
  to_account   bigint not null references account,
  amount       numeric not null check (amount > 0),
  event_at     timestamptz not null,
  created_at   timestamptz not null default now()
);
create index on transfer (from_account);
create index on transfer (to_account);

create table entry (
  id               bigint generated always as identity primary key,
  account_id       bigint not null references account,
  transfer_id      uuid not null references transfer,
  amount           numeric not null,
  balance_before   numeric not null,
  balance_after    numeric not null,
  account_version  bigint not null,
  created_at       timestamptz not null default now()
);
create index on entry (account_id);
create index on entry (transfer_id);

create function post_transfer(new_id uuid, payer bigint, payee bigint, amount numeric, event_at timestamptz)
returns void language plpgsql as $$
declare
  from_account account;
  to_account account;
begin
  perform from account where id = least(payer, payee) for update;
  perform from account where id = greatest(payer, payee) for update;
  update account set balance = balance - post_transfer.amount, version = version + 1, updated_at = now()
   where id = payer returning * into from_account;
  update account set balance = balance + post_transfer.amount, version = version + 1, updated_at = now()
   where id = payee returning * into to_account;
  if (from_account.balance < 0 and not from_account.allow_negative)
     or (to_account.balance < 0 and not to_account.allow_negative) then
    raise exception 'balance below zero';
  end if;
  if from_account.currency <> to_account.currency then
    raise exception 'two currencies';
  end if;
  insert into transfer (id, from_account, to_account, amount, event_at)
  values (new_id, payer, payee, post_transfer.amount, post_transfer.event_at);
  insert into entry (account_id, transfer_id, amount, balance_before, balance_after, account_version)
  values (payer, new_id, -post_transfer.amount, from_account.balance + post_transfer.amount, from_account.balance,
          from_account.version);
  insert into entry (account_id, transfer_id, amount, balance_before, balance_after, account_version)
  values (payee, new_id, post_transfer.amount, to_account.balance - post_transfer.amount, to_account.balance,
          to_account.version);
end
$$;
