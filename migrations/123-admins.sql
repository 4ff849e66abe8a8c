-- Accounts of admins, and changes that one admin requests and another makes. The admins and their permissions come from ADMINS_FILE.

create table admin_account (
  email             text primary key,
  password_hash     text,
  password_set_by   text,
  password_set_at   timestamptz,
  last_login_at     timestamptz,
  password_given_by text,
  password_given_at timestamptz,
  seal              bytea,
  constraint admin_account_email check (email = lower(email)),
  constraint admin_account_password check (num_nulls(password_hash, password_set_by, password_set_at) in (0, 3)),
  constraint admin_account_given check
    (num_nulls(password_given_by, password_given_at) in (0, 2) and password_given_by <> email),
  constraint admin_account_seal check (password_hash is null or seal is not null)
);
comment on table admin_account is 'What the database knows of an admin: the password and the last sign-in. The admins and their roles are in ADMINS_FILE.';
comment on column admin_account.email is 'in lower case; identifies the admin in ADMINS_FILE';
comment on column admin_account.password_hash is 'argon2id; null without a password here; a hash in ADMINS_FILE takes precedence';
comment on column admin_account.password_set_by is 'e-mail address of the admin who set the present password';
comment on column admin_account.password_set_at is 'domain time at which the present password was set';
comment on column admin_account.last_login_at is 'domain time of the latest sign-in';
comment on column admin_account.password_given_by is 'e-mail address of another admin who set the first password; null when the owner has replaced it';
comment on column admin_account.password_given_at is 'domain time at which the first password was given';
comment on column admin_account.seal is 'MAC of the row; null without a password';

create table approval (
  id              uuid primary key,
  kind            text not null,
  subject_type    text not null,
  subject_id      text not null,
  subject_label   text not null,
  change_before   jsonb not null,
  change_after    jsonb not null,
  input           jsonb,
  reason          text,
  status          text not null,
  failure_code    text,
  failure_message text,
  requested_by    text not null,
  requested_at    timestamptz not null,
  expires_at      timestamptz not null,
  decided_by      text,
  decided_at      timestamptz,
  note            text,
  seal            bytea,
  constraint approval_status check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'failed')),
  constraint approval_decided check
    ((status = 'pending') = (decided_at is null) and (status = 'pending') = (input is not null)),
  -- An expired approval has no decider. Nobody decides their own request, except to withdraw it.
  constraint approval_decider check (
    case when status in ('pending', 'expired') then decided_by is null
         when status = 'withdrawn' then decided_by = requested_by
         else decided_by is not null and decided_by <> requested_by end),
  constraint approval_failure check
    ((status = 'failed') = (failure_code is not null) and num_nulls(failure_code, failure_message) in (0, 2)),
  constraint approval_expiry check (expires_at > requested_at),
  constraint approval_seal check (status <> 'pending' or seal is not null),
  constraint approval_kind check (kind in (
    'admin.factor-reset', 'admin.password-set', 'integrity.resume', 'log.continue', 'screening.accept',
    'user.email-change', 'user.factor-reset', 'user.hold-end', 'user.tier-change', 'user.unlock',
    'withdrawal.complete-mismatch', 'withdrawal.reject-paid', 'withdrawal.release', 'yield-report.accept'))
);
comment on table approval is 'Changes that one admin has requested and a second one decides within 72 hours.';
comment on column approval.id is 'identifier of the approval (UUID)';
comment on column approval.kind is 'what is to be changed, such as user.email-change';
comment on column approval.subject_type is 'the kind of record that the change concerns, as in the audit log';
comment on column approval.subject_id is 'identifier of that record';
comment on column approval.subject_label is 'how the record is shown to admins';
comment on column approval.change_before is 'the changed fields at the request, as admins see them';
comment on column approval.change_after is 'the changed fields as requested';
comment on column approval.input is 'what making the change needs; never shown, and removed by the decision';
comment on column approval.reason is 'why it is requested';
comment on column approval.status is 'pending, approved, rejected, withdrawn, expired or failed';
comment on column approval.failure_code is 'the error code with which the approved change failed';
comment on column approval.failure_message is 'the message of that error';
comment on column approval.requested_by is 'e-mail address of the admin who requested it';
comment on column approval.requested_at is 'domain time of the request';
comment on column approval.expires_at is 'domain time after which nobody can decide';
comment on column approval.decided_by is 'e-mail address of the second admin; that of the first one if the request was withdrawn';
comment on column approval.decided_at is 'domain time of the decision';
comment on column approval.note is 'the note of an approval, the reason of a rejection';
comment on column approval.seal is 'MAC of the row while it is pending';

-- One request for a change of a record at a time.
create unique index approval_pending_once on approval (kind, subject_type, subject_id) where status = 'pending';
create index approval_of_status on approval (status, requested_at, id);
create index approval_of_kind on approval (kind, requested_at, id);
create index approval_of_requester on approval (requested_by, requested_at, id);
-- The list: pending ones first, then the newest.
create index approval_listed on approval ((status = 'pending'), requested_at, id);
create index approval_due on approval (expires_at) where status = 'pending';

-- A decided approval and the request of a pending one do not change.
create trigger approval_unchanged before update on approval
  for each row when (
    old.status <> 'pending'
    or (old.id, old.kind, old.subject_type, old.subject_id, old.subject_label, old.change_before, old.change_after, old.reason,
        old.requested_by, old.requested_at, old.expires_at)
       is distinct from
       (new.id, new.kind, new.subject_type, new.subject_id, new.subject_label, new.change_before, new.change_after, new.reason,
        new.requested_by, new.requested_at, new.expires_at)
    or (new.status = 'pending' and new.input is distinct from old.input))
  execute function refuse_change();
create trigger approval_kept before delete or truncate on approval for each statement execute function refuse_change();

-- Records of other modules that wait for a second admin, in the columns of the approvals list. The modules treasury,
-- reconciliation and withdrawals own the tables; an amount is given where a setting decides whether a second admin is needed.
create view record_waiting_for_approval as
  select id, 'transaction' as kind, 'transaction' as subject_type, type || ' of ' || api_amount(amount) || ' ' || currency as subject_label,
         jsonb_build_object('type', type, 'amount', api_amount(amount), 'currency', currency, 'userId', user_id) as change_after,
         description as reason, created_by as requested_by, created_at as requested_at, null::numeric as amount,
         null::text as tier, null::text as recorded_tier
    from admin_transaction where status = 'pending'
  union all
  select id, 'break', 'reconciliation-break', resolution, jsonb_build_object('resolution', resolution),
         note, proposed_by, proposed_at, null::numeric, null, null
    from reconciliation_line where status = 'proposed'
  union all
  select w.id, 'withdrawal', 'withdrawal', api_amount(w.amount) || ' ' || w.currency || ' to ' || w.to_address,
         jsonb_build_object('amount', api_amount(w.amount), 'currency', w.currency, 'toAddress', w.to_address, 'userId', w.user_id),
         null::text, u.email, w.created_at, w.amount, u.tier,
         (select tier from user_account_change where user_id = u.id order by id desc limit 1)
    from withdrawal as w join platform_user as u on u.id = w.user_id
   where w.status = 'pending' and (w.platform_held_at is null or w.platform_released_at is not null);
comment on view record_waiting_for_approval is 'Records of other modules that wait for a second admin, in the columns of the list of approvals.';
comment on column record_waiting_for_approval.id is 'identifier of the record';
comment on column record_waiting_for_approval.kind is 'transaction, break or withdrawal';
comment on column record_waiting_for_approval.subject_type is 'kind of the record, as in the audit log';
comment on column record_waiting_for_approval.subject_label is 'how the record is shown';
comment on column record_waiting_for_approval.change_after is 'the fields as requested';
comment on column record_waiting_for_approval.reason is 'why it is requested';
comment on column record_waiting_for_approval.requested_by is 'e-mail address of who requested it';
comment on column record_waiting_for_approval.requested_at is 'domain time of the request';
comment on column record_waiting_for_approval.amount is 'of a withdrawal, to compare with the threshold of its tier';
comment on column record_waiting_for_approval.tier is 'tier of the user by platform_user';
comment on column record_waiting_for_approval.recorded_tier is 'tier of the user by the newest user_account_change';
