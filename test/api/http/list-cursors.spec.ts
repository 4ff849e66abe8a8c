import { openApiDocument } from '../../../src/http/openapi/document.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { operationsOf } from '../../verification/hostile-input/operations.js';

const NOTIFICATIONS = '/api/user/notifications';

describe('Cursors of lists', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let bob: TestUser;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
    ann = await platform.given.user();
    bob = await platform.given.user();
    for (const user of [ann, bob]) await insertNotifications(user, 7, '2026-01-01T00:00:00Z');
  });
  afterAll(() => platform?.stop());

  /** Inserts notifications in pairs with equal times, which differ by microseconds. */
  const insertNotifications = (user: TestUser, count: number, from: string) =>
    platform.dataSource.query(
      `insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at)
       select gen_random_uuid(), $1, 'system', 'Title', 'Message', 'normal', 'platform', '{}',
              $2::timestamptz + n / 2 * interval '1 microsecond'
         from generate_series(1, $3::int) as n`,
      [user.id, from, count],
    );
  const list = (query: string, user = ann) => platform.as(user).get(`${NOTIFICATIONS}?${query}`);
  const firstPagination = async (query = '') => (await list(`limit=3&type=system${query}`)).body.pagination;
  const idsOf = (body: any): string[] => body.data.map(({ id }: { id: string }) => id);

  it('are a parameter of every list that has pages, each of which refuses a malformed one', async () => {
    const lists = operationsOf(openApiDocument(platform.app, 'test')).filter(({ inQuery }) =>
      inQuery.some(({ name }) => name === 'page'),
    );
    expect(lists.length).toBeGreaterThanOrEqual(23);
    const answers = [];
    for (const { name, path, caller, inQuery } of lists) {
      expect([name, inQuery.map((field) => field.name)]).toEqual([name, expect.arrayContaining(['cursor'])]);
      const route = path.replace('{id}', UNKNOWN_ID);
      const { status, code } = await platform.as(caller === 'admin' ? admin : ann).get(`${route}?cursor=x`);
      answers.push([name, status, code]);
    }
    expect(answers).toEqual(lists.map(({ name }) => [name, 400, 'INVALID_PAGINATION']));
  });

  it('lead through rows whose times differ by microseconds, forwards and backwards, beside rows that are added meanwhile', async () => {
    const before = idsOf((await list('limit=100')).body);
    const first = await list('limit=3');
    await insertNotifications(ann, 2, '2026-01-02T00:00:00Z'); // before the first page
    const second = await list(`cursor=${first.body.pagination.next}`);
    const third = await list(`cursor=${second.body.pagination.next}`);
    expect([first, second, third].flatMap(({ body }) => idsOf(body))).toEqual(before.slice(0, 9));
    expect(second.body.pagination).toMatchObject({ page: null, limit: 3, hasNext: true, hasPrevious: true });
    const back = await list(`cursor=${second.body.pagination.previous}`);
    expect(idsOf(back.body)).toEqual(idsOf(first.body));
    expect(back.body.pagination).toMatchObject({ page: null, hasNext: true, hasPrevious: true });
    const added = await list(`cursor=${back.body.pagination.previous}`);
    expect(idsOf(added.body)).toHaveLength(2);
    expect(added.body.pagination).toMatchObject({ previous: null, hasPrevious: false, hasNext: true });
  });

  it('are null at the ends of the list', async () => {
    const { pagination } = (await list('limit=100')).body;
    expect(pagination).toMatchObject({ next: null, previous: null, page: 1 });
  });

  it('lead back from a page whose rows have gone, without losing a row', async () => {
    const cat = await platform.given.user();
    await insertNotifications(cat, 4, '2026-01-01T00:00:00Z');
    const ids = idsOf((await list('limit=100&type=system', cat)).body);
    const { next } = (await list('limit=2&type=system', cat)).body.pagination;
    await platform.dataSource.query('delete from notification where id = any($1)', [ids.slice(2)]);
    const empty = await list(`cursor=${next}`, cat);
    expect(empty.body).toMatchObject({ data: [], pagination: { next: null, hasPrevious: true } });
    const back = await list(`cursor=${empty.body.pagination.previous}`, cat);
    expect(idsOf(back.body)).toEqual(ids.slice(0, 2));
  });

  it('keep filter, order and limit; a request with a cursor may state the same ones again, or another limit', async () => {
    const { next } = await firstPagination('&orderBy=asc');
    const kept = await list(`cursor=${next}`);
    expect(kept.body.data).toHaveLength(3);
    const repeated = await list(`type=system&orderBy=asc&limit=3&cursor=${next}`);
    expect(idsOf(repeated.body)).toEqual(idsOf(kept.body));
    const shorter = await list(`limit=1&cursor=${next}`);
    expect(idsOf(shorter.body)).toEqual(idsOf(kept.body).slice(0, 1));
    expect(shorter.body.pagination.limit).toBe(1);
  });

  it.each([
    'type=security',
    'unread=true',
    'sortBy=priority',
    'orderBy=asc',
    'page=1',
    'type=system&type=system',
  ])('are refused beside the parameter %s, which contradicts them or is given twice', async (parameter) => {
    const { next } = await firstPagination();
    const refusal = await list(`cursor=${next}&${parameter}`);
    expect([refusal.status, refusal.code]).toEqual([400, 'INVALID_PAGINATION']);
  });

  it('are refused if they are malformed, cut, changed, given twice, or of another route or caller [SEC-690]', async () => {
    const next: string = (await firstPagination()).next;
    const bytes = Buffer.from(next, 'base64url'); // 16 bytes of a seal, then the content
    const changed = (index: number) => {
      const copy = Buffer.from(bytes);
      copy[index] = (copy[index] as number) ^ 1;
      return copy.toString('base64url');
    };
    const reversed = Buffer.from(bytes.toString('latin1').replace('"after"', '"before"'), 'latin1');
    const malformed = ['', 'x', '%20', 'null', `${next}A`, `${next}=`, `${next}!`];
    const cut = [next.slice(0, -1), next.slice(4)];
    const changedInSeal = [changed(0), changed(15)];
    const changedInContent = [changed(16), changed(bytes.length - 1), reversed.toString('base64url')];
    const twice = `${next}&cursor=${next}`;
    for (const cursor of [...malformed, ...cut, ...changedInSeal, ...changedInContent, twice]) {
      const { status, code } = await list(`cursor=${cursor}`);
      expect([cursor, status, code]).toEqual([cursor, 400, 'INVALID_PAGINATION']);
    }
    for (const refusal of [
      await list(`cursor=${next}`, bob),
      await platform.as(ann).get(`/api/user/deposits?cursor=${next}`),
      await platform.as(admin).get(`/api/admin/users?cursor=${next}`),
      await platform.as(ann).get(`/api/user/transactions?view=chain&cursor=${next}`),
    ])
      expect([refusal.status, refusal.code]).toEqual([400, 'INVALID_PAGINATION']);
    expect((await list(`cursor=${next}`)).status).toBe(200);
  });

  it('are refused by the CSV file of a list, and are an unknown parameter of routes without pages', async () => {
    const { next } = (await platform.as(admin).get('/api/admin/users?limit=1')).body.pagination;
    expect((await platform.as(admin).get(`/api/admin/users?cursor=${next}`)).status).toBe(200);
    const file = await platform.as(admin).get(`/api/admin/users?format=csv&cursor=${next}`);
    expect([file.status, file.code]).toEqual([400, 'INVALID_PAGINATION']);
    const withoutPages = await platform.as(ann).get(`/api/user/balance/history?cursor=${next}`);
    expect([withoutPages.status, withoutPages.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('are fields beside the rows in the chain view of transactions, and lead to pages of the same view', async () => {
    const dan = await platform.given.user().withBalance('100.00');
    for (const amount of ['10.00', '11.00'])
      await platform.as(dan).post('/api/user/investments', { strategyId: 'balanced-10', amount });
    const first = (await platform.as(dan).get('/api/user/transactions?view=chain&limit=1')).data;
    const second = (await platform.as(dan).get(`/api/user/transactions?cursor=${first.next}`)).data;
    expect(second).toMatchObject({ page: null, limit: 1, total: first.total });
    const back = (await platform.as(dan).get(`/api/user/transactions?cursor=${second.previous}`)).data;
    expect(back).toMatchObject({ transactions: first.transactions, previous: null });
  });
});
