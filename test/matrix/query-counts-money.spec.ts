import { randomUUID } from 'node:crypto';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { ADMIN_WITHDRAWALS, DESTINATION, unknownHash, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring, fewestRoundTripsDuring } from '../harness/queries.js';

// A request that moves money waits for its locks and reads, which are sent with BEGIN, and for its COMMIT, which is sent with
// all rows. With an idempotency key it may wait for the claim of the key before.

const MEASURED = 3; // runs of a measurement
const MAX_ROUND_TRIPS = { withoutKey: 2, withKey: 3 };

describe('A request that moves money', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    admin = await platform.given.admin('admin');
    user = await platform.given.user().withBalance('90000.00');
  });
  afterAll(() => platform?.stop());

  const withKey = () => ({ headers: { 'Idempotency-Key': randomUUID() } });
  const invest = (options = {}): Promise<Reply> =>
    platform
      .as(user)
      .post(
        '/api/user/investments',
        { strategyId: 'balanced-10', amount: '100.00', currency: 'USDC' },
        options,
      );
  const withdraw = (options = {}): Promise<Reply> =>
    platform
      .as(user)
      .post(USER_WITHDRAWALS, { amount: '10.00', currency: 'USDC', toAddress: DESTINATION }, options);
  const asAdmin = (id: string, step: string, body: object, options = {}): Promise<Reply> =>
    platform.as(admin).post(`${ADMIN_WITHDRAWALS}/${id}/${step}`, body, options);

  /** Requests as many withdrawals as a measurement needs, and takes them if `status` is `processing`. */
  async function createWithdrawals(status: 'pending' | 'processing'): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < MEASURED; i++) {
      const { id } = (await withdraw()).data as { id: string };
      if (status === 'processing') await asAdmin(id, 'take', {});
      ids.push(id);
    }
    return ids;
  }

  /** Returns a function that performs `step` on another withdrawal at each call. */
  const withNext = async (status: 'pending' | 'processing', step: (id: string) => Promise<Reply>) => {
    const ids = await createWithdrawals(status);
    return () => step(ids.pop() as string);
  };

  const ROUTES: [name: string, prepare: () => Promise<() => Promise<Reply>>][] = [
    ['an investment', async () => invest],
    ['a request for a withdrawal', async () => withdraw],
    ['taking a withdrawal', () => withNext('pending', (id) => asAdmin(id, 'take', {}))],
    [
      'completing a withdrawal',
      () => withNext('processing', (id) => asAdmin(id, 'complete', { txHash: unknownHash() })),
    ],
    [
      'cancelling a withdrawal',
      () => withNext('pending', (id) => platform.as(user).post(`${USER_WITHDRAWALS}/${id}/cancel`)),
    ],
  ];

  const ROUTES_WITH_KEY: typeof ROUTES = [
    ['an investment', async () => () => invest(withKey())],
    ['a request for a withdrawal', async () => () => withdraw(withKey())],
    [
      'completing a withdrawal',
      () => withNext('processing', (id) => asAdmin(id, 'complete', { txHash: unknownHash() }, withKey())),
    ],
    [
      'cancelling a withdrawal',
      () =>
        withNext('pending', (id) =>
          platform.as(user).post(`${USER_WITHDRAWALS}/${id}/cancel`, {}, withKey()),
        ),
    ],
  ];

  async function expectRoundTrips(prepare: () => Promise<() => Promise<Reply>>, max: number): Promise<void> {
    const request = await prepare();
    const trips = await fewestRoundTripsDuring(async () =>
      expect((await request()).status).toBeLessThan(300),
    );
    expect(trips).toBeGreaterThan(0); // otherwise nothing was measured
    expect(trips).toBeLessThanOrEqual(max);
  }

  it.each(ROUTES)('needs at most two round trips to PostgreSQL: %s', (_, prepare) =>
    expectRoundTrips(prepare, MAX_ROUND_TRIPS.withoutKey),
  );

  it.each(ROUTES_WITH_KEY)('with an idempotency key needs at most three: %s', (_, prepare) =>
    expectRoundTrips(prepare, MAX_ROUND_TRIPS.withKey),
  );

  it('writes nothing when it is repeated with the same idempotency key', async () => {
    const options = withKey();
    expect((await invest(options)).status).toBe(201);
    const rows = async (): Promise<unknown> => {
      await platform.caughtUp();
      return platform.dataSource.query(
        `select (select count(*) from investment) as investments, (select max(id) from ledger_entry) as entry,
                (select count(*) from notification) as notifications, (select count(*) from idempotency_result) as results`,
      );
    };
    const before = await rows();
    const sent = await fewestQueriesDuring(() => invest(options));
    // The claim of the key fails, with the reads that were sent with it. The stored response is looked up afterwards.
    expect([sent[0], sent.at(-2)]).toEqual(['begin', 'rollback']);
    expect(sent.filter((text) => /^\s*(insert|update|delete)\b|\bledger_post\b/i.test(text))).toEqual([]);
    expect(await fewestRoundTripsDuring(() => invest(options))).toBeLessThanOrEqual(MAX_ROUND_TRIPS.withKey);
    expect(await rows()).toEqual(before);
  });
});
