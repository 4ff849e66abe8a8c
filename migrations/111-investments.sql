-- Investments of users in strategies, and the parts of them that were closed. The money itself is in the ledger.

create table investment (
  id                       uuid primary key,
  user_id                  uuid not null references platform_user,
  strategy_id              text not null,
  status                   text not null,
  amount                   numeric not null,
  units                    numeric not null,
  issued_on                date,
  idempotency_key          uuid,
  created_at               timestamptz not null,
  updated_at               timestamptz not null,
  approved_by              text,
  approved_at              timestamptz,
  ended_at                 timestamptz,
  ended_by                 text,
  note                     text,
  final_value              numeric,
  fees                     numeric not null default 0,
  closed_principal         numeric not null default 0,
  closed_growth            numeric not null default 0,
  closed_fees              numeric not null default 0,
  moved_from               uuid references investment,
  first_principal          numeric,
  first_made_at            timestamptz,
  carried_fees             numeric not null default 0,
  carried_performance_fees numeric not null default 0,
  forfeited                numeric not null default 0,
  management_fee_percent   numeric,
  performance_fee_percent  numeric,
  moved_to                 uuid,
  closed_earlier_growth    numeric not null default 0,
  closed_parts             integer not null default 0,
  constraint investment_idempotency_key unique (user_id, idempotency_key)
);
comment on table investment is 'Investments of users in strategies. Amount and units describe what remains open; the money is in the ledger.';
comment on column investment.id is 'identifier of the investment (UUID)';
comment on column investment.user_id is 'the user';
comment on column investment.strategy_id is 'the strategy';
comment on column investment.status is 'pending (waits for approval), active, closed or cancelled';
comment on column investment.amount is 'principal that remains, USDC';
comment on column investment.units is 'units of the strategy that it holds; 0 until they are issued';
comment on column investment.issued_on is 'UTC day on which the units were issued';
comment on column investment.idempotency_key is 'the field idempotencyKey of the request; unique per user';
comment on column investment.created_at is 'domain time of the request';
comment on column investment.updated_at is 'domain time of the latest change';
comment on column investment.approved_by is 'e-mail address of the admin who approved it; null if it needed no approval';
comment on column investment.approved_at is 'domain time of the approval';
comment on column investment.ended_at is 'domain time at which it was closed or cancelled';
comment on column investment.ended_by is 'e-mail address of the admin who closed or rejected it; null if the user ended it';
comment on column investment.note is 'why an admin rejected it';
comment on column investment.final_value is 'of a closed one: its value before fees; of a cancelled one: the amount paid out; USDC';
comment on column investment.fees is 'fees charged at the end, USDC';
comment on column investment.closed_principal is 'principal of the parts that were closed, USDC';
comment on column investment.closed_growth is 'growth of the parts that were closed, USDC; a loss is negative';
comment on column investment.closed_fees is 'fees of the parts that were closed, USDC';
comment on column investment.moved_from is 'the investment that this one continues after a move';
comment on column investment.first_principal is 'principal of the first investment of a chain of moves; null without a move';
comment on column investment.first_made_at is 'domain time of the first investment of that chain';
comment on column investment.carried_fees is 'fees of earlier legs, charged when this one is closed, USDC';
comment on column investment.carried_performance_fees is 'the part of carried_fees that is performance fees, USDC';
comment on column investment.forfeited is 'value of the day on which it ended, less the price paid, USDC';
comment on column investment.management_fee_percent is 'rate in force when it was closed, percent per year';
comment on column investment.performance_fee_percent is 'rate in force when it was closed, percent of the growth';
comment on column investment.moved_to is 'the investment in which this one continues';
comment on column investment.closed_earlier_growth is 'growth of earlier legs that is in closed_principal, USDC; zero unless a move opened it';
comment on column investment.closed_parts is 'number of partial closings';

-- A user's own list. It also sums all matching rows and so reads all of the user's investments. Sorting by value computes the values
-- anyway.
create index investment_of_user on investment (user_id, created_at, id);
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
-- Partial, because most rows have null.
create unique index investment_moved_once on investment (moved_from) where moved_from is not null;
-- The totals of the admins' list of users read pending investments of many users, without their active ones.
create index investment_open on investment (user_id, status, strategy_id) include (amount)
  where status in ('pending', 'active');
-- What the sums of reports read by time.
create index investment_by_approval on investment (approved_at) where approved_at is not null;
create index investment_by_end on investment (ended_at) where ended_at is not null;

create function check_investment(checked investment) returns boolean language plpgsql immutable as $$
declare
  violated constant text := case
    when not (checked.status in ('pending', 'active', 'closed', 'cancelled')) then 'investment_status'
    when not (checked.amount > 0 and scale(checked.amount) <= 6) then 'investment_amount'
    when not (checked.units >= 0 and scale(checked.units) <= 24
              and (checked.units > 0) = (checked.issued_on is not null)) then 'investment_units'
    when not (case checked.status when 'pending' then checked.units = 0 when 'cancelled' then true else checked.units > 0 end)
      then 'investment_issued'
    when not ((checked.approved_by is null) = (checked.approved_at is null)) then 'investment_approval'
    when not ((checked.status in ('closed', 'cancelled')) = (checked.ended_at is not null)) then 'investment_ended'
    when not (checked.ended_by is null or checked.ended_at is not null) then 'investment_ended_by'
    when not (checked.note is null or (checked.status = 'cancelled' and checked.ended_by is not null))
      then 'investment_note'
    when not (case checked.status when 'closed' then checked.final_value is not null when 'cancelled' then true
                                  else checked.final_value is null end
              and checked.final_value >= 0 and scale(checked.final_value) <= 6) then 'investment_final_value'
    when not (checked.status <> 'cancelled' or checked.final_value <= coalesce(checked.first_principal, checked.amount))
      then 'investment_cancelled'
    when not (checked.fees >= 0 and (checked.fees = 0 or checked.fees <= checked.final_value)) then 'investment_fees'
    when not (checked.closed_principal >= 0 and checked.closed_fees >= 0) then 'investment_closed_part'
    when not ((checked.first_principal is null) = (checked.first_made_at is null)
              and (checked.first_principal is null or checked.moved_from is not null)
              and (checked.moved_from is not null or checked.carried_fees = 0)) then 'investment_moved'
    when not (checked.first_principal > 0 and scale(checked.first_principal) <= 6) then 'investment_first_principal'
    when not (checked.carried_performance_fees between 0 and checked.carried_fees and scale(checked.carried_fees) <= 6
              and scale(checked.carried_performance_fees) <= 6) then 'investment_carried_fees'
    when not (checked.forfeited >= 0 and (checked.forfeited = 0 or checked.final_value is not null))
      then 'investment_forfeited'
    when not ((checked.management_fee_percent is null) = (checked.performance_fee_percent is null)
              and (checked.management_fee_percent is null
                   or (checked.status = 'closed' and checked.management_fee_percent >= 0
                       and checked.performance_fee_percent >= 0))) then 'investment_fee_rates'
  end;
begin
  if violated is not null then perform raise_check_violation('investment', violated); end if;
  return true;
end
$$;
alter table investment add constraint investment_rules check (check_investment(investment));

-- A partial closing moves a part of amount and units into its own row.
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
create trigger investment_kept before update on investment for each row execute function refuse_change(
  'id', 'user_id', 'strategy_id', 'issued_on', 'idempotency_key', 'created_at', 'approved_by', 'approved_at', 'ended_at', 'ended_by',
  'final_value', 'moved_from', 'moved_to', 'first_made_at', 'management_fee_percent', 'performance_fee_percent');

-- Postings refer to a part by the investment's id and the number.
create table investment_closing (
  investment_id           uuid not null references investment,
  number                  integer not null,
  at                      timestamptz not null,
  closed_by               text not null,
  value                   numeric not null,
  principal               numeric not null,
  units                   numeric not null,
  management_fee          numeric not null,
  performance_fee         numeric not null,
  carried_fee             numeric not null default 0,
  carried_performance_fee numeric not null default 0,
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
comment on table investment_closing is 'Parts of investments that were closed.';
comment on column investment_closing.investment_id is 'the investment';
comment on column investment_closing.number is '1, 2, … of the investment';
comment on column investment_closing.at is 'domain time of the closing';
comment on column investment_closing.closed_by is 'e-mail address of the admin';
comment on column investment_closing.value is 'redeemed value before fees, USDC';
comment on column investment_closing.principal is 'the share of the principal in the value, USDC';
comment on column investment_closing.units is 'redeemed units';
comment on column investment_closing.management_fee is 'USDC';
comment on column investment_closing.performance_fee is 'USDC';
comment on column investment_closing.carried_fee is 'the share of fees of earlier legs, USDC';
comment on column investment_closing.carried_performance_fee is 'the part of carried_fee that is performance fees, USDC';
comment on column investment_closing.forfeited is 'value of the day less the price paid, USDC';

create index investment_closing_by_time on investment_closing (at);

create trigger investment_closing_kept before update or delete or truncate on investment_closing
  for each statement execute function refuse_change();
