-- Compliance screening of users and of the addresses that withdrawals go to. All times here are real time.

-- Answers of the provider. The newest verdict of a subject applies, for as long as SCREENING_VALID_HOURS says.
create table screening_verdict (
  id            bigint generated always as identity primary key,
  subject       text not null, -- user:<id>, or address:<address in lower case>
  user_id       uuid references platform_user on delete cascade,
  verdict       text not null,
  risk_score    numeric not null,
  lists         text[] not null,
  reference     text not null, -- the provider's
  screened_at   timestamptz not null,
  outdated      boolean not null, -- the verdict is about an earlier e-mail address of the user
  accepted_at   timestamptz,      -- an admin accepted the user's `review` until the next verdict
  accepted_by   text,
  accept_reason text,
  constraint screening_verdict_subject check
    (case when user_id is null then subject ~ '^address:0x[0-9a-f]{40}$' else subject = 'user:' || user_id::text end),
  constraint screening_verdict_verdict check (verdict in ('clear', 'review', 'blocked')),
  constraint screening_verdict_risk_score check (risk_score >= 0),
  constraint screening_verdict_accepted check
    (num_nonnulls(accepted_at, accepted_by, accept_reason) in (0, 3)
     and (accepted_at is null or (verdict = 'review' and user_id is not null)))
);
create index screening_verdict_newest on screening_verdict (subject, id desc);
create index screening_verdict_of_user on screening_verdict (user_id) where user_id is not null;

-- Subjects that wait for a verdict, and the process that is asking the provider. The answer deletes the row.
create table screening_question (
  subject      text primary key,
  user_id      uuid references platform_user on delete cascade,
  due_at       timestamptz not null,
  attempts     integer not null default 0, -- failed attempts
  holder       uuid,                       -- the process that asks
  asking_until timestamptz,                -- its lease
  constraint screening_question_subject check
    (case when user_id is null then subject ~ '^address:0x[0-9a-f]{40}$' else subject = 'user:' || user_id::text end),
  constraint screening_question_lease check ((holder is null) = (asking_until is null))
);
create index screening_question_due on screening_question (due_at, subject);
create index screening_question_of_user on screening_question (user_id) where user_id is not null;

-- A `review` that an admin accepted for one withdrawal, for the user or for the address.
create table screening_acceptance (
  withdrawal_id uuid not null references withdrawal,
  subject       text not null,
  reference     text not null, -- the provider's, of the accepted verdict
  reason        text not null,
  accepted_at   timestamptz not null,
  accepted_by   text not null,
  primary key (withdrawal_id, subject)
);

-- Every new user is queued for screening, however the account was created. Rows wait while no provider is configured.
create function screening_request_for_new_users() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  select 'user:' || id::text, id, clock_timestamp() from added
      on conflict (subject) do nothing;
  return null;
end
$$;
create trigger platform_user_screening after insert on platform_user
  referencing new table as added for each statement execute function screening_request_for_new_users();

-- A changed e-mail address invalidates the user's verdicts and queues the user again. The address of an erased user is a
-- placeholder and is not screened.
create function screening_request_after_email_change() returns trigger language plpgsql as $$
begin
  update screening_verdict set outdated = true where user_id = new.id and not outdated;
  if new.email not like 'erased-%@erased.invalid' then
    insert into screening_question (subject, user_id, due_at)
    values ('user:' || new.id::text, new.id, clock_timestamp())
        on conflict (subject) do update set due_at = excluded.due_at, attempts = 0;
  end if;
  return null;
end
$$;
create trigger platform_user_email_changed after update of email on platform_user
  for each row when (old.email is distinct from new.email) execute function screening_request_after_email_change();
