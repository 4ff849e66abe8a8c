import { randomUUID } from 'node:crypto';
import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { IdempotencyRepository } from '../../src/http/request/idempotency.repository.js';
import type { Reply } from '../harness/http-client.js';
import {
  moneyCalls,
  sendCall,
  databaseState,
  type MoneyCall,
  type MoneyCallContext,
} from '../fixtures/money-calls.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { HOUR_MS, USER_WITHDRAWALS, withdrawalSteps } from '../fixtures/withdrawals.js';
import { repetitions } from '../harness/repetitions.js';

const PARALLEL = repetitions(30);

describe('Idempotency-Key', () => {
  const context = {} as MoneyCallContext;
  const calls = moneyCalls(context);
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { DEPOSIT_POLL_SECONDS: '3600', INVESTMENT_APPROVAL_THRESHOLD: '5000' },
    });
    Object.assign(context, { platform, steps: await withdrawalSteps(platform) });
  });
  afterAll(() => platform.stop());

  const prepare = (route: string): Promise<MoneyCall> => (calls[route] as () => Promise<MoneyCall>)();
  const sendKeyed = (call: Omit<MoneyCall, 'other' | 'wrong'>, key: string) => sendCall(platform, call, key);
  const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true';
  /** The answer without the fields that differ in every response. */
  const comparable = ({ status, body }: Reply) => {
    const { timestamp: _timestamp, traceId: _traceId, spanId: _spanId, ...rest } = body;
    return { status, body: 'trace_id' in rest ? { ...rest, trace_id: true } : rest };
  };
  const newTraces = async (work: () => Promise<unknown>) => {
    const { counts: before } = await databaseState(platform);
    await work();
    const { counts: after } = await databaseState(platform);
    return Object.fromEntries(
      Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
    );
  };

  it('is supported by exactly the routes listed in this test', () => {
    const taking = platform.app
      .get(RouteAudit)
      .routes()
      .filter(({ rule }) => rule?.idempotent);
    expect(taking.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(calls).sort());
  });

  describe.each(Object.keys(calls))('%s', (route) => {
    it('replays the first response without a second effect', async () => {
      const [call, key] = [await prepare(route), randomUUID()];
      const first = await sendKeyed(call, key);
      expect([200, 201]).toContain(first.status);
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
      const [call, key] = [await prepare(route), randomUUID()];
      await sendKeyed(call, key);
      const before = await databaseState(platform);
      const reused = await sendKeyed({ ...call, ...call.different }, key);
      expect(reused).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
      expect(await databaseState(platform)).toEqual(before);
    });

    it('does not use up the key of a rejected request', async () => {
      const [call, key] = [await prepare(route), randomUUID()];
      const before = await databaseState(platform);
      expect((await sendKeyed({ ...call, ...call.refused }, key)).body.success).toBe(false);
      expect(await databaseState(platform)).toEqual(before);
      const corrected = await sendKeyed(call, key);
      expect([200, 201]).toContain(corrected.status);
      expect(isReplay(corrected)).toBe(false);
    });

    it(`has one effect for ${PARALLEL} concurrent requests`, async () => {
      const alone = await prepare(route);
      const changesOfOne = await newTraces(() => sendKeyed(alone, randomUUID()));
      expect(Object.values(changesOfOne).some((count) => count > 0)).toBe(true);
      // Prepared late, because some calls process everything that is there.
      const [call, key] = [await prepare(route), randomUUID()];

      let replies: Reply[] = [];
      const changesOfMany = await newTraces(async () => {
        replies = await Promise.all(Array.from({ length: PARALLEL }, () => sendKeyed(call, key)));
      });
      expect(changesOfMany).toEqual(changesOfOne);
      const done = replies.filter((reply) => reply.status < 300 && !isReplay(reply));
      expect(done).toHaveLength(1);
      for (const reply of replies.filter((other) => other !== done[0])) {
        if (isReplay(reply)) expect(comparable(reply)).toEqual(comparable(done[0] as Reply));
        else expect(reply).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
      }
    });
  });

  const withdrawal = async (balance = '1000.00') => {
    const call = await prepare(`POST ${USER_WITHDRAWALS}`);
    return { ...call, by: await platform.given.user().withBalance(balance) };
  };

  it('without a key, a repeated request has a second effect', async () => {
    const call = await withdrawal();
    const [one, two] = [await sendCall(platform, call), await sendCall(platform, call)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.data.id).not.toBe(two.data.id);
  });

  it('is separate for each caller', async () => {
    const key = randomUUID();
    const [ann, bob] = [await sendKeyed(await withdrawal(), key), await sendKeyed(await withdrawal(), key)];
    expect([ann.status, bob.status, isReplay(bob)]).toEqual([201, 201, false]);
    expect(bob.data.id).not.toBe(ann.data.id);
  });

  it('is separate for each route', async () => {
    const [call, key] = [await withdrawal(), randomUUID()];
    const invest = await prepare('POST /api/user/investments');
    expect((await sendKeyed(call, key)).status).toBe(201);
    expect(await sendKeyed({ ...invest, by: call.by }, key)).toMatchObject({
      status: 201,
      data: { strategyId: 'balanced-10' },
    });
  });

  it('accepts the same body with its fields in another order', async () => {
    const [call, key] = [await withdrawal(), randomUUID()];
    const first = await sendKeyed(call, key);
    const body = Object.fromEntries(Object.entries(call.body as object).reverse());
    const retry = await sendKeyed({ ...call, body }, key);
    expect([isReplay(retry), retry.data.id]).toEqual([true, first.data.id]);
  });

  it.each([
    ['is empty', ''],
    ['contains a space', 'a b'],
    ['is not ASCII', 'schlüssel'],
    ['has 256 characters', 'k'.repeat(256)],
  ])('that %s is rejected, and the request has no effect', async (_, key) => {
    const call = await withdrawal();
    const before = await databaseState(platform);
    expect(await sendKeyed(call, key)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(await databaseState(platform)).toEqual(before);
  });

  it('of 255 visible ASCII characters is accepted', async () => {
    const [call, key] = [await withdrawal(), `!~"'\\${'k'.repeat(250)}`];
    const first = await sendKeyed(call, key);
    expect([first.status, (await sendKeyed(call, key)).data.id]).toEqual([201, first.data.id]);
  });

  it('is ignored by a route that moves no money', async () => {
    const { by } = await withdrawal();
    const headers = { 'idempotency-key': 'a b' };
    const reply = await platform.as(by).put('/api/user/notifications/mark-all-read', {}, { headers });
    expect(reply.status).toBe(200);
  });

  it('returns no stored response to a caller whose token was revoked', async () => {
    const [call, key] = [await withdrawal(), randomUUID()];
    await sendKeyed(call, key);
    await platform.as(call.by).post('/api/auth/logout');
    expect(await sendKeyed(call, key)).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });

  it('is stored for 24 hours and can be used again afterwards', async () => {
    const [call, key] = [await withdrawal(), randomUUID()];
    const first = await sendKeyed(call, key);
    platform.clock.advance(24 * HOUR_MS - 1);
    expect(isReplay(await sendKeyed(call, key))).toBe(true);
    platform.clock.advance(1);
    const second = await sendKeyed(call, key);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(second.data.id).not.toBe(first.data.id);
    expect((await sendKeyed(call, key)).data.id).toBe(second.data.id); // the new response replaced the old one
  });

  it('leaves no row after its expiry', async () => {
    await sendKeyed(await withdrawal(), randomUUID());
    platform.clock.advance(24 * HOUR_MS);
    const { by, ...call } = await withdrawal();
    await sendKeyed({ by, ...call }, 'young');
    const { counts } = await databaseState(platform);
    expect(await platform.app.get(IdempotencyRepository).deleteExpiredBatch()).toBe(
      (counts.idempotency_result as number) - 1,
    );
    expect(await platform.dataSource.query('select key from idempotency_result')).toEqual([{ key: 'young' }]);
  });
});
