import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/strategies';

describe('GET /api/user/strategies', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({ settings: { SUSPENDED_STRATEGIES: 'aggressive-20' } });
  });
  afterAll(() => platform?.stop());

  it('lists the three strategies with their rates and limits', async () => {
    const ann = await platform.given.user();
    const { status, data } = await platform.as(ann).get(PATH);
    expect(status).toBe(200);
    expect(data.strategies).toEqual(
      // `status` is a constant of the API; `isActive` is false for a suspended strategy
      [
        { id: 'conservative-5', riskLevel: 'low', expectedYield: '5.00', status: 'active', isActive: true },
        { id: 'balanced-10', riskLevel: 'medium', expectedYield: '10.00', status: 'active', isActive: true },
        { id: 'aggressive-20', riskLevel: 'high', expectedYield: '20.00', status: 'active', isActive: false },
      ].map((fields) => ({
        ...fields,
        name: expect.any(String),
        description: expect.any(String),
        minInvestment: '10.00',
        maxInvestment: '1000000.00',
      })),
    );
    expect(data.debug).toEqual({
      strategiesCount: 3,
      configType: 'static',
      endpointCalled: PATH,
      serverTimestamp: '2026-03-02T10:00:00.000Z',
    });
  });

  it('returns an active or a suspended strategy by its id', async () => {
    const ann = await platform.given.user();
    const { status, data } = await platform.as(ann).get(`${PATH}/balanced-10`);
    expect(status).toBe(200);
    expect(data).toMatchObject({ id: 'balanced-10', expectedYield: '10.00', isActive: true, active: true });
    expect(Date.parse(data.createdAt)).not.toBeNaN();
    expect((await platform.as(ann).get(`${PATH}/aggressive-20`)).data).toMatchObject({
      isActive: false,
      active: false,
    });
  });

  it.each([
    ['balanced-11', 404, 'STRATEGY_NOT_FOUND'],
    ['BALANCED-10', 404, 'STRATEGY_NOT_FOUND'],
    ['__proto__', 404, 'STRATEGY_NOT_FOUND'],
    ["' or 1=1", 404, 'STRATEGY_NOT_FOUND'],
    [' ', 400, 'VALIDATION_ERROR'],
  ])('rejects the id %j with %s %s', async (id, status, code) => {
    const ann = await platform.given.user();
    const reply = await platform.as(ann).get(`${PATH}/${encodeURIComponent(id)}`);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('rejects anonymous callers, invalid tokens and admins', async () => {
    const admin = await platform.given.admin();
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as({ token: 'x.y.z' }).get(PATH)).code).toBe('TOKEN_INVALID');
    expect((await platform.as(admin).get(PATH)).code).toBe('FORBIDDEN');
  });
});
