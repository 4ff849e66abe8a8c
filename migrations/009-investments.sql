-- Investments of users in strategies, and the parts of them that were closed. The money itself is in the ledger.

-- Amount and units describe what remains open; closed_principal, closed_growth and closed_fees are sums over the closings.
create table investment (
  id                       uuid primary key,
  user_id                  uuid not null references platform_user (id),
  strategy_id              text not null,
  status                   text not null,
  amount                   numeric not null, -- principal, USDC
  units                    numeric not null, -- 0 until they are issued
  issued_on                date,             -- UTC day on which the units were issued
  idempotency_key          uuid,
  created_at               timestamptz not null,
  updated_at               timestamptz not null,
  approved_by              text,
  approved_at              timestamptz,
  ended_at                 timestamptz,      -- closed or cancelled
  ended_by                 text,             -- the admin who closed or rejected it; null if its user ended it
  note                     text,             -- why an admin rejected it
  final_value              numeric,          -- of a closed one: its value; of a cancelled one: the amount paid out
  fees                     numeric not null default 0,
  closed_principal         numeric not null default 0,
  closed_growth            numeric not null default 0, -- a loss is negative
  closed_fees              numeric not null default 0,
  -- The investment that this one continues after a move, and the principal and time of the first investment of that
  -- chain. First principal and time are null on investments that were not moved.
  moved_from               uuid references investment,
  first_principal          numeric,
  first_made_at            timestamptz,
  carried_fees             numeric not null default 0, -- of earlier legs, charged on closing
  carried_performance_fees numeric not null default 0, -- the part of carried_fees that is performance fees
  forfeited                numeric not null default 0, -- value of the day on which it ended, less the price paid
  constraint investment_idempotency_key unique (user_id, idempotency_key),
  constraint investment_status check (status in ('pending', 'active', 'closed', 'cancelled')),
  constraint investment_amount check (amount > 0 and scale(amount) <= 6),
  constraint investment_units check (units >= 0 and scale(units) <= 24 and (units > 0) = (issued_on is not null)),
  constraint investment_issued check
    (case status when 'pending' then units = 0 when 'cancelled' then true else units > 0 end),
  constraint investment_approval check ((approved_by is null) = (approved_at is null)),
  constraint investment_ended check ((status in ('closed', 'cancelled')) = (ended_at is not null)),
  constraint investment_ended_by check (ended_by is null or ended_at is not null),
  constraint investment_note check (note is null or (status = 'cancelled' and ended_by is not null)),
  constraint investment_final_value check
    (case status when 'closed' then final_value is not null when 'cancelled' then true else final_value is null end
     and final_value >= 0 and scale(final_value) <= 6),
  constraint investment_cancelled check (status <> 'cancelled' or final_value <= coalesce(first_principal, amount)),
  constraint investment_fees check (fees >= 0 and (fees = 0 or fees <= final_value)),
  constraint investment_closed_part check (closed_principal >= 0 and closed_fees >= 0),
  constraint investment_moved_once unique (moved_from),
  constraint investment_moved check
    ((first_principal is null) = (first_made_at is null) and (first_principal is null or moved_from is not null)
     and (moved_from is not null or carried_fees = 0)),
  constraint investment_first_principal check (first_principal > 0 and scale(first_principal) <= 6),
  constraint investment_carried_fees check
    (carried_performance_fees between 0 and carried_fees and scale(carried_fees) <= 6
     and scale(carried_performance_fees) <= 6),
  constraint investment_forfeited check (forfeited >= 0 and (forfeited = 0 or final_value is not null))
);

-- A user's own list. It also sums all matching rows and so reads all of the user's investments; the first two indexes
-- return the page in order. Sorting by value computes the values anyway.
create index investment_of_user on investment (user_id, created_at, id);
create index investment_of_user_by_amount on investment (user_id, amount, id);
create index investment_of_user_by_strategy on investment (user_id, strategy_id);
create index investment_pending_of_user on investment (user_id) include (amount) where status = 'pending';
create index investment_open on investment (user_id, strategy_id) include (status, amount)
  where status in ('pending', 'active');

-- Lists over all users.
create index investment_by_time on investment (created_at, id);
create index investment_by_change on investment (updated_at);
create index investment_by_amount on investment (amount, id);
create index investment_by_status on investment (status, created_at, id);
-- Lists by value merge rows that are already in order: the active investments of each strategy by units, which is their
-- order by value from the day after their issue on; those issued today by amount; pending ones by amount; cancelled ones
-- by the amount paid out; closed ones by final value.
create index investment_by_strategy on investment (strategy_id, status, units, id);
create index investment_by_issue on investment (strategy_id, issued_on, amount, id) where status = 'active';
create index investment_by_status_and_amount on investment (status, amount, id);
create index investment_by_final_value on investment (final_value, id) where status = 'closed';
create index investment_by_paid_value on investment (coalesce(final_value, amount), id) where status = 'cancelled';
-- Investments that are too recent to have grown: their value is their principal.
create index investment_without_growth on investment (issued_on) include (strategy_id, amount, units, created_at)
  where status = 'active';

-- A part of an investment that was closed. Postings refer to it by the investment's id and the number.
create table investment_closing (
  investment_id           uuid not null references investment,
  number                  integer not null,     -- 1, 2, …
  at                      timestamptz not null,
  closed_by               text not null,        -- an admin's e-mail address
  value                   numeric not null,     -- the redeemed value before fees
  principal               numeric not null,     -- the share of the principal in the value; the remainder is growth
  units                   numeric not null,
  management_fee          numeric not null,
  performance_fee         numeric not null,
  carried_fee             numeric not null default 0,
  carried_performance_fee numeric not null default 0, -- the part of carried_fee that is performance fees
  forfeited               numeric not null default 0,
  primary key (investment_id, number),
  constraint investment_closing_number check (number > 0),
  constraint investment_closing_value check (value > 0 and scale(value) <= 6),
  constraint investment_closing_principal check (principal >= 0 and scale(principal) <= 6),
  constraint investment_closing_units check (units > 0 and scale(units) <= 24),
  constraint investment_closing_fees check
    (management_fee >= 0 and performance_fee >= 0 and carried_performance_fee between 0 and carried_fee
     and management_fee + performance_fee + carried_fee <= value),
  constraint investment_closing_forfeited check (forfeited >= 0)
);
