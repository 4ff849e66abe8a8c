import { ageFactors } from '../../fixtures/locks.js';
import { attacksOf } from '../../fixtures/step-up-attacks.js';
import { STEP_UP_CASES, type StepUpCase } from '../../fixtures/step-up-cases.js';
import {
  outcomesOf,
  refusedWith,
  sendCase,
  stateOfDatabase,
  withCode,
  type Attacker,
} from '../../fixtures/step-up-matrix.js';
import { startWithExpiredTokens } from '../../fixtures/step-up-sign-ins.js';
import { createVictim } from '../../fixtures/step-up-victim.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

// A locked account: nothing that needs a step-up is accepted, even with the right one, until the account is unlocked with one.

const UNLOCK = 'POST /api/user/unlock';
const CASES = STEP_UP_CASES.filter(({ route }) => route !== UNLOCK);
const METHODS = ['passkey', 'recovery-code'];

let platform: TestPlatform;
let world: Awaited<ReturnType<typeof createVictim>>;
let expiredAt: string;
let ofOther: string;
/** The right step-ups of the bearer, which were answered before the lock. */
const right = new Map<StepUpCase, string>();

beforeAll(async () => {
  platform = await startPlatform({
    settings: { STEP_UP_SECONDS: '600', TRUST_PROXY: '127.0.0.1', DEPOSIT_POLL_SECONDS: '3600' },
  });
  expiredAt = await startWithExpiredTokens(platform);
  world = await createVictim(platform);
  const { signIns, records, stranger } = world;
  const { token } = await signIns.bearer.stepUp('factor.add', { kind: 'totp' });
  records.totpSecret = (
    await signIns.bearer.send('POST', '/api/user/totp', undefined, { 'x-step-up': token })
  ).data.secret;
  for (const each of CASES)
    right.set(each, (await signIns.bearer.stepUp(each.action, each.detailsOf(records))).token);
  ofOther = (await stranger.stepUp('account.unlock', {})).token;
  await ageFactors(platform, world.user.id);
  expect((await signIns.bearer.send('POST', '/api/user/lock')).status).toBe(200);
});
afterAll(() => platform?.stop());

it.each(CASES.map((each) => [`${each.route} ${each.variant ?? ''}`, each] as const))(
  'refuses every session of a locked account, with and without the right step-up: %s',
  async (_, each) => {
    const { signIns, records, closed } = world;
    const { send } = signIns.bearer;
    const request = await each.requestOf(records, { platform, send });
    // `withCode` sets the code of each session.
    const tokens = {
      'no token': refusedWith(undefined, ''),
      'a made-up token': refusedWith('made-up', ''),
      'the right token': refusedWith(right.get(each), ''),
    };
    const before = await stateOfDatabase(platform);
    // The lock has ended the sessions of the other sign-ins.
    const sessions: [string, Attacker['send'], string][] = [
      ['bearer', send, 'ACCOUNT_LOCKED'],
      ['stolen', signIns.stolen.send, 'ACCOUNT_LOCKED'],
      ['refreshed', signIns.refreshed.send, 'ACCOUNT_LOCKED'],
      ['cookie', signIns.cookie.send, 'TOKEN_INVALID'],
      ['wallet', signIns.wallet.send, 'TOKEN_INVALID'],
      [
        'API key',
        closed['API key']?.send as Attacker['send'],
        each.codeOfKey ? 'ACCOUNT_LOCKED' : 'PERMISSION_DENIED',
      ],
    ];
    const attackers = sessions.map(([session, by, code]) => ({
      session,
      send: by,
      request,
      attacks: withCode(tokens, code),
    }));
    const { actual, expected, accepted } = await outcomesOf(each.route, attackers);
    expect(actual).toEqual(expected);
    expect(accepted).toBe(0);
    expect(await stateOfDatabase(platform)).toEqual(before);
  },
);

it('unlocks a locked account with the right step-up only', async () => {
  const { bearer } = world.signIns;
  const { token } = await bearer.stepUp('account.unlock', {});
  const action = { action: 'account.unlock', details: {}, methods: METHODS } as const;
  const attacks = await attacksOf(platform, bearer, action, {
    right: token,
    expiredAt,
    ofOthers: { 'another user': ofOther },
  });
  const before = await stateOfDatabase(platform);
  const attackers = [{ session: 'bearer', send: bearer.send, request: {}, attacks }];
  const { actual, expected } = await outcomesOf(UNLOCK, attackers);
  expect(actual).toEqual(expected);
  expect(await stateOfDatabase(platform)).toEqual(before);
  expect((await sendCase(bearer.send, UNLOCK, {}, token)).data).toEqual({ locked: null });
  const withdrawal = CASES.find(({ action }) => action === 'withdrawal.request') as StepUpCase;
  const request = await withdrawal.requestOf(world.records, { platform, send: bearer.send });
  expect((await sendCase(bearer.send, withdrawal.route, request, right.get(withdrawal))).status).toBe(201);
});
