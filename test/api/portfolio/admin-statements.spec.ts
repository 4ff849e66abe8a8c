import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('GET /api/admin/users/:id/statement', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let support: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    ann = await platform.given.user().withBalance('1500.00');
    await new InvestmentSteps(platform).create(ann, '1000.00');
    support = await platform.given.admin('support');
  });
  afterAll(() => platform?.stop());

  const OWN = '/api/user/statement';
  const pathOf = (id: string) => `${ADMIN_USERS}/${id}/statement`;
  const fileOf = async (path: string, by: { token: string }) => {
    const headers = { authorization: `Bearer ${by.token}` };
    const { status, text } = await sendRequest(`${platform.baseUrl}${path}`, { headers });
    expect(status).toBe(200);
    return text;
  };

  it.each(['', 'from=2026-01-01&to=2026-12-31', 'startDate=2026-03-01'])(
    'is the statement that the user gets with the query "%s"',
    async (query) => {
      const own = await platform.as(ann).get(`${OWN}?${query}`);
      const { status, data } = await platform.as(support).get(`${pathOf(ann.id)}?${query}`);
      expect(status).toBe(own.status);
      expect(data).toEqual(own.data);
    },
  );

  it.each(['csv', 'journal'])('is the file that the user gets with format=%s', async (format) => {
    expect(await fileOf(`${pathOf(ann.id)}?format=${format}`, support)).toBe(
      await fileOf(`${OWN}?format=${format}`, ann),
    );
  });

  it('is recorded in the audit log of the user', async () => {
    const bob = await platform.given.user();
    expect((await platform.as(support).get(`${pathOf(bob.id)}?startDate=2026-03-01`)).status).toBe(200);
    expect(
      await platform.dataSource.query(
        `select actor, action, after from audit_entry where subject_type = 'user' and subject_id = $1`,
        [bob.id],
      ),
    ).toEqual([
      {
        actor: support.email,
        action: 'statement.export',
        after: { startDate: '2026-03-01', format: 'json' },
      },
    ]);
  });

  it('is refused for an unknown user, a reversed range and an unknown format, and not recorded', async () => {
    const bob = await platform.given.user();
    const refusal = async (path: string) => (await platform.as(support).get(path)).code;
    expect(await refusal(pathOf(UNKNOWN_ID))).toBe('USER_NOT_FOUND');
    expect(await refusal(pathOf('1'))).toBe('USER_NOT_FOUND');
    const reversed = 'startDate=2026-03-02&endDate=2026-03-01';
    expect(await refusal(`${pathOf(bob.id)}?${reversed}`)).toBe('INVALID_DATE_RANGE');
    expect(await refusal(`${pathOf(bob.id)}?format=xml`)).toBe('VALIDATION_ERROR');
    const entries = await platform.dataSource.query(
      `select from audit_entry where action = 'statement.export' and subject_id in ($1, $2)`,
      [bob.id, UNKNOWN_ID],
    );
    expect(entries).toHaveLength(0);
  });
});
