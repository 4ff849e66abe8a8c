-- What admins do with investments: closing a part, saying why one is rejected; and their lists over all users.

-- A part that was closed. The investment's id and the number are the reference of its postings.
create table investment_closing (
  investment_id   uuid not null references investment,
  number          integer not null, -- 1, 2, …
  at              timestamptz not null,
  closed_by       text not null,    -- an admin's e-mail address
  value           numeric not null, -- what was redeemed, before fees
  principal       numeric not null, -- the share of the principal in it; the rest of the value is growth
  units           numeric not null,
  management_fee  numeric not null,
  performance_fee numeric not null,
  primary key (investment_id, number),
  constraint investment_closing_number check (number > 0),
  constraint investment_closing_value check (value > 0 and scale(value) <= 6),
  constraint investment_closing_principal check (principal >= 0 and scale(principal) <= 6),
  constraint investment_closing_units check (units > 0 and scale(units) <= 24),
  constraint investment_closing_fees check
    (management_fee >= 0 and performance_fee >= 0 and management_fee + performance_fee <= value)
);

-- The amount and the units of an investment are what is left of it; these are the sums over its closings.
alter table investment
  add column closed_principal numeric not null default 0,
  add column closed_growth    numeric not null default 0, -- a loss is negative
  add column closed_fees      numeric not null default 0,
  add column ended_by         text, -- the admin who closed or rejected it; null where its user ended it
  add column note             text, -- why it was rejected
  add constraint investment_closed_part check (closed_principal >= 0 and closed_fees >= 0),
  add constraint investment_ended_by check (ended_by is null or ended_at is not null),
  add constraint investment_note check (note is null or (status = 'cancelled' and ended_by is not null));

-- Lists by value merge what is in order already: of each strategy its active investments by units, which since the
-- day after their issue is the order of their values; those issued today by amount; what is pending or cancelled by
-- amount; what is closed by its final value.
drop index investment_by_strategy;
create index investment_by_strategy on investment (strategy_id, status, units, id);
create index investment_by_issue on investment (strategy_id, issued_on, amount, id) where status = 'active';
create index investment_by_status_and_amount on investment (status, amount, id);
create index investment_by_final_value on investment (final_value, id) where status = 'closed';
