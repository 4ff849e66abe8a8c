import { AppConfig } from '../../../src/config/app-config.js';
import type { TestUser } from '../../fixtures/given.js';
import { SoftwareAuthenticator } from '../../fixtures/software-authenticator.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { DESTINATION, withdrawalSteps } from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const DETAILS = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
/** As many wrong answers of one method are permitted within fifteen minutes. */
const ATTEMPTS = 5;
const ROUNDS = 3;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

const givenUser = () => platform.given.user().withBalance('10000.00');

async function askStepUp(user: TestUser) {
  const body = { action: 'withdrawal.request', details: DETAILS };
  return (await platform.as(user).post('/api/user/step-up', body)).data as {
    id: string;
    options: { challenge: string };
  };
}

const answer = (user: TestUser, id: string, body: object) =>
  platform.as(user).post(`/api/user/step-up/${id}/verify`, body);

/** The codes of the replies, sorted; `ok` for success. */
const outcomesOf = (replies: readonly Reply[]) => replies.map(({ code }) => code ?? 'ok').sort();

const atOnce = (times: number, send: (number: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: times }, (_, number) => send(number)));

describe('Requests at the same time', () => {
  it.each(['recovery code', 'one-time code'])('answer one of five step-ups with one %s', async (kind) => {
    const user = await givenUser();
    const app = await TotpApp.register(platform, user);
    const body =
      kind === 'recovery code' ? { recoveryCode: app.recoveryCodes[0] as string } : { code: app.nextCode() };
    const ids: string[] = [];
    for (let count = 0; count < ATTEMPTS; count++) ids.push((await askStepUp(user)).id);
    const replies = await Promise.all(ids.map((id) => answer(user, id, body)));
    expect(outcomesOf(replies)).toEqual([...Array(ATTEMPTS - 1).fill('CODE_INVALID'), 'ok']);
    const { data } = await platform.as(user).get('/api/user/factors');
    expect(data.recoveryCodesLeft).toBe(kind === 'recovery code' ? 9 : 10);
    // A recovery code also starts the hold once, and is mailed once.
    const { data: notifications } = await platform.as(user).get('/api/user/notifications?type=security');
    const uses = notifications.filter(({ title }: { title: string }) => /recovery code/i.test(title));
    expect(uses).toHaveLength(kind === 'recovery code' ? 1 : 0);
  });

  it('get one token from one response of a passkey', async () => {
    const user = await givenUser();
    const { authenticator } = await addPasskey(platform, user);
    const { id, options } = await askStepUp(user);
    const credential = authenticator.get(options);
    const replies = await atOnce(ATTEMPTS, () => answer(user, id, { credential }));
    expect(outcomesOf(replies)).toEqual([...Array(ATTEMPTS - 1).fill('STEP_UP_INVALID'), 'ok']);
  });

  it('make one withdrawal, although fifty have the same token, and move its amount once [SEC-571]', async () => {
    const user = await givenUser();
    const app = await TotpApp.register(platform, user);
    const headers = { 'x-step-up': await app.stepUp('withdrawal.request', DETAILS) };
    const replies = await atOnce(50, () =>
      platform.as(user).post('/api/user/withdrawals', DETAILS, { headers }),
    );
    expect(outcomesOf(replies)).toEqual([...Array(49).fill('STEP_UP_INVALID'), 'ok']);
    expect((await platform.as(user).get('/api/user/withdrawals')).data.requests).toHaveLength(1);
    const steps = await withdrawalSteps(platform);
    expect(await steps.funds(user)).toMatchObject({ available: '9900.00', reserved: '100.00' });
  });

  it('register one first factor: the second one needs a step-up of the first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await givenUser();
      const caller = platform.as(user);
      const bodies: object[] = [];
      for (let count = 0; count < 3; count++) {
        const authenticator = new SoftwareAuthenticator(platform.app.get(AppConfig).PUBLIC_URL);
        const { options } = (await caller.post('/api/user/passkeys/options')).data;
        bodies.push({ name: `Key ${count}`, credential: authenticator.create(options) });
      }
      const replies = await Promise.all(bodies.map((body) => caller.post('/api/user/passkeys', body)));
      expect(outcomesOf(replies)).toEqual(['STEP_UP_REQUIRED', 'STEP_UP_REQUIRED', 'ok']);
      const { data } = await caller.get('/api/user/factors');
      expect([data.passkeys.length, data.recoveryCodesLeft]).toEqual([1, 10]);
    }
  });

  it('register a passkey or one-time codes as the first factor, not both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await givenUser();
      // `TotpApp.register` throws if the passkey comes first.
      await Promise.allSettled([TotpApp.register(platform, user), addPasskey(platform, user)]);
      const { data } = await platform.as(user).get('/api/user/factors');
      const added = data.passkeys.length + (data.totpSince === null ? 0 : 1);
      expect([added, data.recoveryCodesLeft]).toEqual([1, 10]);
    }
  });
});
