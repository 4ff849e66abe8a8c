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
