import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { ADMIN_INVESTMENTS, AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { caughtUp } from '../../harness/caught-up.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

describe('GET /api/admin/investments?sortBy=currentValue with thousands of investments', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;
  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-01T10:00:00.000Z' });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
    await steps.adminList(); // publishes the NAVs of the first day
    steps.advanceDays(11);
    await steps.adminList(); // publishes the NAVs of all days since
  });
  afterAll(() => platform?.stop());

  const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

  const INVESTMENT_COUNT = 2000;

  /**
   * Inserts investments of every status, strategy and age, with values that are often equal. `n / 3 % 6` chooses the status: 0 to 2 are
   * active, 4 is closed, and these have been issued.
   */
  beforeAll(async () => {
    ann = await platform.given.user();
    await platform.app.get(UnitOfWork).runInNewTransaction((tx) =>
      tx.query(
        `insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at,
                                   ended_at, final_value)
           select gen_random_uuid(), $1, strategy_id, status, amount,
                  coalesce((select round(amount / nav, 24) from strategy_nav as navs
                             where navs.strategy_id = made.strategy_id and day = issued_on + 1), 0), issued_on, now(), now(),
                  case when status in ('closed', 'cancelled') then now() end,
                  case when status = 'closed' then amount + n % 2 end
             from (select n, (n % 97) + 10 as amount,
                          (array['conservative-5', 'balanced-10', 'aggressive-20'])[n % 3 + 1] as strategy_id,
                          (array['active', 'active', 'active', 'pending', 'closed', 'cancelled'])[n / 3 % 6 + 1] as status,
                          case when n / 3 % 6 in (0, 1, 2, 4) then date '2026-03-12' - n % 5 end as issued_on
                     from generate_series(1, $2) as n) as made`,
        [ann.id, INVESTMENT_COUNT],
      ),
    );
    await platform.dataSource.query('select mark_all_totals()');
    await platform.dataSource.query('analyze investment');
    await caughtUp(platform);
  });

  /** Inserts active investments of one strategy that were issued on the same day. */
  async function insertEqual(amount: string, count: number): Promise<void> {
    await platform.app.get(UnitOfWork).runInNewTransaction((tx) =>
      tx.query(
        `insert into investment (id, user_id, strategy_id, status, amount, units, issued_on, created_at, updated_at)
           select gen_random_uuid(), $1, strategy_id, 'active', $2::numeric, round($2::numeric / nav, 24), day - 1, now(), now()
             from strategy_nav, generate_series(1, $3) where strategy_id = 'balanced-10' and day = '2026-03-09'`,
        [ann.id, amount, count],
      ),
    );
    await platform.dataSource.query('analyze investment');
  }

  /** A page of the list. Unlike platform.as(), sendRequest does not compare it with the OpenAPI document, which takes long. */
  const pageOf = async (query: string) => {
    const headers = { authorization: `Bearer ${steps.admin.token}` };
    return (await sendRequest(`${platform.baseUrl}${ADMIN_INVESTMENTS}?${query}`, { headers })).body;
  };

  /** An amount in millionths, which can be compared exactly. */
  const micros = (amount: string) =>
    BigInt(amount.replace(/\.(\d+)$/, (_, decimals: string) => decimals.padEnd(6, '0')));

  it.each([
    ['asc', ''],
    ['desc', ''],
    ['asc', '&status=active'],
    ['desc', '&status=completed'],
    ['desc', '&strategyId=balanced-10'],
    ['asc', '&minAmount=50'],
  ])('orderBy=%s%s returns every investment once and in order, over all pages', async (orderBy, filter) => {
    const query = `sortBy=currentValue&orderBy=${orderBy}${filter}&limit=100`;
    const listed: { id: string; currentValue: string }[] = [];
    let total = 0;
    for (let page = 1, more = true; more; page++) {
      const { data, pagination } = await pageOf(`${query}&page=${page}`);
      listed.push(...data);
      total = pagination.total;
      more = pagination.hasNext;
    }
    expect(await idsByCursors(query)).toEqual(listed.map(({ id }) => id));
    expect(total).toBeGreaterThan(0);
    expect(listed).toHaveLength(total);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(total);
    const values = listed.map(({ currentValue }) => micros(currentValue));
    const inOrder = [...values].sort((a, b) => Number(a - b));
    expect(values).toEqual(orderBy === 'asc' ? inOrder : inOrder.reverse());
  });

  const valueOf = ({ currentValue }: { currentValue: string }) => micros(currentValue);

  /** The ids of all pages, walked forwards and, which has to give the same, backwards. */
  async function idsByCursors(query: string): Promise<string[]> {
    const ids = (body: any): string[] => body.data.map(({ id }: { id: string }) => id);
    let page = await pageOf(query);
    const forwards = ids(page);
    while (page.pagination.next) {
      page = await pageOf(`cursor=${page.pagination.next}`);
      forwards.push(...ids(page));
    }
    const backwards = ids(page);
    while (page.pagination.previous) {
      page = await pageOf(`cursor=${page.pagination.previous}`);
      backwards.unshift(...ids(page));
    }
    expect(backwards).toEqual(forwards);
    return forwards;
  }

  /** The number of rows that each scan of the page reads, with those that its filter removes. */
  async function rowsRead(query: string): Promise<number[]> {
    const querySpy = jest.spyOn(platform.dataSource, 'query');
    await steps.adminList(query);
    const [sql, parameters] = querySpy.mock.calls.find(([text]) => text.includes('as ranked')) as [
      string,
      unknown[],
    ];
    querySpy.mockRestore();
    const [row] = await platform.dataSource.query(`explain (analyze, format json) ${sql}`, parameters);
    const read = nodesOf(row['QUERY PLAN'][0].Plan).filter((scan) => scan['Relation Name'] === 'investment');
    expect(read.length).toBeGreaterThan(5); // five scans in the order of values, and one of the page by id
    for (const scan of read) expect(scan['Node Type']).toMatch(/^Index/);
    return read.map((scan) => scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0));
  }

  it('reads at most forty rows of each index for a page of ten', async () => {
    // The ten rows of the page, and rows issued today, which the filter removes. Without the limit a scan would
    // read about 333 rows: 2000 / 6 of a status, or of an active strategy 2000 / 2 / 3.
    for (const rows of await rowsRead('?sortBy=currentValue&limit=10')) expect(rows).toBeLessThanOrEqual(40);
  });

  it.each([
    ['asc', '1.00'],
    ['desc', '5000.00'],
  ])(
    'reads no more than forty rows in the order %s, also after a cursor within thousands of investments of the same value',
    async (orderBy, amount) => {
      await insertEqual(amount, 3000);
      const third = await pageOf(`sortBy=currentValue&orderBy=${orderBy}&limit=100&page=3`);
      const query = `cursor=${third.pagination.next}&limit=10`;
      expect(new Set([...third.data, ...(await pageOf(query)).data].map(valueOf)).size).toBe(1);
      for (const rows of await rowsRead(`?${query}`)) expect(rows).toBeLessThanOrEqual(40);
    },
  );

  it('continues after midnight at the value that the last row of the previous page had before', async () => {
    const before = await pageOf('sortBy=currentValue&orderBy=desc&limit=100');
    const last = micros(before.data.at(-1).currentValue);
    steps.advanceDays(1);
    const after = await pageOf(`cursor=${before.pagination.next}`);
    const firstPage = await pageOf('sortBy=currentValue&orderBy=desc&limit=100');
    expect(firstPage.data.map(valueOf)).not.toEqual(before.data.map(valueOf)); // the values have grown
    expect(after.data).toHaveLength(100);
    expect(after.data.map(valueOf).filter((value: bigint) => value > last)).toEqual([]);
  });
});
