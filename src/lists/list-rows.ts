// What the rows of each admins' list add to its sums, by the columns that the list is filtered by.

/**
 * Figures of a list's sums, besides the number of rows. `since`: the seconds from 1970 to the creation of the rows; `took`: those from
 * the creation to the completion; `units`, `value` and `growth`: as the lists below compute them.
 */
const FIGURES = ['amount', 'since', 'took', 'units', 'value', 'growth'] as const;

export const SUM_COLUMNS = ['rows', ...FIGURES] as const;

/** The rows of one table that a list shows. The functions return SQL over the table's alias. */
interface ListedTable {
  readonly table: string;
  /** The list's time, which never changes. It has an index. */
  readonly time: string;
  readonly condition?: (row: string) => string;
  /** The values of the filters, in an order that all tables of the list share. */
  readonly facets: (row: string) => readonly string[];
  readonly figures?: (row: string) => Partial<Record<(typeof FIGURES)[number], string>>;
}

const seconds = (from: string) => `extract(epoch from ${from})`;

/** SQL: the investment was moved, so that another one continues it. Lists omit it; of its figures only the realised growth counts. */
export function wasMoved(investment: string): string {
  return `(${investment}.moved_to is not null)`;
}

/** SQL: 0 for an investment that was moved. */
const unlessMoved = (investment: string, value: string) =>
  `case when ${wasMoved(investment)} then 0 else ${value} end`;

/** The tables of each list. */
export const LISTED_TABLES = {
  withdrawal: [
    {
      table: 'withdrawal',
      time: 'created_at',
      facets: (row) => [`${row}.status`, `${row}.chain_check`],
      figures: (row) => ({
        amount: `${row}.amount`,
        since: seconds(`${row}.created_at`),
        took: seconds(`${row}.completed_at - ${row}.created_at`),
      }),
    },
  ],
  investment: [
    {
      table: 'investment',
      time: 'created_at',
      // Investments that were moved have a status of their own, for the growth that their partial closings realised.
      facets: (row) => [
        `case when ${wasMoved(row)} then 'moved' else ${row}.status end`,
        `${row}.strategy_id`,
      ],
      // `growth` is to be added to value less amount: growth of closed parts, and of the earlier legs of a chain of moves.
      figures: (row) => ({
        amount: unlessMoved(row, `${row}.amount`),
        since: seconds(`${row}.created_at`),
        units: `case ${row}.status when 'active' then ${row}.units else 0 end`,
        value: unlessMoved(
          row,
          `case ${row}.status when 'active' then 0 else coalesce(${row}.final_value, ${row}.amount) end`,
        ),
        growth: `${row}.closed_growth + ${row}.closed_earlier_growth
                 + ${unlessMoved(row, `${row}.amount - coalesce(${row}.first_principal, ${row}.amount)`)}`,
      }),
    },
  ],
  // `admin_transaction_list` (migrations/118-treasury.sql) shows the same rows.
  transaction: [
    {
      table: 'user_transaction',
      time: 'created_at',
      condition: (row) => `${row}.reference_type <> 'admin-transaction' and ${row}.type <> 'reversal'`,
      facets: (row) => [`admin_list_status(${row}.status)`, `admin_list_type(${row}.type)`, 'null'],
    },
    {
      table: 'admin_transaction',
      time: 'created_at',
      facets: (row) => [`${row}.status`, `${row}.type`, `${row}.chain_check`],
    },
  ],
  // The last two facets are '' for most deposits: the reason of a hold, and 'claim' while only the user has reported it.
  deposit: [
    {
      table: 'deposit',
      time: 'created_at',
      facets: (row) => [
        `${row}.status`,
        `${row}.currency`,
        `${row}.network`,
        `coalesce(${row}.hold_reason, '')`,
        `case when ${row}.only_claimed then 'claim' else '' end`,
      ],
      // `value` is in USDC: zero for ETH, and for USDT that is not credited yet.
      figures: (row) => ({
        amount: `trunc(${row}.amount, 6)`,
        value: `case ${row}.currency when 'USDC' then trunc(${row}.amount, 6) when 'USDT' then coalesce(${row}.credited, 0) else 0 end`,
      }),
    },
  ],
  audit_entry: [
    {
      table: 'audit_entry',
      time: 'at',
      facets: (row) => [`${row}.actor`, `${row}.action`, `${row}.subject_type`],
    },
  ],
  webhook_event: [
    {
      table: 'webhook_event',
      time: 'received_at',
      facets: (row) => [`${row}.status`, `${row}.provider`, `${row}.kind`],
    },
  ],
  transaction_request: [
    {
      table: 'transaction_request',
      time: 'created_at',
      facets: (row) => [`${row}.status`, `${row}.type`, `${row}.assigned_to`],
    },
  ],
  yield_report: [{ table: 'yield_report', time: 'reported_at', facets: (row) => [`${row}.state`] }],
  faucet_payout: [{ table: 'faucet_payout', time: 'requested_at', facets: () => [] }],
} satisfies Record<string, readonly ListedTable[]>;

export type ListName = keyof typeof LISTED_TABLES;

export const LIST_NAMES = Object.keys(LISTED_TABLES) as ListName[];

export function tablesOf(list: ListName): readonly ListedTable[] {
  return LISTED_TABLES[list];
}

/**
 * SQL that adds up rows of a listed table by `key`, an expression that becomes the column `at`, and by facets. `from` contains the
 * table under the alias `row`.
 */
export function sumsOfRows(
  { facets, figures, condition }: ListedTable,
  { row, from, where, key }: { row: string; from: string; where: string; key: string },
): string {
  const values = facets(row);
  const names = values.map((_, index) => `facet_${index + 1}`);
  const sums = figures?.(row) ?? {};
  const columns = FIGURES.map((figure) => `coalesce(sum(${sums[figure] ?? '0'}), 0) as ${figure}`);
  const grouped = [`${key} as at`, ...values.map((value, index) => `(${value})::text as ${names[index]}`)];
  return `
    select at, array[${names.join(', ')}]::text[] as facets, ${SUM_COLUMNS.join(', ')}
      from (select ${grouped.join(', ')}, count(*) as rows, ${columns.join(', ')}
              from ${from} where (${where})${condition ? ` and ${condition(row)}` : ''}
             group by ${grouped.map((_, index) => index + 1).join(', ')}) as grouped`;
}
