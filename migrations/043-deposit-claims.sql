-- A deposit that only its user has told of is a claim: neither the chain nor the deposit provider has shown the transfer.
-- Claims stand in no total, are polled after everything else, and each user has a bounded number of open ones.

alter table deposit add column only_claimed boolean not null default false;

update deposit set only_claimed = true
 where provider_deposit_id is null and log_index is null
   and (failure in ('unproven', 'reverted') or (status in ('pending', 'failed') and confirmations = 0));

-- The claim's record among the transactions said that the chain had shown it.
update user_transaction as shown
   set submitted_at = null, timeline = jsonb_set(timeline, '{0,description}', '"Claim received"')
  from deposit
 where deposit.only_claimed and shown.reference_type = 'deposit' and shown.reference_id = deposit.id::text
   and timeline #>> '{0,description}' = 'Seen on chain';

-- What the poller looks up first, and what it looks up afterwards.
drop index deposit_open;
create index deposit_open on deposit (checked_at nulls first, id)
  where status in ('pending', 'confirming') and hold_reason is null and not only_claimed;
create index deposit_open_claim on deposit (checked_at nulls first, id)
  where status in ('pending', 'confirming') and hold_reason is null and only_claimed;
-- How many open claims a user has.
create index deposit_open_claim_of_user on deposit (user_id)
  where status in ('pending', 'confirming') and hold_reason is null and only_claimed;
