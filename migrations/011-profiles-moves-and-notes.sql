-- What users say of themselves, investments that move on, and notes that are told once.

alter table platform_user
  add column language      text not null default 'en',  -- language, script and region (BCP 47)
  add column currency      text not null default 'USD', -- to show amounts in (ISO 4217); money itself stays USDC
  add column notify_email  boolean not null default true,
  add column notify_push   boolean not null default true,
  add constraint platform_user_language check (language ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
  add constraint platform_user_currency check (currency ~ '^[A-Z]{3}$');

-- Where the principal of a moved investment comes from. Nothing moves on twice.
alter table investment
  add column moved_from uuid references investment,
  add constraint investment_moved_once unique (moved_from);

-- Some notes are not written with a fact but when somebody first looks: each is told once, whoever looks at once.
alter table notification add column told_once text;
create unique index notification_told_once on notification (user_id, told_once) where told_once is not null;

-- Devices that a user has signed in from, by the hash of what the browser calls itself.
create table known_device (
  user_id       uuid not null references platform_user,
  device        bytea not null, -- SHA-256
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  primary key (user_id, device),
  constraint known_device_is_a_hash check (length(device) = 32)
);
