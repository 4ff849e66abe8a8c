-- Sessions, refresh tokens and sign-ins, and other tokens. Subjects have no foreign key, because admins are not stored in the database.

create table session (
  id           uuid primary key,
  family_id    uuid not null,
  subject_type text not null,
  subject_id   text not null,
  wallet_id    uuid references wallet on delete set null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  opened_by    text,
  seal         bytea,
  last_seen_at timestamptz,
  constraint session_subject_type check (subject_type in ('user', 'admin')),
  constraint session_seal check (revoked_at is not null or seal is not null),
  constraint session_opened_by check
    (opened_by in ('identity-provider', 'password', 'wallet', 'identity-provider-and-factor', 'password-and-factor'))
);
comment on table session is 'Records of access tokens: a token is valid while its session is not revoked.';
comment on column session.id is 'the claim jti of the access token';
comment on column session.family_id is 'all tokens and sessions that descend from one sign-in';
comment on column session.subject_type is 'user or admin';
comment on column session.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column session.wallet_id is 'the wallet that signed in, if one did';
comment on column session.created_at is 'real time of the sign-in or renewal';
comment on column session.expires_at is 'real time at which the token ends';
comment on column session.revoked_at is 'real time at which it was revoked';
comment on column session.opened_by is 'how the sign-in was proven; null for sessions of an earlier version';
comment on column session.seal is 'MAC of the row; null where the session has ended';
comment on column session.last_seen_at is 'real time of the latest request of an admin, a minute behind at most; null before it, and for users';

create index session_of_subject on session (subject_type, subject_id);
create index session_of_family on session (family_id);
create index session_of_wallet on session (wallet_id) where wallet_id is not null;
create index session_expired on session (expires_at);

create trigger session_revoked after update of revoked_at on session
  for each row execute function notify_row_changed('session');

-- Tokens are opaque and stored as hashes. For some seconds after its use a spent token returns the same successor again (two tabs, a
-- lost response): the successor is stored encrypted under a key that only the spent token yields.
create table refresh_token (
  token_hash   bytea primary key,
  family_id    uuid not null,
  subject_type text not null,
  subject_id   text not null,
  wallet_id    uuid references wallet on delete set null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  spent_at     timestamptz,
  successor    bytea,
  revoked_at   timestamptz,
  opened_by    text,
  seal         bytea,
  constraint refresh_token_subject_type check (subject_type in ('user', 'admin')),
  constraint refresh_token_successor check (successor is null or spent_at is not null),
  constraint refresh_token_seal check
    (revoked_at is not null or seal is not null or (spent_at is not null and successor is null)),
  constraint refresh_token_opened_by check
    (opened_by in ('identity-provider', 'password', 'wallet', 'identity-provider-and-factor', 'password-and-factor'))
);
comment on table refresh_token is 'Refresh tokens, valid for one use. Reuse of a spent one ends the whole family.';
comment on column refresh_token.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token';
comment on column refresh_token.family_id is 'all tokens and sessions that descend from one sign-in';
comment on column refresh_token.subject_type is 'user or admin';
comment on column refresh_token.subject_id is 'identifier of the user, or e-mail address of the admin';
comment on column refresh_token.wallet_id is 'the wallet that signed in, if one did';
comment on column refresh_token.created_at is 'domain time of the creation';
comment on column refresh_token.expires_at is 'real time at which it ends';
comment on column refresh_token.spent_at is 'real time of its use';
comment on column refresh_token.successor is 'the next token, encrypted under a key that only the spent token yields';
comment on column refresh_token.revoked_at is 'real time at which it was revoked';
comment on column refresh_token.opened_by is 'how the sign-in was proven';
comment on column refresh_token.seal is 'MAC of the row; null where the row opens nothing any more';

create index refresh_token_of_family on refresh_token (family_id);
-- The tokens that a revocation of all sessions of a user or an admin ends.
create index refresh_token_of_subject on refresh_token (subject_type, subject_id) where revoked_at is null or seal is not null;
create index refresh_token_of_wallet on refresh_token (wallet_id) where wallet_id is not null;
create index refresh_token_expired on refresh_token (expires_at);
create index refresh_token_with_successor on refresh_token (spent_at) where successor is not null;

create table sign_in (
  family_id    uuid primary key,
  user_id      uuid not null references platform_user on delete cascade,
  kind         text not null,
  device       text not null,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  method       text,
  address      text,
  constraint sign_in_kind check (kind in ('bearer', 'cookie')),
  constraint sign_in_method check (method in ('identity-provider', 'wallet'))
);
comment on table sign_in is 'Sign-ins of users, which users see as sessions. Renewing a token keeps the sign-in. Rows are kept for 90 days.';
comment on column sign_in.family_id is 'of its sessions and refresh tokens';
comment on column sign_in.user_id is 'the user';
comment on column sign_in.kind is 'bearer or cookie';
comment on column sign_in.device is 'header User-Agent, shortened; empty without one';
comment on column sign_in.created_at is 'real time of the sign-in';
comment on column sign_in.last_seen_at is 'real time of the latest request, a minute behind at most';
comment on column sign_in.expires_at is 'real time at which the newest refresh token ends';
comment on column sign_in.method is 'how the user signed in: identity-provider or wallet; null for sign-ins of an earlier version';
comment on column sign_in.address is 'network address of the request that signed in';

create index sign_in_newest_of_user on sign_in (user_id, created_at, family_id);
create index sign_in_by_time on sign_in (created_at);

-- A session that was revoked, a token that was used, a key that was deleted, a password that was replaced.
create table ended_seal (
  seal       bytea primary key,
  expires_at timestamptz
);
comment on table ended_seal is 'Seals of credentials that have ended: a copy of the former row opens nothing while its seal is here.';
comment on column ended_seal.seal is 'the seal of the former row';
comment on column ended_seal.expires_at is 'real time at which the credential would have ended by itself; null: never';

create index ended_seal_expired on ended_seal (expires_at) where expires_at is not null;

create table lock_token (
  token_hash bytea primary key,
  user_id    uuid not null references platform_user on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  seal       bytea not null
);
comment on table lock_token is 'Tokens of the links in mails about security, which lock the account of their user.';
comment on column lock_token.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token; its use deletes the row';
comment on column lock_token.user_id is 'the user';
comment on column lock_token.created_at is 'real time of the mail';
comment on column lock_token.expires_at is 'real time at which the link ends';
comment on column lock_token.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index lock_token_expired on lock_token (expires_at);
create index lock_token_of_user on lock_token (user_id);

-- The database's clock decides, because several processes issue and redeem tickets.
create table live_ticket (
  ticket_hash        bytea primary key,
  owner_type         text not null,
  owner_id           text not null,
  session_id         uuid not null,
  session_expires_at timestamptz,
  key_id             uuid,
  key_scopes         text[],
  expires_at         timestamptz not null,
  key_networks       text[],
  seal               bytea not null,
  constraint live_ticket_owner_type check (owner_type in ('user', 'admin')),
  constraint live_ticket_key check ((key_id is null) = (key_scopes is null)),
  constraint live_ticket_key_networks check (key_id is not null or key_networks is null)
);
comment on table live_ticket is 'Tickets that open one connection of live delivery each, within thirty seconds.';
comment on column live_ticket.ticket_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the ticket';
comment on column live_ticket.owner_type is 'user or admin';
comment on column live_ticket.owner_id is 'identifier of the user, or e-mail address of the admin';
comment on column live_ticket.session_id is 'the session, or the API key, that asked for the ticket';
comment on column live_ticket.session_expires_at is 'real time at which the connection ends; null for an API key without an end';
comment on column live_ticket.key_id is 'the API key, if one asked for the ticket';
comment on column live_ticket.key_scopes is 'scopes of that key';
comment on column live_ticket.expires_at is 'real time until which the ticket can be used';
comment on column live_ticket.key_networks is 'CIDR ranges of that key';
comment on column live_ticket.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index live_ticket_expired on live_ticket (expires_at);
create index live_ticket_of_owner on live_ticket (owner_type, owner_id);
