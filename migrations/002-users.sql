-- People who hold money here, and the sessions behind every token.

create table platform_user (
  id            uuid primary key,
  email         text not null,
  full_name     text,
  status        text not null default 'active',
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  last_login_at timestamptz,
  constraint platform_user_email unique (email), -- stored in lower case
  constraint platform_user_status check (status in ('active', 'inactive', 'suspended'))
);

-- A token is honoured while its session stands (claim jti). Admins live in the configuration: no foreign key.
create table session (
  id           uuid primary key,
  family_id    uuid not null, -- all sessions that descend from one sign-in
  subject_type text not null,
  subject_id   text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  constraint session_subject_type check (subject_type in ('user', 'admin'))
);
create index session_of_subject on session (subject_type, subject_id);
create index session_of_family on session (family_id);
create index session_expired on session (expires_at);

-- Opaque, kept as hashes, each good for one use. Whoever shows a spent one again gives a theft away, and the whole
-- family ends, sessions included.
create table refresh_token (
  token_hash   bytea primary key, -- SHA-256
  family_id    uuid not null,
  subject_type text not null,
  subject_id   text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  spent_at     timestamptz,
  revoked_at   timestamptz,
  constraint refresh_token_subject_type check (subject_type in ('user', 'admin'))
);
create index refresh_token_of_family on refresh_token (family_id);
create index refresh_token_expired on refresh_token (expires_at);

-- Every process caches sessions; these notices tell it what to forget (topic:id).
create function tell_of_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('platform_notice', tg_argv[0] || ':' || new.id);
  return null;
end
$$;
create trigger session_revoked after update of revoked_at on session
  for each row execute function tell_of_change('session');
create trigger platform_user_status_changed after update of status on platform_user
  for each row when (old.status is distinct from new.status) execute function tell_of_change('user');
