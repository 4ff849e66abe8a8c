-- Sign-ins of users: the sessions that users see. Refreshing a token keeps the sign-in.

create table sign_in (
  family_id    uuid primary key,     -- of its sessions and refresh tokens
  user_id      uuid not null references platform_user on delete cascade,
  kind         text not null,
  device       text not null,        -- the header User-Agent, shortened; empty if there was none
  created_at   timestamptz not null, -- real time, as the other columns
  last_seen_at timestamptz not null, -- at most a minute behind
  expires_at   timestamptz not null, -- of the newest refresh token
  constraint sign_in_kind check (kind in ('bearer', 'cookie'))
);
create index sign_in_of_user on sign_in (user_id);
create index sign_in_expired on sign_in (expires_at);

-- Sign-ins of the previous version, whose kind and device are not known.
insert into sign_in (family_id, user_id, kind, device, created_at, last_seen_at, expires_at)
select family_id, (min(subject_id))::uuid, 'bearer', '', min(created_at), max(created_at), max(expires_at)
  from (select family_id, subject_id, created_at, expires_at from session where subject_type = 'user'
        union all
        select family_id, subject_id, created_at, expires_at from refresh_token where subject_type = 'user') as token
 where exists (select from platform_user where id = subject_id::uuid)
 group by family_id;
