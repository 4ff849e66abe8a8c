import { DAY_MS } from '../../src/common/durations.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import type { TestAdmin } from '../fixtures/given.js';
import { sendRequest } from '../harness/http-client.js';
import { startSeededPlatform, type SeededPlatform } from '../harness/seeded-platform.js';
import { operationsOf } from '../verification/hostile-input/operations.js';

/** The seeded data has rows on both sides of `instant` in these lists. */
const WITH_ROWS = ['users', 'investments', 'transactions', 'deposits', 'webhook-events'];

// Every paged list of admins with the parameter createdBefore.
describe('The period of a list', () => {
  let seeded: SeededPlatform;
  let admin: TestAdmin;
  let instant: string;
  let lists: { path: string; hasFile: boolean }[];

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: 1000, users: 100 });
    const { platform, seededIds } = seeded;
    admin = await platform.given.admin();
    instant = new Date(seededIds.today.getTime() - 100.4 * DAY_MS).toISOString(); // within a day
    lists = operationsOf(openApiDocument(platform.app, 'test'))
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/admin/'))
      .filter(({ inQuery }) => inQuery.some(({ name }) => name === 'createdBefore'))
      .map(({ path, inQuery }) => ({ path, hasFile: inQuery.some(({ name }) => name === 'format') }));
  });
  afterAll(() => seeded?.stop());

  const countOf = async (path: string, query: string): Promise<number> => {
    const { status, body } = await seeded.platform.as(admin).get(`${path}?limit=1&${query}`);
    expect([path, query, status]).toEqual([path, query, 200]);
    return (body.pagination ?? body.data.pagination ?? body.data).total;
  };
  const linesOf = async (path: string, query: string): Promise<number> => {
    const { status, text } = await sendRequest(`${seeded.platform.baseUrl}${path}?format=csv&${query}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect([path, query, status]).toEqual([path, query, 200]);
    return text.trimEnd().split('\r\n').length - 1;
  };

  it('can be given to the lists whose rows have a time', () => {
    expect(lists.map(({ path }) => path.replace('/api/admin/', '')).sort()).toEqual(
      expect.arrayContaining([
        'alerts',
        'approvals',
        'deposits',
        'integrity/runs',
        'investments',
        'reconciliations',
        'transaction-requests',
        'transactions',
        'users',
        'webhook-events',
        'yield-reports',
      ]),
    );
  });

  it('selects each row either from an instant on or before it, on the pages and in the file', async () => {
    for (const { path, hasFile } of lists) {
      const counts = [
        await countOf(path, `createdBefore=${instant}`),
        await countOf(path, `createdAfter=${instant}`),
      ];
      const [before, after] = counts as [number, number];
      expect([path, before + after]).toEqual([path, await countOf(path, '')]);
      if (WITH_ROWS.some((list) => path.endsWith(`/${list}`)))
        expect([path, before > 0, after > 0]).toEqual([path, true, true]);
      if (!hasFile) continue;
      expect([path, await linesOf(path, `createdBefore=${instant}`)]).toEqual([path, before]);
      expect([path, await linesOf(path, `createdAfter=${instant}`)]).toEqual([path, after]);
    }
  });

  it('selects the rows between both instants, which the earlier one includes and the later one does not', async () => {
    const path = '/api/admin/users';
    const { data } = await seeded.platform.as(admin).get(`${path}?limit=1&page=50`);
    const { createdAt } = data[0];
    const later = new Date(new Date(createdAt).getTime() + 1).toISOString();
    const only = await countOf(path, `createdAfter=${createdAt}&createdBefore=${later}`);
    expect(only).toBeGreaterThan(0);
    expect(await countOf(path, `createdAfter=${createdAt}&createdBefore=${createdAt}`)).toBe(0);
    expect(await countOf(path, `registeredAfter=${createdAt}&createdBefore=${later}`)).toBe(only);
  });
});
