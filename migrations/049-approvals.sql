-- Approvals: changes that one admin requests and another makes. Passwords of admins that another admin has set. How a
-- session was opened.

set local lock_timeout = '10s'; -- as in 036
-- All tables that this migration and the next ones alter, in the order in which requests write them (036).
lock table admin_transaction, yield_report, withdrawal, platform_user, alert, mail, session, refresh_token, admin_account
  in access exclusive mode;

create table approval (
  id              uuid primary key,
  kind            text not null,
  subject_type    text not null,  -- the record that the change concerns, as in the audit log
  subject_id      text not null,
  subject_label   text not null,
  change_before   jsonb not null, -- the fields as they are shown to the admins, and as they were at the request
  change_after    jsonb not null,
  input           jsonb,          -- what making the change needs; never shown, and removed by the decision
  reason          text,
  status          text not null,
  failure_code    text,
  failure_message text,
  requested_by    text not null,  -- an admin's e-mail address, as decided_by
  requested_at    timestamptz not null, -- domain time, as the other times
  expires_at      timestamptz not null,
  decided_by      text,
  decided_at      timestamptz,
  note            text,           -- the note of an approval, the reason of a rejection
  constraint approval_kind check (kind in (
    'admin.password-set', 'integrity.resume', 'log.continue', 'screening.accept', 'user.email-change', 'user.hold-end',
    'withdrawal.complete-mismatch', 'withdrawal.reject-paid', 'yield-report.accept')),
  constraint approval_status check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'failed')),
  constraint approval_decided check ((status = 'pending') = (decided_at is null) and (status = 'pending') = (input is not null)),
  -- An expired approval has no decider. Nobody decides their own request, except to withdraw it.
  constraint approval_decider check (
    case when status in ('pending', 'expired') then decided_by is null
         when status = 'withdrawn' then decided_by = requested_by
         else decided_by is not null and decided_by <> requested_by end),
  constraint approval_failure check ((status = 'failed') = (failure_code is not null) and num_nulls(failure_code, failure_message) in (0, 2)),
  constraint approval_expiry check (expires_at > requested_at)
);
-- One request for a change of a record at a time.
create unique index approval_pending_once on approval (kind, subject_type, subject_id) where status = 'pending';
create index approval_of_status on approval (status, requested_at, id);
create index approval_of_kind on approval (kind, requested_at, id);
create index approval_of_requester on approval (requested_by, requested_at, id);
-- The list: pending ones first, then the newest.
create index approval_listed on approval ((status = 'pending'), requested_at, id);
create index approval_due on approval (expires_at) where status = 'pending';

create function approval_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'approval: % is refused: approvals are kept', tg_op using errcode = 'restrict_violation';
  end if;
  if old.status <> 'pending' then
    raise exception 'approval: the approval % is decided', old.id using errcode = 'restrict_violation';
  end if;
  if (old.id, old.kind, old.subject_type, old.subject_id, old.subject_label, old.change_before, old.change_after,
      old.reason, old.requested_by, old.requested_at, old.expires_at)
     is distinct from
     (new.id, new.kind, new.subject_type, new.subject_id, new.subject_label, new.change_before, new.change_after,
      new.reason, new.requested_by, new.requested_at, new.expires_at)
     or (new.status = 'pending' and new.input is distinct from old.input) then
    raise exception 'approval: the request of the approval % does not change', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger approval_unchanged before update or delete on approval
  for each row execute function approval_refuse_change();
create trigger approval_kept before truncate on approval for each statement execute function approval_refuse_change();

-- An amount as the API shows it, with two decimals at least.
create function wire_amount(amount numeric) returns text language sql immutable as $$
  select round(amount, greatest(2, scale(trim_scale(amount))))::text
$$;

-- Records of other modules that wait for a second admin, in the columns of the approvals list. The modules treasury,
-- reconciliation and withdrawals own the tables; an amount is given where a setting decides whether a second admin is needed.
create view record_waiting_for_approval as
  select id, 'transaction' as kind, 'transaction' as subject_type, type || ' of ' || wire_amount(amount) || ' ' || currency as subject_label,
         jsonb_build_object('type', type, 'amount', wire_amount(amount), 'currency', currency, 'userId', user_id) as change_after,
         description as reason, created_by as requested_by, created_at as requested_at, null::numeric as amount
    from admin_transaction where status = 'pending'
  union all
  select id, 'break', 'reconciliation-break', resolution, jsonb_build_object('resolution', resolution),
         note, proposed_by, proposed_at, null::numeric
    from reconciliation_line where status = 'proposed'
  union all
  select w.id, 'withdrawal', 'withdrawal', wire_amount(w.amount) || ' ' || w.currency || ' to ' || w.to_address,
         jsonb_build_object('amount', wire_amount(w.amount), 'currency', w.currency, 'toAddress', w.to_address, 'userId', w.user_id),
         null::text, u.email, w.created_at, w.amount
    from withdrawal as w join platform_user as u on u.id = w.user_id where w.status = 'pending';

create index reconciliation_line_proposed on reconciliation_line (proposed_at, id) where status = 'proposed';

-- The admin who has set the first password of another one, and when; the owner's own password replaces it.
alter table admin_account add column password_given_by text, add column password_given_at timestamptz;
update admin_account set password_given_by = password_set_by, password_given_at = password_set_at where password_set_by <> email;
alter table admin_account add constraint admin_account_given
  check (num_nulls(password_given_by, password_given_at) in (0, 2) and password_given_by <> email);

-- Mail to admins, who are not users.
alter table mail alter column user_id drop not null;

-- Null for sessions that an earlier version has opened.
alter table session add column opened_by text;
alter table session add constraint session_opened_by check (opened_by in ('identity-provider', 'password', 'wallet'));
alter table refresh_token add column opened_by text;
alter table refresh_token add constraint refresh_token_opened_by check (opened_by in ('identity-provider', 'password', 'wallet'));
