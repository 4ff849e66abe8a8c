import { randomUUID } from 'node:crypto';
import { Money } from '../../src/common/money.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { givenKey } from '../fixtures/api-keys.js';
import { signInWith } from '../fixtures/identities.js';
import { registerPasskey, StepUpSignIn, withBearer } from '../fixtures/step-up-sign-ins.js';
import { ADMIN_WITHDRAWALS, DESTINATION, unknownHash, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';
import { fewestQueriesDuring, fewestRoundTripsDuring, statementsDuring } from '../harness/queries.js';

// A request that moves money waits for its locks and reads, which are sent with BEGIN, and for its COMMIT, which is sent with
// all rows. With an idempotency key it may wait for the claim of the key before. A step-up adds statements, and no wait.

const MEASURED = 3; // runs of a measurement
const WITHDRAWAL = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
const MAX_ROUND_TRIPS = { withoutKey: 2, withKey: 3 };

describe('A request that moves money', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let user: TestUser;
  /** Has a passkey. */
  let careful: TestUser;
  let carefulSignIn: StepUpSignIn;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    admin = await platform.given.admin('admin');
    user = await platform.given.user().withBalance('90000.00');
    careful = await platform.given.user().withBalance('90000.00');
    const send = withBearer(platform, careful.token);
    carefulSignIn = new StepUpSignIn(send, careful.token, await registerPasskey(platform, send));
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
  const investByKey = async () => {
    const owner = await platform.given.user().withBalance('1000.00');
    const key = await givenKey(platform, owner, { scopes: ['investments:write'] });
    const body = { strategyId: 'balanced-10', amount: '100.00' };
    return () => platform.as(key).post('/api/user/investments', body);
  };
  const withdraw = (options = {}, by = user): Promise<Reply> =>
    platform.as(by).post(USER_WITHDRAWALS, WITHDRAWAL, options);

  /** Returns a function that withdraws with another step-up at each call. */
  async function withNextStepUp(headers: () => object): Promise<() => Promise<Reply>> {
    const tokens: string[] = [];
    for (let i = 0; i < MEASURED; i++)
      tokens.push((await carefulSignIn.stepUp('withdrawal.request', WITHDRAWAL)).token);
    return () => withdraw({ headers: { ...headers(), 'x-step-up': tokens.pop() } }, careful);
  }
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

  /** `prepare` returns the function that sends the request to be measured, each time for another record. */
  const ROUTES: [name: string, prepare: () => Promise<() => Promise<Reply>>][] = [
    ['an investment', async () => invest],
    ['an investment by an API key', investByKey],
    ['a request for a withdrawal', async () => () => withdraw()],
    ['a request for a withdrawal with a step-up', () => withNextStepUp(() => ({}))],
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
    ['a request for a withdrawal with a step-up', () => withNextStepUp(() => withKey().headers)],
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

  it('needs one more round trip with PLATFORM_WITHDRAWAL_PER_DAY: a request for a withdrawal', async () => {
    const replica = await startReplica(platform, { PLATFORM_WITHDRAWAL_PER_DAY: Money.of('1000000.00') });
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    const request = () => platform.as(user, replica).post(USER_WITHDRAWALS, body);
    await expectRoundTrips(async () => request, MAX_ROUND_TRIPS.withoutKey + 1);
  });

  it.each<[string, () => Promise<() => Promise<Reply>>]>([
    ['a withdrawal with a step-up', () => withNextStepUp(() => ({}))],
    ['an investment by an API key', investByKey],
  ])('locks and reads the account of its user once: %s', async (_, prepare) => {
    const request = await prepare();
    const statements = await statementsDuring(async () => expect((await request()).status).toBe(201));
    expect(statements.filter(({ text }) => /from platform_user where .* for share/s.test(text))).toHaveLength(
      1,
    );
  });

  it('needs at most five round trips at a sign-in', () =>
    expectRoundTrips(async () => () => signInWith(platform, { email: user.email }), 5));

  it('sends the same statements at the sign-in of a user with a second factor as at any other', async () => {
    const signIn = (email: string) => fewestQueriesDuring(() => signInWith(platform, { email }));
    expect(await signIn(careful.email)).toEqual(await signIn(user.email));
  });

  it('writes nothing when it is repeated with the same idempotency key', async () => {
    const options = withKey();
    expect((await invest(options)).status).toBe(201);
    const rows = async (): Promise<unknown> => {
      await platform.caughtUp();
      return platform.dataSource.query(
        `select (select count(*) from investment) as investments, (select max(id) from ledger_entry) as entry,
                (select count(*) from notification where user_id = $1) as notifications, (select count(*) from idempotency_result) as results`,
        [user.id],
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
