-- Compliance screening of users and of the addresses that withdrawals go to. All times here are real time.

create table screening_verdict (
  id            bigint generated always as identity primary key,
  subject       text not null,
  user_id       uuid references platform_user on delete cascade,
  verdict       text not null,
  risk_score    numeric not null,
  lists         text[] not null,
  reference     text not null,
  screened_at   timestamptz not null,
  outdated      boolean not null,
  accepted_at   timestamptz,
  accepted_by   text,
  accept_reason text,
  seal          bytea not null,
  constraint screening_verdict_subject check
    (case when user_id is null then subject ~ '^address:0x[0-9a-f]{40}$' else subject = 'user:' || user_id::text end),
  constraint screening_verdict_verdict check (verdict in ('clear', 'review', 'blocked')),
  constraint screening_verdict_risk_score check (risk_score >= 0),
  constraint screening_verdict_accepted check
    (num_nonnulls(accepted_at, accepted_by, accept_reason) in (0, 3)
     and (accepted_at is null or (verdict = 'review' and user_id is not null)))
);
comment on table screening_verdict is 'Answers of the screening provider. The newest of a subject applies, for SCREENING_VALID_HOURS.';
comment on column screening_verdict.id is 'number in the order of insertion';
comment on column screening_verdict.subject is 'user:<id>, or address:<address in lower case>';
comment on column screening_verdict.user_id is 'the user; null for an address';
comment on column screening_verdict.verdict is 'clear, review or blocked';
comment on column screening_verdict.risk_score is 'the provider''s, from 0';
comment on column screening_verdict.lists is 'the lists on which the subject was found';
comment on column screening_verdict.reference is 'identifier at the provider';
comment on column screening_verdict.screened_at is 'real time of the answer';
comment on column screening_verdict.outdated is 'the verdict is about an earlier e-mail address of the user';
comment on column screening_verdict.accepted_at is 'real time at which an admin accepted the user''s review until the next verdict';
comment on column screening_verdict.accepted_by is 'e-mail address of that admin';
comment on column screening_verdict.accept_reason is 'why it was accepted';
comment on column screening_verdict.seal is 'MAC of the row under TOKEN_HASH_KEY, without which it counts for nothing';

create index screening_verdict_newest on screening_verdict (subject, id desc);
create index screening_verdict_for_review on screening_verdict (subject, id)
  where verdict = 'review' and accepted_at is null and not outdated;
-- The newest verdict of a user, the users who have a current one, and those in review or blocked, who are few.
create index screening_verdict_newest_of_user on screening_verdict (user_id, id) where user_id is not null;
create index screening_verdict_current on screening_verdict (user_id) where user_id is not null and not outdated;
create index screening_verdict_of_concern on screening_verdict (verdict, user_id) where verdict <> 'clear' and user_id is not null;

-- A verdict on a former e-mail address stays one, and no verdict takes the place of a newer one.
create trigger screening_verdict_kept before update on screening_verdict
  for each row execute function refuse_change('id', 'subject', 'user_id');
create trigger screening_verdict_outdated before update on screening_verdict
  for each row when (old.outdated and not new.outdated) execute function refuse_change();
create trigger screening_verdict_permanent before truncate on screening_verdict
  for each statement execute function refuse_change();

-- The erasure of a user deletes the verdicts on the user, after the user.
create function refuse_verdict_deletion() returns trigger language plpgsql as $$
begin
  if old.user_id is null or exists (select from platform_user where id = old.user_id) then
    raise exception '%: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
  end if;
  return old;
end
$$ set search_path = public, pg_temp;
create trigger screening_verdict_deleted before delete on screening_verdict
  for each row execute function refuse_verdict_deletion();

create table screening_question (
  subject      text primary key,
  user_id      uuid references platform_user on delete cascade,
  due_at       timestamptz not null,
  attempts     integer not null default 0,
  holder       uuid,
  asking_until timestamptz,
  constraint screening_question_subject check
    (case when user_id is null then subject ~ '^address:0x[0-9a-f]{40}$' else subject = 'user:' || user_id::text end),
  constraint screening_question_lease check ((holder is null) = (asking_until is null))
);
comment on table screening_question is 'Subjects that wait for a verdict. The answer deletes the row.';
comment on column screening_question.subject is 'user:<id>, or address:<address in lower case>';
comment on column screening_question.user_id is 'the user; null for an address';
comment on column screening_question.due_at is 'real time at which the provider may be asked';
comment on column screening_question.attempts is 'failed attempts';
comment on column screening_question.holder is 'the process that asks';
comment on column screening_question.asking_until is 'real time at which its lease ends';

create index screening_question_due on screening_question (due_at, subject);
create index screening_question_of_user on screening_question (user_id) where user_id is not null;

create table screening_acceptance (
  withdrawal_id uuid not null references withdrawal,
  subject       text not null,
  reference     text not null,
  reason        text not null,
  accepted_at   timestamptz not null,
  accepted_by   text not null,
  primary key (withdrawal_id, subject)
);
comment on table screening_acceptance is 'A screening result review that an admin accepted for one withdrawal.';
comment on column screening_acceptance.withdrawal_id is 'the withdrawal';
comment on column screening_acceptance.subject is 'user:<id>, or address:<address in lower case>';
comment on column screening_acceptance.reference is 'reference of the accepted verdict at the provider';
comment on column screening_acceptance.reason is 'why it was accepted';
comment on column screening_acceptance.accepted_at is 'domain time';
comment on column screening_acceptance.accepted_by is 'e-mail address of the admin';

create trigger screening_acceptance_kept before update or delete or truncate on screening_acceptance
  for each statement execute function refuse_change();

-- Every new user is queued for screening, however the account was created. Rows wait while no provider is configured. The account of an
-- admin is screened when it becomes a user's.
create function screening_request() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  values ('user:' || new.id::text, new.id, clock_timestamp())
      on conflict (subject) do nothing;
  return null;
end
$$;
create trigger platform_user_screening after insert on platform_user
  for each row when (not new.is_admin) execute function screening_request();
create trigger platform_user_no_admin_any_more after update of is_admin on platform_user
  for each row when (old.is_admin and not new.is_admin) execute function screening_request();

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
