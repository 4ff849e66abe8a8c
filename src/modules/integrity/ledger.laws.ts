import type { Law } from './law.js';

/**
 * What all laws read, made by one pass over the entries, without sorting them: `posted`, the entries of each account,
 * and `book`, the accounts with what their entries add up to. Two sums of it are fingerprints. `weighed` multiplies
 * each amount by a number drawn from its transaction: over an asset it is zero when each transaction is. `steps`
 * draws a number from the balance after each entry, less one from the balance before: all that comes between
 * cancels out. Where a fingerprint is right the entries need no closer look; where it is not, they get one. A wrong
 * ledger has a right fingerprint once in 2^60 times, and each run draws other numbers ($1).
 */
export const BOOK = `
  posted as materialized (
    select account_id, asset, count(*) as entries, count(balance_after) as told, sum(amount) as total,
           sum(amount * uuid_hash_extended(transaction_id, $1)) as weighed,
           sum(hash_numeric_extended(balance_after, $1)) - sum(hash_numeric_extended(balance_after - amount, $1)) as steps
      from ledger_entry group by account_id, asset
  ), book as materialized (
    select id, owner_id, kind, account.asset, scope, balance, coalesce(entries, 0) as entries, coalesce(told, 0) as told,
           coalesce(total, 0) as total, coalesce(steps, 0) as steps,
           concat_ws(' ', kind, nullif(scope, ''), account.asset, 'of account', id) as name
      from ledger_account as account
      left join posted on posted.account_id = account.id and posted.asset = account.asset
  )`;

/** What the ledger says of itself. */
export const LEDGER_LAWS: readonly Law[] = [
  {
    name: 'trial-balance',
    description: 'All that was ever posted in an asset adds up to zero.',
    severity: 'owed',
    sql: `select asset as subject, null::uuid as user_id, 0 as expected, sum(total) as actual
            from posted group by asset having sum(total) <> 0`,
  },
  {
    name: 'transactions',
    description: 'The entries of each transaction add up to zero in each asset.',
    severity: 'owed',
    sql: `select concat('transaction ', transaction_id, ' in ', asset) as subject, null::uuid as user_id,
                 0 as expected, sum(amount) as actual
            from ledger_entry
           where exists (select from posted group by asset having sum(weighed) <> 0)
           group by transaction_id, asset having sum(amount) <> 0`,
  },
  {
    name: 'accounts',
    description: 'Each entry belongs to an account of its asset.',
    severity: 'owed',
    sql: `select concat('account ', account_id, ' in ', asset) as subject, null::uuid as user_id,
                 0 as expected, entries as actual
            from posted
           where not exists (select from book where book.id = posted.account_id and book.asset = posted.asset)`,
  },
  {
    name: 'balances',
    description: 'The balance of each user account is what its entries add up to.',
    severity: 'owed',
    sql: `select name as subject, owner_id as user_id, total as expected, balance as actual
            from book where balance <> total`,
  },
  {
    name: 'balance-chain',
    description: 'The balance after each entry of a user account is the balance before it and its amount.',
    severity: 'owed',
    sql: `select concat('entry ', entry.id, ' in ', name) as subject, owner_id as user_id,
                 coalesce(before, 0) + amount as expected, coalesce(balance_after, 0) as actual
            from book
            join lateral (select id, amount, balance_after, lag(balance_after, 1, 0) over (order by id) as before
                            from ledger_entry where account_id = book.id and asset = book.asset) as entry
              on balance_after is distinct from before + amount
           where balance is not null
             and (told <> entries or steps <> hash_numeric_extended(total, $1)::numeric - hash_numeric_extended(0, $1))`,
  },
  {
    name: 'backing',
    description: "What users own of an asset is what the platform's own accounts owe of it.",
    severity: 'owed',
    sql: `select asset as subject, null::uuid as user_id, owed as expected, owned as actual
            from (select asset, coalesce(-sum(total) filter (where balance is null), 0) as owed,
                         coalesce(sum(balance), 0) as owned from book group by asset) as side
           where owed <> owned`,
  },
  {
    name: 'assets',
    description:
      'No more has left a provider than has come to it. Below zero, a transfer from the other provider is not entered yet.',
    severity: 'warning',
    sql: `select name as subject, null::uuid as user_id, 0 as expected, -total as actual
            from book where kind like 'asset.%' and total > 0`,
  },
];
