import { randomUUID } from 'node:crypto';
import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import type { Reply } from '../harness/http-client.js';
import {
  moneyCalls,
  sendCall,
  databaseState,
  type MoneyCall,
  type CallContext,
} from '../fixtures/money-calls.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { withdrawalSteps } from '../fixtures/withdrawals.js';
import { repetitions } from '../harness/repetitions.js';

const PARALLEL = repetitions(30);

describe('Idempotency-Key of every route that takes one', () => {
  const context = {} as CallContext;
  const calls = moneyCalls(context);
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      // No poll of deposits changes rows while they are compared.
      settings: { DEPOSIT_POLL_SECONDS: '3600', INVESTMENT_APPROVAL_THRESHOLD: '5000' },
    });
    Object.assign(context, { platform, steps: await withdrawalSteps(platform) });
    await platform.app.get(Jobs).get('announcements').end(); // it writes the notifications of an announcement
  });
  afterAll(() => platform?.stop());

  const prepare = (route: string): Promise<MoneyCall> => (calls[route] as () => Promise<MoneyCall>)();
  const sendKeyed = (call: Omit<MoneyCall, 'different' | 'refused'>, key: string) =>
    sendCall(platform, call, key);
  const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true';
  /** The answer without the fields that differ in every response. */
  const comparable = ({ status, body }: Reply) => {
    const { timestamp: _timestamp, traceId: _traceId, spanId: _spanId, ...fields } = body;
    return { status, body: 'trace_id' in fields ? { ...fields, trace_id: true } : fields };
  };
  /** Returns how many rows `work` adds to each table. */
  const rowsAddedBy = async (work: () => Promise<unknown>) => {
    const { counts: before } = await databaseState(platform);
    await work();
    const { counts: after } = await databaseState(platform);
    return Object.fromEntries(
      Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
    );
  };

  it('is supported by exactly the routes in test/fixtures/money-calls.ts', () => {
    const idempotentRoutes = platform.app
      .get(RouteAudit)
      .routes()
      .filter(({ rule }) => rule?.idempotent);
    expect(idempotentRoutes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(calls).sort(),
    );
  });

  describe.each(Object.keys(calls))('%s', (route) => {
    it('replays the first response without a second effect', async () => {
      const call = await prepare(route);
      const key = randomUUID();
      const first = await sendKeyed(call, key);
      expect([200, 201, 202]).toContain(first.status);
      expect(isReplay(first)).toBe(false);

      const before = await databaseState(platform);
      platform.clock.advance(1000);
      const retry = await sendKeyed(call, key);
      expect(isReplay(retry)).toBe(true);
      expect(comparable(retry)).toEqual(comparable(first));
      expect(retry.body.timestamp).not.toBe(first.body.timestamp); // the envelope is new
      expect(retry.body.traceId).not.toBe(first.body.traceId);
      expect(await databaseState(platform)).toEqual(before);
    });

    it('rejects the key with a different request and changes nothing', async () => {
      const call = await prepare(route);
      const key = randomUUID();
      await sendKeyed(call, key);
      const before = await databaseState(platform);
      const reused = await sendKeyed({ ...call, ...call.different }, key);
      expect(reused).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
      expect(await databaseState(platform)).toEqual(before);
    });

    it('does not use up the key of a rejected request', async () => {
      const call = await prepare(route);
      const key = randomUUID();
      const before = await databaseState(platform);
      expect((await sendKeyed({ ...call, ...call.refused }, key)).body.success).toBe(false);
      expect(await databaseState(platform)).toEqual(before);
      const corrected = await sendKeyed(call, key);
      expect([200, 201, 202]).toContain(corrected.status);
      expect(isReplay(corrected)).toBe(false);
    });

    it(`has one effect for ${PARALLEL} concurrent requests`, async () => {
      const singleCall = await prepare(route);
      const changesOfOne = await rowsAddedBy(() => sendKeyed(singleCall, randomUUID()));
      expect(Object.values(changesOfOne).some((count) => count > 0)).toBe(true);
      // Prepared after the single call, because some calls process all records that exist.
      const call = await prepare(route);
      const key = randomUUID();

      let replies: Reply[] = [];
      const changesOfMany = await rowsAddedBy(async () => {
        replies = await Promise.all(Array.from({ length: PARALLEL }, () => sendKeyed(call, key)));
      });
      expect(changesOfMany).toEqual(changesOfOne);
      const carriedOut = replies.filter((reply) => reply.status < 300 && !isReplay(reply));
      expect(carriedOut).toHaveLength(1);
      const [first] = carriedOut as [Reply];
      for (const reply of replies.filter((candidate) => candidate !== first)) {
        if (isReplay(reply)) expect(comparable(reply)).toEqual(comparable(first));
        else expect(reply).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
      }
    });
  });
});
