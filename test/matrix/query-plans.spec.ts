import { listCalls, pathOf } from '../../bench/support/list-calls.mjs';
import { reportPaths } from '../../bench/support/report-paths.mjs';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { withoutReferences } from '../../src/http/openapi/references.js';
import { QueryPlans, readOnlyStatements } from '../harness/query-plans.js';
import { statementsDuring, type SqlStatement } from '../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../harness/seeded-platform.js';

// Every list and report must be served by an index: with `enable_seqscan = off` the planner scans a table
// sequentially only if no index can be used. For plans with realistic data see test/verification/runs/query-plans.spec.ts.

/** Tables with one row per pause of withdrawals or per day and strategy. */
const ALWAYS_SMALL = ['withdrawal_pause', 'strategy_nav'];

describe('Query plans of all lists, dashboards and reports', () => {
  let seeded: SeededPlatform;
  let plans: QueryPlans;

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: 1000, users: 100 });
    plans = await QueryPlans.connect(seeded.platform.env.DATABASE_URL as string, 'enable_seqscan = off');
  });
  afterAll(async () => {
    await plans?.end();
    await seeded?.stop();
  });

  const scannedBy = async (statement: SqlStatement): Promise<string[]> =>
    (await plans.nodesOf(statement))
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'] ?? '')
      .filter((table) => !ALWAYS_SMALL.includes(table));

  it('show a sequential scan of a column without an index, also below the first node', async () => {
    const unindexed = { text: 'select count(*) from audit_entry where reason = $1', values: ['As decided'] };
    expect(await scannedBy(unindexed)).toEqual(['audit_entry']);
  });

  it('contain no sequential scan for any filter or sort', async () => {
    const { platform, seededIds, busyUser } = seeded;
    const admin = await platform.given.admin();
    const listPaths = listCalls(withoutReferences(openApiDocument(platform.app, 'test')), seededIds).map(
      (call) => pathOf(call),
    );
    const scanned: string[] = [];
    let statements = 0;
    for (const path of [...listPaths, ...reportPaths(seededIds.today)]) {
      const caller = platform.as(path.startsWith('/api/admin/') ? admin : busyUser);
      const recorded = await statementsDuring(async () => {
        expect([path, (await caller.get(path)).status]).toEqual([path, 200]);
      });
      for (const statement of readOnlyStatements(recorded)) {
        statements += 1;
        const tables = await scannedBy(statement);
        if (tables.length > 0)
          scanned.push(`${path} scans ${tables.join(', ')}: ${statement.text.slice(0, 200)}`);
      }
    }
    expect(scanned).toEqual([]);
    expect(statements).toBeGreaterThan(2 * listPaths.length * 0.9); // rows and totals of most; a page that is not full needs no total
  });

  it('find a late page of callbacks, which have large bodies, in an index alone', async () => {
    const admin = seeded.platform.as(await seeded.platform.given.admin());
    const recorded = await statementsDuring(() => admin.get('/api/admin/webhook-events?page=3&limit=10'));
    const nodes: unknown[] = [];
    for (const statement of readOnlyStatements(recorded)) nodes.push(...(await plans.nodesOf(statement)));
    expect(nodes).toContainEqual(
      expect.objectContaining({ 'Node Type': 'Index Only Scan', 'Relation Name': 'webhook_event' }),
    );
  });
});
