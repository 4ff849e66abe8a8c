import { listCalls, pathOf } from '../../bench/support/list-calls.mjs';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { QueryPlans, readOnlyStatements } from '../harness/query-plans.js';
import { statementsDuring } from '../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../harness/seeded-platform.js';

/** The pagination and the rows of a list, wherever its response has them. */
interface ListedPage {
  readonly rows: unknown[];
  readonly page: number | null;
  readonly next: string | null;
  readonly previous: string | null;
  readonly total: number;
}

function pageOf(body: any): ListedPage {
  const { data } = body;
  const pagination = body.pagination ?? data.pagination ?? data;
  const rows = Array.isArray(data) ? data : (Object.values(data).find(Array.isArray) as unknown[]);
  return { ...pagination, rows };
}

// Every list of the document with the parameter `page`, with each filter and each sort.
describe('Cursors of all lists', () => {
  let seeded: SeededPlatform;
  let plans: QueryPlans;
  let calls: { path: string; get: (query: Record<string, string>) => Promise<any> }[];

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: 1000, users: 100 });
    plans = await QueryPlans.connect(seeded.platform.env.DATABASE_URL as string, 'enable_seqscan = off');
    const { platform, seededIds, busyUser } = seeded;
    const admin = await platform.given.admin();
    calls = listCalls(openApiDocument(platform.app, 'test'), seededIds).map((call) => {
      const caller = platform.as(call.path.startsWith('/api/admin/') ? admin : busyUser);
      const get = async (query: Record<string, string>) => {
        const reply = await caller.get(`${call.route}?${new URLSearchParams(query).toString()}`);
        expect([call.path, query, reply.status]).toEqual([call.path, query, 200]);
        return pageOf(reply.body);
      };
      return {
        path: pathOf(call),
        get: (query) => get('cursor' in query ? query : { ...call.query, ...query }),
      };
    });
  });
  afterAll(async () => {
    await plans?.end();
    await seeded?.stop();
  });

  it('address the pages that numbers address, forwards and backwards, and keep filter, order and limit', async () => {
    const differing: string[] = [];
    let walked = 0;
    for (const { path, get } of calls) {
      const numbered = [];
      for (const page of [1, 2, 3]) numbered.push(await get({ page: String(page), limit: '2' }));
      const [first, second, third] = numbered as [ListedPage, ListedPage, ListedPage];
      expect([path, first.previous]).toEqual([path, null]);
      if (first.next === null) {
        if (!path.includes('userId=') && !path.includes('user_id='))
          expect([path, second.rows]).toEqual([path, []]);
        continue; // the list of users has one page if the query names the user
      }
      walked += 1;
      const forwards = await get({ cursor: first.next });
      const back = await get({ cursor: forwards.previous as string });
      const after = forwards.next === null ? undefined : await get({ cursor: forwards.next });
      expect([path, forwards.page ?? null, forwards.total]).toEqual([path, null, first.total]);
      for (const [name, page, expected] of [
        ['next', forwards, second],
        ['previous', back, first],
        ['next of next', after ?? { rows: [] }, third],
      ] as const)
        if (JSON.stringify(page.rows) !== JSON.stringify(expected.rows)) differing.push(`${path}: ${name}`);
      if (back.previous !== null) differing.push(`${path}: the first page has a previous one`);
    }
    expect(differing).toEqual([]);
    expect(walked).toBeGreaterThan(calls.length / 2);
  });

  it('are read without a sequential scan in both directions', async () => {
    const scanned: string[] = [];
    for (const { path, get } of calls) {
      const first = await get({ page: '1', limit: '2' });
      if (first.next === null) continue;
      const recorded = await statementsDuring(async () => {
        const { previous } = await get({ cursor: first.next as string });
        await get({ cursor: previous as string });
      });
      for (const statement of readOnlyStatements(recorded).filter(({ text }) => text.includes('page_key'))) {
        const nodes = await plans.nodesOf(statement);
        const found = nodes.filter(
          (node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'strategy_nav',
        );
        if (found.length > 0) scanned.push(`${path}: ${statement.text.slice(0, 200)}`);
      }
    }
    expect(scanned).toEqual([]);
  });
});
