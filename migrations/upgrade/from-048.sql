-- Leads a database of the former numbered migrations, from 048 on, to the schema of 101 to 125 (src/database/upgrade.ts). Each section is one
-- of those files, of which a database applies those that it has not applied yet; numbers in comments are theirs. The last section is
-- what the schema of 101 to 125 changes. All comments of tables, views and columns are applied afterwards.

-- == 049-approvals

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

-- == 050-payments-the-chain-refutes

-- Payments that the chain refutes: alerts, filters by the chain check, and their count for the metrics.

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit'));

-- The admins' lists and the metrics. The mismatches of withdrawals are few; most of their completed rows are matched.
create index withdrawal_mismatch on withdrawal (created_at, id) where chain_check = 'mismatch';
create index admin_transaction_by_chain_check on admin_transaction (chain_check, created_at, id) where chain_check is not null;

-- As in 025, with the chain check as a further facet.
create or replace function list_total_row(listed withdrawal) returns setof list_total_delta language sql stable as $$
  select 'withdrawal', array[listed.status, listed.chain_check], utc_day(listed.created_at), amount_band(listed.amount, 3),
         1::bigint, listed.amount, extract(epoch from listed.created_at),
         coalesce(extract(epoch from listed.completed_at - listed.created_at), 0), 0::numeric, 0::numeric, 0::numeric
$$;
create or replace function list_total_row(listed admin_transaction) returns setof list_total_delta language sql stable as $$
  select 'transaction', array[listed.status, listed.type, listed.chain_check], null::date, null::numeric,
         1::bigint, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
$$;

drop trigger withdrawal_list_totals on withdrawal;
create trigger withdrawal_list_totals
  after insert or delete or update of status, amount, created_at, completed_at, chain_check on withdrawal
  for each row execute function track_list_totals();
drop trigger admin_transaction_list_totals on admin_transaction;
create trigger admin_transaction_list_totals
  after insert or delete or update of status, type, chain_check on admin_transaction
  for each row execute function track_list_totals();

select rebuild_list_totals();

-- == 051-security-holds

-- Security holds of users, and the subjects (claim `sub`) with which the identity provider has identified them.

set local lock_timeout = '10s'; -- as in 036
alter table platform_user
  add column hold_until timestamptz, -- domain time; a hold that has ended stays until the next one
  add column hold_reason text,       -- one of HOLD_REASONS in src/modules/users/users.types.ts
  add constraint platform_user_hold_reason check (hold_reason in ('new-identity', 'email-changed')),
  add constraint platform_user_hold check ((hold_until is null) = (hold_reason is null));

create table user_identity (
  user_id       uuid not null references platform_user on delete cascade,
  subject       text not null, -- empty for tokens without the claim
  first_seen_at timestamptz not null,
  primary key (user_id, subject),
  constraint user_identity_subject check (length(subject) <= 255)
);

-- As `lock_user_status` (035), with the hold, which cannot change before the transaction ends either.
create function lock_user_account(p_user_id uuid) returns json language sql volatile as $$
  select json_build_object('status', status, 'holdUntil', hold_until, 'holdReason', hold_reason)
    from platform_user where id = p_user_id for share
$$;

-- `read_together` (035) with the branch 'lock_user_account' and the settings of 038.
create or replace function read_together(reads jsonb) returns json language plpgsql volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  item jsonb;
  claim record;
  answer json;
  answers json[] := '{}';
begin
  for place in 0 .. jsonb_array_length(reads) - 1 loop
    item := reads -> place;
    case item ->> 0
      when 'claim_idempotency_key' then
        claim := idempotency_claim(item ->> 1, item ->> 2, item ->> 3, item ->> 4, (item ->> 5)::timestamptz);
        answers := array_append(answers, json_build_object('isOurs', claim.is_ours, 'status', claim.status,
          'fingerprint', encode(claim.fingerprint, 'hex'), 'answer', claim.answer));
        exit when not claim.is_ours or claim.fingerprint is not null;
        continue;
      when 'lock_user_status' then answer := to_json(lock_user_status((item ->> 1)::uuid));
      when 'lock_user_account' then answer := lock_user_account((item ->> 1)::uuid);
      when 'lock_nav_day_shared' then answer := lock_nav_day_shared(item ->> 1);
      when 'lock_available_balance' then answer := to_json(lock_available_balance((item ->> 1)::uuid, item ->> 2));
      when 'investment_with_key' then answer := to_json(investment_with_key((item ->> 1)::uuid, (item ->> 2)::uuid));
      when 'lock_investment' then answer := lock_investment((item ->> 1)::uuid);
      when 'is_evm_deposit_address' then answer := to_json(is_evm_deposit_address(item ->> 1));
      when 'withdrawals_are_paused' then answer := to_json(withdrawals_are_paused());
      when 'used_withdrawal_limit' then
        answer := to_json((select used from used_withdrawal_limit((item ->> 1)::uuid, (item ->> 2)::timestamptz))::text);
      when 'lock_withdrawal' then answer := lock_withdrawal((item ->> 1)::uuid);
      when 'lock_status_of_withdrawal_user' then
        answer := to_json(lock_status_of_withdrawal_user((item ->> 1)::uuid));
      when 'withdrawal_owner' then answer := withdrawal_owner((item ->> 1)::uuid);
      when 'transaction_hash_holder' then answer := transaction_hash_holder(item -> 1);
      when 'matched_payments_as' then answer := to_json(matched_payments_as((item ->> 1)::uuid, item ->> 2));
    end case;
    answers := array_append(answers, answer);
  end loop;
  return array_to_json(answers);
end
$$;

-- == 052-security-mail

-- Mail about security is sent before other mail, and users' devices are known together with the networks that they sign in from.

-- Not null with a default: processes of the previous version insert and claim mails without it.
alter table mail add column is_security boolean not null default false;
update mail set is_security = true where kind <> 'deposit.completed';

drop index mail_due;
create index mail_due on mail (is_security, due_at, id) where status = 'waiting';

-- Replaces the function of 035: stores is_security, and compares the recipient instead of the user's present address with the
-- address of an erased user, so that a mail to a former address is not dropped because of the new one.
create or replace function insert_mails(rows jsonb) returns void language sql volatile as $$
  insert into mail (id, user_id, recipient, kind, details, status, attempts, created_at, due_at, is_security)
  select given.id, person.id, coalesce(given.recipient, person.email), given.kind, given.details, 'waiting', 0, given.at,
         given.at, given.is_security
    from jsonb_to_recordset(rows)
           as given(id uuid, user_id uuid, recipient text, kind text, details jsonb, is_security boolean, at timestamptz)
    join platform_user as person on person.id = given.user_id
   where (given.is_security or person.notify_email)
     and coalesce(given.recipient, person.email) <> 'erased-' || person.id || '@erased.invalid'
$$;

-- The networks from which a user has signed in with a device. A device without any is from an earlier version.
create table known_network (
  user_id      uuid not null,
  device       bytea not null,
  network      bytea not null, -- SHA-256 of the user's id and the /24 (IPv4) or /48 (IPv6) prefix
  last_seen_at timestamptz not null,
  primary key (user_id, device, network),
  foreign key (user_id, device) references known_device on delete cascade,
  constraint known_network_hash_length check (length(network) = 32)
);

-- == 053-proposed-wallets

-- Ends the links of wallets that admins named when they created users. No owner of these wallets has signed: each could sign in
-- to the account of somebody else, or be kept from its owner. The entries of the audit log name them. A link that was made
-- after the entry is signed and stays; a signature for a wallet that was linked already left no trace, so that link ends, too.

set local lock_timeout = '10s'; -- as in 036

with ended as (
  update wallet set unlinked_at = now()
    from audit_entry as creation
   where creation.action = 'user.create' and creation.subject_type = 'user' and creation.subject_id = wallet.user_id::text
     and lower(creation.after ->> 'walletAddress') = lower(wallet.address)
     and wallet.created_at <= creation.at and wallet.unlinked_at is null
  returning wallet.id, wallet.user_id, wallet.address
), family as (
  select family_id from session where wallet_id in (select id from ended)
  union select family_id from refresh_token where wallet_id in (select id from ended)
), revoked_tokens as (
  update refresh_token set revoked_at = now(), successor = null
   where family_id in (select family_id from family) and revoked_at is null
), revoked_sessions as (
  update session set revoked_at = now()
   where family_id in (select family_id from family) and revoked_at is null
), audited as (
  insert into audit_entry (id, at, actor, action, subject_type, subject_id, reason, before, after)
  select gen_random_uuid(), now(), 'system', 'wallet.unlink', 'user', user_id::text,
         'An admin had named the wallet, and no signature had linked it',
         jsonb_build_object('walletId', id, 'address', address), jsonb_build_object('walletId', id, 'unlinked', true)
    from ended
)
insert into notification (id, user_id, type, title, message, priority, category, action_url, metadata, created_at)
select gen_random_uuid(), user_id, 'security', 'Wallet unlinked',
       'The wallet ' || address || ' cannot sign in to your account any more, because it was linked without your signature. '
         || 'Its sessions have ended. If it is your wallet, link it again.',
       'high', 'account', '/settings/security', '{"event": "security.wallet-unlinked"}', now()
  from ended;

-- == 054-realised-amounts

-- Yield reports also wait for an admin if their realised amount is not what the invested value explains.
alter table yield_report
  add column waiting_for     text[] not null default '{}', -- what an admin decides or has decided about
  add column expected_amount numeric,                      -- at the reported rate; null without a stated amount
  add constraint yield_report_waiting_for check (waiting_for <@ array['rate', 'realisedAmount']),
  add constraint yield_report_expected check (expected_amount >= 0 and scale(expected_amount) <= 6);

update yield_report set waiting_for = '{rate}' where state = 'waiting' or decided_at is not null;

-- == 055-idempotency-claims

-- Locks an idempotency key until the transaction ends. Fails without waiting, so that PostgreSQL refuses all later statements of the
-- transaction: on idempotency_key_in_progress while another transaction holds the lock, and on idempotency_key_used if a result
-- was stored after p_after. The result is read in a statement after the lock, so that it sees what the previous holder committed.
create function claim_idempotency_key(p_caller text, p_route text, p_key text, p_after timestamptz) returns void
language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'idempotency:' || p_caller, p_route, p_key), 0)) then
    raise exception 'a request with this idempotency key is in progress' using constraint = 'idempotency_key_in_progress';
  end if;
  if exists (select from idempotency_result
              where caller = p_caller and route = p_route and key = p_key and created_at > p_after) then
    raise exception 'this idempotency key has a stored response' using constraint = 'idempotency_key_used';
  end if;
end
$$;

-- == 056-calls-one-by-one

-- Drops the functions that locked, read and wrote for several modules in one call (035 and its successors): transactions send
-- these statements one by one. Version 1.0.0 does not call them.

drop function read_together(jsonb);
drop function write_together(jsonb);

drop function investment_with_key(uuid, uuid);
drop function is_evm_deposit_address(text);
drop function lock_available_balance(uuid, text);
drop function lock_investment(uuid);
drop function lock_nav_day_shared(text);
drop function lock_status_of_withdrawal_user(uuid);
drop function lock_user_account(uuid);
drop function lock_user_status(uuid);
drop function lock_withdrawal(uuid);
drop function matched_payments_as(uuid, text);
drop function transaction_hash_holder(jsonb);
drop function used_withdrawal_limit(uuid, timestamptz);
drop function withdrawal_owner(uuid);
drop function withdrawals_are_paused();
drop function with_text_numbers(jsonb);

drop function insert_audit_entries(jsonb);
drop function insert_investments(jsonb);
drop function insert_live_events(jsonb);
drop function insert_mails(jsonb);
drop function insert_notifications(jsonb);
drop function insert_user_transactions(jsonb);
drop function insert_webhook_deliveries(jsonb);
drop function insert_withdrawals(jsonb);
drop function settle_alerts(jsonb);
drop function store_idempotency_results(jsonb);
drop function update_investments(jsonb);
drop function update_mined_transactions(jsonb);
drop function update_withdrawals(jsonb);
drop function upsert_user_transactions(jsonb);

-- == 057-domain-events

-- One row for each domain event. Its readers (notifications, mails, webhooks, live delivery, totals) read it after the commit, in
-- the order of the numbers.

create sequence domain_event_number cache 1;

-- A transaction has its id before it draws a number. So every transaction with a number up to a certain one has ended, when
-- those below an id that is assigned later have ended.
create function next_domain_event_number() returns bigint language plpgsql volatile as $$
begin
  perform pg_current_xact_id();
  return nextval('domain_event_number');
end
$$;

create table domain_event (
  -- Drawn immediately before the commit, when the transaction holds its locks: two events about the same money are numbered in
  -- the order of their transactions.
  number       bigint primary key default next_domain_event_number(),
  id           uuid not null,
  type         text not null,
  at           timestamptz not null, -- domain time
  user_id      uuid,
  subject_type text,
  subject_id   text,
  data         jsonb not null,
  balance      json, -- of the user after the transaction, if the transaction changed it
  written_at   timestamptz not null default clock_timestamp(),
  constraint domain_event_data check (jsonb_typeof(data) = 'object'),
  constraint domain_event_balance check (balance is null or user_id is not null)
);
alter sequence domain_event_number owned by domain_event.number;
create unique index domain_event_by_id on domain_event (id);
create index domain_event_of_user on domain_event (user_id, number) where user_id is not null;

create function domain_event_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'an event is never changed' using errcode = 'restrict_violation';
end
$$;
create trigger domain_event_kept before update on domain_event
  for each statement execute function domain_event_refuse_change();

-- How far each consumer has read: it moves in the transaction that writes what follows from the events.
create table event_consumer (
  name     text primary key,
  number   bigint not null,
  moved_at timestamptz not null default clock_timestamp()
);

-- Events that a consumer could not handle, and has passed over.
create table event_failure (
  consumer     text not null references event_consumer,
  event_number bigint not null,
  event_id     uuid not null,
  error        text not null,
  failed_at    timestamptz not null default clock_timestamp(),
  primary key (consumer, event_number)
);

alter table live_event drop constraint live_event_rules;
drop function check_live_event(live_event);
drop table live_event;
drop function live_event_number();
drop function live_balance(uuid);

-- The balance of a user as GET /api/user/balance answers it after this transaction. Two transactions can change different accounts
-- of a user without waiting for each other. The lock lets one commit before the other one reads: volatile, so that the select
-- sees what was committed while the lock was waited for.
create function user_balance(user_id uuid) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('user-balance:' || user_id, 0));
  return (
    select format('{"total":"%s","available":"%s","invested":"%s","reserved":"%s"}', live_amount(available + invested),
                  live_amount(available), live_amount(invested), live_amount(reserved))::json
      from (select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
                   coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
                   coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved
              from ledger_account where owner_id = user_id and asset = 'USDC') as funds);
end
$$;

-- Notifications of one kind and user within ten minutes: the first one has no `repeats`, the others are one with their number.
alter table notification add column kind text, add column repeats integer;
-- The same of mails: the mail of the others lists the details of each, and is due when the ten minutes are over.
alter table mail add column repeats integer, add column further_details jsonb not null default '[]';

-- == 058-turns-of-users

-- Users take turns in the queues of webhook deliveries and mails; announcements are claimed as the items of the other queues; a
-- webhook can be disabled because too many deliveries wait.

set local lock_timeout = '10s'; -- as in 036

-- The user of the subscription, of deliveries that wait. Those of processes of the previous version get it from the trigger.
alter table webhook_delivery add column user_id uuid;
update webhook_delivery set user_id = subscription.user_id from webhook_subscription as subscription
 where subscription.id = subscription_id and webhook_delivery.status = 'pending';
create function set_webhook_delivery_user() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from webhook_subscription where id = new.subscription_id);
  return new;
end
$$;
create trigger webhook_delivery_user before insert or update of status on webhook_delivery
  for each row when (new.user_id is null and new.status = 'pending') execute function set_webhook_delivery_user();
alter table webhook_delivery
  add constraint webhook_delivery_user check (status <> 'pending' or user_id is not null);

-- From user to user, and from webhook to webhook of a user.
create index webhook_delivery_turn on webhook_delivery (user_id, subscription_id, due_at, id) where status = 'pending';
drop index webhook_delivery_due;

-- Mails to admins have no user: each address has its turn.
create index mail_turn on mail (is_security, (coalesce(user_id, md5(recipient)::uuid)), due_at, id) where status = 'waiting';
drop index mail_due;

-- Due at once, also those that processes of the previous version insert.
alter table announcement
  add column attempts integer not null default 0,
  add column due_at timestamptz not null default 'epoch';

alter table webhook_subscription
  drop constraint webhook_subscription_reason,
  add constraint webhook_subscription_reason check (disabled_reason in ('user', 'gone', 'failing', 'email-changed', 'backlog'));

-- == 059-sums-from-rows

-- Totals of lists and of reports as sums by hour and by day that a job recomputes from the rows, instead of changes that
-- triggers append and a job compacts. A write marks the hours of the records that it changes; most marks come from a consumer
-- of domain events, so that a request that moves money writes nothing for totals. src/lists and src/modules/reports have the
-- statements.

-- As in 036: in the order in which requests use the tables, so that a request waits and does not deadlock.
set local lock_timeout = '10s';
lock table webhook_event, transaction_request, admin_transaction, yield_report, faucet_payout, deposit, withdrawal, investment,
           ledger_entry, user_transaction, audit_entry, platform_user in access exclusive mode;

drop trigger withdrawal_list_totals on withdrawal;
drop trigger investment_list_totals on investment;
drop trigger user_transaction_list_totals on user_transaction;
drop trigger admin_transaction_list_totals on admin_transaction;
drop trigger audit_entry_list_totals on audit_entry;
drop trigger webhook_event_list_totals on webhook_event;
drop trigger transaction_request_list_totals on transaction_request;
drop trigger yield_report_list_totals on yield_report;
drop trigger faucet_payout_list_totals on faucet_payout;
drop trigger deposit_list_totals on deposit;
drop trigger report_users_added on platform_user;
drop trigger report_users_removed on platform_user;
drop trigger report_investments_made on investment;
drop trigger report_investments_changed on investment;
drop trigger report_transactions_added on user_transaction;
drop trigger report_transactions_changed on user_transaction;

-- As in 042, without the totals of reports and of users.
create or replace function ledger_entry_apply() returns trigger language plpgsql as $$
declare
  posting record;
  entry ledger_entry;
  account ledger_account;
begin
  for posting in
    select transaction_id, effective_at, sum(size)::bigint as size, bool_and(total = 0) as is_balanced
      from (select transaction_id, effective_at, asset, count(*) as size, sum(amount) as total
              from new_entries group by transaction_id, effective_at, asset) as sums
     group by transaction_id, effective_at
  loop
    if not posting.is_balanced then
      raise exception 'ledger: the entries do not sum to zero' using errcode = 'check_violation';
    end if;
    if posting.size <> (select count(*) from ledger_transaction as posted join ledger_entry on transaction_id = posted.id
                         where posted.id = posting.transaction_id and posted.effective_at = posting.effective_at) then
      raise exception 'ledger: entries are added to a posted or unknown transaction' using errcode = 'check_violation';
    end if;
  end loop;

  for entry in select * from new_entries order by id loop
    if entry.balance_after is null then
      select * into account from ledger_account
       where id = entry.account_id and asset = entry.asset and balance is null;
    else
      update ledger_account set balance = balance + entry.amount where id = entry.account_id and asset = entry.asset
      returning * into account;
    end if;
    if not found then
      raise exception 'ledger: no account % in % that matches the entry', entry.account_id, entry.asset
        using errcode = 'foreign_key_violation';
    end if;
    if entry.balance_after is distinct from account.balance then
      raise exception 'ledger: the balance is %, not %', account.balance, entry.balance_after using errcode = 'check_violation';
    end if;
    if entry.balance_after is not null and scale(entry.amount) > ledger_scale(entry.asset) then
      raise exception 'ledger: % has more decimals than a user account holds of %', entry.amount, entry.asset
        using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables

drop function track_list_totals(), rebuild_list_totals(), compact_list_totals(), compact_list_totals(bigint),
  list_totals(text, text[]), list_totals_of_days(text, text[], date, date), list_totals_above(text, text[], numeric),
  report_users_added(), report_users_removed(), report_investments_made(), report_investments_changed(),
  report_transaction_added(), report_transaction_settled(), rebuild_report_totals(), compact_report_totals(),
  compact_report_totals(bigint), count_in_reports(ledger_entry, ledger_account),
  count_in_user_figures(ledger_entry, ledger_account), report_strategy(uuid), day_number(date);
drop view list_total_recomputed;
drop table list_total, report_gap;
delete from list_total_delta;
delete from report_delta;
delete from report_gap_delta;

-- Sums of a list by its filters: of each hour of the last two days, and of each day, month and year, in UTC and in the list's own
-- time. Each is recomputed from the one below it; a day whose hours are not kept, from its rows.
create table list_sum (
  list   text not null,
  span   text not null,
  at     timestamptz not null, -- its beginning
  facets text[] not null,      -- the values that the list is filtered by
  rows   bigint not null,
  amount numeric not null,
  since  numeric not null,     -- seconds from 1970 to the creation
  took   numeric not null,     -- seconds from the creation to the completion
  units  numeric not null,     -- of active investments
  value  numeric not null,     -- of the other investments, and of deposits in USDC
  growth numeric not null,     -- realised by closing parts
  primary key (list, span, at, facets),
  constraint list_sum_span check (span in ('hour', 'day', 'month', 'year')),
  constraint list_sum_at check (at = date_trunc(span, at, 'UTC'))
) with (fillfactor = 70); -- leaves space for heap-only updates

-- Hours to recompute: of a list, or of reports. A mark is appended in the transaction that changes a record, or by the consumer
-- of its event, and deleted by the recomputation, which thus sees the change. Marks have no key, so that no writer waits.
create table total_mark (
  id   bigint generated always as identity primary key,
  name text not null,
  hour timestamptz not null,
  constraint total_mark_hour check (hour = date_trunc('hour', hour, 'UTC'))
);
create index total_mark_by_name on total_mark (name, hour);

create table total_run (
  name        text primary key,
  as_of       timestamptz not null default 'epoch', -- the sums include every change up to this time
  hours_since timestamptz not null default 'epoch'  -- the first day whose sums by hour are kept
) with (fillfactor = 50);

-- Times in which a user had no open investment: from the hour in which the last one ended (-infinity: there was none before) to
-- the hour in which the next one began (infinity: not yet). Recomputed for each user whose investments change.
create table user_gap (
  user_id uuid not null,
  ended   timestamptz not null,
  resumed timestamptz not null,
  primary key (user_id, ended, resumed)
);
create index user_gap_by_resumption on user_gap (resumed, ended);
create index user_gap_by_end on user_gap (ended);

create view user_gap_recomputed as
select step.user_id, gap.ended, gap.resumed from (
  select account.owner_id as user_id, report_hour(entry.effective_at) as at,
         entry.balance_after = 0 as ceased, entry.balance_after = entry.amount as began,
         report_hour(max(entry.effective_at) over earlier) as before,
         row_number() over (partition by account.owner_id order by entry.id desc) = 1 as is_last
    from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
   where account.kind = 'user.invested' and account.asset = 'USDC'
  window earlier as (partition by account.owner_id order by entry.id rows between unbounded preceding and 1 preceding)
) as step,
lateral (select coalesce(before, '-infinity'), at where began and before is distinct from at
         union all
         select at, 'infinity' where ceased and is_last) as gap(ended, resumed);

-- As in 036, one user after the other, so that the figures of a few users cost a few reads.
create or replace view user_figures_recomputed as
select platform_user.id as user_id, moved.investments, moved.total_invested, moved.total_withdrawn, moved.total_earnings
  from platform_user
 cross join lateral (
    select count(*) filter (where is_new)::integer as investments,
           coalesce(sum(entry.amount) filter (where is_new), 0) as total_invested,
           coalesce(-sum(entry.amount) filter (where entry.category = 'withdrawal'), 0) as total_withdrawn,
           coalesce(sum(entry.amount) filter (where entry.category = 'earning'), 0) as total_earnings
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      left join ledger_transaction as posted
        on posted.id = entry.transaction_id and account.kind = 'user.invested' and entry.amount > 0
      cross join lateral (
        select posted.type = 'investment'
               and not (posted.reference_type = 'investment'
                        and exists (select from investment
                                     where id = case posted.reference_type when 'investment' then posted.reference_id::uuid end
                                       and moved_from is not null))
      ) as judged(is_new)
     where account.owner_id = platform_user.id and account.balance is not null and account.asset = 'USDC'
       and (account.kind = 'user.invested' or entry.category in ('withdrawal', 'earning'))
 ) as moved;

-- What the sums of reports read by time.
create index investment_by_approval on investment (approved_at) where approved_at is not null;
create index investment_by_end on investment (ended_at) where ended_at is not null;
create index investment_closing_by_time on investment_closing (at);
create index user_transaction_settled on user_transaction (completed_at) include (created_at)
  where type in ('deposit', 'withdrawal') and completed_at is not null;

-- Computes all gaps again, and marks every hour that has a row or a sum, so that the job computes all sums again, some hours at a
-- time.
create function mark_all_totals() returns void language sql as $$
  delete from user_gap;
  insert into user_gap select * from user_gap_recomputed;
  insert into total_mark (name, hour)
  select distinct name, report_hour(at) from (
    select list, at from list_sum where span in ('hour', 'day') union all
    select 'withdrawal', created_at from withdrawal union all
    select 'investment', created_at from investment union all
    select 'transaction', created_at from user_transaction union all
    select 'transaction', created_at from admin_transaction union all
    select 'audit_entry', at from audit_entry union all
    select 'webhook_event', received_at from webhook_event union all
    select 'transaction_request', created_at from transaction_request union all
    select 'yield_report', reported_at from yield_report union all
    select 'faucet_payout', requested_at from faucet_payout union all
    select 'deposit', created_at from deposit union all
    select 'report', created_at from platform_user union all
    select 'report', step.at from investment, lateral (values (created_at), (approved_at), (ended_at)) as step(at) union all
    select 'report', at from investment_closing union all
    select 'report', completed_at from user_transaction where type in ('deposit', 'withdrawal') union all
    select 'report', since from report_rollup where span = 'hour' union all
    select 'report', effective_at from ledger_entry where account_id in (
      select id from ledger_account where kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee'))
  ) as record(name, at) where at is not null
$$ set search_path = public, pg_temp;

select mark_all_totals();

-- Processes of the previous version read and compact the former tables while they still run. A later release drops this: the tables
-- list_total_delta, report_delta and report_gap_delta, which stay empty, the view, and the functions that name list_total_delta.
create view report_gap as select ended, resumed, 1::bigint as users from user_gap;
create function compact_list_totals(max_rows bigint) returns bigint language sql as $$ select 0::bigint $$;
create function compact_report_totals(max_rows bigint) returns bigint language sql as $$ select 0::bigint $$;
create function list_totals_of_days(its_list text, wanted text[], first date, last date) returns setof list_total_delta
language sql stable as $$
  select list, facets, null::date, null::numeric, rows, amount, since, took, units, value, growth
    from list_sum where list = its_list and span = 'day' and utc_day(at) between first and last and facets_match(facets, wanted)
$$;
create function list_totals(its_list text, wanted text[]) returns setof list_total_delta language sql stable as $$
  select * from list_totals_of_days(its_list, wanted, '-infinity', 'infinity')
$$;
create function list_totals_above(its_list text, wanted text[], lowest numeric) returns setof list_total_delta
language sql stable as $$
  select counted.* from withdrawal, list_total_row(withdrawal) as counted
   where its_list = 'withdrawal' and withdrawal.amount >= next_amount_band(lowest, 3) and facets_match(counted.facets, wanted)
  union all
  select counted.* from investment, list_total_row(investment) as counted
   where its_list = 'investment' and investment.amount >= next_amount_band(lowest, 3) and facets_match(counted.facets, wanted)
$$;

-- == 060-event-alerts

-- Alerts about the delivery of events: a late consumer, events that a consumer has passed over, and a webhook that does not answer.

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit',
  'events-behind', 'events-parked', 'event-webhook-failing'));

-- == 061-sealed-credentials

-- Seals of credentials: a row that opens something carries a MAC under TOKEN_HASH_KEY (src/common/credential-keys.ts), and what the
-- database holds in place of a token is a hash under that key. A step of the same number in src/database/credential-conversion.ts
-- hashes and seals the rows that exist when this file is applied, in the same transaction. It is never repeated.

set local lock_timeout = '10s'; -- as in 036
lock table platform_user, wallet, session, refresh_token, admin_account, approval, alert, api_key, live_ticket, wallet_nonce,
  webhook_event, screening_verdict, yield_report in access exclusive mode;

-- The seals of credentials that have ended: a session that was revoked, a token that was used, a key that was deleted, a password that
-- was replaced. A copy of the former row opens nothing while its seal is here.
create table ended_seal (
  seal       bytea primary key,
  expires_at timestamptz -- the end of the credential by its own row; null without one
);
create index ended_seal_expired on ended_seal (expires_at) where expires_at is not null;

-- The constraints are not checked for existing rows before the conversion has sealed these. A seal may be missing only where the row
-- opens nothing any more.
alter table session add column seal bytea;
alter table session add constraint session_seal check (revoked_at is not null or seal is not null) not valid;

alter table refresh_token add column seal bytea;
alter table refresh_token add constraint refresh_token_seal
  check (revoked_at is not null or seal is not null or (spent_at is not null and successor is null)) not valid;

alter table api_key add column seal bytea; -- not null after the conversion

alter table wallet add column seal bytea;
alter table wallet add constraint wallet_seal
  check (unlinked_at is not null or suspended_at is not null or seal is not null) not valid;

alter table wallet_nonce add column seal bytea; -- not null after the conversion

alter table admin_account add column seal bytea;
alter table admin_account add constraint admin_account_seal check (password_hash is null or seal is not null) not valid;

alter table approval add column seal bytea;
alter table approval add constraint approval_seal check (status <> 'pending' or seal is not null) not valid;

-- A callback that may still be processed: only verified ones are sealed.
alter table webhook_event add column seal bytea;
alter table webhook_event add constraint webhook_event_seal check (status = 'processed' or seal is not null) not valid;

alter table screening_verdict add column seal bytea; -- not null after the conversion

-- Tickets are valid for thirty seconds; clients ask for others. A ticket carries the networks of the API key that asked for it.
delete from live_ticket;
alter table live_ticket add column key_networks text[];
alter table live_ticket add column seal bytea not null;
alter table live_ticket add constraint live_ticket_key_networks check (key_id is not null or key_networks is null);

comment on column refresh_token.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token';
comment on column api_key.key_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the key';
comment on column live_ticket.ticket_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the ticket';

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit',
  'events-behind', 'events-parked', 'event-webhook-failing', 'forged-credential'));

-- == 062-refused-changes

-- What was decided does not change: rows of money records, histories and decisions keep their values, even if somebody can write
-- their table. The invariants of the integrity check compare these rows with the ledger, the histories and the audit log.

set local lock_timeout = '10s'; -- as in 036
lock table platform_user, user_status_change, deposit_address, deposit, withdrawal, withdrawal_event, investment, investment_closing,
  user_transaction, admin_transaction, transaction_request, treasury_run, alert, withdrawal_pause, integrity_run, yield_report,
  reconciliation, screening_acceptance, withdrawal_address in share row exclusive mode;

-- The arguments of a trigger for each row are columns: a value that is not null stays. Without arguments every statement is refused.
create function refuse_change() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  kept text;
begin
  if tg_op = 'UPDATE' and tg_nargs > 0 then
    before := to_jsonb(old);
    after := to_jsonb(new);
    foreach kept in array tg_argv loop
      if before -> kept <> 'null' and before -> kept <> after -> kept then
        raise exception '%: % of a row does not change', tg_table_name, kept using errcode = 'restrict_violation';
      end if;
    end loop;
    return new;
  end if;
  raise exception '%: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;

-- Users: erasure deletes a user without records of money.
create trigger platform_user_kept before update on platform_user
  for each row execute function refuse_change('id', 'created_at', 'created_by');
create trigger user_status_change_kept before update on user_status_change
  for each statement execute function refuse_change();
create trigger withdrawal_address_kept before update on withdrawal_address
  for each row execute function refuse_change('id', 'user_id', 'address', 'network', 'created_at', 'usable_from');

-- Deposits. The amount is open until the deposit is held, credited or failed: a report can correct it.
create trigger deposit_address_kept before update or delete or truncate on deposit_address
  for each statement execute function refuse_change();
create trigger deposit_kept before update on deposit for each row execute function refuse_change(
  'id', 'user_id', 'network', 'currency', 'tx_hash', 'provider_deposit_id', 'to_address', 'required_confirmations', 'credited',
  'failure', 'created_at', 'confirmed_at');
create trigger deposit_amount_kept before update on deposit
  for each row when (old.hold_reason is not null or old.status in ('completed', 'failed'))
  execute function refuse_change('amount', 'from_address', 'log_index');
create trigger deposit_decided before update on deposit for each row when (old.status in ('completed', 'failed'))
  execute function refuse_change('status', 'only_claimed', 'succeeded');
create trigger deposit_permanent before delete or truncate on deposit for each statement execute function refuse_change();

-- Withdrawals
create trigger withdrawal_kept before update on withdrawal for each row execute function refuse_change(
  'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'approved_at', 'approved_by',
  'executed_at', 'completed_at', 'cancelled_at', 'released_at', 'tx_hash');
create trigger withdrawal_decided before update on withdrawal
  for each row when (old.status in ('completed', 'rejected') or old.released_at is not null)
  execute function refuse_change('status', 'tx_hash_shared');
create trigger withdrawal_permanent before delete or truncate on withdrawal
  for each statement execute function refuse_change();
create trigger withdrawal_event_kept before update or delete or truncate on withdrawal_event
  for each statement execute function refuse_change();

-- Investments. A partial closing moves a part of amount and units into its own row.
create trigger investment_kept before update on investment for each row execute function refuse_change(
  'id', 'user_id', 'strategy_id', 'issued_on', 'idempotency_key', 'created_at', 'approved_by', 'approved_at', 'ended_at', 'ended_by',
  'final_value', 'moved_from', 'first_made_at', 'management_fee_percent', 'performance_fee_percent');
create trigger investment_principal_kept before update on investment
  for each row when (old.amount + old.closed_principal <> new.amount + new.closed_principal or new.amount > old.amount
                     or (old.issued_on is not null and new.units > old.units))
  execute function refuse_change();
create trigger investment_ended before update on investment for each row when (old.ended_at is not null)
  execute function refuse_change(
    'status', 'amount', 'units', 'updated_at', 'fees', 'closed_principal', 'closed_growth', 'closed_fees', 'first_principal',
    'carried_fees', 'carried_performance_fees', 'forfeited');
create trigger investment_permanent before delete or truncate on investment
  for each statement execute function refuse_change();
create trigger investment_closing_kept before update or delete or truncate on investment_closing
  for each statement execute function refuse_change();

-- Histories of users
create trigger user_transaction_kept before update on user_transaction for each row execute function refuse_change(
  'id', 'user_id', 'type', 'reference_type', 'reference_id', 'strategy_id', 'created_at');
create trigger user_transaction_decided before update on user_transaction for each row when (old.status = 'completed')
  execute function refuse_change('status', 'amount', 'currency', 'balance_change', 'to_address', 'tx_hash', 'completed_at');
create trigger user_transaction_permanent before delete or truncate on user_transaction
  for each statement execute function refuse_change();

-- Bookings by hand and transfers
create trigger admin_transaction_kept before update on admin_transaction for each row execute function refuse_change(
  'id', 'type', 'user_id', 'amount', 'currency', 'description', 'withdrawal_id', 'deposit_id', 'from_suspense', 'purpose', 'network',
  'strategy_id', 'run_id', 'created_at', 'created_by', 'approved_at', 'approved_by', 'confirmed_at', 'confirmed_by', 'rejected_at',
  'rejected_by', 'reason', 'tx_hash');
create trigger admin_transaction_decided before update on admin_transaction
  for each row when (old.status in ('confirmed', 'failed')) execute function refuse_change('status');
create trigger admin_transaction_permanent before delete or truncate on admin_transaction
  for each statement execute function refuse_change();
create trigger transaction_request_kept before update on transaction_request for each row execute function refuse_change(
  'id', 'transaction_id', 'type', 'requested_by', 'created_at', 'completed_at');
create trigger treasury_run_kept before update or delete or truncate on treasury_run
  for each statement execute function refuse_change();

-- Decisions and findings. The erasure of a user deletes the alerts about the user.
create trigger alert_kept before update on alert for each row execute function refuse_change(
  'id', 'kind', 'subject_type', 'subject_id', 'user_id', 'tx_hash', 'message', 'next_step', 'created_at', 'resolved_at', 'resolved_by',
  'reason');
create trigger withdrawal_pause_kept before update on withdrawal_pause for each row execute function refuse_change(
  'id', 'since', 'paused_by', 'reason', 'resumed_at', 'resumed_by', 'resume_reason');
create trigger withdrawal_pause_permanent before delete or truncate on withdrawal_pause
  for each statement execute function refuse_change();
create trigger integrity_run_kept before update on integrity_run for each row execute function refuse_change(
  'id', 'checked_at', 'duration_ms', 'entries', 'status', 'broken', 'paused', 'night', 'acknowledged_by');
create trigger yield_report_kept before update on yield_report for each row execute function refuse_change(
  'id', 'event_id', 'strategy_id', 'day', 'apy', 'reported_at', 'applied_on', 'decided_at', 'decided_by', 'decision_reason',
  'expected_amount');
-- The acceptance of a waiting report replaces these columns.
create trigger yield_report_decided before update on yield_report for each row when (old.state <> 'waiting')
  execute function refuse_change('state', 'sequence', 'used_apy', 'realised_amount');
create trigger yield_report_permanent before delete or truncate on yield_report
  for each statement execute function refuse_change();
create trigger reconciliation_kept before update or delete or truncate on reconciliation
  for each statement execute function refuse_change();
create trigger screening_acceptance_kept before update or delete or truncate on screening_acceptance
  for each statement execute function refuse_change();

-- The last success of each background job under a lease. An alert reports a job without one, whatever its lease says.
create table job_run (
  name         text primary key,
  succeeded_at timestamptz not null -- real time
);

-- Alerts about a record that contradicts the ledger, and about jobs.
alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit',
  'events-behind', 'events-parked', 'event-webhook-failing', 'forged-credential', 'record-differs', 'job-overdue'));

-- == 063-records

-- Who took and who completed a withdrawal, and when its amount became available again. `executed_at` is also set by `take`.
alter table withdrawal
  add column taken_by     text, -- as approved_by
  add column completed_by text,
  add column returned_at  timestamptz; -- by a rejection, a cancellation or the release of a failed withdrawal

update withdrawal
   set taken_by = step.taken_by, executed_at = coalesce(executed_at, step.taken_at), completed_by = step.completed_by,
       returned_at = step.returned_at
  from (select withdrawal_id,
               max(by_id) filter (where verb in ('take', 'execute')) as taken_by,
               max(at) filter (where verb in ('take', 'execute')) as taken_at,
               max(by_id) filter (where verb = 'complete') as completed_by,
               max(at) filter (where verb in ('reject', 'cancel', 'release')) as returned_at
          from withdrawal_event where verb in ('take', 'execute', 'complete', 'reject', 'cancel', 'release')
         group by withdrawal_id) as step
 where withdrawal.id = step.withdrawal_id;

-- The withdrawals that their users cancelled, for the admins' list and its sums.
create index withdrawal_cancelled on withdrawal (created_at, id) where cancelled_at is not null;

-- The investment that a moved one continues in: the opposite of moved_from.
alter table investment add column moved_to uuid;
update investment set moved_to = next.id from investment as next where next.moved_from = investment.id;

-- As in 062, with the new columns.
drop trigger withdrawal_kept on withdrawal;
create trigger withdrawal_kept before update on withdrawal for each row execute function refuse_change(
  'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'approved_at', 'approved_by',
  'taken_by', 'executed_at', 'completed_at', 'completed_by', 'cancelled_at', 'returned_at', 'released_at', 'tx_hash');
drop trigger investment_kept on investment;
create trigger investment_kept before update on investment for each row execute function refuse_change(
  'id', 'user_id', 'strategy_id', 'issued_on', 'idempotency_key', 'created_at', 'approved_by', 'approved_at', 'ended_at', 'ended_by',
  'final_value', 'moved_from', 'moved_to', 'first_made_at', 'management_fee_percent', 'performance_fee_percent');

-- == 064-figures-of-moves

-- An investment that was moved counts in no list, count or sum any more; its value counts where it is now, and its growth from the
-- first principal of its chain. For that a partial closing of an investment that a move opened also keeps the growth of earlier
-- legs in the closed principal: `closed_principal` less the closed share of the first principal.
alter table investment add column closed_earlier_growth numeric not null default 0; -- zero for an investment that no move opened

update investment
   set closed_earlier_growth = investment.closed_principal
         - (coalesce(previous.first_principal, previous.amount) - investment.first_principal)
  from investment as previous
 where previous.id = investment.moved_from and investment.closed_principal > 0;

-- The sums of the list of investments have the status 'moved', and reports count a move in the strategy to which it leads.
select mark_all_totals();

-- == 065-second-records

-- Seals of addresses and yield reports, and a second record of the e-mail address and hold of each user. A step of the same
-- number in src/database/credential-conversion.ts seals the rows that exist when this file is applied, in the same transaction.

set local lock_timeout = '10s'; -- as in 036
lock table platform_user, deposit_address, withdrawal_address, yield_report in access exclusive mode;

alter table deposit_address add column seal bytea;
alter table withdrawal_address add column seal bytea;
alter table yield_report add column seal bytea;

-- As in 062, but the seal changes when the row is sealed under another key.
drop trigger deposit_address_kept on deposit_address;
create trigger deposit_address_kept before update on deposit_address for each row execute function refuse_change(
  'id', 'user_id', 'currency', 'network', 'address', 'provider_address_id', 'created_at');
create trigger deposit_address_permanent before delete or truncate on deposit_address
  for each statement execute function refuse_change();

-- A request for a transfer is kept like the transfer itself.
create trigger transaction_request_permanent before delete or truncate on transaction_request
  for each statement execute function refuse_change();

-- One unsafe function keeps PostgreSQL from planning any part of a statement in parallel.
alter function domain_today() parallel safe;

-- The e-mail address and the hold of each user after each change. The last row of a user equals the user's own row; each decision that
-- rests on these columns reads both. The erasure of a user deletes the former rows.
create table user_account_change (
  id          bigint generated always as identity primary key,
  user_id     uuid not null references platform_user on delete cascade,
  email       text not null,
  hold_until  timestamptz, -- as in platform_user
  hold_reason text,
  changed_at  timestamptz not null -- domain time
);
create index user_account_change_newest on user_account_change (user_id, id desc);
insert into user_account_change (user_id, email, hold_until, hold_reason, changed_at)
  select id, email, hold_until, hold_reason, updated_at from platform_user;
create trigger user_account_change_kept before update on user_account_change
  for each statement execute function refuse_change();

-- == 066-figures-of-pending

-- Reports tell the principal that waits for approval apart, because it counts in no value locked. An investment counts its partial
-- closings. The figures of a user have the principal of the open investments, so that a list can count the users who have one.

-- In the order in which requests use the tables, so that a request waits and does not deadlock.
set local lock_timeout = '10s';
lock table investment, investment_closing, report_rollup, user_figures in access exclusive mode;

alter table investment add column closed_parts integer not null default 0; -- partial closings

update investment set closed_parts = closing.parts
  from (select investment_id, count(*) as parts from investment_closing group by investment_id) as closing
 where closing.investment_id = investment.id;

alter table report_rollup add column pending_principal numeric not null default 0; -- the part of `principal` that waits for approval

-- As in 024, with the new column: a report reads a row per day or hour from the index.
alter table report_rollup drop constraint report_rollup_pkey;
alter table report_rollup add primary key (span, since, strategy_id)
  include (users, holders, made, made_amount, active, pending, principal, pending_principal, accrued, management_fees,
           performance_fees, settled, settled_ms);

alter table user_figures add column invested numeric not null default 0; -- the balance of the account user.invested
update user_figures set invested = account.balance
  from ledger_account as account
 where account.owner_id = user_figures.user_id and account.kind = 'user.invested' and account.scope = '' and account.asset = 'USDC';

-- As in 059, with `invested`.
create or replace view user_figures_recomputed as
select platform_user.id as user_id, moved.investments, moved.total_invested, moved.total_withdrawn, moved.total_earnings,
       moved.invested
  from platform_user
 cross join lateral (
    select count(*) filter (where is_new)::integer as investments,
           coalesce(sum(entry.amount) filter (where is_new), 0) as total_invested,
           coalesce(-sum(entry.amount) filter (where entry.category = 'withdrawal'), 0) as total_withdrawn,
           coalesce(sum(entry.amount) filter (where entry.category = 'earning'), 0) as total_earnings,
           coalesce(sum(entry.amount) filter (where account.kind = 'user.invested'), 0) as invested
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      left join ledger_transaction as posted
        on posted.id = entry.transaction_id and account.kind = 'user.invested' and entry.amount > 0
      cross join lateral (
        select posted.type = 'investment'
               and not (posted.reference_type = 'investment'
                        and exists (select from investment
                                     where id = case posted.reference_type when 'investment' then posted.reference_id::uuid end
                                       and moved_from is not null))
      ) as judged(is_new)
     where account.owner_id = platform_user.id and account.balance is not null and account.asset = 'USDC'
       and (account.kind = 'user.invested' or entry.category in ('withdrawal', 'earning'))
 ) as moved;

-- `made_amount` of reports is the present principal of the investments made: less the shares of partial closings, and that of the
-- present leg of a moved investment.
select mark_all_totals();

-- == 067-reports-without-amount

-- A yield report without an amount keeps null when it is applied, unless an earlier report of its day has stated one. Processes of
-- the version before store zero in this case, and read null as zero.
alter table yield_report drop constraint yield_report_realised_stated;

-- == 068-deposits-by-provider-id

-- Deposits that the service does not read on chain are told apart by the provider's id: one transaction can pay an address twice.
-- Without a provider's id, and for USDC over ERC20 before the chain shows it, an address still has one deposit per transaction.
drop index deposit_identity_without_log_index;
create unique index deposit_identity_without_log_index on deposit (network, tx_hash, to_address, currency)
  where log_index is null and (provider_deposit_id is null or network = 'ERC20' and currency = 'USDC')
    and (failure is null or failure not in ('vanished', 'unproven'));

-- Alerts about a deposit that the provider reports as successful and without enough confirmations.
alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'deposit-reorganised', 'withdrawal-paid-after-failure', 'second-transfer', 'clock-apart', 'admins-file',
  'screening-away', 'screening-blocked', 'log-restored', 'payment-mismatch', 'large-deposit',
  'events-behind', 'events-parked', 'event-webhook-failing', 'forged-credential', 'record-differs', 'job-overdue',
  'deposit-unconfirmed'));

-- == 069-second-factors

-- Second factors of users and admins: passkeys and one-time codes (TOTP), recovery codes, and the challenges of a step-up. Rows are
-- sealed (src/common/sealed-rows.ts). Times are real times.

set local lock_timeout = '10s';

create table passkey (
  id            uuid primary key,
  subject_type  text not null check (subject_type in ('user', 'admin')),
  subject_id    text not null,
  name          text not null,
  credential_id text not null,
  public_key    bytea not null,
  sign_count    bigint not null,
  transports    text[] not null,
  backed_up     boolean not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  seal          bytea not null,
  constraint passkey_credential unique (credential_id)
);
create index passkey_subject on passkey (subject_id, subject_type, created_at, id);

create table totp_secret (
  subject_type text not null check (subject_type in ('user', 'admin')),
  subject_id   text not null,
  secret       bytea not null,
  created_at   timestamptz not null,
  confirmed_at timestamptz,
  used_step    bigint,
  seal         bytea not null,
  primary key (subject_id, subject_type)
);
comment on column totp_secret.secret is 'encrypted under SECOND_FACTOR_KEY, as nonce, tag and ciphertext';
comment on column totp_secret.confirmed_at is 'null until a code has confirmed the secret; it counts as a factor afterwards';
comment on column totp_secret.used_step is 'the time step, of 30 seconds since 1970, of the latest code that was used';

-- A used code keeps its row: while a subject has rows here it has a second factor, even if the row of the factor was deleted by somebody.
create table recovery_code (
  code_hash    bytea primary key,
  subject_type text not null check (subject_type in ('user', 'admin')),
  subject_id   text not null,
  created_at   timestamptz not null,
  used_at      timestamptz,
  seal         bytea not null
);
create index recovery_code_subject on recovery_code (subject_id, subject_type);

create table step_up (
  id               uuid primary key,
  subject_type     text not null check (subject_type in ('user', 'admin')),
  subject_id       text not null,
  family_id        uuid not null,
  action           text not null,
  details_hash     bytea not null,
  challenge        text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  token_hash       bytea,
  token_expires_at timestamptz,
  used_at          timestamptz,
  seal             bytea not null,
  constraint step_up_challenge unique (challenge),
  constraint step_up_token unique (token_hash),
  constraint step_up_verified check ((token_hash is null) = (token_expires_at is null))
);
comment on column step_up.details_hash is 'SHA-256 of the RFC 8785 JSON of the details of the action';
comment on column step_up.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token; null before a factor has verified the step-up';
create index step_up_expired on step_up (expires_at);

alter table platform_user drop constraint platform_user_hold_reason;
alter table platform_user add constraint platform_user_hold_reason
  check (hold_reason in ('new-identity', 'email-changed', 'first-factor', 'factor-removed', 'recovery-code')) not valid;
alter table platform_user validate constraint platform_user_hold_reason;

-- == 070-origins-of-transfers

-- The strategy and the treasury run of a transfer are set when it is requested, or never: 062 refuses other values, this also a first one.
create trigger admin_transaction_origin before update on admin_transaction
  for each row when (old.strategy_id is distinct from new.strategy_id or old.run_id is distinct from new.run_id)
  execute function refuse_change();

-- == 071-accounts-of-admins

-- Accounts through which admins sign in by the identity provider: they have identities and holds, and are no users.

set local lock_timeout = '10s';
alter table platform_user add column is_admin boolean not null default false; -- left out of lists, reports and announcements
create index platform_user_of_admins on platform_user (id) where is_admin;

-- As in 013, without accounts of admins. Such an account is screened when it becomes a user's.
create or replace function screening_request_for_new_users() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  select 'user:' || id::text, id, clock_timestamp() from added where not is_admin
      on conflict (subject) do nothing;
  return null;
end
$$;
create function screening_request_for_former_admins() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  values ('user:' || new.id::text, new.id, clock_timestamp())
      on conflict (subject) do nothing;
  return null;
end
$$;
create trigger platform_user_no_admin_any_more after update of is_admin on platform_user
  for each row when (old.is_admin and not new.is_admin) execute function screening_request_for_former_admins();

-- == 072-callbacks-and-verdicts

-- A callback that waits is processed, and the newest verdict counts, even if somebody can write their tables.

set local lock_timeout = '10s'; -- as in 036
lock table webhook_event, screening_verdict in share row exclusive mode;

-- The callbacks that no process has settled. Its row is deleted in the transaction that settles a callback: one that is settled and has
-- a row is processed again. The foreign key refuses to delete a waiting callback.
create table webhook_pending (
  event_id uuid primary key references webhook_event
);
insert into webhook_pending (event_id) select id from webhook_event where status = 'received';

create function note_pending_callback() returns trigger language plpgsql as $$
begin
  insert into webhook_pending (event_id) values (new.id) on conflict do nothing;
  return null;
end
$$ set search_path = public, pg_temp; -- a temporary table cannot shadow one of these tables
create trigger webhook_event_stored after insert on webhook_event
  for each row when (new.status = 'received') execute function note_pending_callback();
create trigger webhook_event_replayed after update of status on webhook_event
  for each row when (new.status = 'received' and old.status <> 'received') execute function note_pending_callback();

-- Among settled callbacks admins look for those that failed.
create trigger webhook_event_settled before update on webhook_event
  for each row when (old.status <> 'received' and new.status <> 'received')
  execute function refuse_change('status', 'reason', 'settled_at');

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

-- == 073-account-locks

-- Locks of accounts, which refuse what could lead money out of an account until somebody unlocks it; the tokens with which links in mails
-- lock an account; a reason of holds, and kinds of approvals.

set local lock_timeout = '10s';

alter table platform_user
  add column locked_at timestamptz, -- domain time; null without a lock
  add column locked_by text,        -- one of LOCK_ORIGINS in src/modules/users/users.types.ts
  add column unlock_by text,        -- one of UNLOCKERS
  add constraint platform_user_lock check (
    num_nulls(locked_at, locked_by, unlock_by) in (0, 3)
    and locked_by in ('session', 'link', 'admin') and unlock_by in ('step-up', 'admins')) not valid;
alter table platform_user validate constraint platform_user_lock;

-- As in platform_user: the lock counts while one of the two has it.
alter table user_account_change
  add column locked_at timestamptz,
  add column locked_by text,
  add column unlock_by text;

-- Processes of the previous version record a change without the lock. A lock ends in platform_user first.
create function keep_recorded_lock() returns trigger language plpgsql as $$
begin
  if new.locked_at is null then
    select locked_at, locked_by, unlock_by into new.locked_at, new.locked_by, new.unlock_by
      from platform_user where id = new.user_id;
  end if;
  return new;
end
$$;
create trigger user_account_change_lock before insert on user_account_change
  for each row execute function keep_recorded_lock();

create table lock_token (
  token_hash bytea primary key,
  user_id    uuid not null references platform_user on delete cascade,
  created_at timestamptz not null, -- real times
  expires_at timestamptz not null,
  seal       bytea not null
);
comment on column lock_token.token_hash is 'HMAC-SHA-256 under TOKEN_HASH_KEY of the SHA-256 of the token; its use deletes the row';
create index lock_token_expired on lock_token (expires_at);
create index lock_token_of_user on lock_token (user_id);

alter table platform_user drop constraint platform_user_hold_reason;
alter table platform_user add constraint platform_user_hold_reason
  check (hold_reason in ('new-identity', 'email-changed', 'first-factor', 'factor-removed', 'recovery-code', 'factor-reset')) not valid;
alter table platform_user validate constraint platform_user_hold_reason;

alter table approval drop constraint approval_kind;
alter table approval add constraint approval_kind check (kind in (
  'admin.password-set', 'integrity.resume', 'log.continue', 'screening.accept', 'user.email-change', 'user.factor-reset',
  'user.hold-end', 'user.tier-change', 'user.unlock', 'withdrawal.complete-mismatch', 'withdrawal.reject-paid',
  'withdrawal.release', 'yield-report.accept')) not valid;
alter table approval validate constraint approval_kind;

-- == 074-second-factors-of-admins

-- Sign-ins of admins that a second factor has completed (049), the last requests of their sessions (007), and the approval of a reset of
-- their second factors (049).

set local lock_timeout = '10s';

alter table session drop constraint session_opened_by;
alter table session add constraint session_opened_by check (opened_by in (
  'identity-provider', 'password', 'wallet', 'identity-provider-and-factor', 'password-and-factor')) not valid;
alter table session validate constraint session_opened_by;
alter table refresh_token drop constraint refresh_token_opened_by;
alter table refresh_token add constraint refresh_token_opened_by check (opened_by in (
  'identity-provider', 'password', 'wallet', 'identity-provider-and-factor', 'password-and-factor')) not valid;
alter table refresh_token validate constraint refresh_token_opened_by;

alter table session add column last_seen_at timestamptz;
comment on column session.last_seen_at is 'real time of the latest request of an admin, a minute behind at most; null before it, and for users';

alter table approval drop constraint approval_kind;
alter table approval add constraint approval_kind check (kind in (
  'admin.factor-reset', 'admin.password-set', 'integrity.resume', 'log.continue', 'screening.accept', 'user.email-change',
  'user.factor-reset', 'user.hold-end', 'user.tier-change', 'user.unlock',
  'withdrawal.complete-mismatch', 'withdrawal.reject-paid', 'withdrawal.release', 'yield-report.accept')) not valid;
alter table approval validate constraint approval_kind;

-- == 075-limit-tiers

-- Tiers of limits (LIMITS_FILE), and withdrawals that wait because of PLATFORM_WITHDRAWAL_PER_DAY.

set local lock_timeout = '10s'; -- as in 036
lock table platform_user, user_account_change, withdrawal, withdrawal_event, alert, approval in share row exclusive mode;

-- Both records have to agree: a change of one of them gives no user a higher limit. Null: the first tier.
alter table platform_user add column tier text;
alter table user_account_change add column tier text; -- as in platform_user
-- Processes of the previous version record a change without the tier.
create function keep_recorded_tier() returns trigger language plpgsql as $$
begin
  if new.tier is null then
    new.tier := (select tier from user_account_change where user_id = new.user_id order by id desc limit 1);
  end if;
  return new;
end
$$;
create trigger user_account_change_tier before insert on user_account_change
  for each row execute function keep_recorded_tier();

alter table withdrawal
  add column platform_held_at timestamptz,     -- domain time; null unless the request exceeded the limit of the platform
  add column platform_released_at timestamptz; -- when there was room again, or two admins released the withdrawal
-- `check_withdrawal` (038) with the last two rules.
create or replace function check_withdrawal(checked withdrawal) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.status in ('pending', 'approved', 'processing', 'completed', 'rejected', 'failed'))
      then 'withdrawal_status'
    when not (checked.amount > 0 and scale(checked.amount) <= 6) then 'withdrawal_amount'
    when not (checked.currency = 'USDC') then 'withdrawal_currency'
    when not (checked.to_address ~ '^0x[0-9a-fA-F]{40}$') then 'withdrawal_to_address'
    when not (checked.address_checksum in ('valid', 'absent', 'mismatch')) then 'withdrawal_address_checksum'
    when not (checked.chain_check in ('matched', 'mismatch', 'unverified')) then 'withdrawal_chain_check'
    when not (checked.chain_check_reason is null
              or (checked.chain_check = 'mismatch'
                  and checked.chain_check_reason in ('TRANSACTION_UNKNOWN', 'TRANSACTION_REVERTED', 'NO_SUCH_TRANSFER',
                                                     'OLDER_THAN_REQUEST', 'SENDER_NOT_CUSTODY', 'TRANSFER_USED_BEFORE')))
      then 'withdrawal_chain_check_reason'
    when not (num_nonnulls(checked.approved_at, checked.approved_by) = case when checked.approved_at is null then 0 else 2 end
              and (checked.status <> 'approved' or checked.approved_at is not null)) then 'withdrawal_approved'
    when not (num_nonnulls(checked.tx_hash, checked.completed_at, checked.chain_check, checked.chain_checked_at)
                = case checked.status when 'completed' then 4 else 0 end
              and checked.tx_hash <> '') then 'withdrawal_completed'
    when not (checked.cancelled_at is null or checked.status = 'rejected') then 'withdrawal_cancelled'
    when not (checked.released_at is null or checked.status = 'failed') then 'withdrawal_released'
    when not (checked.platform_held_at is null or checked.platform_released_at is not null
              or checked.status in ('pending', 'rejected')) then 'withdrawal_platform_held'
    when not (checked.platform_released_at is null or checked.platform_held_at is not null)
      then 'withdrawal_platform_released'
  end;
begin
  if violated is not null then perform raise_check_violation('withdrawal', violated); end if;
  return true;
end
$$;
create or replace trigger withdrawal_kept before update on withdrawal for each row execute function refuse_change(
  'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'approved_at', 'approved_by',
  'executed_at', 'completed_at', 'cancelled_at', 'released_at', 'tx_hash', 'platform_held_at', 'platform_released_at');

alter table withdrawal_event drop constraint withdrawal_event_by_type;
alter table withdrawal_event add constraint withdrawal_event_by_type check (by_type in ('user', 'admin', 'provider', 'system'));

-- The sums of the windows: 30 days of one user, and 24 hours of the platform. Rejected and released withdrawals do not count.
create index withdrawal_counted_of_user on withdrawal (user_id, created_at) include (amount)
  where status <> 'rejected' and released_at is null;
create index withdrawal_counted_of_platform on withdrawal (created_at) include (amount)
  where status <> 'rejected' and released_at is null and platform_held_at is null;
create index withdrawal_released_to_platform on withdrawal (platform_released_at) include (amount)
  where status <> 'rejected' and released_at is null and platform_released_at is not null;
create index withdrawal_held on withdrawal (created_at, id) include (amount)
  where status = 'pending' and platform_held_at is not null and platform_released_at is null;

-- Adds kinds to those that the constraints of earlier files list.
do $$
declare
  rule record;
begin
  for rule in select * from (values
      ('alert', 'alert_kind', array['unknown-tier', 'platform-limit']),
      ('approval', 'approval_kind', array['user.tier-change', 'withdrawal.release'])) as added(owner, name, kinds)
  loop
    execute format('alter table %I add constraint %I check (kind in (%s))', rule.owner, rule.name || '_075',
      (select string_agg(quote_literal(kind), ', ')
         from (select (regexp_matches(pg_get_constraintdef(oid), '''([^'']+)''', 'g'))[1] as kind
                 from pg_constraint where conname = rule.name and conrelid = rule.owner::regclass
               union select unnest(rule.kinds)) as listed));
    execute format('alter table %I drop constraint %I', rule.owner, rule.name);
    execute format('alter table %I rename constraint %I to %I', rule.owner, rule.name || '_075', rule.name);
  end loop;
end
$$;

-- `record_waiting_for_approval` (049) with the tiers of the user, and without withdrawals that the limit of the platform holds.
create or replace view record_waiting_for_approval as
  select id, 'transaction' as kind, 'transaction' as subject_type, type || ' of ' || wire_amount(amount) || ' ' || currency as subject_label,
         jsonb_build_object('type', type, 'amount', wire_amount(amount), 'currency', currency, 'userId', user_id) as change_after,
         description as reason, created_by as requested_by, created_at as requested_at, null::numeric as amount,
         null::text as tier, null::text as recorded_tier
    from admin_transaction where status = 'pending'
  union all
  select id, 'break', 'reconciliation-break', resolution, jsonb_build_object('resolution', resolution),
         note, proposed_by, proposed_at, null::numeric, null, null
    from reconciliation_line where status = 'proposed'
  union all
  select w.id, 'withdrawal', 'withdrawal', wire_amount(w.amount) || ' ' || w.currency || ' to ' || w.to_address,
         jsonb_build_object('amount', wire_amount(w.amount), 'currency', w.currency, 'toAddress', w.to_address, 'userId', w.user_id),
         null::text, u.email, w.created_at, w.amount, u.tier,
         (select tier from user_account_change where user_id = u.id order by id desc limit 1)
    from withdrawal as w join platform_user as u on u.id = w.user_id
   where w.status = 'pending' and (w.platform_held_at is null or w.platform_released_at is not null);

-- == 076-attempts-of-callbacks

-- The attempts of a callback that waits are counted one by one: it cannot fail before it was attempted, nor stop the queue by a
-- number that is out of range.

set local lock_timeout = '10s'; -- as in 036
lock table webhook_event in share row exclusive mode;

create trigger webhook_event_inserted before insert on webhook_event
  for each row when (new.status = 'received' and new.attempts <> 0) execute function refuse_change();
create trigger webhook_event_attempted before update of attempts on webhook_event
  for each row when (new.attempts > old.attempts::bigint + 1) execute function refuse_change();

-- == 077-list-cursors

-- A page that a cursor addresses begins at a sort value, so the sort keys of lists are never null: rows without the time stand
-- before all others. 079 drops the indexes that these replace, after all others are built.
create index platform_user_by_last_login on platform_user (coalesce(last_login_at, '-infinity'), id);
create index withdrawal_by_completion_time on withdrawal (coalesce(completed_at, '-infinity'), id);

-- == 078-search

-- The keys by which admins search records. Ranges of text compare bytes, whatever the collation of the database is.

create index platform_user_search_email on platform_user (email collate "C");
create index wallet_search_address on wallet (lower(address) collate "C");
create index deposit_address_search_address on deposit_address (lower(address) collate "C");
create index deposit_search_hash on deposit (tx_hash collate "C");
create index withdrawal_search_hash on withdrawal (tx_hash collate "C") where tx_hash is not null;
create index withdrawal_search_address on withdrawal (lower(to_address) collate "C");

-- == 079-books

-- The accounts of all users of one kind and asset, which the platform's books show together.
create index ledger_account_of_kind on ledger_account (kind, asset);

-- Last, because this blocks reads of both tables until the end of the migrations.
drop index platform_user_by_login, withdrawal_by_completion;

-- == 080-operators

-- Withdrawals that an operator returns, the filters of the admins' list of withdrawals (012), and the counts of the operators' queues.
set local lock_timeout = '10s'; -- as in 036
lock table withdrawal, reconciliation_line, screening_verdict in share row exclusive mode;

-- As in 075, but a return clears the taking and the approval. Only one of the two triggers runs for a row.
create or replace trigger withdrawal_kept before update on withdrawal
  for each row when (not (old.status = 'processing' and new.status = 'pending'
                          and num_nonnulls(new.approved_at, new.approved_by, new.executed_at, new.taken_by) = 0))
  execute function refuse_change(
    'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'approved_at', 'approved_by',
    'executed_at', 'completed_at', 'cancelled_at', 'released_at', 'tx_hash', 'platform_held_at', 'platform_released_at');
create trigger withdrawal_returned before update on withdrawal
  for each row when (old.status = 'processing' and new.status = 'pending'
                     and num_nonnulls(new.approved_at, new.approved_by, new.executed_at, new.taken_by) = 0)
  execute function refuse_change(
    'id', 'user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at', 'completed_at', 'cancelled_at',
    'released_at', 'tx_hash', 'platform_held_at', 'platform_released_at');

-- Filters of the admins' list. Those by hash, address and completion have the indexes of 012, 077 and 078.
create index withdrawal_by_taker on withdrawal (taken_by, created_at, id) where taken_by is not null;
create index withdrawal_by_completer on withdrawal (completed_by, created_at, id) where completed_by is not null;
create index withdrawal_by_taking on withdrawal (executed_at, id) where executed_at is not null;

-- Queues: what waits is found without the rows that are done. The other queues have an index by status.
create index withdrawal_unreleased on withdrawal (created_at) include (amount) where status = 'failed' and released_at is null;
create index reconciliation_line_unresolved on reconciliation_line (reconciliation_id)
  where status in ('open', 'assigned', 'proposed');
create index screening_verdict_for_review on screening_verdict (subject, id)
  where verdict = 'review' and accepted_at is null and not outdated;

-- == 081-accounts-of-users

-- What admins see of users' accounts: sign-ins, the verdict of screening, and an alert about users whose screening needs a review.

set local lock_timeout = '10s'; -- as in 036
lock table sign_in, screening_verdict, alert in share row exclusive mode;

-- Sign-ins are kept for 90 days. The columns are null in rows of the previous version.
alter table sign_in
  add column method text,  -- how the user signed in
  add column address text, -- the network address of the request that signed in
  add constraint sign_in_method check (method in ('identity-provider', 'wallet'));
create index sign_in_newest_of_user on sign_in (user_id, created_at, family_id);
create index sign_in_by_time on sign_in (created_at);

-- The newest verdict of a user, and the users in review or blocked, who are few.
create index screening_verdict_newest_of_user on screening_verdict (user_id, id) where user_id is not null;
create index screening_verdict_of_concern on screening_verdict (verdict, user_id) where verdict <> 'clear' and user_id is not null;

-- Adds a kind to those that the constraint of earlier files lists, as 075.
do $$
begin
  execute format('alter table alert add constraint alert_kind_081 check (kind in (%s))',
    (select string_agg(quote_literal(kind), ', ')
       from (select (regexp_matches(pg_get_constraintdef(oid), '''([^'']+)''', 'g'))[1] as kind
               from pg_constraint where conname = 'alert_kind' and conrelid = 'alert'::regclass
             union select 'screening-review') as listed));
  alter table alert drop constraint alert_kind;
  alter table alert rename constraint alert_kind_081 to alert_kind;
end
$$;

-- Last, because this blocks reads of both tables until the end of the migrations.
drop index sign_in_of_user, sign_in_expired, screening_verdict_of_user;

-- == baseline

set local lock_timeout = '10s';
-- All tables that this section alters, in the order in which requests use them. No process of a former version runs.
lock table platform_user, user_account_change, strategy_nav, strategy_accrual, screening_verdict, approval, alert, audit_entry, domain_event,
  proof_key, proof_log, proof_leaf, proof_tile, proof_checkpoint, liability_day, liability_tree, liability_chunk, liability_nodes,
  list_total_delta, report_delta, report_gap_delta in access exclusive mode;

alter table alert drop constraint alert_kind;
alter table alert add constraint alert_kind check (kind in (
  'admins-file', 'clock-apart', 'deposit-reorganised', 'deposit-unconfirmed', 'event-webhook-failing',
  'events-behind', 'events-parked', 'forged-credential', 'job-overdue', 'large-deposit', 'log-restored',
  'payment-mismatch', 'platform-limit', 'record-differs', 'screening-away', 'screening-blocked', 'screening-review',
  'second-transfer', 'unknown-tier', 'withdrawal-paid-after-failure'));
alter table approval drop constraint approval_kind;
alter table approval add constraint approval_kind check (kind in (
  'admin.factor-reset', 'admin.password-set', 'integrity.resume', 'log.continue', 'screening.accept',
  'user.email-change', 'user.factor-reset', 'user.hold-end', 'user.tier-change', 'user.unlock',
  'withdrawal.complete-mismatch', 'withdrawal.reject-paid', 'withdrawal.release', 'yield-report.accept'));

-- What only processes of former versions called and read.
drop trigger user_account_change_lock on user_account_change;
drop trigger user_account_change_tier on user_account_change;
drop function keep_recorded_lock(), keep_recorded_tier(), idempotency_claim(text, text, text, text, timestamptz),
  transactions(user_figures), failed_transactions(user_figures), compact_list_totals(bigint), compact_report_totals(bigint),
  list_totals_above(text, text[], numeric), list_totals(text, text[]), list_totals_of_days(text, text[], date, date),
  list_total_row(withdrawal), list_total_row(investment), list_total_row(user_transaction), list_total_row(admin_transaction),
  list_total_row(audit_entry), list_total_row(webhook_event), list_total_row(transaction_request), list_total_row(yield_report),
  list_total_row(faucet_payout), list_total_row(deposit), facets_match(text[], text[]), next_amount_band(numeric, integer),
  amount_band(numeric, integer), utc_day(timestamptz);
do $$
begin
  -- Changes that no job of a former version has added to the sums.
  if exists (select from list_total_delta) or exists (select from report_delta) or exists (select from report_gap_delta) then
    perform mark_all_totals();
  end if;
end
$$;
drop view report_gap;
drop table list_total_delta, report_delta, report_gap_delta;

-- One function refuses changes in all tables but those of the ledger.
create or replace trigger audit_entry_immutable before update or delete or truncate on audit_entry
  for each statement execute function refuse_change();
create or replace trigger domain_event_kept before update on domain_event
  for each statement execute function refuse_change();
create or replace trigger strategy_nav_immutable before update or delete or truncate on strategy_nav
  for each statement execute function refuse_change();
create or replace trigger strategy_accrual_immutable before update or delete or truncate on strategy_accrual
  for each statement execute function refuse_change();
create or replace trigger proof_log_permanent before delete or truncate on proof_log
  for each statement execute function refuse_change();
create or replace trigger proof_leaf_immutable before update or delete or truncate on proof_leaf
  for each statement execute function refuse_change();
create or replace trigger proof_tile_permanent before delete or truncate on proof_tile
  for each statement execute function refuse_change();
create or replace trigger proof_checkpoint_immutable before update or truncate on proof_checkpoint
  for each statement execute function refuse_change();
create or replace trigger proof_key_permanent before update or delete or truncate on proof_key
  for each statement execute function refuse_change();
create or replace trigger liability_day_immutable before update or delete or truncate on liability_day
  for each statement execute function refuse_change();
create or replace trigger liability_tree_immutable before update or delete or truncate on liability_tree
  for each statement execute function refuse_change();
create or replace trigger liability_chunk_immutable before update on liability_chunk
  for each statement execute function refuse_change();
create or replace trigger liability_nodes_immutable before update on liability_nodes
  for each statement execute function refuse_change();
create or replace trigger approval_unchanged before update on approval
  for each row when (
    old.status <> 'pending'
    or (old.id, old.kind, old.subject_type, old.subject_id, old.subject_label, old.change_before, old.change_after, old.reason,
        old.requested_by, old.requested_at, old.expires_at)
       is distinct from
       (new.id, new.kind, new.subject_type, new.subject_id, new.subject_label, new.change_before, new.change_after, new.reason,
        new.requested_by, new.requested_at, new.expires_at)
    or (new.status = 'pending' and new.input is distinct from old.input))
  execute function refuse_change();
create or replace trigger approval_kept before delete or truncate on approval for each statement execute function refuse_change();
drop function audit_refuse(), domain_event_refuse_change(), strategy_refuse_change(), proof_refuse(), approval_refuse_change();

create function refuse_early_day() returns trigger language plpgsql as $$
begin
  if new.day > domain_today() + tg_argv[0]::integer then
    raise exception '%: the row of % for % is refused: by the clock of the database it is too early', tg_table_name, new.strategy_id, new.day
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end
$$ set search_path = public, pg_temp;
create or replace trigger strategy_nav_day_begun before insert on strategy_nav
  for each row execute function refuse_early_day(1);
create or replace trigger strategy_accrual_day_begun before insert on strategy_accrual
  for each row execute function refuse_early_day(0);
drop function strategy_nav_refuse_early_day(), strategy_accrual_refuse_early_day();

create function screening_request() returns trigger language plpgsql as $$
begin
  insert into screening_question (subject, user_id, due_at)
  values ('user:' || new.id::text, new.id, clock_timestamp())
      on conflict (subject) do nothing;
  return null;
end
$$;
drop trigger platform_user_screening on platform_user;
create trigger platform_user_screening after insert on platform_user
  for each row when (not new.is_admin) execute function screening_request();
create or replace trigger platform_user_no_admin_any_more after update of is_admin on platform_user
  for each row when (old.is_admin and not new.is_admin) execute function screening_request();
drop function screening_request_for_new_users(), screening_request_for_former_admins();

alter function live_amount(numeric) rename to api_amount;
create or replace function user_balance(user_id uuid) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('user-balance:' || user_id, 0));
  return (
    select format('{"total":"%s","available":"%s","invested":"%s","reserved":"%s"}', api_amount(available + invested),
                  api_amount(available), api_amount(invested), api_amount(reserved))::json
      from (select coalesce(max(balance) filter (where kind = 'user.available'), 0) as available,
                   coalesce(max(balance) filter (where kind = 'user.invested'), 0) as invested,
                   coalesce(max(balance) filter (where kind = 'user.reserved'), 0) as reserved
              from ledger_account where owner_id = user_id and asset = 'USDC') as funds);
end
$$;
create or replace view record_waiting_for_approval as
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
drop function wire_amount(numeric);

create index screening_verdict_current on screening_verdict (user_id) where user_id is not null and not outdated;
create index refresh_token_of_subject on refresh_token (subject_type, subject_id) where revoked_at is null or seal is not null;
