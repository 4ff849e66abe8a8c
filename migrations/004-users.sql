-- Users: their profile and preferences, the history of their status, and the devices they sign in from.

create table platform_user (
  id             uuid primary key,
  email          text not null,                  -- in lower case
  email_verified boolean not null default false, -- the identity provider has vouched for the present address
  full_name      text,
  status         text not null default 'active',
  language       text not null default 'en',     -- language, script and region (BCP 47)
  currency       text not null default 'USD',    -- for display (ISO 4217); balances are in USDC
  notify_email   boolean not null default true,
  notify_push    boolean not null default true,
  created_at     timestamptz not null,
  created_by     text,                           -- an admin's e-mail address; null: created by the first sign-in
  updated_at     timestamptz not null,
  last_login_at  timestamptz,
  constraint platform_user_email unique (email),
  constraint platform_user_status check (status in ('active', 'inactive', 'suspended')),
  constraint platform_user_language check (language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
  constraint platform_user_currency check (currency ~ '^[A-Z]{3}$')
);
-- The admins' list: one index for each filter and each sort order, and trigrams for its search.
create index platform_user_by_creation on platform_user (created_at, id);
create index platform_user_by_login on platform_user (last_login_at desc nulls last, id desc);
create index platform_user_by_status on platform_user (status, created_at, id);
create index platform_user_email_trigrams on platform_user using gin (email gin_trgm_ops);
create index platform_user_mailbox_trigrams on platform_user using gin (split_part(email, '@', 1) gin_trgm_ops);
create index platform_user_name_trigrams on platform_user using gin (full_name gin_trgm_ops);

create trigger platform_user_status_changed after update of status on platform_user
  for each row when (old.status is distinct from new.status) execute function notify_row_changed('user');
create trigger platform_user_deleted after delete on platform_user
  for each row execute function notify_row_deleted('user');

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

-- Devices that a user has signed in from, by the hash of the browser's User-Agent.
create table known_device (
  user_id       uuid not null references platform_user,
  device        bytea not null, -- SHA-256
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  primary key (user_id, device),
  constraint known_device_hash_length check (length(device) = 32)
);
