import { ApiProcess } from '../harness/api-process.js';
import { TraceCollector, type CollectedSpan } from '../harness/trace-collector.js';
import { eventually } from '../harness/eventually.js';
import { refusedUpgrade } from '../harness/live-client.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { DESTINATION } from '../fixtures/withdrawals.js';

const SPAN_KIND_SERVER = 2; // OTLP numbers
const SPAN_KIND_CLIENT = 3;
const STATUS_ERROR = 2;
const CLAIM = {
  txHash: `0x${'ab'.repeat(32)}`,
  amount: '600.00',
  currency: 'USDC',
  fromAddress: DESTINATION,
};

let platform: TestPlatform;
let collector: TraceCollector;
let api: ApiProcess;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  collector = await TraceCollector.start();
  api = await ApiProcess.launch({
    ...platform.env,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  await api.waitUntilReady();
  user = await platform.given.user().withBalance('1000.00');
});
afterAll(async () => {
  await api.kill();
  await collector.stop();
  await platform.stop();
});

const withdraw = (headers: Record<string, string> = {}) =>
  platform
    .as(user, api.url)
    .post(
      '/api/user/withdrawals',
      { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
      { headers },
    );

/** Waits for the server span of a response and returns all its spans. */
async function spansOf(body: {
  traceId: string;
  spanId: string;
}): Promise<{ own: CollectedSpan; all: CollectedSpan[] }> {
  let own: CollectedSpan | undefined;
  await eventually(async () => {
    own = collector.spansOfTrace(body.traceId).find(({ spanId }) => spanId === body.spanId);
    expect(own).toBeDefined();
  });
  return { own: own as CollectedSpan, all: collector.spansOfTrace(body.traceId) };
}

const attribute = (span: CollectedSpan, name: string) => {
  const value = span.attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

describe('The trace of a request', () => {
  it('has a server span with the ids in the response, and a child span for the unit of work', async () => {
    const reply = await withdraw();
    expect(reply.status).toBe(201);
    const { own, all } = await spansOf(reply.body);
    expect(own).toMatchObject({ name: 'POST /api/user/withdrawals', kind: SPAN_KIND_SERVER });
    expect(own.parentSpanId).toBeUndefined();
    expect(attribute(own, 'http.route')).toBe('/api/user/withdrawals');
    expect(attribute(own, 'http.response.status_code')).toBe(201);
    expect(all).toContainEqual(expect.objectContaining({ name: 'unit of work', parentSpanId: own.spanId }));
  });

  it('continues the trace of the caller', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const reply = await withdraw({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(reply.body.traceId).toBe(traceId);
    expect((await spansOf(reply.body)).own.parentSpanId).toBe('00f067aa0ba902b7');
  });

  it('of an upgrade has a server span with the ids in the refusal', async () => {
    const traceId = '6bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { body } = await refusedUpgrade(`${api.url}/api/live?ticket=guess`, headers);
    expect(body.traceId).toBe(traceId);
    const { own } = await spansOf(body);
    expect(own).toMatchObject({ name: 'GET /api/live', parentSpanId: '00f067aa0ba902b7' });
    expect(attribute(own, 'http.response.status_code')).toBe(401);
    expect(JSON.stringify(own)).not.toContain('guess');
  });

  it('is not exported if the traceparent of the caller is not sampled', async () => {
    const traceId = '5bf92f3577b34da6a3ce929d0e0e4736';
    const unrecorded = await withdraw({ traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    expect(unrecorded.body.traceId).toBe(traceId);
    await spansOf((await withdraw()).body); // a later trace was exported
    expect(collector.spansOfTrace(traceId)).toEqual([]);
  });

  it.each([
    [
      'deposit provider',
      () => platform.as(user, api.url).get('/api/user/deposits/address?currency=USDT&network=TRC20'),
    ],
    ['chain', () => platform.as(user, api.url).post('/api/user/blockchain/deposit', CLAIM)],
  ])('has a span for calls of the %s', async (name, ask) => {
    const { own, all } = await spansOf((await ask()).body);
    expect(all).toContainEqual(
      expect.objectContaining({ name, kind: SPAN_KIND_CLIENT, parentSpanId: own.spanId }),
    );
  });

  it('has a span for calls of the identity provider', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'traced@example.org', name: 'Ann' });
    const reply = await platform.as({ token: jwt }, api.url).post('/api/auth/idp/login');
    expect(reply.status).toBe(200);
    const { own, all } = await spansOf(reply.body);
    const asked = all.find(({ name }) => name === 'identity provider'); // reads the keys at the first sign-in
    expect(asked).toMatchObject({ kind: SPAN_KIND_CLIENT, parentSpanId: own.spanId });
    expect(collector.text).not.toMatch(/traced@example|eyJ/);
  });

  it('is named by its route and marks failures as errors [SEC-138]', async () => {
    await platform.dataSource.query('alter table notification rename to notification_away');
    const reply = await platform.as(user, api.url).get('/api/user/notifications?limit=13');
    await platform.dataSource.query('alter table notification_away rename to notification');
    const { own } = await spansOf(reply.body);
    expect(own).toMatchObject({ name: 'GET /api/user/notifications', status: { code: STATUS_ERROR } });
    expect(JSON.stringify(own)).not.toContain('limit=13');
  });
});

describe('The trace collector', () => {
  async function requireRequestsServed(turns = 30): Promise<void> {
    for (let turn = 0; turn < turns; turn++)
      expect((await platform.as(user, api.url).get('/api/user/balance')).status).toBe(200);
  }

  it('delays neither requests nor the end of the process while it hangs', async () => {
    collector.isHanging = true;
    await requireRequestsServed();
    await eventually(async () => {
      const [call] = collector.unansweredCalls;
      expect(call).toBeDefined();
      await requireRequestsServed(1);
      expect(collector.unansweredCalls).toContain(call); // the export still waits, but the request is answered
    });
    expect(await api.terminate()).toBe(0);
  });

  it('receives the last spans at the end of the process once it answers again', async () => {
    collector.isHanging = false;
    api.start();
    await api.waitUntilReady();
    const reply = await withdraw();
    expect(await api.terminate()).toBe(0);
    await spansOf(reply.body);
  });

  it('causes no failed requests while it is unreachable', async () => {
    await collector.stop();
    api.start();
    await api.waitUntilReady();
    await requireRequestsServed();
    await eventually(async () => expect(api.output).toContain('spans could not be exported'));
    await requireRequestsServed();
  });
});
