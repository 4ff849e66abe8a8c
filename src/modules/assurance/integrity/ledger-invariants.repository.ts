import type { SqlInvariant } from './domain/invariant.js';

// `posted` sums the entries of each account, in the order of the index on accounts: a hash aggregate takes three times as long.
// `part` sums the entries of each asset and category, and `tally` those of each asset;
// `book` joins accounts with `posted`. `balance` is null for the platform's accounts.
// `closed` has the last day whose liabilities are published, and `closed_total` sums the entries up to its end.
// The columns `weighed`, `placed` and `steps` are sums of hashes, for which each run draws a new seed ($1). A violated
// invariant passes its hash test with a probability of 2^-60; entries are read one by one only if the test fails.
// - weighed: each amount times the hash of its transaction. Zero if each transaction adds up to zero.
//   `weighed_once` sums one entry of each transaction and category: in withdrawals and investments, which move money between
//   accounts of one user, the positive one, otherwise that of the user's account.
// - placed: the hash of each entry's account. Equals the sum, over the asset's accounts, of hash times number of entries.
// - steps: hash of the balance after each entry less that of the balance before. Intermediate balances cancel out: the hash of
//   the total less the hash of zero remains. A violation is missed if the same balances form a chain in another
//   order, or a cycle beside the chain.
export const SHARED_TABLES = `
  closed as materialized (
    select max(day) as day, (max(day) + 1)::timestamp at time zone 'UTC' as end_at from liability_day
  ), posted as materialized (
    select account_id, count(*) as entries, count(balance_after) as with_balance, sum(amount) as total,
           sum(amount) filter (where effective_at < (select end_at from closed)) as closed_total,
           sum(hash_numeric_extended(balance_after, $1)) - sum(hash_numeric_extended(balance_after - amount, $1)) as steps
      from (select account_id, amount, balance_after, effective_at from ledger_entry order by account_id offset 0) as entry
     group by account_id
  ), part as materialized (
    select asset, category, sum(weighed) as weighed, sum(hashint8extended(account_id, $1)) as placed,
           sum(weighed) filter (where case when category in ('withdrawal', 'investment') then amount > 0
                                           else balance_after is not null end) as weighed_once
      from (select asset, category, amount, balance_after, account_id, amount * uuid_hash_extended(transaction_id, $1) as weighed
              from ledger_entry offset 0) as entry
     group by asset, category
  ), tally as materialized (
    select asset, sum(weighed) as weighed, sum(placed) as placed from part group by asset
  ), book as materialized (
    select id, owner_id, kind, asset, scope, balance, coalesce(entries, 0) as entries, coalesce(with_balance, 0) as with_balance,
           coalesce(total, 0) as total, coalesce(closed_total, 0) as closed_total, coalesce(steps, 0) as steps,
           concat_ws(' ', kind, nullif(scope, ''), asset, 'of account', id) as name
      from ledger_account left join posted on posted.account_id = id
  )`;

/** Invariants of the ledger alone. */
export const LEDGER_INVARIANTS: readonly SqlInvariant[] = [
  {
    name: 'trial-balance',
    description: 'All entries of an asset add up to zero.',
    severity: 'owed',
    sql: `select asset as subject, null::uuid as user_id, 0 as expected, sum(amount) as actual
            from ledger_entry
           where exists (select from tally where weighed <> 0)
           group by asset having sum(amount) <> 0`,
  },
  {
    name: 'transactions',
    description: 'The entries of each transaction add up to zero in each asset.',
    severity: 'owed',
    sql: `select concat('transaction ', transaction_id, ' in ', asset) as subject, null::uuid as user_id,
                 0 as expected, sum(amount) as actual
            from ledger_entry
           where exists (select from tally where weighed <> 0)
           group by transaction_id, asset having sum(amount) <> 0`,
  },
  {
    name: 'accounts',
    description: 'Each entry belongs to an account of its asset.',
    severity: 'owed',
    sql: `select concat('account ', account_id, ' in ', asset) as subject,
                 (select owner_id from ledger_account where id = account_id and balance is not null) as user_id,
                 0 as expected, sum(abs(amount)) as actual
            from ledger_entry
           where exists (select from tally
                           full join (select asset, sum(entries::numeric * hashint8extended(id, $1)) as placed
                                        from book group by asset) as held using (asset)
                          where coalesce(tally.placed, 0) <> coalesce(held.placed, 0))
             and not exists (select from book where book.id = account_id and book.asset = ledger_entry.asset)
           group by account_id, asset`,
  },
  {
    name: 'balances',
    description: 'The balance of each user account is the sum of its entries.',
    severity: 'owed',
    sql: `select name as subject, owner_id as user_id, total as expected, balance as actual
            from book where balance <> total`,
  },
  {
    name: 'balance-chain',
    description: 'The balance after each entry of a user account is the balance before it plus its amount.',
    severity: 'owed',
    sql: `select concat('entry ', entry.id, ' in ', name) as subject, owner_id as user_id,
                 coalesce(before, 0) + amount as expected, coalesce(balance_after, 0) as actual
            from book
            join lateral (select id, amount, balance_after, lag(balance_after, 1, 0) over (order by id) as before
                            from ledger_entry where account_id = book.id) as entry
              on balance_after is distinct from before + amount
           where balance is not null
             and (with_balance <> entries or steps <> hash_numeric_extended(total, $1)::numeric - hash_numeric_extended(0, $1))`,
  },
  {
    name: 'backing',
    description:
      "The balances of users in an asset equal the debit balance of the platform's own accounts in it.",
    severity: 'owed',
    sql: `select asset as subject, null::uuid as user_id, owned as expected, owed as actual
            from (select asset, coalesce(-sum(total) filter (where balance is null), 0) as owned,
                         coalesce(sum(balance), 0) as owed from book group by asset) as side
           where owned <> owed`,
  },
  {
    name: 'assets',
    description:
      'No provider has paid out more than it received. A violation means that a transfer from the other provider is not entered yet.',
    severity: 'warning',
    sql: `select name as subject, null::uuid as user_id, 0 as expected, -total as actual
            from book where kind like 'asset.%' and total > 0`,
  },
];
