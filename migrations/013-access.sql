-- Ways in beside the identity provider: admins' passwords that were set here, wallets and their challenges.

-- What the service itself knows of an admin whom the configuration lists.
create table admin_account (
  email           text primary key,
  password_hash   text, -- argon2id; the configuration's own hash goes before it
  password_set_by text,
  password_set_at timestamptz,
  last_login_at   timestamptz,
  constraint admin_account_email check (email = lower(email)),
  constraint admin_account_password check (num_nulls(password_hash, password_set_by, password_set_at) in (0, 3))
);

-- A wallet signs one user in. A link says nothing of money: it goes with its user.
create table wallet (
  address    text primary key, -- checksummed (EIP-55)
  user_id    uuid not null references platform_user on delete cascade,
  created_at timestamptz not null,
  constraint wallet_address check (address ~ '^0x[0-9a-fA-F]{40}$')
);
create unique index wallet_however_written on wallet (lower(address));
create index wallet_of_user on wallet (user_id, created_at, address);

-- What is shown of a user who may have several: the one that was linked first.
create function first_wallet(owner uuid) returns text language sql stable
  return (select address from wallet where user_id = owner order by created_at, address limit 1);

-- A challenge that a wallet has been asked to sign: used once, within five minutes of real time.
create table wallet_nonce (
  nonce      text primary key,
  address    text not null,
  expires_at timestamptz not null
);
create index wallet_nonce_expired on wallet_nonce (expires_at);
