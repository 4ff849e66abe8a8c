-- Sessions and refresh tokens. Subjects have no foreign key, because admins are not stored in the database.

-- An access token is valid while the session that its claim `jti` names is not revoked.
create table session (
  id           uuid primary key,
  family_id    uuid not null, -- all sessions and refresh tokens that descend from one sign-in
  subject_type text not null,
  subject_id   text not null,
  wallet_id    uuid references wallet on delete set null, -- the wallet that signed in
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  constraint session_subject_type check (subject_type in ('user', 'admin'))
);
create index session_of_subject on session (subject_type, subject_id);
create index session_of_family on session (family_id);
create index session_of_wallet on session (wallet_id) where wallet_id is not null;
create index session_expired on session (expires_at);
create trigger session_revoked after update of revoked_at on session
  for each row execute function notify_row_changed('session');

-- Refresh tokens are opaque, stored as hashes and valid for one use. Reuse of a spent one revokes the whole family.
-- For some seconds after its use a spent token returns the same successor again (two tabs, a lost response): the successor
-- is stored encrypted under a key that only the spent token yields.
create table refresh_token (
  token_hash   bytea primary key, -- SHA-256
  family_id    uuid not null,
  subject_type text not null,
  subject_id   text not null,
  wallet_id    uuid references wallet on delete set null, -- the wallet that signed in
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  spent_at     timestamptz,
  successor    bytea,
  revoked_at   timestamptz,
  constraint refresh_token_subject_type check (subject_type in ('user', 'admin')),
  constraint refresh_token_successor check (successor is null or spent_at is not null)
);
create index refresh_token_of_family on refresh_token (family_id);
create index refresh_token_of_wallet on refresh_token (wallet_id) where wallet_id is not null;
create index refresh_token_expired on refresh_token (expires_at);
create index refresh_token_with_successor on refresh_token (spent_at) where successor is not null;
