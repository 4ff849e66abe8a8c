// The cost of a step-up: a withdrawal with the token of a passkey's step-up, compared with one of a user without a second factor, and the
// sign-in of a user who has one.
import { randomUUID } from 'node:crypto';
import { alternating, printProgress, ratioRow, timed } from './frame.mjs';
import { openAuthenticator } from './support/authenticator.mjs';
import { openCaller } from './support/http-caller.mjs';
import { bearer, createUsers, startApi, startSurroundings } from './support/platform.mjs';

const CLIENTS = 16;
const USERS = Number(process.env.BENCH_USERS ?? 400);
const COMPILING_ROUNDS = 4;
const MOST = { withdrawal: 1.3, signIn: 1.1 };
const DESTINATION = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const WITHDRAWAL = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
const PAGE = 'http://localhost'; // the domain of passkeys; no page is opened

export const title = `${USERS} users with a passkey and ${USERS} without, ${CLIENTS} connections that stay open; each round is one request of every user; commits are on disk.`;

const post = async ({ call }, { token }, path, { body = {}, status = 201, headers = {} } = {}) =>
  JSON.parse(await call('POST', path, { headers: { ...bearer(token), ...headers }, body, status })).data;

/** Calls `work` for every user, with CLIENTS callers at once. */
async function forEachUser(port, users, work) {
  const callers = await Promise.all(Array.from({ length: CLIENTS }, () => openCaller(port)));
  let begun = 0;
  const results = [];
  await Promise.all(
    callers.map(async (caller) => {
      while (begun < users.length) {
        const index = begun++;
        results[index] = await work(caller, users[index], index);
      }
    }),
  );
  for (const caller of callers) caller.close();
  return results;
}

async function addPasskey(caller, user) {
  const authenticator = openAuthenticator(PAGE);
  const { options } = await post(caller, user, '/api/user/passkeys/options');
  const body = { name: 'Laptop', credential: authenticator.create(options) };
  await post(caller, user, '/api/user/passkeys', { body });
  return authenticator;
}

/** The token of a step-up for the withdrawal. */
async function stepUp(caller, user, authenticator) {
  const body = { action: 'withdrawal.request', details: WITHDRAWAL };
  const { id, options } = await post(caller, user, '/api/user/step-up', { body });
  const answer = { body: { credential: authenticator.get(options) }, status: 200 };
  return (await post(caller, user, `/api/user/step-up/${id}/verify`, answer)).token;
}

const withdraw = (caller, user, headers = {}) =>
  post(caller, user, '/api/user/withdrawals', {
    headers: { 'Idempotency-Key': randomUUID(), ...headers },
    body: WITHDRAWAL,
  });

/** The milliseconds per user of one request of every user. */
async function millisecondsEach(port, users, work) {
  return (await timed(() => forEachUser(port, users, work))) / users.length;
}

export async function run() {
  const surroundings = await startSurroundings();
  const settings = {
    ...(await surroundings.settingsOnNewDatabase('step_ups')),
    CORS_ORIGINS: PAGE,
    WEBAUTHN_RP_ID: 'localhost',
    HOLD_AFTER_FIRST_FACTOR: 'false',
    STEP_UP_SECONDS: '600',
  };
  const api = await startApi(settings);
  try {
    printProgress(`  creating ${2 * USERS} users`);
    const { users } = await createUsers(api, surroundings, 2 * USERS);
    const careful = users.slice(0, USERS);
    const others = users.slice(USERS);
    const authenticators = await forEachUser(api.port, careful, addPasskey);
    const tokensOf = () =>
      forEachUser(api.port, careful, (caller, user, index) => stepUp(caller, user, authenticators[index]));
    const signIn = async (caller, user) => {
      const jwt = await surroundings.providers.identity.token({ email: user.email });
      await post(caller, { token: jwt }, '/api/auth/idp/login', { status: 200 });
    };
    const figures = await alternating(
      {
        withStepUp: async () => {
          const tokens = await tokensOf(); // does not count
          return millisecondsEach(api.port, careful, (caller, user, index) =>
            withdraw(caller, user, { 'X-Step-Up': tokens[index] }),
          );
        },
        without: () => millisecondsEach(api.port, others, (caller, user) => withdraw(caller, user)),
        signInWith: () => millisecondsEach(api.port, careful, signIn),
        signInWithout: () => millisecondsEach(api.port, others, signIn),
      },
      { warmUps: COMPILING_ROUNDS },
    );
    return {
      rows: [
        ratioRow('POST /api/user/withdrawals with a step-up', {
          figure: figures.withStepUp,
          baseline: figures.without,
          baselineIs: 'of a user without a second factor',
          most: MOST.withdrawal,
        }),
        ratioRow('sign-in of a user with a passkey', {
          figure: figures.signInWith,
          baseline: figures.signInWithout,
          baselineIs: 'of a user without a second factor',
          most: MOST.signIn,
        }),
      ],
      details: `Milliseconds per request of ${CLIENTS} callers together.`,
    };
  } finally {
    await api.stop();
    await surroundings.stop();
  }
}
