-- API keys of users: limited access for third parties, without a session.

-- The key itself is shown once and not stored. Each row is a key that works or has expired.
create table api_key (
  id             uuid primary key,
  user_id        uuid not null references platform_user on delete cascade,
  key_hash       bytea not null,
  prefix         text not null,
  name           text not null,
  scopes         text[] not null,
  networks       text[],
  created_at     timestamptz not null,
  expires_at     timestamptz,
  last_used_at   timestamptz,
  last_used_from text,
  seal           bytea not null,
  constraint api_key_hash unique (key_hash),
  constraint api_key_hash_length check (length(key_hash) = 32),
  constraint api_key_scopes check (cardinality(scopes) > 0),
  constraint api_key_networks check (cardinality(networks) between 1 and 20),
  constraint api_key_use check ((last_used_at is null) = (last_used_from is null))
);
comment on table api_key is 'Keys with which third parties call some routes of a user, without a session. Revoking a key deletes its row.';
comment on column api_key.id is 'identifier of the key (UUID)';
comment on column api_key.user_id is 'the user';
comment on column api_key.key_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the key';
comment on column api_key.prefix is 'the first characters of the key, by which its owner recognises it';
comment on column api_key.name is 'given by the owner';
comment on column api_key.scopes is 'what the key may do, such as balance:read';
comment on column api_key.networks is 'CIDR ranges from which the key works; null: from every address';
comment on column api_key.created_at is 'domain time of the creation';
comment on column api_key.expires_at is 'real time at which the key ends; null: never';
comment on column api_key.last_used_at is 'real time of the latest use; written some seconds later';
comment on column api_key.last_used_from is 'IP address of the latest use';
comment on column api_key.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index api_key_of_user on api_key (user_id, created_at, id);

-- Every process caches keys. The notification removes a revoked key from the caches.
create trigger api_key_revoked after delete on api_key
  for each row execute function notify_row_deleted('api-key');

create table api_key_use (
  key_id       uuid not null references api_key on delete cascade,
  network      text not null,
  last_used_at timestamptz not null,
  primary key (key_id, network)
);
comment on table api_key_use is 'The networks from which an API key was used. The user is told about the first use from a network.';
comment on column api_key_use.key_id is 'the API key';
comment on column api_key_use.network is 'an IPv4 address, or the /64 network of an IPv6 address';
comment on column api_key_use.last_used_at is 'real time of the latest use from the network';
