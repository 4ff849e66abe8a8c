-- A loss is borne by the investments that hold it, and what a moved investment carries over from its earlier legs.

alter table investment
  -- Of a moved investment: the principal and the instant of the first investment of the chain. Null on all others,
  -- whose own amount and created_at they are.
  add column first_principal          numeric,
  add column first_made_at            timestamptz,
  add column carried_fees             numeric not null default 0, -- of earlier legs, charged on closing
  add column carried_performance_fees numeric not null default 0, -- the part of carried_fees that is performance fees
  -- Value of the day on which it ended, less what it was priced at. Final_value of a cancelled one is what was paid;
  -- it is null on those that were cancelled before this migration: they were paid their principal.
  add column forfeited                numeric not null default 0,
  drop constraint investment_final_value,
  add constraint investment_final_value check
    (case status when 'closed' then final_value is not null when 'cancelled' then true else final_value is null end
     and final_value >= 0 and scale(final_value) <= 6),
  add constraint investment_moved check
    ((first_principal is null) = (first_made_at is null) and (first_principal is null or moved_from is not null)
     and (moved_from is not null or carried_fees = 0)),
  add constraint investment_first_principal check (first_principal > 0 and scale(first_principal) <= 6),
  add constraint investment_cancelled check (status <> 'cancelled' or final_value <= coalesce(first_principal, amount)),
  add constraint investment_carried_fees check
    (carried_performance_fees between 0 and carried_fees and scale(carried_fees) <= 6 and scale(carried_performance_fees) <= 6),
  add constraint investment_forfeited check (forfeited >= 0 and (forfeited = 0 or final_value is not null));

alter table investment_closing
  add column carried_fee             numeric not null default 0,
  add column carried_performance_fee numeric not null default 0, -- the part of carried_fee that is performance fees
  add column forfeited               numeric not null default 0,
  drop constraint investment_closing_fees,
  add constraint investment_closing_fees check
    (management_fee >= 0 and performance_fee >= 0 and carried_performance_fee between 0 and carried_fee
     and management_fee + performance_fee + carried_fee <= value),
  add constraint investment_closing_forfeited check (forfeited >= 0);

-- Lists by value read cancelled investments by what they paid.
create index investment_by_paid_value on investment (coalesce(final_value, amount), id) where status = 'cancelled';
