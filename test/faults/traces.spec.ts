import { ApiProcess } from '../harness/api-process.js';
import { EchoServer } from '../harness/echo-server.js';
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

const USDC_ADDRESS = '/api/user/deposits/address?currency=USDC&network=ERC20';

let platform: TestPlatform;
let collector: TraceCollector;
let depositProvider: EchoServer; // answers with an error
let api: ApiProcess;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  collector = await TraceCollector.start();
  depositProvider = await EchoServer.start();
  api = await ApiProcess.launch({
    ...platform.env,
    LOG_LEVEL: 'info',
    DEPOSIT_PROVIDER_URL: `${depositProvider.url}/deposits`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'savings-api',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other,team=a%2Cb',
  });
  await api.waitUntilReady();
  user = await platform.given.user().withBalance('1000.00');
  await platform.as(user).get(USDC_ADDRESS); // claims need it
});
afterAll(async () => {
  await api.kill();
  await collector.stop();
  await depositProvider.stop();
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

/** Waits for the server span of a response, and returns it and all spans of its trace that have arrived. */
async function spansOf(body: {
  traceId: string;
  spanId: string;
}): Promise<{ serverSpan: CollectedSpan; spans: CollectedSpan[] }> {
  let serverSpan: CollectedSpan | undefined;
  await eventually(async () => {
    serverSpan = collector.spansOfTrace(body.traceId).find(({ spanId }) => spanId === body.spanId);
    expect(serverSpan).toBeDefined();
  });
  return { serverSpan: serverSpan as CollectedSpan, spans: collector.spansOfTrace(body.traceId) };
}

const attribute = ({ attributes }: Pick<CollectedSpan, 'attributes'>, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

describe('The trace of a request', () => {
  it('has a server span with the ids in the response, and a child span for the unit of work', async () => {
    const reply = await withdraw();
    expect(reply.status).toBe(201);
    const { serverSpan, spans } = await spansOf(reply.body);
    expect(serverSpan).toMatchObject({ name: 'POST /api/user/withdrawals', kind: SPAN_KIND_SERVER });
    expect(serverSpan.parentSpanId).toBeUndefined();
    expect(attribute(serverSpan, 'http.route')).toBe('/api/user/withdrawals');
    expect(attribute(serverSpan, 'http.response.status_code')).toBe(201);
    expect(spans).toContainEqual(
      expect.objectContaining({ name: 'unit of work', parentSpanId: serverSpan.spanId }),
    );
  });

  it('continues the trace of the caller', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const reply = await withdraw({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(reply.body.traceId).toBe(traceId);
    expect((await spansOf(reply.body)).serverSpan.parentSpanId).toBe('00f067aa0ba902b7');
  });

  it('carries the tracestate of the caller in its spans and to the deposit provider', async () => {
    const traceId = '7bf92f3577b34da6a3ce929d0e0e4736';
    const tracestate = 'vendor=opaque,other@system=1:2';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate };
    const reply = await platform
      .as(user, api.url)
      .get('/api/user/deposits/address?currency=USDT&network=TRC20', { headers });
    const { spans } = await spansOf(reply.body);
    expect(new Set(spans.map(({ traceState }) => traceState))).toEqual(new Set([tracestate]));
    const { spanId } = spans.find(({ name }) => name === 'deposit provider') as CollectedSpan;
    expect(depositProvider.headersTo('deposits')).toMatchObject({
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate,
    });
  });

  it('has a span for each SQL statement, named after the method of the repository, without text and values', async () => {
    const { spans } = await spansOf((await withdraw()).body);
    const { spanId } = spans.find(({ name }) => name === 'unit of work') as CollectedSpan;
    const statements = spans.filter((span) => attribute(span, 'db.system.name') === 'postgresql');
    const ofUnitOfWork = statements.filter(({ parentSpanId }) => parentSpanId === spanId);
    expect(ofUnitOfWork.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['BEGIN', 'WithdrawalsRepository.insertWithdrawal', 'COMMIT']),
    );
    expect(statements.map(({ kind }) => kind)).toEqual(statements.map(() => SPAN_KIND_CLIENT));
    expect(JSON.stringify(statements)).not.toContain(DESTINATION);
  });

  it('has a span for a SQL statement outside of units of work', async () => {
    const { serverSpan, spans } = await spansOf((await platform.as(user, api.url).get(USDC_ADDRESS)).body);
    const statement = spans.find(({ name }) => name === 'DepositAddressesRepository.findAddress');
    expect(statement).toMatchObject({ kind: SPAN_KIND_CLIENT, parentSpanId: serverSpan.spanId });
    expect(attribute(statement as CollectedSpan, 'db.query.summary')).toBe('SELECT deposit_address');
  });

  it('of an upgrade has a server span with the ids in the refusal, and without the ticket', async () => {
    const traceId = '6bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { body } = await refusedUpgrade(`${api.url}/api/live?ticket=guess`, headers);
    expect(body.traceId).toBe(traceId);
    const { serverSpan } = await spansOf(body);
    expect(serverSpan).toMatchObject({ name: 'GET /api/live', parentSpanId: '00f067aa0ba902b7' });
    expect(attribute(serverSpan, 'http.response.status_code')).toBe(401);
    expect(JSON.stringify(serverSpan)).not.toContain('guess');
  });

  it('is not exported if the traceparent of the caller is not sampled', async () => {
    const traceId = '5bf92f3577b34da6a3ce929d0e0e4736';
    const notSampled = await withdraw({ traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    expect(notSampled.body.traceId).toBe(traceId);
    await spansOf((await withdraw()).body); // a later trace was exported
    expect(collector.spansOfTrace(traceId)).toEqual([]);
  });

  it.each([
    [
      'deposit provider',
      () => platform.as(user, api.url).get('/api/user/deposits/address?currency=USDT&network=TRC20'),
    ],
    ['chain', () => platform.as(user, api.url).post('/api/user/blockchain/deposit', CLAIM)],
  ])('has a span for calls to the %s', async (name, ask) => {
    const { serverSpan, spans } = await spansOf((await ask()).body);
    expect(spans).toContainEqual(
      expect.objectContaining({ name, kind: SPAN_KIND_CLIENT, parentSpanId: serverSpan.spanId }),
    );
  });

  it('has a span for calls to the identity provider, and contains neither e-mail address nor token', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'traced@example.org', name: 'Ann' });
    const reply = await platform.as({ token: jwt }, api.url).post('/api/auth/idp/login');
    expect(reply.status).toBe(200);
    const { serverSpan, spans } = await spansOf(reply.body);
    const call = spans.find(({ name }) => name === 'identity provider'); // reads the keys at the first sign-in
    expect(call).toMatchObject({ kind: SPAN_KIND_CLIENT, parentSpanId: serverSpan.spanId });
    expect(collector.text).not.toMatch(/traced@example|eyJ/);
  });

  it('is named by its route without the query, and marks failures as errors [SEC-138]', async () => {
    await platform.dataSource.query('alter table notification rename to notification_away');
    const reply = await platform.as(user, api.url).get('/api/user/notifications?limit=13');
    await platform.dataSource.query('alter table notification_away rename to notification');
    const { serverSpan } = await spansOf(reply.body);
    expect(serverSpan).toMatchObject({ name: 'GET /api/user/notifications', status: { code: STATUS_ERROR } });
    expect(JSON.stringify(serverSpan)).not.toContain('limit=13');
  });
});

it('The service has the name and the attributes of the variables of OpenTelemetry', async () => {
  await spansOf((await withdraw()).body);
  const names = ['service.name', 'service.version', 'deployment.environment.name', 'team'];
  expect(names.map((name) => attribute({ attributes: collector.resource }, name))).toEqual([
    'savings-api',
    expect.any(String),
    'test',
    'a,b',
  ]);
});

describe('A trace collector', () => {
  async function requireRequestsServed(turns = 30): Promise<void> {
    for (let turn = 0; turn < turns; turn++)
      expect((await platform.as(user, api.url).get('/api/user/balance')).status).toBe(200);
  }

  it('that hangs delays neither requests nor the end of the process', async () => {
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

  it('that answers again receives the last spans when the process ends', async () => {
    collector.isHanging = false;
    api.start();
    await api.waitUntilReady();
    const reply = await withdraw();
    expect(await api.terminate()).toBe(0);
    await spansOf(reply.body);
  });

  it('that is unreachable makes no request fail', async () => {
    await collector.stop();
    api.start();
    await api.waitUntilReady();
    await requireRequestsServed();
    await eventually(async () => expect(api.output).toContain('spans could not be exported'));
    await requireRequestsServed();
  });
});
