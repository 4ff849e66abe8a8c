-- The double-entry ledger. The database itself enforces the invariants, so that an error in the service cannot create or
-- lose money: every posting sums to zero, posted rows never change, no user's balance is negative, and balances change
-- through entries only.

-- Accounts of the platform belong to the nil UUID and store no balance: concurrent postings only append entries to them
-- and do not wait for each other.
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
  constraint ledger_account_kind_of_users check ((kind like 'user.%') = (balance is not null)),
  constraint ledger_account_balance_not_negative check (balance >= 0)
) with (fillfactor = 70); -- leaves space for heap-only updates

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

-- Entries have no foreign keys: one to a platform account would lock the account's row on every posting. The trigger
-- ledger_entry_apply checks both references.
create table ledger_entry (
  id             bigint generated always as identity primary key,
  transaction_id uuid not null,
  account_id     bigint not null,
  asset          text not null,
  amount         numeric not null, -- credit positive, debit negative
  balance_after  numeric,          -- of a user's account, after this entry; null for platform accounts
  category       text not null,    -- which part of a balance's breakdown the entry counts towards
  effective_at   timestamptz not null,
  constraint ledger_entry_amount_not_zero check (amount <> 0),
  constraint ledger_entry_scale check (scale(amount) <= 24)
);
create index ledger_entry_of_transaction on ledger_entry (transaction_id);
-- Balances at a past instant and sums by category are read from this index alone.
create index ledger_entry_of_account on ledger_entry (account_id, effective_at, id)
  include (amount, category, balance_after);

-- The number of decimals that a user's account may hold of an asset.
create function ledger_scale(asset text) returns integer language sql immutable parallel safe as $$
  select case when asset in ('USDC', 'USDT') then 6 when asset = 'ETH' then 18 else 24 end
$$;

-- Checks inserted entries and applies them to the users' balances. All entries of a transaction arrive in one statement
-- and sum to zero in each asset. The trigger runs after the statement, over the rows that were actually inserted: a
-- row-level trigger before the insert would also change balances for rows that ON CONFLICT skips.
create function ledger_entry_apply() returns trigger language plpgsql as $$
declare
  posting record;
  entry record;
  balance_now numeric;
begin
  if exists (select from new_entries group by transaction_id, asset having sum(amount) <> 0) then
    raise exception 'ledger: the entries do not sum to zero' using errcode = 'check_violation';
  end if;

  for posting in
    select transaction_id, effective_at, count(*) as size from new_entries group by transaction_id, effective_at
  loop
    perform from ledger_transaction where id = posting.transaction_id and effective_at = posting.effective_at;
    if not found or posting.size <> (select count(*) from ledger_entry where transaction_id = posting.transaction_id) then
      raise exception 'ledger: entries are added to a posted or unknown transaction' using errcode = 'check_violation';
    end if;
  end loop;

  for entry in select account_id, asset, amount, balance_after from new_entries order by id loop
    if entry.balance_after is null then
      perform from ledger_account where id = entry.account_id and asset = entry.asset and balance is null;
    else
      update ledger_account set balance = balance + entry.amount where id = entry.account_id and asset = entry.asset
      returning balance into balance_now;
    end if;
    if not found then
      raise exception 'ledger: no account % in % that matches the entry', entry.account_id, entry.asset
        using errcode = 'foreign_key_violation';
    end if;
    continue when entry.balance_after is null;
    if entry.balance_after is distinct from balance_now then
      raise exception 'ledger: the balance is %, not %', balance_now, entry.balance_after using errcode = 'check_violation';
    end if;
    if scale(entry.amount) > ledger_scale(entry.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', entry.amount, entry.asset
        using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables
create trigger ledger_entry_apply after insert on ledger_entry
  referencing new table as new_entries for each statement execute function ledger_entry_apply();

create function ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'ledger: % of % is refused: posted rows are immutable, and balances change through entries only',
    tg_op, tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger ledger_entry_immutable before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse();
create trigger ledger_transaction_immutable before update or delete or truncate on ledger_transaction
  for each statement execute function ledger_refuse();
create trigger ledger_account_permanent before delete or truncate on ledger_account
  for each statement execute function ledger_refuse();
create trigger ledger_account_opens_at_zero before insert on ledger_account
  for each row when (new.balance <> 0) execute function ledger_refuse();
-- ledger_entry_apply updates balances at trigger depth 1.
create trigger ledger_account_changes_through_entries before update on ledger_account
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse();

-- Returns the account with this identity and creates it if it does not exist. A user's account is locked until the
-- transaction ends, so that entries continue from the balance that was read. A platform account is not locked.
create function ledger_account_named(its_owner uuid, its_kind text, its_scope text, its_asset text)
returns ledger_account language plpgsql as $$
declare
  platform constant uuid := '00000000-0000-0000-0000-000000000000';
  account ledger_account;
begin
  if its_owner = platform then
    select * into account from ledger_account
     where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset;
  else
    select * into account from ledger_account
     where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset
       for no key update;
  end if;
  if found then
    return account;
  end if;
  insert into ledger_account (owner_id, kind, scope, asset, balance)
  values (its_owner, its_kind, its_scope, its_asset, case when its_owner <> platform then 0 end)
  on conflict on constraint ledger_account_identity do nothing; -- a concurrent transaction may have created it
  return ledger_account_named(its_owner, its_kind, its_scope, its_asset);
end
$$;

-- Posts any number of transactions in one round trip. Each: {id, type, referenceType, referenceId, at, description,
-- entries: [{owner, kind, scope, asset, amount, category}]}. Accounts are opened and locked in the order of their
-- identity, whatever the order of the entries, so that concurrent postings cannot deadlock. Of a user's accounts
-- user.available comes first; callers that lock an account beforehand lock that one.
create function ledger_post(postings jsonb) returns void language plpgsql as $$
declare
  line record;
  account ledger_account;
  entries ledger_entry[];
begin
  insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
  select id, type, "referenceType", "referenceId", at, description
    from jsonb_to_recordset(postings)
      as posting(id uuid, type text, "referenceType" text, "referenceId" text, at timestamptz, description text);

  for line in
    select (posting.value ->> 'id')::uuid as transaction_id, (posting.value ->> 'at')::timestamptz as effective_at,
           given.owner, given.kind, given.scope, given.asset, given.amount, given.category
      from jsonb_array_elements(postings) with ordinality as posting(value, place),
           lateral rows from (jsonb_to_recordset(posting.value -> 'entries')
             as (owner uuid, kind text, scope text, asset text, amount numeric, category text))
             with ordinality as given(owner, kind, scope, asset, amount, category, place)
     order by given.owner, given.kind, given.scope, given.asset, posting.place, given.place
  loop
    if (line.owner, line.kind, line.scope, line.asset)
       is distinct from (account.owner_id, account.kind, account.scope, account.asset) then
      account := ledger_account_named(line.owner, line.kind, line.scope, line.asset);
    end if;
    account.balance := account.balance + line.amount;
    entries := entries || row(null, line.transaction_id, account.id, line.asset, line.amount, account.balance,
                              line.category, line.effective_at)::ledger_entry;
  end loop;

  insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
  select transaction_id, account_id, asset, amount, balance_after, category, effective_at from unnest(entries);
end
$$ set search_path = public, pg_temp
   set plan_cache_mode = force_generic_plan; -- planning each call would cost more than the posting itself
