import { farPage, listCalls, pathOf } from '../../../bench/support/list-calls.mjs';
import { reportPaths } from '../../../bench/support/report-paths.mjs';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { withoutReferences } from '../../../src/http/openapi/references.js';
import { QueryPlans, readOnlyStatements, rowsExamined, type PlanNode } from '../../harness/query-plans.js';
import { statementsDuring } from '../../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../../harness/seeded-platform.js';

// Runs every list, dashboard and report on a large database, repeats each SQL statement under EXPLAIN ANALYZE, and limits
// the rows that plan nodes examine.

const ROWS = Number(process.env.PLAN_ROWS ?? 300_000);
const LARGE_TABLE_ROWS = Math.max(ROWS / 12, 20_000); // a table with at least this many rows must not be scanned sequentially
const MAX_ROWS_SORTED = 6000; // three times 100 pages of 20 rows, whose sorting is not slower than an index scan
/** One node may read this many rows of a large table: enough for page 100 of three strategies, a day, a range of amounts. */
const MAX_ROWS_READ = 8000;

/** By value, the list merges investments of each strategy issued earlier and today with pending, cancelled and closed ones. */
const MERGED_ORDERS_PATH = /^\/api\/admin\/investments\?.*sortBy=currentValue/;
const MERGED_ORDERS = 9; // 2 × 3 strategies + 3
/** MAX_ROWS_READ does not apply: the list counts the open lines of each reconciliation. */
const COUNTED_LINES = { path: /^\/api\/admin\/reconciliations\?/, table: 'reconciliation_line' };

describe(`On a platform with ${ROWS.toLocaleString('en')} transactions`, () => {
  let seeded: SeededPlatform;
  let plans: QueryPlans;
  let largeTables: Set<string>;

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: ROWS, users: 10_000 });
    plans = await QueryPlans.connect(seeded.platform.env.DATABASE_URL as string);
    largeTables = await plans.tablesWithAtLeast(LARGE_TABLE_ROWS);
  });
  afterAll(async () => {
    await plans?.end();
    await seeded?.stop();
  });

  it('the database has large tables, and a sequential scan of one is reported', async () => {
    expect([...largeTables]).toEqual(
      expect.arrayContaining(['user_transaction', 'withdrawal', 'investment', 'audit_entry', 'notification']),
    );
    const sum = { text: 'select sum(amount) from withdrawal where note is null', values: [] };
    const nodes = await plans.nodesOf(sum, { analyze: true });
    expect(nodes.flatMap((node) => problemsOf(node, ''))).toEqual(['sequential scan of withdrawal']);
  });

  it('no list, dashboard or report scans a large table, or reads or sorts more rows than the limits', async () => {
    const { platform, seededIds, busyUser } = seeded;
    const admin = await platform.given.admin();
    const problems: string[] = [];
    let statementCount = 0;
    /** Requests the path, checks the plans of its statements, and returns the response. */
    const checkPlans = async (path: string): Promise<string> => {
      const caller = platform.as(path.startsWith('/api/admin/') ? admin : busyUser);
      let response = '';
      const statements = await statementsDuring(async () => {
        const { status, body } = await caller.get(path);
        expect([path, status]).toEqual([path, 200]);
        response = JSON.stringify(body);
      });
      for (const statement of readOnlyStatements(statements)) {
        statementCount += 1;
        const nodes = await plans.nodesOf(statement, { analyze: true });
        problems.push(
          ...nodes.flatMap((node) => problemsOf(node, path)).map((problem) => `${path}: ${problem}`),
        );
      }
      return response;
    };
    const calls = listCalls(withoutReferences(openApiDocument(platform.app, 'test')), seededIds);
    for (const call of calls) {
      const far = farPage(await checkPlans(pathOf(call)));
      if (far > 1) await checkPlans(pathOf(call, far));
    }
    for (const path of reportPaths(seededIds.today)) await checkPlans(path);
    expect(problems).toEqual([]);
    expect(statementCount).toBeGreaterThan(2 * calls.length * 0.9); // most calls of lists read rows and totals
  });

  function problemsOf(node: PlanNode, path: string): string[] {
    if (!node['Actual Loops']) return []; // not executed
    const { 'Node Type': kind, 'Relation Name': table = '' } = node;
    const rowsRead = rowsExamined(node);
    if (largeTables.has(table) && kind === 'Seq Scan') return [`sequential scan of ${table}`];
    const isCounting = COUNTED_LINES.path.test(path) && table === COUNTED_LINES.table;
    if (largeTables.has(table) && !isCounting && rowsRead > MAX_ROWS_READ)
      return [`${kind} reads ${rowsRead} rows of ${table}`];
    const input = node.Plans?.[0];
    const maxSorted = MAX_ROWS_SORTED * (MERGED_ORDERS_PATH.test(path) ? MERGED_ORDERS : 1);
    if (kind === 'Sort' && input && rowsExamined(input) > maxSorted)
      return [`sorts ${rowsExamined(input)} rows`];
    return [];
  }
});
