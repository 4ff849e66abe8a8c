import { RouteAudit } from '../../../src/http/auth/route-audit.js';
import { Scrubber } from '../../../src/observability/logging/scrubber.js';
import { captureLogOutput } from '../../fixtures/log-output.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('The log line of a request', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('names the method, the route with its parameters, and the status, and not the path', async () => {
    const user = await platform.given.user();
    const log = captureLogOutput(platform);
    const { status } = await platform.as(user).get(`/api/user/transactions/${UNKNOWN_ID}`);
    expect(status).toBe(404);
    await eventually(() => {
      const [line] = log.linesOf('GET /api/user/transactions/:id 404');
      expect(line).toMatchObject({ method: 'GET', route: '/api/user/transactions/:id', status: 404 });
      expect(JSON.stringify(line)).not.toContain(UNKNOWN_ID);
      return Promise.resolve();
    });
  });

  it('has no route if none matches', async () => {
    const log = captureLogOutput(platform);
    await platform.as(null).get('/api/nothing');
    await eventually(() => {
      expect(log.linesOf('GET 404')).toMatchObject([{ route: null }]);
      return Promise.resolve();
    });
  });

  it('keeps every route as it is, since no route looks like a secret', () => {
    const scrubber = new Scrubber();
    const names = platform.app
      .get(RouteAudit)
      .routes()
      .map(({ method, path }) => `${method} ${path} 200`);
    expect(names.length).toBeGreaterThan(150);
    expect(names.map((name) => scrubber.scrubText(name))).toEqual(names);
  });
});
