import type { AppConfig } from '../../../src/config/app-config.js';
import { ServedRequests, type ServedRequest } from '../../../src/http/response/served-requests.js';
import { givenKey } from '../../fixtures/api-keys.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { refusedUpgrade, type Refusal } from '../../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const LISTED = 'https://app.example.com';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_SPAN_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_SPAN_ID}-01`;

describe('The answer to an upgrade', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let url: string;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { CORS_ORIGINS: LISTED } });
    steps = liveSteps(platform);
    url = `${platform.baseUrl}/api/live`;
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform?.stop());

  const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

  describe('has the rate-limit headers', () => {
    const limits = {
      RATE_LIMIT_USER: 3,
      RATE_LIMIT_ADMIN: 2,
      RATE_LIMIT_KEY: 1,
      RATE_LIMIT_PUBLIC: 4,
    } as Partial<AppConfig>;
    let liveUrl: string;

    beforeEach(async () => {
      // A new instance, whose counters are empty.
      liveUrl = `${await startReplica(platform, limits)}/api/live`;
    });

    const shown = ({ status, headers }: Refusal) => [
      status,
      headers['x-ratelimit-limit'],
      headers['x-ratelimit-remaining'],
    ];
    const expectReset = ({ headers }: Refusal) => {
      const seconds = Number(headers['x-ratelimit-reset']) - Date.now() / 1000;
      expect(seconds).toBeGreaterThan(3500); // the hour has just begun
      expect(seconds).toBeLessThan(3602); // an hour, rounded up to whole seconds
    };

    it('of the caller’s rate class if its limit refuses the upgrade, which then counts in no other class', async () => {
      const user = await platform.given.user();
      const callers = [
        { caller: user, limit: 3 },
        { caller: await platform.given.admin(), limit: 2 },
        // All keys of the user together have the limit of the user, 3, which these three do not exceed.
        { caller: await givenKey(platform, user), limit: 1 },
        { caller: await givenKey(platform, user), limit: 1 },
        { caller: await givenKey(platform, user), limit: 1 },
      ];
      for (const { caller, limit } of callers) {
        const baseUrl = liveUrl.replace('/api/live', '');
        for (let count = 0; count < limit; count++) await steps.connect({ token: caller.token }, baseUrl);
        for (let count = 0; count < 2; count++) {
          const refusal = await refusedUpgrade(liveUrl, bearer(caller));
          expect(shown(refusal)).toEqual([429, String(limit), '0']);
          expectReset(refusal);
        }
      }
      expect(shown(await refusedUpgrade(liveUrl))).toEqual([401, '4', '3']); // the first one of the class `public`
    });

    it('of the rate class of requests without a token if the token, the origin or the handshake is refused', async () => {
      const user = await platform.given.user();
      const refusals = [
        await refusedUpgrade(`${liveUrl}?ticket=guess`),
        await refusedUpgrade(liveUrl, { ...bearer(user), origin: 'https://evil.example.com' }),
        await refusedUpgrade(liveUrl, { ...bearer(user), 'sec-websocket-version': '8' }),
        await refusedUpgrade(liveUrl, bearer({ token: 'nonsense' })),
        await refusedUpgrade(liveUrl, bearer({ token: 'nonsense' })),
        await refusedUpgrade(liveUrl),
      ];
      expect(refusals.map(shown)).toEqual([
        [401, '4', '3'],
        [403, '4', '2'],
        [400, '4', '1'],
        [401, '4', '0'],
        [429, '4', '0'],
        [429, '4', '0'],
      ]);
      refusals.forEach(expectReset);
    });
  });

  describe('has the trace of the caller', () => {
    const served: ServedRequest[] = []; // written to the log

    beforeAll(() => platform.app.get(ServedRequests).subscribe((request) => served.push(request)));
    beforeEach(() => served.splice(0));

    it('in a refusal, and the log line has the same trace', async () => {
      const { headers, body } = await refusedUpgrade(url, { traceparent: TRACEPARENT });
      expect(body).toMatchObject({ traceId: TRACE_ID, trace_id: TRACE_ID });
      expect(body.spanId).not.toBe(PARENT_SPAN_ID);
      expect(headers.traceparent).toBe(`00-${TRACE_ID}-${body.spanId}-01`);
      expect(served).toMatchObject([{ status: 401, trace: { traceId: TRACE_ID, spanId: body.spanId } }]);
    });

    it('in an admission, and the log line has the same trace', async () => {
      const user = await platform.given.user();
      const client = await steps.connect({ token: user.token, headers: { traceparent: TRACEPARENT } });
      const opened = served.find(({ route }) => route === '/api/live');
      expect(opened).toMatchObject({ status: 101, trace: { traceId: TRACE_ID } });
      expect(client.headers.traceparent).toBe(`00-${TRACE_ID}-${opened?.trace?.spanId}-01`);
    });

    it('or a new trace if the caller sends no valid traceparent', async () => {
      const { body } = await refusedUpgrade(url, {
        traceparent: `00-${'0'.repeat(32)}-${PARENT_SPAN_ID}-01`,
      });
      expect(body.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(served).toMatchObject([{ trace: { traceId: body.traceId, spanId: body.spanId } }]);
    });
  });

  it('can be read by pages of listed origins only, like every other response', async () => {
    const path = '/api/user/balance';
    for (const origin of [LISTED, 'https://evil.example.com', undefined]) {
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const httpResponse = await platform.as(null).get(path, { headers });
      const refusal = await refusedUpgrade(url, headers);
      for (const name of [
        'vary',
        'cross-origin-resource-policy',
        'access-control-allow-origin',
        'access-control-allow-credentials',
        'access-control-expose-headers',
      ])
        expect([origin, name, refusal.headers[name] ?? null]).toEqual([
          origin,
          name,
          httpResponse.headers.get(name),
        ]);
    }
  });
});
