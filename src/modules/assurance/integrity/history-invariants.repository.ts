import { ETH_SCALE, MICRO_SCALE } from '../../../common/money.js';
import { heldSql, roundingSql } from '../liabilities/past-amounts.repository.js';
import type { SqlInvariant } from './domain/invariant.js';

// Records against the histories of users, and histories against postings. Two sets of rows are compared by their sums of hashes,
// which need no join; the rows that differ are read only if the sums do. `$1` is the seed of the hashes.
// `part`, `book` and `closed` are SHARED_TABLES of ledger-invariants.repository.ts.

/** The amount of a deposit, rounded down to the decimals that are credited. */
const RECEIVED = `trunc(amount, case currency when 'ETH' then ${ETH_SCALE} else ${MICRO_SCALE} end)`;

/** The entries of the users' histories. The amount of a deposit that is neither credited nor failed can change without a new entry. */
const HISTORY = `
  select type, reference_type, reference_id, user_id, status,
         case when type <> 'deposit' or status in ('completed', 'failed') then amount end as amount,
         currency, balance_change, to_address, tx_hash
    from user_transaction`;

const WITHOUT_TRANSFER = 'null::text as to_address, null::text as tx_hash';

/** The entries that the records of deposits, withdrawals, investments and bookings by hand give. */
const RECORDED_HISTORY = `
  select 'deposit' as type, 'deposit' as reference_type, id::text as reference_id, user_id,
         case when hold_reason = 'BOOKED_BY_HAND' then 'cancelled' when status = 'confirming' then 'pending' else status end as status,
         case when status = 'completed' then credited when status = 'failed' then ${RECEIVED} end as amount,
         case when status = 'completed' and currency <> 'ETH' then 'USDC' else currency end as currency,
         case when status = 'completed' and currency <> 'ETH' then credited else 0 end as balance_change, to_address, tx_hash
    from deposit
  union all
  select 'withdrawal', 'withdrawal', id::text, user_id,
         case when cancelled_at is not null then 'cancelled' when status = 'rejected' then 'failed'
              when status = 'approved' then 'pending' else status end,
         amount, currency, case when status = 'rejected' then 0 else -amount end, to_address, tx_hash
    from withdrawal
  union all
  select 'reversal', 'withdrawal', id::text, user_id, 'completed', amount, currency, amount, ${WITHOUT_TRANSFER}
    from withdrawal where released_at is not null
  union all
  select 'investment', 'investment', id::text, user_id, 'completed', amount + closed_principal, 'USDC', -amount - closed_principal,
         ${WITHOUT_TRANSFER}
    from investment
  union all
  select type, 'investment', reference_id, user_id, 'completed', amount, 'USDC', case type when 'fee' then -amount else amount end, ${WITHOUT_TRANSFER}
    from (select type, reference_id, user_id,
                 case type when 'divestment' then principal when 'earning' then value - principal else fees end as amount
            from (select id::text as reference_id, user_id, amount as principal, coalesce(final_value, amount) as value,
                         case status when 'closed' then fees else 0 end as fees
                    from investment where ended_at is not null
                   union all
                  select concat(investment_id, ':', number), user_id, closing.principal, closing.value,
                         management_fee + performance_fee + carried_fee
                    from investment_closing as closing join investment on investment.id = investment_id) as ended
           cross join (values ('divestment'), ('earning'), ('fee')) as part(type)) as paid
   where amount <> 0
  union all
  select type, 'admin-transaction', id::text, user_id, 'completed', amount, currency,
         case type when 'deposit' then amount else -amount end, null, tx_hash
    from admin_transaction where status = 'confirmed' and type <> 'transfer' and (type <> 'reversal' or deposit_id is not null)`;

const hashOf = (columns: string) => `sum(hash_record_extended(row(${columns}), $1))`;

const TYPED_COLUMNS = `type::text, reference_type::text, reference_id::text, user_id, status::text, amount, currency::text, balance_change, to_address::text, tx_hash::text`;

/**
 * The postings that follow from the history, and those of withdrawals, which follow from their records. A reversal by hand has a posting
 * of the type of the deposit that it takes back, with the opposite sign. The amount is the one that users' accounts receive; of
 * withdrawals and investments, which move money between accounts of one user, it is the sum of the positive entries.
 */
const EXPECTED_POSTINGS = `
  select case type when 'reversal' then 'deposit' when 'withdrawal' then 'withdrawal-completed' else type end as type, reference_type, reference_id, user_id, currency as asset,
         case when type in ('deposit', 'reversal') then 'deposit' when type in ('earning', 'fee', 'withdrawal') then type else 'investment' end as category,
         case when type = 'reversal' then -amount when type in ('earning', 'fee') then balance_change else amount end as amount
    from user_transaction
   where amount <> 0 and (type in ('investment', 'divestment', 'earning', 'fee') or (type = 'deposit' and status = 'completed')
                          or (type = 'reversal' and reference_type = 'admin-transaction')
                          or (type = 'withdrawal' and reference_type = 'admin-transaction' and status = 'completed'))
  union all
  select step.type, 'withdrawal', id::text, user_id, currency, 'withdrawal', amount
    from withdrawal cross join (values ('withdrawal-requested'), ('withdrawal-completed'), ('withdrawal-released')) as step(type)
   where case type when 'withdrawal-completed' then status = 'completed'
                   when 'withdrawal-released' then status = 'rejected' or released_at is not null else true end`;

const POSTED_OF_HISTORY = `
  select posted.id as transaction_id, expected.*
    from (${EXPECTED_POSTINGS}) as expected left join ledger_transaction as posted using (type, reference_type, reference_id)`;

/** The amounts as `EXPECTED_POSTINGS` measures them. Only entries of users' accounts have `balance_after`. */
const POSTED = `
  select transaction_id, asset, category,
         coalesce(case when category in ('withdrawal', 'investment') then sum(amount) filter (where amount > 0)
                       else sum(amount) filter (where balance_after is not null) end, 0) as amount
    from ledger_entry where category <> 'internal' and asset not like 'UNIT:%' group by transaction_id, asset, category`;

const IS_APPROVAL = `verb = 'approve'`;
const IS_TAKING = `(verb = 'take' or verb = 'execute')`;

/** A column of a withdrawal's last step that meets `condition`; null if a return follows. The steps are read in the order of their index. */
const lastSinceReturn = (column: string, condition: string) => `
  case when max(id) filter (where ${condition}) > coalesce(max(id) filter (where verb = 'return'), 0)
       then (array_agg(${column} order by id) filter (where ${condition}))[count(*) filter (where ${condition})] end`;

/** Invariants between the histories of users, their records and the postings. */
export const HISTORY_INVARIANTS: readonly SqlInvariant[] = [
  {
    name: 'history',
    description:
      "Each entry of a user's history equals its deposit, withdrawal, investment, closing or booking by hand, and each of these has its entries.",
    severity: 'owed',
    sql: `
      select concat_ws(' ', coalesce(shown.type, recorded.type), 'of', reference_type, reference_id) as subject,
             coalesce(shown.user_id, recorded.user_id) as user_id,
             coalesce(recorded.amount, 0) as expected, coalesce(shown.amount, 0) as actual
        from (${HISTORY}) as shown
        full join (${RECORDED_HISTORY}) as recorded using (type, reference_type, reference_id)
       where (select ${hashOf(TYPED_COLUMNS)} is distinct from (select ${hashOf(TYPED_COLUMNS)} from (${RECORDED_HISTORY}) as recorded)
                from (${HISTORY}) as shown)
         and (shown.type is null or recorded.type is null
              or (shown.user_id, shown.status, shown.amount, shown.currency, shown.balance_change, shown.to_address, shown.tx_hash)
                 is distinct from (recorded.user_id, recorded.status, recorded.amount, recorded.currency, recorded.balance_change,
                                   recorded.to_address, recorded.tx_hash))`,
  },
  {
    name: 'postings',
    description:
      "Each credited deposit, each withdrawal with its release or payment, each investment and closing of the users' histories has its posting with its amount, and no other posting of these kinds exists.",
    severity: 'owed',
    sql: `
      select case when expected.type is null then concat(category, ' of transaction ', transaction_id)
                  else concat_ws(' ', expected.type, 'of', reference_type, reference_id) end as subject, expected.user_id, coalesce(expected.amount, 0) as expected, coalesce(posted.amount, 0) as actual
        from (${POSTED_OF_HISTORY}) as expected
        full join (${POSTED}) as posted using (transaction_id, asset, category)
       where exists (select from (select asset, category, sum(amount * uuid_hash_extended(transaction_id, $1)) as weighed,
                                         count(*) filter (where transaction_id is null) as missing
                                    from (${POSTED_OF_HISTORY}) as expected group by asset, category) as wanted
                       full join (select asset, category, weighed_once as weighed from part where category <> 'internal' and asset not like 'UNIT:%') as found
                      using (asset, category)
                      where coalesce(missing, 0) > 0 or coalesce(wanted.weighed, 0) <> coalesce(found.weighed, 0))
         and coalesce(expected.amount, 0) <> coalesce(posted.amount, 0)`,
  },
  {
    name: 'suspense',
    description:
      'Suspense holds the amount of each deposit that is held below the minimum, and nothing for any other deposit.',
    severity: 'owed',
    sql: `
      select concat('deposit ', deposit_id, ' in ', asset) as subject, user_id,
             coalesce(recorded.amount, 0) as expected, coalesce(held.amount, 0) as actual
        from (select id::text as deposit_id, currency as asset, user_id, ${RECEIVED} as amount
                from deposit where hold_reason = 'BELOW_MINIMUM') as recorded
        full join (select reference_id as deposit_id, entry.asset, sum(entry.amount) as amount
                     from ledger_account as account
                     join ledger_entry as entry on entry.account_id = account.id
                     join ledger_transaction as posted on posted.id = entry.transaction_id and posted.reference_type = 'deposit'
                    where account.kind = 'suspense'
                    group by reference_id, entry.asset) as held using (deposit_id, asset)
       where coalesce(recorded.amount, 0) <> coalesce(held.amount, 0)`,
  },
  {
    name: 'withdrawal-steps',
    description:
      'The status of each withdrawal is that of its last step; the times of its wait because of the limit of the platform are those of its steps, and who approved and who took it, and when, are those of the last steps since its last return.',
    severity: 'owed',
    sql: `
      select case what when 'status' then concat('withdrawal ', id, ': ', withdrawal.status, ', last step ', coalesce(step.status, 'none'))
                       else concat(what, ' of withdrawal ', id) end as subject, user_id, 1 as expected, 0 as actual
        from withdrawal
        left join (select withdrawal_id, (array_agg(status order by id))[count(*)] as status,
                          min(at) filter (where verb = 'hold') as held_at, min(at) filter (where verb = 'unhold') as released_at,
                          ${lastSinceReturn('at', IS_APPROVAL)} as approved_at, ${lastSinceReturn('by_id', IS_APPROVAL)} as approved_by,
                          ${lastSinceReturn('at', IS_TAKING)} as taken_at, ${lastSinceReturn('by_id', IS_TAKING)} as taken_by
                     from withdrawal_event group by withdrawal_id) as step on step.withdrawal_id = id,
             lateral (values ('status', withdrawal.status is not distinct from step.status),
                             ('limit of the platform', (platform_held_at, platform_released_at)
                                is not distinct from (step.held_at, step.released_at)),
                             ('approval', (withdrawal.approved_at, withdrawal.approved_by)
                                is not distinct from (step.approved_at, step.approved_by)),
                             ('taking', (withdrawal.executed_at, withdrawal.taken_by) is not distinct from (step.taken_at, step.taken_by)))
               as differing(what, is_equal)
       where (withdrawal.status, platform_held_at, platform_released_at, withdrawal.approved_at, withdrawal.approved_by, executed_at,
              withdrawal.taken_by)
             is distinct from (step.status, step.held_at, step.released_at, step.approved_at, step.approved_by, step.taken_at, step.taken_by)
         and not is_equal`,
  },
  {
    name: 'published-liabilities',
    description:
      "The published liabilities of the last closed day are at least what the ledger owed at its end: users' balances, the growth of investments and held deposits.",
    severity: 'owed',
    sql: `
      select concat('liabilities of ', closed.day, ' in ', asset) as subject, null::uuid as user_id,
             owed as expected, coalesce(tree.total, 0) as actual
        from (select asset, sum(amount) as owed
                from (select asset, sum(closed_total) as amount from book
                       where kind in ('user.available', 'user.reserved', 'user.invested', 'strategy.accrued') group by asset
                      union all
                      ${heldSql('(select end_at from closed)')}) as part group by asset) as ledger
       cross join closed
       cross join (${roundingSql('(select end_at from closed)')}) as investments
        left join liability_tree as tree using (day, asset)
       where coalesce(tree.total, 0) < owed - case asset when 'USDC' then rounding else 0 end`,
  },
  {
    name: 'closings',
    description:
      'The closed principal, growth and fees of each investment are the sums of its partial closings, and their number is that of the closings; a moved investment and the one in which it continues name each other and have one user, and the growth of earlier ones that was closed in the latter is its closed principal less the closed part of the first principal.',
    severity: 'owed',
    sql: `
      select concat('investment ', id) as subject, user_id,
             coalesce(closings.principal + growth + charged, 0) as expected, closed_principal + closed_growth + closed_fees as actual
        from investment
        left join (select investment_id as id, sum(principal) as principal, sum(value - principal) as growth,
                          sum(management_fee + performance_fee + carried_fee) as charged, count(*) as parts
                     from investment_closing group by investment_id) as closings using (id)
       where (closed_principal, closed_growth, closed_fees, closed_parts)
             <> (coalesce(closings.principal, 0), coalesce(growth, 0), coalesce(charged, 0), coalesce(parts, 0))
      union all
      select concat('move of investment ', id), coalesce(former.user_id, next.user_id), 1, 0
        from (select id, moved_to, user_id from investment where moved_to is not null) as former
        full join (select moved_from as id, id as moved_to, user_id from investment where moved_from is not null) as next
             using (id, moved_to)
       where former.user_id is distinct from next.user_id
      union all
      select concat('earlier growth in investment ', id), user_id, expected, closed_earlier_growth
        from (select next.id, next.user_id, next.closed_earlier_growth,
                     case when next.closed_principal > 0
                          then next.closed_principal - (coalesce(former.first_principal, former.amount) - next.first_principal) else 0 end as expected
                from investment as next join investment as former on former.id = next.moved_from
               union all
              select id, user_id, closed_earlier_growth, 0 from investment where moved_from is null and closed_earlier_growth <> 0) as closed
       where closed_earlier_growth <> expected`,
  },
];
