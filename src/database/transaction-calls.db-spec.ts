import type { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { openDatabase } from './data-source.js';

// The functions name their columns, and JSON may hold more: a column that a function does not name would be lost silently.

/** For each function, its table and the columns that it need not write. */
const COLUMNS_OF_FUNCTION: [name: string, table: string, except: string[]][] = [
  ['insert_investments', 'investment', []],
  [
    'update_investments',
    'investment',
    ['user_id', 'strategy_id', 'idempotency_key', 'created_at', 'moved_from', 'first_made_at'], // never change
  ],
  [
    'insert_withdrawals',
    'withdrawal',
    [
      ...['recorded_at', 'tx_hash_shared'], // have a default
      // null in a new row
      ...['approved_at', 'approved_by', 'executed_at', 'completed_at', 'cancelled_at', 'released_at'],
      ...['tx_hash', 'chain_check', 'chain_check_reason', 'chain_checked_at', 'note'],
    ],
  ],
  [
    'update_withdrawals',
    'withdrawal',
    ['user_id', 'amount', 'currency', 'to_address', 'address_checksum', 'created_at', 'recorded_at'], // never change
  ],
  ['insert_user_transactions', 'user_transaction', []],
  ['upsert_user_transactions', 'user_transaction', []],
  ['insert_notifications', 'notification', ['priority_rank', 'read_at', 'told_once']], // generated; the others stay null
  ['insert_audit_entries', 'audit_entry', ['recorded_at']], // has a default
];

describe('The functions that read and write for several modules', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openDatabase({ type: 'postgres', url: database.url, poolSize: 1 }, () => undefined, {
      migrate: false,
    });
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it.each(COLUMNS_OF_FUNCTION)('%s writes every column that a row may set', async (name, table, except) => {
    const rows = await dataSource.query<{ column: string }[]>(
      `select column_name as column from information_schema.columns
        where table_schema = 'public' and table_name = $1 and column_name <> all($2)
          and (select prosrc from pg_proc where proname = $3) !~ ('\\m' || column_name || '\\M')`,
      [table, except, name],
    );
    const functions = await dataSource.query<unknown[]>('select from pg_proc where proname = $1', [name]);
    expect([functions.length, rows.map(({ column }) => column)]).toEqual([1, []]);
  });

  // `create or replace function` removes the settings of a function unless it repeats them.
  it.each(['read_together', 'write_together'])(
    '%s plans its statements once per connection and with indexes, even while its tables have few rows',
    async (name) => {
      const functions = await dataSource.query<{ proconfig: string[] }[]>(
        'select proconfig from pg_proc where proname = $1',
        [name],
      );
      const settings = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off'];
      expect(functions).toEqual([{ proconfig: settings }]);
    },
  );

  it('the functions that compact totals plan their statements once per connection', async () => {
    const functions = await dataSource.query<{ proconfig: string[] }[]>(
      `select proconfig from pg_proc where proname in ('compact_list_totals', 'compact_report_totals') and pronargs = 1`,
    );
    expect(functions).toHaveLength(2);
    for (const { proconfig } of functions) expect(proconfig).toContain('plan_cache_mode=force_generic_plan');
  });
});
