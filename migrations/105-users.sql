-- Users: their profile and preferences, the histories of their status and account, their identities and devices.

create table platform_user (
  id             uuid primary key,
  email          text not null,
  email_verified boolean not null default false,
  full_name      text,
  status         text not null default 'active',
  language       text not null default 'en',
  currency       text not null default 'USD',
  notify_email   boolean not null default true,
  notify_push    boolean not null default true,
  created_at     timestamptz not null,
  created_by     text,
  updated_at     timestamptz not null,
  last_login_at  timestamptz,
  hold_until     timestamptz,
  hold_reason    text,
  is_admin       boolean not null default false,
  locked_at      timestamptz,
  locked_by      text,
  unlock_by      text,
  tier           text,
  constraint platform_user_email unique (email),
  constraint platform_user_status check (status in ('active', 'inactive', 'suspended')),
  constraint platform_user_language check (language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
  constraint platform_user_currency check (currency ~ '^[A-Z]{3}$'),
  constraint platform_user_hold check ((hold_until is null) = (hold_reason is null)),
  constraint platform_user_lock check (
    num_nulls(locked_at, locked_by, unlock_by) in (0, 3)
    and locked_by in ('session', 'link', 'admin') and unlock_by in ('step-up', 'admins')),
  constraint platform_user_hold_reason check
    (hold_reason in ('new-identity', 'email-changed', 'first-factor', 'factor-removed', 'recovery-code', 'factor-reset'))
);
comment on table platform_user is 'Users: profile, preferences, holds and locks. Also accounts of admins at the identity provider, which are no users.';
comment on column platform_user.id is 'identifier of the user (UUID)';
comment on column platform_user.email is 'in lower case';
comment on column platform_user.email_verified is 'the identity provider has vouched for the present address';
comment on column platform_user.full_name is 'as the user has given it';
comment on column platform_user.status is 'active, inactive or suspended';
comment on column platform_user.language is 'BCP 47: language, script and region';
comment on column platform_user.currency is 'ISO 4217, for display; balances are in USDC';
comment on column platform_user.notify_email is 'whether optional mails are sent';
comment on column platform_user.notify_push is 'preference that clients read';
comment on column platform_user.created_at is 'domain time of the creation';
comment on column platform_user.created_by is 'e-mail address of the admin who created the user; null: the first sign-in did';
comment on column platform_user.updated_at is 'domain time of the latest change';
comment on column platform_user.last_login_at is 'domain time of the latest sign-in';
comment on column platform_user.hold_until is 'domain time at which the security hold ends; one that has ended stays until the next one';
comment on column platform_user.hold_reason is 'why the hold began';
comment on column platform_user.is_admin is 'an admin''s account at the identity provider; left out of lists, reports and announcements';
comment on column platform_user.locked_at is 'domain time of the lock; null without one';
comment on column platform_user.locked_by is 'session, link or admin';
comment on column platform_user.unlock_by is 'who may unlock: step-up (the user, with a second factor) or admins';
comment on column platform_user.tier is 'tier of limits of LIMITS_FILE; null: the first one';

-- The admins' list: one index for each filter and each sort order, and trigrams for its search.
create index platform_user_by_creation on platform_user (created_at, id);
create index platform_user_by_status on platform_user (status, created_at, id);
create index platform_user_email_trigrams on platform_user using gin (email gin_trgm_ops);
create index platform_user_mailbox_trigrams on platform_user using gin (split_part(email, '@', 1) gin_trgm_ops);
create index platform_user_name_trigrams on platform_user using gin (full_name gin_trgm_ops);
create index platform_user_of_admins on platform_user (id) where is_admin;
-- A page that a cursor addresses begins at a sort value, so the sort keys of lists are never null: rows without the time stand
-- before all others.
create index platform_user_by_last_login on platform_user (coalesce(last_login_at, '-infinity'), id);
-- Searches by key. Ranges of text compare bytes, whatever the collation of the database is.
create index platform_user_search_email on platform_user (email collate "C");

create trigger platform_user_status_changed after update of status on platform_user
  for each row when (old.status is distinct from new.status) execute function notify_row_changed('user');
create trigger platform_user_deleted after delete on platform_user
  for each row execute function notify_row_deleted('user');
-- The cached state of a key contains the e-mail address of its user, which an admin can change.
create trigger platform_user_email_notified after update of email on platform_user
  for each row when (old.email is distinct from new.email) execute function notify_row_changed('user');
-- The erasure deletes a user without records of money.
create trigger platform_user_kept before update on platform_user
  for each row execute function refuse_change('id', 'created_at', 'created_by');

create table user_status_change (
  id         bigint generated always as identity primary key,
  user_id    uuid not null references platform_user on delete cascade,
  status     text not null,
  reason     text,
  changed_at timestamptz not null,
  changed_by text not null,
  constraint user_status_change_status check (status in ('active', 'inactive', 'suspended'))
);
comment on table user_status_change is 'History of the status of users, written in the transaction of the change.';
comment on column user_status_change.id is 'number in the order of insertion';
comment on column user_status_change.user_id is 'the user';
comment on column user_status_change.status is 'status after the change';
comment on column user_status_change.reason is 'stated by the admin';
comment on column user_status_change.changed_at is 'domain time of the change';
comment on column user_status_change.changed_by is 'e-mail address of the admin';

create index user_status_change_of_user on user_status_change (user_id, id);

create trigger user_status_change_kept before update on user_status_change
  for each statement execute function refuse_change();

-- The last row of a user equals the user's own row. The erasure of a user deletes the former rows.
create table user_account_change (
  id          bigint generated always as identity primary key,
  user_id     uuid not null references platform_user on delete cascade,
  email       text not null,
  hold_until  timestamptz,
  hold_reason text,
  changed_at  timestamptz not null,
  locked_at   timestamptz,
  locked_by   text,
  unlock_by   text,
  tier        text
);
comment on table user_account_change is 'E-mail address, hold, lock and tier of each user after each change. Decisions read the last row and platform_user; both have to agree.';
comment on column user_account_change.id is 'number in the order of insertion';
comment on column user_account_change.user_id is 'the user';
comment on column user_account_change.email is 'as in platform_user';
comment on column user_account_change.hold_until is 'as in platform_user';
comment on column user_account_change.hold_reason is 'as in platform_user';
comment on column user_account_change.changed_at is 'domain time of the change';
comment on column user_account_change.locked_at is 'as in platform_user';
comment on column user_account_change.locked_by is 'as in platform_user';
comment on column user_account_change.unlock_by is 'as in platform_user';
comment on column user_account_change.tier is 'as in platform_user';

create index user_account_change_newest on user_account_change (user_id, id desc);

create trigger user_account_change_kept before update on user_account_change
  for each statement execute function refuse_change();

create table user_identity (
  user_id       uuid not null references platform_user on delete cascade,
  subject       text not null,
  first_seen_at timestamptz not null,
  primary key (user_id, subject),
  constraint user_identity_subject check (length(subject) <= 255)
);
comment on table user_identity is 'Accounts at the identity provider that have signed in to an account of the platform.';
comment on column user_identity.user_id is 'the user';
comment on column user_identity.subject is 'the claim sub; empty for tokens without it';
comment on column user_identity.first_seen_at is 'domain time of the first sign-in';

create table known_device (
  user_id       uuid not null references platform_user,
  device        bytea not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  primary key (user_id, device),
  constraint known_device_hash_length check (length(device) = 32)
);
comment on table known_device is 'Devices from which a user has signed in.';
comment on column known_device.user_id is 'the user';
comment on column known_device.device is 'SHA-256 of the header User-Agent';
comment on column known_device.first_seen_at is 'real time of the first sign-in';
comment on column known_device.last_seen_at is 'real time of the latest sign-in';

create table known_network (
  user_id      uuid not null,
  device       bytea not null,
  network      bytea not null,
  last_seen_at timestamptz not null,
  primary key (user_id, device, network),
  foreign key (user_id, device) references known_device (user_id, device) on delete cascade,
  constraint known_network_hash_length check (length(network) = 32)
);
comment on table known_network is 'Networks from which a user has signed in with a device.';
comment on column known_network.user_id is 'the user';
comment on column known_network.device is 'as in known_device';
comment on column known_network.network is 'SHA-256 of the user''s id and the /24 (IPv4) or /48 (IPv6) prefix';
comment on column known_network.last_seen_at is 'real time of the latest sign-in';
