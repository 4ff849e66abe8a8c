-- The outbox of e-mail: written in the transaction of the event, sent afterwards. The id is in the header Message-ID.

create table mail (
  id           uuid primary key,
  user_id      uuid not null references platform_user on delete cascade,
  recipient    text not null,        -- the address at the time of the event
  kind         text not null,
  details      jsonb not null,       -- texts for the template, without secrets and whole addresses
  status       text not null,
  attempts     integer not null,
  created_at   timestamptz not null,
  due_at       timestamptz not null,
  leased_until timestamptz,          -- real time; until then only the process that attempts it may send it
  settled_at   timestamptz,
  failure      text,                 -- the mail server's code or the kind of fault of the last attempt
  constraint mail_status check (status in ('waiting', 'sent', 'given-up')),
  constraint mail_settled check ((status = 'waiting') = (settled_at is null)),
  constraint mail_attempts check (attempts >= 0)
);
create index mail_due on mail (due_at, id) where status = 'waiting';
create index mail_of_user on mail (user_id);
create index mail_age on mail (created_at);
