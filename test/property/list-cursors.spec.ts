import fc from 'fast-check';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

/** A list, the rows that it shows without a filter, and changes of these rows that leave their sort values. */
interface TestedList {
  readonly path: string;
  readonly sorts: Record<string, string>;
  readonly filters: readonly string[];
  readonly insertRows: (count: number) => Promise<unknown>;
  /** Changes the status of random rows and returns their ids. */
  readonly changeRows: (count: number) => Promise<string[]>;
  /** The ids of all rows in the order of these sort keys. */
  readonly idsInOrder: (order: string) => Promise<string[]>;
}

/** Later runs insert no more rows than this. */
const MOST_ROWS = 70;

describe('The pages of a list that cursors address', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let admin: TestAdmin;
  let notifications: TestedList;
  let users: TestedList;

  const idsOf = async (sql: string, parameters: unknown[] = []): Promise<string[]> =>
    (await platform.dataSource.query<{ id: string }[]>(sql, parameters)).map(({ id }) => id);
  /** One of ten times, so that many rows have equal times. On each of five days, two times differ by a microsecond. */
  const TIME = `timestamptz '2026-01-01' + trunc(random() * 5) * interval '1 day' + trunc(random() * 2) * interval '1 microsecond'`;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
    ann = await platform.given.user();
    notifications = {
      path: '/api/user/notifications',
      sorts: { createdAt: 'created_at, id', priority: 'priority_rank, created_at, id' },
      filters: ['', 'unread=true', 'unread=false', 'type=security', 'type=system&unread=true'],
      insertRows: (count) =>
        platform.dataSource.query(
          `insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at)
           select gen_random_uuid(), $1, (array['security', 'system'])[1 + trunc(random() * 2)], 'Title', 'Message',
                  (array['critical', 'high', 'normal', 'low'])[1 + trunc(random() * 4)], 'platform', '{}', ${TIME}
             from generate_series(1, $2::int)`,
          [ann.id, count],
        ),
      changeRows: async (count) => {
        const ids = await idsOf('select id from notification where user_id = $1 order by random() limit $2', [
          ann.id,
          count,
        ]);
        await platform.dataSource.query(
          'update notification set read_at = case when read_at is null then created_at end where id = any($1)',
          [ids],
        );
        return ids;
      },
      idsInOrder: (order) =>
        idsOf(`select id from notification where user_id = $1 order by ${order}`, [ann.id]),
    };
    users = {
      path: '/api/admin/users',
      sorts: {
        createdAt: 'created_at, id',
        lastLoginAt: 'last_login_at nulls first, id',
        totalInvested: '(select total_invested from user_figures where user_id = id), id',
      },
      filters: ['', 'status=active', 'status=suspended', 'search=a', 'registeredAfter=2026-01-03'],
      insertRows: async (count) => {
        const ids = await idsOf(
          `insert into platform_user (id, email, status, created_at, updated_at, last_login_at)
           select id, id || '@example.org', (array['active', 'suspended'])[1 + trunc(random() * 2)], ${TIME}, now(),
                  case when random() < 0.6 then ${TIME} end
             from (select gen_random_uuid() as id from generate_series(1, $1::int)) as new returning id`,
          [count],
        );
        await platform.dataSource.query(
          'update user_figures set total_invested = trunc(random() * 3) * 10 where user_id = any($1)',
          [ids],
        );
      },
      changeRows: async (count) => {
        const ids = await idsOf('select id from platform_user order by random() limit $1', [count]);
        await platform.dataSource.query(
          `update platform_user set status = case status when 'active' then 'suspended' else 'active' end
            where id = any($1) and id <> $2`,
          [ids, ann.id],
        );
        return ids;
      },
      idsInOrder: (order) => idsOf(`select id from platform_user order by ${order}`),
    };
    for (const list of [notifications, users]) await list.insertRows(25);
  });
  afterAll(() => platform?.stop());

  const stepArbitrary = fc.record({
    inserted: fc.integer({ min: 0, max: 3 }),
    changed: fc.integer({ min: 0, max: 3 }),
  });
  const walkArbitrary = fc.record({
    ofUsers: fc.boolean(),
    sort: fc.nat(),
    filter: fc.nat(),
    orderBy: fc.constantFrom('asc', 'desc'),
    limit: fc.integer({ min: 3, max: 15 }),
    steps: fc.array(stepArbitrary, { minLength: 1, maxLength: 10 }),
  });

  it('show each row that stays once and in order, forwards and backwards, whatever is added or changed meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(walkArbitrary, async ({ ofUsers, sort, filter, orderBy, limit, steps }) => {
        const list = ofUsers ? users : notifications;
        const caller = platform.as(ofUsers ? admin : ann);
        const sorts = Object.entries(list.sorts);
        const [sortBy, keys] = sorts[sort % sorts.length] as [string, string];
        const filterText = list.filters[filter % list.filters.length] as string;
        const query = `sortBy=${sortBy}&orderBy=${orderBy}&${filterText}`;
        const get = async (parameters: string) => {
          const { status, body } = await caller.get(`${list.path}?${parameters}`);
          expect(status).toBe(200);
          return { ids: body.data.map(({ id }: { id: string }) => id) as string[], ...body.pagination };
        };
        const matching = [];
        for (let page = 1, more = true; more; page++) {
          const { ids, hasNext } = await get(`${query}&limit=100&page=${page}`);
          matching.push(...ids);
          more = hasNext;
        }
        const changedIds = new Set<string>();
        let pages = 0;
        const changeSomething = async () => {
          const { inserted, changed } = steps[pages++ % steps.length] as (typeof steps)[number];
          const { length } = await list.idsInOrder(keys);
          await list.insertRows(Math.min(inserted, Math.max(0, MOST_ROWS - length)));
          for (const id of await list.changeRows(changed)) changedIds.add(id);
        };
        let page = await get(`${query}&limit=${limit}`);
        const forwards = [...page.ids];
        while (page.next !== null) {
          await changeSomething();
          page = await get(`cursor=${page.next}`);
          forwards.push(...page.ids);
        }
        const backwards = [...page.ids];
        while (page.previous !== null) {
          await changeSomething();
          page = await get(`cursor=${page.previous}`);
          backwards.unshift(...page.ids);
        }
        const inOrder = await list.idsInOrder(keys);
        if (orderBy === 'desc') inOrder.reverse();
        const place = new Map(inOrder.map((id, index) => [id, index]));
        const staying = matching.filter((id) => !changedIds.has(id));
        for (const walked of [forwards, backwards]) {
          expect(new Set(walked).size).toBe(walked.length);
          expect(walked).toEqual(walked.toSorted((a, b) => (place.get(a) ?? -1) - (place.get(b) ?? -1)));
          expect(walked.filter((id) => !changedIds.has(id) && staying.includes(id))).toEqual(staying);
        }
      }),
      { numRuns: repetitions(24) },
    );
  });
});
