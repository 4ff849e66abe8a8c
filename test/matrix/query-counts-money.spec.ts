import { randomUUID } from 'node:crypto';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { ADMIN_WITHDRAWALS, DESTINATION, unknownHash, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring, fewestRoundTripsDuring } from '../harness/queries.js';

// A request that moves money begins with one call that locks and reads, and ends with one call that writes all rows. BEGIN and
// COMMIT are sent together with these calls. The first call also claims the idempotency key and finds a stored response.

const MEASURED = 6; // three runs for the statements and three for the round trips
const STEPS = ['begin', 'select read_together($1) as answers', 'select write_together($1)', 'commit'];

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

  it.each([
    ...ROUTES,
    ['an investment with an idempotency key', async () => () => invest(withKey())],
    ['a request for a withdrawal with an idempotency key', async () => () => withdraw(withKey())],
    [
      'cancelling a withdrawal with an idempotency key',
      () =>
        withNext('pending', (id) =>
          platform.as(user).post(`${USER_WITHDRAWALS}/${id}/cancel`, {}, withKey()),
        ),
    ],
  ] satisfies typeof ROUTES)('needs two round trips to PostgreSQL: %s', async (_, prepare) => {
    const request = await prepare();
    const send = async () => expect((await request()).status).toBeLessThan(300);
    expect(await fewestQueriesDuring(send)).toEqual(STEPS);
    expect(await fewestRoundTripsDuring(send)).toBe(2);
  });

  it('needs a third round trip to complete a withdrawal with an idempotency key: the lookup of a stored response', async () => {
    const complete = await withNext('processing', (id) =>
      asAdmin(id, 'complete', { txHash: unknownHash() }, withKey()),
    );
    const send = async () => expect((await complete()).status).toBe(200);
    expect((await fewestQueriesDuring(send)).slice(1)).toEqual(STEPS);
    expect(await fewestRoundTripsDuring(send)).toBe(3);
  });

  it('writes nothing when it is repeated with the same idempotency key', async () => {
    const options = withKey();
    expect((await invest(options)).status).toBe(201);
    const repeated = await fewestQueriesDuring(() => invest(options));
    expect(repeated).toEqual(['begin', 'select read_together($1) as answers', 'rollback']);
  });
});
