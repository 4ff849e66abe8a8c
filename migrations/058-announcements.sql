-- Announcements of admins, delivered as notifications in the background.

create table announcement (
  id           uuid primary key,
  type         text not null,
  title        text not null,
  message      text not null,
  audience     text not null,
  created_at   timestamptz not null, -- domain time
  created_by   text not null,        -- an admin's e-mail address
  recipients   integer not null,     -- as many users were meant when it was made
  -- Whom it is still to be delivered to, in order of their ids; a delivery takes the first of them.
  waiting      uuid[] not null,
  delivered_at timestamptz,
  constraint announcement_type check (type in ('promotion', 'system')),
  constraint announcement_audience check (audience in ('all', 'investors')),
  constraint announcement_recipients check (recipients >= cardinality(waiting)),
  constraint announcement_delivered check ((delivered_at is null) = (cardinality(waiting) > 0))
);
create index announcement_undelivered on announcement (created_at, id) where delivered_at is null;
