import pg from 'pg';
import { ServedRequests, type ServedRequest } from '../../src/http/response/served-requests.js';
import { WarmUpService } from '../../src/modules/health/warm-up.service.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const TABLES = [
  'platform_user',
  'audit_entry',
  'notification',
  'user_transaction',
  'ledger_entry',
  'session',
];

describe('The warm-up before the start', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
    await platform.given.user().withBalance('100.00');
  });
  afterAll(() => platform.stop());

  const warmUp = () => platform.app.get(WarmUpService).warmUp();

  async function rowCounts(): Promise<unknown> {
    const counts = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
    return platform.dataSource.query(`select ${counts.join(', ')}`);
  }

  it('writes no rows and serves no request that counts', async () => {
    const served: ServedRequest[] = [];
    platform.app.get(ServedRequests).subscribe((request) => served.push(request));
    const before = await rowCounts();
    await warmUp();
    expect(await rowCounts()).toEqual(before);
    expect(new Set(served.map(({ route, status }) => `${status} ${route}`))).toEqual(
      new Set(['200 /api/ping']),
    );
  });

  it('ends while its reads wait for a lock', async () => {
    const holder = new pg.Client(platform.env.DATABASE_URL);
    await holder.connect();
    await holder.query('begin; lock table investment in access exclusive mode');
    await warmUp();
    await holder.query('rollback');
    await holder.end();
    expect((await platform.as(null).get('/api/ping')).status).toBe(200);
  });
});
