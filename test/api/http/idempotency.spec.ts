import { randomUUID } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { IdempotencyRepository } from '../../../src/http/request/idempotency.repository.js';
import { databaseState } from '../../fixtures/money-calls.js';
import { DESTINATION, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import type { TestUser } from '../../fixtures/given.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const BODY = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };

/** Every route that takes the header is tested in test/matrix/idempotency.spec.ts. */
describe('Idempotency-Key', () => {
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    user = await platform.given.user().withBalance('1000.00');
  });

  const withdraw = (by: TestUser, key?: string, body: object = BODY) =>
    platform
      .as(by)
      .post(USER_WITHDRAWALS, body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
  /** Makes the stored responses older; with a key, only the response to it. */
  const makeOlder = (ms: number, key: string | null = null) =>
    platform.dataSource.query(
      `update idempotency_result set created_at = created_at - $1 * interval '1 ms' where key = coalesce($2, key)`,
      [ms, key],
    );
  const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true';

  it('replays the first response to a repeated request', async () => {
    const key = randomUUID();
    const first = await withdraw(user, key);
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    const retry = await withdraw(user, key);
    expect([retry.status, isReplay(retry), retry.data.id]).toEqual([201, true, first.data.id]);
  });

  it('replays the response to several repeated requests at once', async () => {
    const key = randomUUID();
    const first = await withdraw(user, key);
    const retries = await Promise.all(Array.from({ length: 5 }, () => withdraw(user, key)));
    for (const retry of retries) expect([retry.status, retry.data.id]).toEqual([201, first.data.id]);
  });

  it('replays the response although the request would be refused now', async () => {
    const key = randomUUID();
    const first = await withdraw(user, key, { ...BODY, amount: '600.00' });
    const before = await databaseState(platform);
    const [retry, replyWithoutKey] = [
      await withdraw(user, key, { ...BODY, amount: '600.00' }),
      await withdraw(user, undefined, { ...BODY, amount: '600.00' }),
    ];
    expect([retry.data.id, replyWithoutKey.code]).toEqual([first.data.id, 'INSUFFICIENT_BALANCE']);
    expect(await databaseState(platform)).toEqual(before);
  });

  it.each(['11.00', '0.00'])(
    'is rejected if the repeated request has another amount (%s), and nothing changes',
    async (amount) => {
      const key = randomUUID();
      await withdraw(user, key);
      const before = await databaseState(platform);
      const reused = await withdraw(user, key, { ...BODY, amount });
      expect(reused).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
      expect(await databaseState(platform)).toEqual(before);
    },
  );

  it('is rejected while the first request runs', async () => {
    const key = randomUUID();
    let first: ReturnType<typeof withdraw> | undefined;
    await platform.dataSource.transaction(async (holder) => {
      await holder.query('select from ledger_account where owner_id = $1 for update', [user.id]);
      first = withdraw(user, key);
      await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).not.toEqual([]));
      expect(await withdraw(user, key)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
    });
    expect((await first)?.status).toBe(201);
  });

  it('is optional: a repeated request without it has a second effect', async () => {
    const first = await withdraw(user);
    const second = await withdraw(user);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.data.id).not.toBe(second.data.id);
  });

  it('is separate for each caller', async () => {
    const key = randomUUID();
    const bob = await platform.given.user().withBalance('1000.00');
    const reply = await withdraw(user, key);
    const replyToBob = await withdraw(bob, key);
    expect([reply.status, replyToBob.status, isReplay(replyToBob)]).toEqual([201, 201, false]);
    expect(replyToBob.data.id).not.toBe(reply.data.id);
  });

  it('is separate for each route', async () => {
    const key = randomUUID();
    expect((await withdraw(user, key)).status).toBe(201);
    const investment = await platform
      .as(user)
      .post(
        '/api/user/investments',
        { strategyId: 'balanced-10', amount: '100.00' },
        { headers: { 'idempotency-key': key } },
      );
    expect(investment).toMatchObject({ status: 201, data: { strategyId: 'balanced-10' } });
  });

  it('replays the first response to the same body with its fields in another order', async () => {
    const key = randomUUID();
    const first = await withdraw(user, key);
    const retry = await withdraw(user, key, Object.fromEntries(Object.entries(BODY).reverse()));
    expect([isReplay(retry), retry.data.id]).toEqual([true, first.data.id]);
  });

  it.each([
    ['is empty', ''],
    ['contains a space', 'a b'],
    ['is not ASCII', 'schlüssel'],
    ['has 256 characters', 'k'.repeat(256)],
  ])('that %s is rejected, and the request has no effect', async (_, key) => {
    const before = await databaseState(platform);
    expect(await withdraw(user, key)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(await databaseState(platform)).toEqual(before);
  });

  it('of 255 visible ASCII characters is accepted', async () => {
    const key = `!~"'\\${'k'.repeat(250)}`;
    const first = await withdraw(user, key);
    expect([first.status, (await withdraw(user, key)).data.id]).toEqual([201, first.data.id]);
  });

  it('is ignored by a route that moves no money', async () => {
    const headers = { 'idempotency-key': 'a b' };
    const reply = await platform.as(user).put('/api/user/notifications/mark-all-read', {}, { headers });
    expect(reply.status).toBe(200);
  });

  it('returns no stored response to a caller whose token was revoked', async () => {
    const key = randomUUID();
    await withdraw(user, key);
    await platform.as(user).post('/api/auth/logout');
    expect(await withdraw(user, key)).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });

  it('is stored for 24 hours and can be used again afterwards', async () => {
    const key = randomUUID();
    const first = await withdraw(user, key);
    platform.clock.advance(DAY_MS); // the domain clock, which does not count
    expect(isReplay(await withdraw(user, key))).toBe(true);
    await makeOlder(DAY_MS - MINUTE_MS, key);
    expect(isReplay(await withdraw(user, key))).toBe(true);
    await makeOlder(MINUTE_MS, key);
    const second = await withdraw(user, key);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(second.data.id).not.toBe(first.data.id);
    expect((await withdraw(user, key)).data.id).toBe(second.data.id); // the new response replaced the old one
  });

  it('leaves no row after its expiry', async () => {
    await withdraw(user, randomUUID());
    await makeOlder(DAY_MS);
    await withdraw(user, 'valid');
    const { counts } = await databaseState(platform);
    const expiredCount = (counts.idempotency_result as number) - 1; // all rows but that of the last request
    expect(await platform.app.get(IdempotencyRepository).deleteExpiredBatch()).toBe(expiredCount);
    expect(await platform.dataSource.query('select key from idempotency_result')).toEqual([{ key: 'valid' }]);
  });
});
