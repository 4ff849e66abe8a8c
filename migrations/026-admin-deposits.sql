-- The admins' list of deposits: an index for each filter and sort order, and its totals (025-list-totals.sql).

create index deposit_by_creation on deposit (created_at, id);
create index deposit_by_received_amount on deposit (amount, id);
create index deposit_by_confirmation_count on deposit (confirmations, id);
create index deposit_by_status_and_creation on deposit (status, created_at, id);
create index deposit_by_currency_and_creation on deposit (currency, created_at, id);
create index deposit_by_network_and_creation on deposit (network, created_at, id);
create index deposit_by_hold_reason on deposit (hold_reason, created_at, id) where hold_reason is not null;
-- The summary values USDT that is not credited yet at the rate of the settings, row by row.
create index deposit_uncredited_usdt on deposit (created_at, id)
  where currency = 'USDT' and status in ('pending', 'confirming');

-- A filter can select by four facets instead of three.
create or replace function facets_match(facets text[], wanted text[]) returns boolean
language sql immutable parallel safe as $$
  select (wanted[1] is null or facets[1] = wanted[1]) and (wanted[2] is null or facets[2] = wanted[2])
     and (wanted[3] is null or facets[3] = wanted[3]) and (wanted[4] is null or facets[4] = wanted[4])
$$;

-- amount: as received, in the currency of the deposit. value: in USDC; zero for ETH and for USDT that is not credited yet.
create function list_total_row(listed deposit) returns setof list_total_delta language sql stable as $$
  select 'deposit', array[listed.status, listed.currency, listed.network, coalesce(listed.hold_reason, ''),
                          case when listed.only_claimed then 'claim' else '' end],
         utc_day(listed.created_at), null::numeric, 1::bigint, trunc(listed.amount, 6), 0::numeric, 0::numeric, 0::numeric,
         case listed.currency when 'USDC' then trunc(listed.amount, 6) when 'USDT' then coalesce(listed.credited, 0) else 0 end,
         0::numeric
$$;

-- The columns that only the poll job writes do not change totals. Writers of the table wait until this migration has committed,
-- so the totals of all earlier rows, which are inserted below, miss no row.
create trigger deposit_list_totals
  after insert or delete or update of status, currency, network, hold_reason, only_claimed, amount, credited, created_at
  on deposit for each row execute function track_list_totals();

create or replace view list_total_recomputed as
select list_total_row.* from withdrawal, list_total_row(withdrawal) union all
select list_total_row.* from investment, list_total_row(investment) union all
select list_total_row.* from user_transaction, list_total_row(user_transaction) union all
select list_total_row.* from admin_transaction, list_total_row(admin_transaction) union all
select list_total_row.* from audit_entry, list_total_row(audit_entry) union all
select list_total_row.* from webhook_event, list_total_row(webhook_event) union all
select list_total_row.* from transaction_request, list_total_row(transaction_request) union all
select list_total_row.* from yield_report, list_total_row(yield_report) union all
select list_total_row.* from faucet_payout, list_total_row(faucet_payout) union all
select list_total_row.* from deposit, list_total_row(deposit);

create or replace function rebuild_list_totals() returns void language plpgsql as $$
begin
  lock table withdrawal, investment, user_transaction, admin_transaction, audit_entry, webhook_event, transaction_request,
             yield_report, faucet_payout, deposit in share mode;
  lock table list_total_delta, list_total in exclusive mode;
  delete from list_total_delta;
  delete from list_total;
  insert into list_total_delta
  select list, facets, day, band, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
    from list_total_recomputed group by list, facets, day, band;
  perform compact_list_totals();
end
$$ set search_path = public, pg_temp;

insert into list_total_delta
select list, facets, day, band, sum(rows), sum(amount), sum(since), sum(took), sum(units), sum(value), sum(growth)
  from (select list_total_row.* from deposit, list_total_row(deposit)) as part group by list, facets, day, band;
