-- Mail about security is sent before other mail, and users' devices are known together with the networks that they sign in from.

-- Not null with a default: processes of the previous version insert and claim mails without it.
alter table mail add column is_security boolean not null default false;
update mail set is_security = true where kind <> 'deposit.completed';

drop index mail_due;
create index mail_due on mail (is_security, due_at, id) where status = 'waiting';

-- Replaces the function of 035: stores is_security, and compares the recipient instead of the user's present address with the
-- address of an erased user, so that a mail to a former address is not dropped because of the new one.
create or replace function insert_mails(rows jsonb) returns void language sql volatile as $$
  insert into mail (id, user_id, recipient, kind, details, status, attempts, created_at, due_at, is_security)
  select given.id, person.id, coalesce(given.recipient, person.email), given.kind, given.details, 'waiting', 0, given.at,
         given.at, given.is_security
    from jsonb_to_recordset(rows)
           as given(id uuid, user_id uuid, recipient text, kind text, details jsonb, is_security boolean, at timestamptz)
    join platform_user as person on person.id = given.user_id
   where (given.is_security or person.notify_email)
     and coalesce(given.recipient, person.email) <> 'erased-' || person.id || '@erased.invalid'
$$;

-- The networks from which a user has signed in with a device. A device without any is from an earlier version.
create table known_network (
  user_id      uuid not null,
  device       bytea not null,
  network      bytea not null, -- SHA-256 of the user's id and the /24 (IPv4) or /48 (IPv6) prefix
  last_seen_at timestamptz not null,
  primary key (user_id, device, network),
  foreign key (user_id, device) references known_device on delete cascade,
  constraint known_network_hash_length check (length(network) = 32)
);
