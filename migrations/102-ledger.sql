-- The double-entry ledger. The database itself enforces the invariants, so that an error in the service cannot create or
-- lose money: every posting sums to zero, posted rows never change, no user's balance is negative, and balances change
-- through entries only.

-- The number of decimals that a user's account may hold of an asset.
create function ledger_scale(asset text) returns integer language sql immutable parallel safe as $$
  select case when asset in ('USDC', 'USDT') then 6 when asset = 'ETH' then 18 else 24 end
$$;

-- Balances are updated by ledger_entry_apply, one trigger deeper than the statement of a client.
create function ledger_refuse() returns trigger language plpgsql as $$
begin
  if tg_name = 'ledger_account_changes_through_entries' and pg_trigger_depth() > 1 then
    return null;
  end if;
  raise exception 'ledger: % of % is refused: posted rows are immutable, and balances change through entries only',
    tg_op, tg_table_name using errcode = 'restrict_violation';
end
$$;

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
  constraint ledger_account_identity unique (owner_id, kind, scope, asset)
) with (fillfactor = 70); -- leaves space for heap-only updates
comment on table ledger_account is 'Accounts of the double-entry ledger: places for one asset, of a user or of the platform.';
comment on column ledger_account.id is 'number of the account';
comment on column ledger_account.owner_id is 'the user; the nil UUID for the platform';
comment on column ledger_account.kind is 'such as user.available or asset.custody';
comment on column ledger_account.scope is 'what tells accounts of one kind apart, such as a network or a strategy; often empty';
comment on column ledger_account.asset is 'USDC, ETH, or UNIT:<strategy>';
comment on column ledger_account.balance is 'sum of its entries; null for accounts of the platform, which store none';
comment on column ledger_account.created_at is 'real time of the first use';

-- The accounts of all users of one kind and asset, which the platform's books show together.
create index ledger_account_of_kind on ledger_account (kind, asset);

create function check_ledger_account(checked ledger_account) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when checked.balance < 0 then 'ledger_account_balance_not_negative'
    when (checked.owner_id = '00000000-0000-0000-0000-000000000000') <> (checked.balance is null)
      then 'ledger_account_balance_of_users'
    when (checked.kind like 'user.%') <> (checked.balance is not null) then 'ledger_account_kind_of_users'
  end;
begin
  if violated is not null then perform raise_check_violation('ledger_account', violated); end if;
  return true;
end
$$;
alter table ledger_account add constraint ledger_account_rules check (check_ledger_account(ledger_account));

create trigger ledger_account_permanent before delete or truncate on ledger_account
  for each statement execute function ledger_refuse();
create trigger ledger_account_opens_at_zero before insert on ledger_account
  for each row when (new.balance <> 0) execute function ledger_refuse();
create trigger ledger_account_changes_through_entries before update on ledger_account
  for each statement execute function ledger_refuse();

create table ledger_transaction (
  id             uuid primary key,
  type           text not null,
  reference_type text not null,
  reference_id   text not null,
  effective_at   timestamptz not null,
  recorded_at    timestamptz not null default clock_timestamp(),
  description    text not null,
  constraint ledger_transaction_fact unique (type, reference_type, reference_id)
);
comment on table ledger_transaction is 'Postings: balanced groups of entries that record one event, unique by type and reference. Rows never change.';
comment on column ledger_transaction.id is 'identifier of the posting (UUID)';
comment on column ledger_transaction.type is 'what happened, such as withdrawal-requested';
comment on column ledger_transaction.reference_type is 'the kind of record that caused it';
comment on column ledger_transaction.reference_id is 'identifier of that record';
comment on column ledger_transaction.effective_at is 'domain time of the event';
comment on column ledger_transaction.recorded_at is 'real time of the insertion';
comment on column ledger_transaction.description is 'one sentence';

create trigger ledger_transaction_immutable before update or delete or truncate on ledger_transaction
  for each statement execute function ledger_refuse();

-- Entries have no foreign keys: one to a platform account would lock the account's row on every posting. The trigger
-- ledger_entry_apply checks both references.
create table ledger_entry (
  id             bigint generated always as identity primary key,
  transaction_id uuid not null,
  account_id     bigint not null,
  asset          text not null,
  amount         numeric not null,
  balance_after  numeric,
  category       text not null,
  effective_at   timestamptz not null,
  constraint ledger_entry_amount_not_zero check (amount <> 0),
  constraint ledger_entry_scale check (scale(amount) <= 24)
);
comment on table ledger_entry is 'The change of one account by one posting. Rows never change.';
comment on column ledger_entry.id is 'number in the order of insertion';
comment on column ledger_entry.transaction_id is 'the posting';
comment on column ledger_entry.account_id is 'the account';
comment on column ledger_entry.asset is 'that of the account';
comment on column ledger_entry.amount is 'credit positive, debit negative';
comment on column ledger_entry.balance_after is 'balance of a user''s account after the entry; null for accounts of the platform';
comment on column ledger_entry.category is 'which part of the breakdown of a balance the entry belongs to';
comment on column ledger_entry.effective_at is 'domain time, as of its posting';

create index ledger_entry_of_transaction on ledger_entry (transaction_id);
-- Balances at a past instant and sums by category are read from this index alone.
create index ledger_entry_of_account on ledger_entry (account_id, effective_at, id)
  include (amount, category, balance_after);

-- Checks inserted entries and applies them to the users' balances. All entries of a transaction arrive in one statement
-- and sum to zero in each asset. The trigger runs after the statement, over the rows that were actually inserted: a
-- row-level trigger before the insert would also change balances for rows that ON CONFLICT skips.
create function ledger_entry_apply() returns trigger language plpgsql as $$
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
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables
create trigger ledger_entry_apply after insert on ledger_entry
  referencing new table as new_entries for each statement execute function ledger_entry_apply();
create trigger ledger_entry_immutable before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse();

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
-- user.available comes first; callers that lock an account beforehand lock that one. Accounts of the platform are not
-- locked.
create function ledger_post(postings jsonb) returns void language plpgsql as $$
declare
  platform constant uuid := '00000000-0000-0000-0000-000000000000';
  line record;
  its_owner uuid;
  its_kind text;
  its_scope text;
  its_asset text;
  its_account bigint;
  balance_now numeric;
  entries ledger_entry[];
begin
  insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
  select id, type, "referenceType", "referenceId", at, description
    from jsonb_to_recordset(postings)
      as posting(id uuid, type text, "referenceType" text, "referenceId" text, at timestamptz, description text);

  for line in
    select posting.id as transaction_id, posting.at as effective_at,
           given.owner, given.kind, given.scope, given.asset, given.amount, given.category
      from rows from (jsonb_to_recordset(postings) as (id uuid, at timestamptz, entries jsonb))
             with ordinality as posting(id, at, entries, place),
           lateral rows from (jsonb_to_recordset(posting.entries)
             as (owner uuid, kind text, scope text, asset text, amount numeric, category text))
             with ordinality as given(owner, kind, scope, asset, amount, category, place)
     order by given.owner, given.kind, given.scope, given.asset, posting.place, given.place
  loop
    if (line.owner, line.kind, line.scope, line.asset) is distinct from (its_owner, its_kind, its_scope, its_asset) then
      its_owner := line.owner;
      its_kind := line.kind;
      its_scope := line.scope;
      its_asset := line.asset;
      if its_owner = platform then
        select id, null into its_account, balance_now from ledger_account
         where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset;
      else
        select id, balance into its_account, balance_now from ledger_account
         where owner_id = its_owner and kind = its_kind and scope = its_scope and asset = its_asset
           for no key update;
      end if;
      if not found then
        select id, balance into its_account, balance_now
          from ledger_account_named(its_owner, its_kind, its_scope, its_asset);
      end if;
    end if;
    balance_now := balance_now + line.amount;
    entries := entries || row(null, line.transaction_id, its_account, line.asset, line.amount, balance_now,
                              line.category, line.effective_at)::ledger_entry;
  end loop;

  insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
  select transaction_id, account_id, asset, amount, balance_after, category, effective_at from unnest(entries);
end
$$ set search_path = public, pg_temp
   set plan_cache_mode = force_generic_plan; -- planning each call would cost more than the posting itself
