-- The rows of an investment with the fewest columns, indexes and checks: investment, posting, user's transaction,
-- notification and outbox. The columns of lists have one index for the order of a user's list.
create table account (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  kind text not null,
  balance numeric(38, 18) not null check (balance >= 0),
  unique (owner_id, kind)
);
create table posting (id uuid primary key, type text not null, reference_id uuid not null, at timestamptz not null);
create table entry (
  posting_id uuid not null,
  place smallint not null,
  account_id bigint not null,
  amount numeric(38, 18) not null,
  balance numeric(38, 18),
  primary key (posting_id, place)
);
create index on entry (account_id, posting_id);
create table investment (
  id uuid primary key,
  user_id uuid not null,
  strategy_id text not null,
  status text not null,
  amount numeric(38, 18) not null,
  units numeric(38, 18) not null,
  created_at timestamptz not null
);
create index on investment (user_id, created_at);
create table user_transaction (
  id uuid primary key,
  user_id uuid not null,
  type text not null,
  status text not null,
  amount numeric(38, 18) not null,
  reference_id uuid not null,
  created_at timestamptz not null
);
create index on user_transaction (user_id, created_at);
create table notification (
  id uuid primary key,
  user_id uuid not null,
  type text not null,
  title text not null,
  message text not null,
  created_at timestamptz not null
);
create index on notification (user_id, created_at);
create table outbox (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  type text not null,
  at timestamptz not null,
  data json not null
);

create function open_accounts(owner uuid, balance numeric) returns void language sql as $$
  insert into account (owner_id, kind, balance) values (owner, 'available', balance), (owner, 'invested', 0), (owner, 'units', 0);
$$;

create function invest(owner uuid, strategy text, paid numeric) returns timestamptz language plpgsql as $$
declare
  created timestamptz := clock_timestamp();
  investment_id uuid := gen_random_uuid();
  posting_id uuid := gen_random_uuid();
  available account; invested account; units account;
begin
  update account set balance = balance - paid where owner_id = owner and kind = 'available' returning * into strict available;
  update account set balance = balance + paid where owner_id = owner and kind = 'invested' returning * into strict invested;
  update account set balance = balance + paid where owner_id = owner and kind = 'units' returning * into strict units;
  insert into investment values (investment_id, owner, strategy, 'active', paid, paid, created);
  insert into posting values (posting_id, 'investment', investment_id, created);
  insert into entry values
    (posting_id, 1, available.id, -paid, available.balance), (posting_id, 2, invested.id, paid, invested.balance),
    (posting_id, 3, units.id, paid, units.balance), (posting_id, 4, 0, -paid, null); -- 0: the platform's units
  insert into user_transaction values (gen_random_uuid(), owner, 'investment', 'confirmed', paid, investment_id, created);
  insert into notification values
    (gen_random_uuid(), owner, 'investment', 'Investment made', 'Your investment of ' || paid || ' USDC is active.', created);
  insert into outbox (user_id, type, at, data) values
    (owner, 'investment.created', created, json_build_object('id', investment_id, 'amount', paid)),
    (owner, 'notification.created', created, json_build_object('title', 'Investment made')),
    (owner, 'balance.changed', created, json_build_object('available', available.balance, 'invested', invested.balance));
  return created;
end $$;
