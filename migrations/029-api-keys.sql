-- API keys of users: limited access for third parties, without a session.

-- The key itself is shown once and not stored. Revoking a key deletes its row: each row is a key that works or has expired.
create table api_key (
  id             uuid primary key,
  user_id        uuid not null references platform_user on delete cascade,
  key_hash       bytea not null, -- SHA-256 of the key
  prefix         text not null,  -- the first characters of the key, by which its owner recognises it
  name           text not null,
  scopes         text[] not null,
  networks       text[],         -- CIDR; null: the key works from every address
  created_at     timestamptz not null,
  expires_at     timestamptz,
  last_used_at   timestamptz,    -- written some seconds after the use, at most twice a minute per process
  last_used_from text,           -- an IP address
  constraint api_key_hash unique (key_hash),
  constraint api_key_hash_length check (length(key_hash) = 32),
  constraint api_key_scopes check (cardinality(scopes) > 0),
  constraint api_key_networks check (cardinality(networks) between 1 and 20),
  constraint api_key_use check ((last_used_at is null) = (last_used_from is null))
);
create index api_key_of_user on api_key (user_id, created_at, id);

-- Every process caches keys. The notification removes a revoked key from the caches.
create trigger api_key_revoked after delete on api_key
  for each row execute function notify_row_deleted('api-key');

-- The cached state of a key contains the e-mail address of its user, which an admin can change.
create trigger platform_user_email_notified after update of email on platform_user
  for each row when (old.email is distinct from new.email) execute function notify_row_changed('user');

-- The networks from which a key was used. The first use from a network is reported to the user.
create table api_key_use (
  key_id       uuid not null references api_key on delete cascade,
  network      text not null, -- an IPv4 address, or the /64 network of an IPv6 address
  last_used_at timestamptz not null,
  primary key (key_id, network)
);
