-- Notifications of users, announcements of admins that are delivered as notifications, and the outbox of e-mail.

create table notification (
  id            uuid primary key,
  user_id       uuid not null references platform_user,
  type          text not null,
  title         text not null,
  message       text not null,
  priority      text not null,
  priority_rank smallint not null generated always as
    (case priority when 'critical' then 4 when 'high' then 3 when 'normal' then 2 else 1 end) stored,
  category      text not null,
  action_url    text,
  metadata      jsonb not null,
  created_at    timestamptz not null,
  read_at       timestamptz,
  told_once     text,
  kind          text,
  repeats       integer
);
comment on table notification is 'Messages to users in the application.';
comment on column notification.id is 'identifier of the notification (UUID)';
comment on column notification.user_id is 'the user';
comment on column notification.type is 'investment, earning, withdrawal, deposit, security, system or promotion';
comment on column notification.title is 'one line';
comment on column notification.message is 'the text, in the language of the user at the time';
comment on column notification.priority is 'critical, high, normal or low';
comment on column notification.priority_rank is '4 for critical to 1 for low, to sort by';
comment on column notification.category is 'transaction, portfolio, account or platform';
comment on column notification.action_url is 'path in the application that it leads to';
comment on column notification.metadata is 'fields for clients, such as the event and amounts';
comment on column notification.created_at is 'domain time of the creation';
comment on column notification.read_at is 'domain time at which the user read it';
comment on column notification.told_once is 'prevents that two processes write the same notification';
comment on column notification.kind is 'kind of the event, by which those of ten minutes are collected';
comment on column notification.repeats is 'number of events that this notification reports together; null for one';

create index notification_by_time on notification (user_id, created_at, id);
create index notification_by_priority on notification (user_id, priority_rank, created_at, id);
create index notification_by_type on notification (user_id, type, created_at, id);
create index notification_unread on notification (user_id, created_at, id) include (type, priority) where read_at is null;
create unique index notification_told_once on notification (user_id, told_once) where told_once is not null;

create function check_notification(checked notification) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.type in ('investment', 'earning', 'withdrawal', 'deposit', 'security', 'system', 'promotion'))
      then 'notification_type'
    when not (checked.priority in ('critical', 'high', 'normal', 'low')) then 'notification_priority'
    when not (checked.category in ('transaction', 'portfolio', 'account', 'platform')) then 'notification_category'
    when not (jsonb_typeof(checked.metadata) = 'object') then 'notification_metadata'
  end;
begin
  if violated is not null then perform raise_check_violation('notification', violated); end if;
  return true;
end
$$;
alter table notification add constraint notification_rules check (check_notification(notification));

create table announcement (
  id           uuid primary key,
  type         text not null,
  title        text not null,
  message      text not null,
  audience     text not null,
  created_at   timestamptz not null,
  created_by   text not null,
  recipients   integer not null,
  waiting      uuid[] not null,
  delivered_at timestamptz,
  attempts     integer not null default 0,
  due_at       timestamptz not null default 'epoch',
  constraint announcement_type check (type in ('promotion', 'system')),
  constraint announcement_audience check (audience in ('all', 'investors')),
  constraint announcement_recipients check (recipients >= cardinality(waiting)),
  constraint announcement_delivered check ((delivered_at is null) = (cardinality(waiting) > 0))
);
comment on table announcement is 'A message of an admin that is delivered to users as a notification.';
comment on column announcement.id is 'identifier of the announcement (UUID)';
comment on column announcement.type is 'promotion or system';
comment on column announcement.title is 'one line';
comment on column announcement.message is 'the text';
comment on column announcement.audience is 'all users, or investors';
comment on column announcement.created_at is 'domain time of the creation';
comment on column announcement.created_by is 'e-mail address of the admin';
comment on column announcement.recipients is 'number of users in the audience when it was created';
comment on column announcement.waiting is 'identifiers of the users who have not received it yet, in ascending order';
comment on column announcement.delivered_at is 'domain time at which the last user received it; null before';
comment on column announcement.attempts is 'failed attempts of the present step of the delivery';
comment on column announcement.due_at is 'domain time at which the next step of the delivery may begin';

create index announcement_undelivered on announcement (created_at, id) where delivered_at is null;

create table mail (
  id              uuid primary key,
  user_id         uuid references platform_user on delete cascade,
  recipient       text not null,
  kind            text not null,
  details         jsonb not null,
  status          text not null,
  attempts        integer not null,
  created_at      timestamptz not null,
  due_at          timestamptz not null,
  leased_until    timestamptz,
  settled_at      timestamptz,
  failure         text,
  is_security     boolean not null default false,
  repeats         integer,
  further_details jsonb not null default '[]',
  constraint mail_status check (status in ('waiting', 'sent', 'given-up')),
  constraint mail_settled check ((status = 'waiting') = (settled_at is null)),
  constraint mail_attempts check (attempts >= 0)
);
comment on table mail is 'The outbox of e-mail. The id is in the header Message-ID.';
comment on column mail.id is 'identifier of the mail (UUID)';
comment on column mail.user_id is 'the user; null for an admin';
comment on column mail.recipient is 'the address at the time of the event';
comment on column mail.kind is 'which template';
comment on column mail.details is 'values for the template, without secrets and whole addresses';
comment on column mail.status is 'waiting, sent or given-up';
comment on column mail.attempts is 'attempts so far';
comment on column mail.created_at is 'domain time of the event';
comment on column mail.due_at is 'domain time from which it may be sent';
comment on column mail.leased_until is 'real time until which only the process that attempts it may send it';
comment on column mail.settled_at is 'domain time at which it was sent or given up';
comment on column mail.failure is 'code of the mail server, or kind of fault, of the last attempt';
comment on column mail.is_security is 'mails about security are sent before others';
comment on column mail.repeats is 'number of events of one kind that this mail reports together; null for one';
comment on column mail.further_details is 'details of the events after the first one';

create index mail_of_user on mail (user_id);
create index mail_age on mail (created_at);
-- Mails to admins have no user: each address has its turn.
create index mail_turn on mail (is_security, (coalesce(user_id, md5(recipient)::uuid)), due_at, id) where status = 'waiting';
