-- Compliance screening of users and of addresses that withdrawals go to. All times here are real time.

-- What the provider answered. The newest verdict of a subject counts, for as long as SCREENING_VALID_HOURS says.
create table screening_verdict (
  id            bigint generated always as identity primary key,
  subject       text not null, -- user:<id>, or address:<address in lower case>
  user_id       uuid references platform_user on delete cascade,
  verdict       text not null,
  risk_score    numeric not null,
  lists         text[] not null,
  reference     text not null, -- the provider's
  screened_at   timestamptz not null,
  outdated      boolean not null, -- given for another e-mail address than the user has now
  accepted_at   timestamptz,      -- of a user's review: an admin lets it pass until the next verdict
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

-- Subjects that the provider has not answered for yet, and which process is asking now. A row goes with the answer.
create table screening_question (
  subject      text primary key,
  user_id      uuid references platform_user on delete cascade,
  due_at       timestamptz not null,
  attempts     integer not null default 0, -- failed ones
  holder       uuid,                       -- the process that asks
  asking_until timestamptz,                -- its lease
  constraint screening_question_subject check
    (case when user_id is null then subject ~ '^address:0x[0-9a-f]{40}$' else subject = 'user:' || user_id::text end),
  constraint screening_question_lease check ((holder is null) = (asking_until is null))
);
create index screening_question_due on screening_question (due_at, subject);
create index screening_question_of_user on screening_question (user_id) where user_id is not null;

-- A review that an admin accepted for one withdrawal, for the user or for the address.
create table screening_acceptance (
  withdrawal_id uuid not null references withdrawal,
  subject       text not null,
  reference     text not null, -- the provider's, of the verdict that was accepted
  reason        text not null,
  accepted_at   timestamptz not null,
  accepted_by   text not null,
  primary key (withdrawal_id, subject)
);

-- Every account is screened after it was made, whoever made it. Rows wait here while no provider is configured.
create function ask_for_screening() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  select 'user:' || id::text, id, clock_timestamp() from added
      on conflict (subject) do nothing;
  return null;
end
$$;
create trigger platform_user_to_screen after insert on platform_user
  referencing new table as added for each statement execute function ask_for_screening();
insert into screening_question (subject, user_id, due_at)
select 'user:' || id::text, id, clock_timestamp() from platform_user;

-- A verdict on another e-mail address says nothing of this one. An erased user's address is nobody's.
create function screen_again() returns trigger language plpgsql as $$
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
  for each row when (old.email is distinct from new.email) execute function screen_again();
