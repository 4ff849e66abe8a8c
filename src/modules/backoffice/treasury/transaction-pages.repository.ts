import { creationPeriod } from '../../../lists/creation-period.js';
import { byTime, ListPage, type ListOrder } from '../../../lists/list-page.js';
import type { AdminTransactionsQuery } from './dto/admin-transactions.request.js';

// SQL of one page of the admins' list of transactions.

const CREATED =
  '($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at < $6)';

// Takes the parameters of `filterParameters`. `listed` is false for a user's transaction that an admin transaction, such as a reversal,
// has caused: the admin transaction itself is listed.
export const TRANSACTION_FILTER = `
  listed and ($1::text is null or type = $1) and ($2::text is null or status = $2) and ($3::uuid is null or user_id = $3)
  and ($4::text is null or id in (select id from admin_transaction where chain_check = $4)) and ${CREATED}`;

export const NEWEST_FIRST = byTime('shown.created_at', 'shown.id');
/** The order of the transactions of one type, as in the index by type. */
const NEWEST_OF_TYPE: ListOrder = { ...NEWEST_FIRST, keys: [['shown.type', 'text'], ...NEWEST_FIRST.keys] };

/** Selects the page before the joins, so that PostgreSQL reads the page in the order of an index. */
const selectByTime = (page: ListPage) =>
  `select * from admin_transaction_list as shown where ${TRANSACTION_FILTER} and ${page.condition} ${page.orderBy}`;

/**
 * Filters by type with `between`, so that only the index by type has this order. With `=` the planner assumes that types
 * are spread evenly and scans the index by time, which is slow when all recent rows have other types. The other parameters
 * but the period are null here; the conditions on them only give them a type.
 */
const selectByType = (page: ListPage) => `
  select * from admin_transaction_list as shown
   where listed and type between $1 and $1 and $2::text is null and $3::uuid is null
     and $4::text is null and ${CREATED} and ${page.condition} ${page.orderBy}`;

/** Only transactions by admins have a chain check. The ids are found by its index, and not among all transactions. */
const selectByChainCheck = (page: ListPage) => `
  select * from admin_transaction_list as shown
   where id = any(array(
     select id from admin_transaction as shown
      where chain_check = $4 and ($1::text is null or type = $1) and ($2::text is null or status = $2)
        and ($3::uuid is null or user_id = $3) and ${CREATED} and ${page.condition}
      ${page.orderBy} ${page.scanLimit}))
   ${page.orderBy}`;

/** The statement of a page, with the columns of the view under the name `shown`, and its parameters. */
export function selectPage(filter: AdminTransactionsQuery): {
  page: ListPage;
  sql: string;
  parameters: unknown[];
} {
  const { type, status, userId, chainCheck } = filter;
  const parameters: unknown[] = filterParameters(filter);
  const hasOnlyType = type && !status && !userId && !chainCheck;
  const page = new ListPage(filter, hasOnlyType ? NEWEST_OF_TYPE : NEWEST_FIRST, parameters);
  const selectOthers = chainCheck ? selectByChainCheck : selectByTime;
  const select = hasOnlyType ? selectByType : selectOthers;
  return { page, sql: `${select(page)} ${page.limit}`, parameters };
}

export function filterParameters(filter: AdminTransactionsQuery): (string | Date | null)[] {
  const { type, status, userId, chainCheck } = filter;
  const { from, until } = creationPeriod(filter);
  return [type ?? null, status ?? null, userId ?? null, chainCheck ?? null, from, until];
}
