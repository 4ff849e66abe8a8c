-- Notifications of users, and announcements of admins that are delivered as notifications.

-- Written in the database transaction of the event that they report.
create table notification (
  id            uuid primary key,
  user_id       uuid not null references platform_user,
  type          text not null,
  title         text not null,
  message       text not null,
  priority      text not null,
  priority_rank smallint not null generated always as
    (case priority when 'critical' then 4 when 'high' then 3 when 'normal' then 2 else 1 end) stored, -- to sort by
  category      text not null,
  action_url    text,
  metadata      jsonb not null,
  created_at    timestamptz not null,
  read_at       timestamptz,
  told_once     text, -- prevents duplicates of a notification that any process may write first
  constraint notification_type check
    (type in ('investment', 'earning', 'withdrawal', 'deposit', 'security', 'system', 'promotion')),
  constraint notification_priority check (priority in ('critical', 'high', 'normal', 'low')),
  constraint notification_category check (category in ('transaction', 'portfolio', 'account', 'platform')),
  constraint notification_metadata check (jsonb_typeof(metadata) = 'object')
);
create index notification_by_time on notification (user_id, created_at, id);
create index notification_by_priority on notification (user_id, priority_rank, created_at, id);
create index notification_by_type on notification (user_id, type, created_at, id);
create index notification_unread on notification (user_id, created_at, id) include (type, priority) where read_at is null;
create unique index notification_told_once on notification (user_id, told_once) where told_once is not null;

create table announcement (
  id           uuid primary key,
  type         text not null,
  title        text not null,
  message      text not null,
  audience     text not null,
  created_at   timestamptz not null, -- domain time
  created_by   text not null,        -- an admin's e-mail address
  recipients   integer not null,     -- the number of users in the audience when it was created
  -- Users who have not received it yet, in order of their ids; a delivery takes the first of them.
  waiting      uuid[] not null,
  delivered_at timestamptz,
  constraint announcement_type check (type in ('promotion', 'system')),
  constraint announcement_audience check (audience in ('all', 'investors')),
  constraint announcement_recipients check (recipients >= cardinality(waiting)),
  constraint announcement_delivered check ((delivered_at is null) = (cardinality(waiting) > 0))
);
create index announcement_undelivered on announcement (created_at, id) where delivered_at is null;
