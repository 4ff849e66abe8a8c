import { openApiDocument } from '../../src/http/openapi/document.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { operationsOf } from '../verification/hostile-input/operations.js';

const INVESTMENTS = '/api/user/investments';

describe('List filters', () => {
  let platform: TestPlatform;
  let user: TestUser;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { INVESTMENT_APPROVAL_THRESHOLD: '500.00' } });
    admin = await platform.given.admin();
    user = await platform.given.user().withBalance('2000.00');
    for (const amount of ['500.00', '20.00', '30.00', '40.00']) await invest(amount);
    const { data } = await platform.as(user).get(`${INVESTMENTS}?status=active`);
    await platform.as(user).post(`${INVESTMENTS}/${data[0].id}/cancel`);
    await platform.as(user).delete(`${INVESTMENTS}/${data[1].id}`);
  });
  afterAll(() => platform?.stop());

  const invest = (amount: string) =>
    platform.as(user).post(INVESTMENTS, { strategyId: 'balanced-10', amount });

  it('select as many rows with status=all or type=all as without a filter, and refuse ALL', async () => {
    const lists = operationsOf(openApiDocument(platform.app, 'test')).filter(
      ({ method, path }) => method === 'GET' && !path.includes('{'),
    );
    const filters = lists.flatMap(({ path, caller, inQuery }) =>
      inQuery
        .filter(({ name, schema }) => ['status', 'type'].includes(name) && !('default' in schema))
        .map(({ name }) => ({ path, caller, name })),
    );
    expect(filters.map(({ path, name }) => `${path} ${name}`)).toEqual(
      expect.arrayContaining([
        '/api/user/transactions type',
        '/api/user/transactions status',
        '/api/user/investments status',
        '/api/user/deposits status',
        '/api/user/notifications type',
        '/api/admin/users status',
        '/api/admin/investments status',
        '/api/admin/withdrawals status',
        '/api/admin/transactions type',
        '/api/admin/transaction-requests status',
      ]),
    );
    for (const { path, caller, name } of filters) {
      const as = platform.as(caller === 'admin' ? admin : user);
      const all = await as.get(`${path}?${name}=all`);
      const unfiltered = await as.get(path);
      expect([path, name, all.status, all.code]).toEqual([path, name, 200, undefined]);
      expect(all.body.pagination).toEqual(unfiltered.body.pagination);
      expect((await as.get(`${path}?${name}=ALL`)).code).toBe('VALIDATION_ERROR');
    }
  });

  it('select everything in the chain view of transactions with type=all and status=all', async () => {
    const { status, data } = await platform
      .as(user)
      .get('/api/user/transactions?view=chain&type=all&status=all');
    expect(status).toBe(200);
    expect(data.transactions).not.toHaveLength(0);
  });

  it.each(['pending', 'active', 'closed', 'cancelled'])(
    'select the user’s investments that are %s',
    async (status) => {
      const { data, body } = await platform.as(user).get(`${INVESTMENTS}?status=${status}`);
      expect(data.map((investment: { status: string }) => investment.status)).toEqual([status]);
      expect(body.pagination.total).toBe(1);
    },
  );

  it('select notifications of all types for marking as read with type=all in the body', async () => {
    const { data } = await platform.as(user).put('/api/user/notifications/mark-all-read', { type: 'all' });
    expect(data.remainingUnread).toBe(0);
  });
});
