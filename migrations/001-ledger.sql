-- The double-entry ledger. The database itself keeps its laws, so that no bug above it can make or lose money:
-- every posting sums to zero, nothing posted ever changes, no user's balance is negative, and balances move by
-- entries alone.

-- Accounts of the platform are owned by the nil UUID and keep no balance: they are only appended to, so that
-- a thousand deposits at once do not wait for one another.
create table ledger_account (
  id         bigint generated always as identity primary key,
  owner_id   uuid not null,
  kind       text not null,
  scope      text not null default '',
  asset      text not null,
  balance    numeric,
  created_at timestamptz not null default now(),
  constraint ledger_account_identity unique (owner_id, kind, scope, asset),
  constraint ledger_account_balance_of_users check
    ((owner_id = '00000000-0000-0000-0000-000000000000') = (balance is null)),
  constraint ledger_account_balance_not_negative check (balance >= 0)
) with (fillfactor = 70); -- room for updates in place

create table ledger_transaction (
  id             uuid primary key,
  type           text not null,
  reference_type text not null,
  reference_id   text not null,
  effective_at   timestamptz not null, -- domain time
  recorded_at    timestamptz not null default clock_timestamp(),
  description    text not null,
  constraint ledger_transaction_fact unique (type, reference_type, reference_id)
);

-- No foreign keys from entries: one to a platform account would lock its row on every posting. The triggers
-- below prove the same.
create table ledger_entry (
  id             bigint generated always as identity primary key,
  transaction_id uuid not null,
  account_id     bigint not null,
  asset          text not null,
  amount         numeric not null, -- credit positive, debit negative
  balance_after  numeric,          -- of a user's account
  category       text not null,    -- what the movement counts as in a balance's breakdown
  effective_at   timestamptz not null,
  constraint ledger_entry_amount_not_zero check (amount <> 0),
  constraint ledger_entry_scale check (scale(amount) <= 24)
);
create index ledger_entry_of_transaction on ledger_entry (transaction_id);
-- Balances at any past instant, and sums by category, from the index alone.
create index ledger_entry_of_account on ledger_entry (account_id, effective_at, id)
  include (amount, category, balance_after);

-- Decimals that a user's account may hold of an asset.
create function ledger_scale(asset text) returns integer language sql immutable parallel safe as $$
  select case when asset in ('USDC', 'USDT') then 6 when asset = 'ETH' then 18 else 24 end
$$;

create function ledger_entry_apply() returns trigger language plpgsql as $$
begin
  update ledger_account set balance = balance + new.amount
   where id = new.account_id and asset = new.asset and balance is not null
  returning balance into new.balance_after;
  if found then
    if scale(new.amount) > ledger_scale(new.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', new.amount, new.asset
        using errcode = 'check_violation';
    end if;
  else
    perform from ledger_account where id = new.account_id and asset = new.asset;
    if not found then
      raise exception 'ledger: no account % in %', new.account_id, new.asset using errcode = 'foreign_key_violation';
    end if;
  end if;
  return new;
end
$$;
create trigger ledger_entry_apply before insert on ledger_entry
  for each row execute function ledger_entry_apply();

-- A transaction's entries arrive together, in one statement, and sum to zero in each asset.
create function ledger_entry_balanced() returns trigger language plpgsql as $$
begin
  if exists (select from new_entries group by transaction_id, asset having sum(amount) <> 0) then
    raise exception 'ledger: the entries do not sum to zero' using errcode = 'check_violation';
  end if;
  if exists (
    select from (select transaction_id, count(*) as added from new_entries group by transaction_id) as posting
     where not exists (select from ledger_transaction where id = posting.transaction_id)
        or added <> (select count(*) from ledger_entry as entry where entry.transaction_id = posting.transaction_id)
  ) then
    raise exception 'ledger: entries are added to a posted or unknown transaction' using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create trigger ledger_entry_balanced after insert on ledger_entry
  referencing new table as new_entries for each statement execute function ledger_entry_balanced();

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger: % of % is refused, what is posted stays; post a reversal', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;
create trigger ledger_entry_immutable before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse_change();
create trigger ledger_transaction_immutable before update or delete or truncate on ledger_transaction
  for each statement execute function ledger_refuse_change();
create trigger ledger_account_stays before delete or truncate on ledger_account
  for each statement execute function ledger_refuse_change();

-- A balance moves only underneath the trigger that applies an entry, and starts at zero.
create function ledger_account_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.balance <> 0 then
      raise exception 'ledger: an account opens at zero' using errcode = 'check_violation';
    end if;
  elsif pg_trigger_depth() < 2 or (old.owner_id, old.kind, old.scope, old.asset) is distinct from
                                   (new.owner_id, new.kind, new.scope, new.asset) then
    raise exception 'ledger: accounts change by entries only' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger ledger_account_guard before insert or update on ledger_account
  for each row execute function ledger_account_guard();

-- Posts any number of transactions in one round trip. Each: {id, type, referenceType, referenceId, at,
-- description, entries: [{owner, kind, scope, asset, amount, category}]}. Missing accounts are opened. Rows of
-- users' accounts are locked in id order, whatever the order of the entries.
create function ledger_post(postings jsonb) returns void language plpgsql as $$
begin
  insert into ledger_account (owner_id, kind, scope, asset, balance)
  select distinct line.owner, line.kind, line.scope, line.asset,
         case when line.owner <> '00000000-0000-0000-0000-000000000000' then 0 end
    from jsonb_to_recordset(jsonb_path_query_array(postings, '$[*].entries[*]'))
      as line(owner uuid, kind text, scope text, asset text)
   where not exists (select from ledger_account as account
                      where (account.owner_id, account.kind, account.scope, account.asset)
                          = (line.owner, line.kind, line.scope, line.asset))
  on conflict on constraint ledger_account_identity do nothing;

  insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
  select id, type, "referenceType", "referenceId", at, description
    from jsonb_to_recordset(postings)
      as posting(id uuid, type text, "referenceType" text, "referenceId" text, at timestamptz, description text);

  insert into ledger_entry (transaction_id, account_id, asset, amount, category, effective_at)
  select (posting.value ->> 'id')::uuid, account.id, line.asset, line.amount, line.category,
         (posting.value ->> 'at')::timestamptz
    from jsonb_array_elements(postings) with ordinality as posting(value, place),
         lateral rows from (jsonb_to_recordset(posting.value -> 'entries')
           as (owner uuid, kind text, scope text, asset text, amount numeric, category text))
           with ordinality as line(owner, kind, scope, asset, amount, category, place)
    join ledger_account as account
      on (account.owner_id, account.kind, account.scope, account.asset)
       = (line.owner, line.kind, line.scope, line.asset)
   order by account.id, posting.place, line.place;
end
$$;
