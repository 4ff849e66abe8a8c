import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/admin/strategies';

describe('/api/admin/strategies', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  beforeAll(async () => {
    platform = await startPlatform({ settings: { SUSPENDED_STRATEGIES: 'aggressive-20' } });
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const newestAuditEntry = () =>
    platform.dataSource.query(
      `select actor, action, subject_type, subject_id, before, after from audit_entry order by recorded_at desc, id desc limit 1`,
    );
  const countAuditEntries = async () =>
    (await platform.dataSource.query('select count(*)::int as count from audit_entry'))[0].count as number;

  it('lists the three strategies with their rates and limits', async () => {
    const { status, data } = await platform.as(admin).get(PATH);
    expect(status).toBe(200);
    expect(data).toEqual(
      [
        { id: 'conservative-5', riskLevel: 'low', apy: '5.00', status: 'active', isActive: true },
        { id: 'balanced-10', riskLevel: 'medium', apy: '10.00', status: 'active', isActive: true },
        { id: 'aggressive-20', riskLevel: 'high', apy: '20.00', status: 'active', isActive: false },
      ].map((strategy) => ({
        ...strategy,
        name: expect.any(String),
        description: expect.any(String),
        minAmount: '10.00',
        maxAmount: '1000000.00',
        createdAt: platform.clock.now().toISOString(),
        updatedAt: platform.clock.now().toISOString(),
      })),
    );
  });

  it('shows strategies to every admin and to no user', async () => {
    expect((await platform.as(await platform.given.admin('readonly')).get(PATH)).status).toBe(200);
    expect((await platform.as(await platform.given.user()).get(PATH)).code).toBe('ADMIN_REQUIRED');
  });

  it('PUT records a requested change in the audit log and leaves the strategy unchanged', async () => {
    const before = (await platform.as(admin).get(PATH)).data; // balanced-10 is the second
    const requested = { apy: '12.50', minAmount: '20.00', isActive: false };
    const { status, data, body } = await platform.as(admin).put(`${PATH}/balanced-10`, requested);
    expect(status).toBe(200);
    expect(data).toEqual({ applied: false, requested, strategy: before[1] });
    expect(body.message).toMatch(/recorded and not applied/);
    expect((await platform.as(admin).get(PATH)).data).toEqual(before);
    expect(await newestAuditEntry()).toEqual([
      {
        actor: admin.email,
        action: 'strategy.request-change',
        subject_type: 'strategy',
        subject_id: 'balanced-10',
        before: { apy: '10.00', minAmount: '10.00', isActive: true },
        after: { applied: false, requested },
      },
    ]);
  });

  it.each([
    ['an unknown strategy', 'balanced-11', { apy: '1.00' }, 404, 'STRATEGY_NOT_FOUND'],
    ['a body without a field', 'balanced-10', {}, 400, 'VALIDATION_ERROR'],
    ['only null values', 'balanced-10', { apy: null }, 400, 'VALIDATION_ERROR'],
    ['an unknown field', 'balanced-10', { apy: '1.00', id: 'x' }, 400, 'VALIDATION_ERROR'],
    ['a rate as a number', 'balanced-10', { apy: 12 }, 400, 'VALIDATION_ERROR'],
    ['an unknown risk', 'balanced-10', { riskLevel: 'none' }, 400, 'VALIDATION_ERROR'],
    ['a minimum above the maximum', 'balanced-10', { minAmount: '1000000.01' }, 400, 'VALIDATION_ERROR'],
    ['a maximum below the minimum', 'balanced-10', { maxAmount: '9.99' }, 400, 'VALIDATION_ERROR'],
  ])('PUT rejects %s', async (_what, id, requested, status, code) => {
    const before = await countAuditEntries();
    const reply = await platform.as(admin).put(`${PATH}/${id}`, requested);
    expect([reply.status, reply.code]).toEqual([status, code]);
    expect(await countAuditEntries()).toBe(before);
  });

  it('shows every admin the performance of a strategy as users see it', async () => {
    const readonly = platform.as(await platform.given.admin('readonly'));
    const user = platform.as(await platform.given.user());
    const { status, data } = await readonly.get(`${PATH}/balanced-10/performance?period=7`);
    expect([status, data.strategyId]).toEqual([200, 'balanced-10']);
    expect(data).toEqual((await user.get('/api/user/strategies/balanced-10/performance?period=7')).data);
  });

  it.each([
    ['balanced-11/performance', 404, 'STRATEGY_NOT_FOUND'],
    ['balanced-10/performance?period=8', 400, 'VALIDATION_ERROR'],
    ['balanced-10/performance?startDate=2026-02-02&endDate=2026-02-01', 400, 'INVALID_DATE_RANGE'],
  ])('refuses GET %s', async (path, status, code) => {
    const reply = await platform.as(admin).get(`${PATH}/${path}`);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('PUT requires the permission *, which an operator does not have', async () => {
    const operator = await platform.given.admin('operator');
    const reply = await platform.as(operator).put(`${PATH}/balanced-10`, { apy: '1.00' });
    expect([reply.status, reply.code]).toEqual([403, 'PERMISSION_DENIED']);
  });
});
