import { MICRO_SCALE } from '../../../common/money.js';
import { TOKENS_TAKEN_BACK } from '../../backoffice/treasury/treasury.types.js';
import { HOLDS_MONEY } from '../../funds/withdrawals/withdrawals.types.js';
import type { SqlInvariant } from './domain/invariant.js';

/** SQL for the user accounts of one kind whose balance differs from the amount that `records` selects for user and asset. */
function selectDifferingBalances(kind: string, records: string): string {
  return `
    select concat_ws(' ', '${kind}', asset, 'of user', user_id) as subject, user_id,
           coalesce(recorded.amount, 0) as expected, coalesce(held.amount, 0) as actual
      from (${records}) as recorded
      full join (select owner_id as user_id, asset, balance as amount from ledger_account where kind = '${kind}') as held
     using (user_id, asset)
     where coalesce(recorded.amount, 0) <> coalesce(held.amount, 0)`;
}

/** Investments with their remaining units, and each partial closing as an investment that has ended. */
const PARTS = `
  select strategy_id, issued_on, units, amount, ended_at, final_value + forfeited as last_value from investment
  union all
  select strategy_id, issued_on, closing.units, closing.principal, closing.at, closing.value + closing.forfeited
    from investment_closing as closing join investment on investment.id = closing.investment_id`;

/**
 * The growth that each strategy owes its holders, exact to the last digit: units times the rise of the NAV, less the growth
 * paid to or forfeited by ended investments, less the carry (the part below six decimals, posted with the next day's growth).
 * Units are bought at the NAV of the day after their issue, so that the second day after the issue is the first with growth.
 */
const ACCRUED_GROWTH = `
  select strategy_id, grown - carry as owed
    from (select distinct on (strategy_id) strategy_id, day, carry
            from strategy_accrual order by strategy_id, day desc) as newest,
         lateral (
           select coalesce(sum(units * (value.nav - bought.nav) - realised), 0) as grown
             from (${PARTS}) as part
            cross join lateral (select coalesce((ended_at at time zone 'UTC')::date, newest.day) as last_day) as life
             join strategy_nav as bought on bought.strategy_id = newest.strategy_id and bought.day = issued_on + 1
             join strategy_nav as value on value.strategy_id = newest.strategy_id and value.day = last_day
            cross join lateral (select case when ended_at is null then 0 else
                coalesce(last_value, round_half_even(units * value.nav, ${MICRO_SCALE})) - amount end as realised) as ended
            where part.strategy_id = newest.strategy_id and issued_on + 2 <= last_day
         ) as growth`;

/** Invariants between the ledger and the records of investments, withdrawals, deposits and transactions; also `days-begun`. */
export const RECORD_INVARIANTS: readonly SqlInvariant[] = [
  {
    name: 'reserved',
    description:
      'The reserved balance of each user is the sum of their open withdrawals and of failed ones that were not reversed.',
    severity: 'owed',
    sql: selectDifferingBalances(
      'user.reserved',
      `select user_id, currency as asset, sum(amount) as amount from withdrawal
        where ${HOLDS_MONEY} group by user_id, currency`,
    ),
  },
  {
    name: 'invested',
    description: 'The invested balance of each user is the principal of their open investments.',
    severity: 'owed',
    sql: selectDifferingBalances(
      'user.invested',
      `select user_id, 'USDC' as asset, sum(amount) as amount from investment
        where status in ('pending', 'active') group by user_id`,
    ),
  },
  {
    name: 'units',
    description: 'The units that a user holds of a strategy are the units of their active investments in it.',
    severity: 'owed',
    sql: selectDifferingBalances(
      'user.units',
      `select user_id, 'UNIT:' || strategy_id as asset, sum(units) as amount from investment
        where status = 'active' group by user_id, strategy_id`,
    ),
  },
  {
    name: 'issued-units',
    description: 'The units that a strategy has issued equal the units that users hold.',
    severity: 'owed',
    sql: `select asset as subject, null::uuid as user_id, held as expected, issued as actual
            from (select asset, coalesce(sum(balance) filter (where kind = 'user.units'), 0) as held,
                         coalesce(-sum(total) filter (where kind = 'strategy.units'), 0) as issued
                    from book where asset like 'UNIT:%' group by asset) as side
           where held <> issued`,
  },
  {
    name: 'accrued-growth',
    description:
      'The accrued growth of a strategy is the growth of the units of its investments, less the growth paid to ended ones.',
    severity: 'owed',
    sql: `select concat('strategy.accrued ', strategy_id) as subject, null::uuid as user_id,
                 coalesce(growth.owed, 0) as expected, coalesce(accrued.amount, 0) as actual
            from (${ACCRUED_GROWTH}) as growth
            full join (select scope as strategy_id, sum(entry.amount) as amount
                         from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
                        where kind = 'strategy.accrued' group by scope) as accrued using (strategy_id)
           where coalesce(growth.owed, 0) <> coalesce(accrued.amount, 0)`,
  },
  {
    name: 'days-begun',
    description:
      'By the clock of the database, no strategy has a NAV for a day after tomorrow or posted growth for a future day.',
    severity: 'owed',
    sql: `select concat(what, ' of ', strategy_id, ' for ', day) as subject, null::uuid as user_id,
                 0::numeric as expected, (day - latest)::numeric as actual
            from (select domain_today() as today offset 0) as clock,
                 lateral (
                   select 'value' as what, strategy_id, day, today + 1 as latest from strategy_nav
                   union all
                   select 'growth', strategy_id, day, today from strategy_accrual) as published
           where day > latest`,
  },
  {
    name: 'conversion',
    description:
      'The conversion accounts equal the amounts of completed USDT deposits in USDT and their credited amounts in USDC, less what was taken back.',
    severity: 'owed',
    sql: `select concat('conversion ', asset) as subject, null::uuid as user_id,
                 coalesce(recorded.amount, 0) as expected, coalesce(exchanged.amount, 0) as actual
            from (select side.asset, sum(side.amount) as amount
                    from (select trunc(amount, ${MICRO_SCALE}) as tokens, credited from deposit
                           where status = 'completed' and currency = 'USDT'
                          union all
                          select -${TOKENS_TAKEN_BACK}, -booked.amount
                            from admin_transaction as booked join deposit on deposit.id = booked.deposit_id
                           where booked.status = 'confirmed' and deposit.currency = 'USDT') as exchange,
                         lateral (values ('USDT', tokens), ('USDC', -credited)) as side(asset, amount)
                   group by side.asset) as recorded
            full join (select asset, sum(total) as amount from book where kind = 'conversion' group by asset) as exchanged
           using (asset)
           where coalesce(recorded.amount, 0) <> coalesce(exchanged.amount, 0)`,
  },
  {
    name: 'transaction-history',
    description: "The balance changes of a user's transactions add up to the available balance.",
    severity: 'warning',
    sql: `select concat('available USDC of user ', user_id) as subject, user_id,
                 coalesce(held.amount, 0) as expected, coalesce(shown.amount, 0) as actual
            from (select user_id, sum(balance_change) as amount from user_transaction group by user_id) as shown
            full join (select owner_id as user_id, balance as amount from ledger_account
                        where kind = 'user.available' and asset = 'USDC') as held using (user_id)
           where coalesce(held.amount, 0) <> coalesce(shown.amount, 0)`,
  },
];
