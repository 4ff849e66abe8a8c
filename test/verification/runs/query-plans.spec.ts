import { farPage, listCalls, pathOf } from '../../../bench/support/list-calls.mjs';
import { reportPaths } from '../../../bench/support/report-paths.mjs';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { Plans, readStatements, rowsExamined, type PlanNode } from '../../harness/query-plans.js';
import { statementsDuring } from '../../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../../harness/seeded-platform.js';

// How every list, dashboard and report is answered on a platform that is large enough for the planner to mind: each
// statement that the service sends is carried out once more under EXPLAIN ANALYZE, and what it read is judged.

const ROWS = Number(process.env.PLAN_ROWS ?? 300_000);
const LARGE = Math.max(ROWS / 12, 20_000); // rows of a table that must not be read from end to end
const PAGES_WORTH = 6000; // up to three times what page 100 walks over, sorting is no dearer than walking
// of a large table by one node: page 100 of each of three strategies, a day, a band of amounts
const MOST_READ = 8000;

/** Values of investments follow from several orders that are merged: three strategies in two states, three others. */
const MERGED = /^\/api\/admin\/investments\?.*sortBy=currentValue/;
const MERGED_ORDERS = 9;
/** Each reconciliation of the page counts its open lines. */
const COUNTED_LINES = { path: /^\/api\/admin\/reconciliations\?/, table: 'reconciliation_line' };

describe(`On a platform with ${ROWS.toLocaleString('en')} transactions`, () => {
  let seeded: SeededPlatform;
  let plans: Plans;
  let large: Set<string>;

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: ROWS, users: 10_000 });
    plans = await Plans.connect(seeded.platform.env.DATABASE_URL as string);
    large = await plans.tablesFrom(LARGE);
  });
  afterAll(async () => {
    await plans.end();
    await seeded.stop();
  });

  it('large tables are behind the lists, and reading one of them to its end would be seen', async () => {
    expect([...large]).toEqual(
      expect.arrayContaining(['user_transaction', 'withdrawal', 'investment', 'audit_entry', 'notification']),
    );
    const sum = { text: 'select sum(amount) from withdrawal where note is null', values: [] };
    const nodes = await plans.nodesOf(sum, { analyze: true });
    expect(nodes.flatMap((node) => problemOf(node, ''))).toEqual(['sequential scan of withdrawal']);
  });

  it('no list, dashboard or report reads a large table from end to end, or sorts more than its pages', async () => {
    const { platform, known, busyUser: busy } = seeded;
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
      for (const statement of readStatements(asked)) {
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
    if (!node['Actual Loops']) return []; // a branch that was not taken
    const [kind, table = ''] = [node['Node Type'], node['Relation Name']];
    const read = rowsExamined(node);
    if (large.has(table) && kind === 'Seq Scan') return [`sequential scan of ${table}`];
    const isCounting = COUNTED_LINES.path.test(path) && table === COUNTED_LINES.table;
    if (large.has(table) && !isCounting && read > MOST_READ)
      return [`${kind} reads ${read} rows of ${table}`];
    const input = node.QueryPlans?.[0];
    const most = PAGES_WORTH * (MERGED.test(path) ? MERGED_ORDERS : 1);
    if (kind === 'Sort' && input && rowsExamined(input) > most) return [`sorts ${rowsExamined(input)} rows`];
    return [];
  }
});
