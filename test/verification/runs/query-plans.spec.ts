import { farPage, listCalls, pathOf } from '../../../bench/support/list-calls.mjs';
import { reportPaths } from '../../../bench/support/report-paths.mjs';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { QueryPlans, readOnlyStatements, rowsExamined, type PlanNode } from '../../harness/query-plans.js';
import { statementsDuring } from '../../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../../harness/seeded-platform.js';

// Runs every list, dashboard and report on a large database, repeats each SQL statement under EXPLAIN ANALYZE, and limits
// the rows that plan nodes examine.

const ROWS = Number(process.env.PLAN_ROWS ?? 300_000);
const LARGE = Math.max(ROWS / 12, 20_000); // tables with more rows must not be scanned sequentially
const MAX_ROWS_SORTED = 6000; // sorting up to three times the rows before page 100 is not slower than an index scan
// by one node of a large table: page 100 of three strategies, a day, a range of amounts
const MAX_ROWS_READ = 8000;

/** Sorting by value merges several orders: three strategies in two states, and three others. */
const MERGED_ORDERS_PATH = /^\/api\/admin\/investments\?.*sortBy=currentValue/;
const MERGED_ORDERS = 9;
/** Each reconciliation of a page counts its open lines. */
const COUNTED_LINES = { path: /^\/api\/admin\/reconciliations\?/, table: 'reconciliation_line' };

describe(`On a platform with ${ROWS.toLocaleString('en')} transactions`, () => {
  let seeded: SeededPlatform;
  let plans: QueryPlans;
  let large: Set<string>;

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: ROWS, users: 10_000 });
    plans = await QueryPlans.connect(seeded.platform.env.DATABASE_URL as string);
    large = await plans.tablesWithAtLeast(LARGE);
  });
  afterAll(async () => {
    await plans.end();
    await seeded.stop();
  });

  it('the database has large tables, and a sequential scan of one is reported', async () => {
    expect([...large]).toEqual(
      expect.arrayContaining(['user_transaction', 'withdrawal', 'investment', 'audit_entry', 'notification']),
    );
    const sum = { text: 'select sum(amount) from withdrawal where note is null', values: [] };
    const nodes = await plans.nodesOf(sum, { analyze: true });
    expect(nodes.flatMap((node) => problemOf(node, ''))).toEqual(['sequential scan of withdrawal']);
  });

  it('no list, dashboard or report scans a large table or sorts more rows than the limit', async () => {
    const { platform, seededIds: known, busyUser: busy } = seeded;
    const admin = await platform.given.admin();
    const problems: string[] = [];
    const ask = async (path: string): Promise<string> => {
      const caller = platform.as(path.startsWith('/api/admin/') ? admin : busy);
      let answer = '';
      const asked = await statementsDuring(async () => {
        const { status, body } = await caller.get(path);
        expect([path, status]).toEqual([path, 200]);
        answer = JSON.stringify(body);
      });
      for (const statement of readOnlyStatements(asked)) {
        const nodes = await plans.nodesOf(statement, { analyze: true });
        problems.push(
          ...nodes.flatMap((node) => problemOf(node, path)).map((problem) => `${path}: ${problem}`),
        );
      }
      return answer;
    };
    for (const call of listCalls(openApiDocument(platform.app, 'test'), known)) {
      const far = farPage(await ask(pathOf(call)));
      if (far > 1) await ask(pathOf(call, far));
    }
    for (const path of reportPaths(known.today)) await ask(path);
    expect(problems).toEqual([]);
  });

  function problemOf(node: PlanNode, path: string): string[] {
    if (!node['Actual Loops']) return []; // not executed
    const [kind, table = ''] = [node['Node Type'], node['Relation Name']];
    const read = rowsExamined(node);
    if (large.has(table) && kind === 'Seq Scan') return [`sequential scan of ${table}`];
    const isCounting = COUNTED_LINES.path.test(path) && table === COUNTED_LINES.table;
    if (large.has(table) && !isCounting && read > MAX_ROWS_READ)
      return [`${kind} reads ${read} rows of ${table}`];
    const input = node.Plans?.[0];
    const maxSorted = MAX_ROWS_SORTED * (MERGED_ORDERS_PATH.test(path) ? MERGED_ORDERS : 1);
    if (kind === 'Sort' && input && rowsExamined(input) > maxSorted)
      return [`sorts ${rowsExamined(input)} rows`];
    return [];
  }
});
