import { TEST_KEYS } from '../../fixtures/sealed-rows.js';
import { Browser } from '../../harness/browser.js';
import { eventually } from '../../harness/eventually.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface TokenPair {
  token: string;
  refreshToken: string;
}

// Takes a lock. While a transaction holds it, a trigger halts every refresh just before it stores the new refresh token.
const HOLD_REFRESHES = `select pg_advisory_xact_lock(hashtextextended('held refresh', 0))`;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
  await platform.dataSource.query(`
    create function hold_refresh() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('held refresh', 0));
      return new;
    end
    $$`);
  await platform.dataSource.query(
    'create trigger hold_refresh before insert on refresh_token for each row execute function hold_refresh()',
  );
});
afterAll(() => platform?.stop());

const signIn = async (email: string): Promise<TokenPair> => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data as TokenPair;
};

const refreshAsUser = ({ refreshToken }: TokenPair) =>
  platform.as(null).post('/api/auth/refresh', { refreshToken });
const refreshAsAdmin = (pair: TokenPair) =>
  platform.as(pair).post('/api/admin/auth/refresh', { refreshToken: pair.refreshToken });

/** Starts a refresh and, while it is halted, another call; when that call is blocked or has ended, lets both continue. */
async function concurrentWithRefresh(
  refresh: () => Promise<Reply>,
  call: () => Promise<Reply>,
): Promise<[Reply, Reply]> {
  const holder = platform.dataSource.createQueryRunner();
  const requireWaiting = async (count: number) =>
    expect((await platform.dataSource.query(LOCK_WAITS)).length).toBeGreaterThanOrEqual(count);
  try {
    await holder.startTransaction();
    await holder.query(HOLD_REFRESHES);
    const held = refresh();
    await eventually(() => requireWaiting(1));
    let isSettled = false;
    const meanwhile = call().finally(() => (isSettled = true));
    await eventually(async () => {
      if (!isSettled) await requireWaiting(2);
    });
    await holder.commitTransaction();
    return [await held, await meanwhile];
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction(); // a check failed
    await holder.release();
  }
}

const CALLERS = [
  ['a user', 'user@example.org', refreshAsUser, '/api/auth/logout', '/api/auth/check'],
  ['an admin', 'admin@example.com', refreshAsAdmin, '/api/admin/auth/logout', '/api/admin/auth/verify'],
] as const;

describe.each(CALLERS)(
  'A session of %s whose refresh is in progress',
  (_who, email, refresh, logout, check) => {
    /** Requires that the user or admin has no valid session or token: neither `former` nor those of the refresh. */
    const requireEnded = async ({ data }: Reply, former: TokenPair) => {
      const alive = `select 'session' from session where subject_id = $1 and revoked_at is null
                   union all select 'token' from refresh_token where subject_id = $1 and revoked_at is null`;
      const [{ id }] = await platform.dataSource.query<[{ id: string }]>(
        `select subject_id as id from refresh_token where token_hash = $1`,
        [TEST_KEYS.hashOf(former.refreshToken)],
      );
      expect(await platform.dataSource.query(alive, [id])).toEqual([]);
      const pairs = [former];
      if (data?.token) pairs.push(data as TokenPair);
      for (const pair of pairs) {
        await eventually(async () => expect((await platform.as(pair).get(check)).code).toBe('TOKEN_INVALID'));
        expect((await refreshAsUser(pair)).code).toBe('REFRESH_TOKEN_REVOKED');
      }
    };

    beforeEach(async () => {
      await platform.dataSource.query('truncate session, refresh_token');
    });

    it('is ended by a logout', async () => {
      const pair = await signIn(email);
      const [refreshed, loggedOut] = await concurrentWithRefresh(
        () => refresh(pair),
        () => platform.as(pair).post(logout),
      );
      expect(loggedOut.status).toBe(200);
      expect(refreshed.status).toBe(200);
      await requireEnded(refreshed, pair);
    });

    it('is ended by the detection of a stolen token', async () => {
      const stolen = await signIn(email);
      const owner = (await refresh(stolen)).data as TokenPair;
      // A token counts as stolen if it is used again more than SUCCESSOR_REPEAT_SECONDS after it was spent.
      await platform.dataSource.query(`update refresh_token set spent_at = spent_at - interval '10 seconds'`);
      const [refreshed, theft] = await concurrentWithRefresh(
        () => refresh(owner),
        () => refresh(stolen),
      );
      expect([theft.status, theft.code]).toEqual([401, 'REFRESH_TOKEN_REVOKED']);
      await requireEnded(refreshed, owner);
    });

    it('gets the same new refresh token from two concurrent refreshes', async () => {
      const pair = await signIn(email);
      const [first, second] = await concurrentWithRefresh(
        () => refresh(pair),
        () => refresh(pair),
      );
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.data.refreshToken).toBe(first.data.refreshToken);
      for (const { data } of [first, second]) expect((await platform.as(data).get(check)).status).toBe(200);
    });
  },
);

describe('A session whose refresh is in progress', () => {
  it.each([
    ['a user', 'cookie@example.org', 'session', '/api/auth/cookie', refreshAsUser, '/api/auth/check'],
    [
      'an admin',
      'admin2@example.com',
      'admin-session',
      '/api/auth/cookie/admin',
      refreshAsAdmin,
      '/api/admin/auth/verify',
    ],
  ] as const)('is ended when %s logs out by cookie', async (_who, email, cookie, path, refresh, check) => {
    const pair = await signIn(email);
    const browser = new Browser(platform);
    browser.setCookie(cookie, pair.token);
    browser.csrfToken = (await browser.call('GET', `${path}/verify`)).data.csrfToken;
    const [refreshed, loggedOut] = await concurrentWithRefresh(
      () => refresh(pair),
      () => browser.callAsPage('POST', `${path}/logout`),
    );
    expect([refreshed.status, loggedOut.status]).toEqual([200, 200]);
    const next = refreshed.data as TokenPair;
    await eventually(async () => expect((await platform.as(next).get(check)).code).toBe('TOKEN_INVALID'));
    expect((await refreshAsUser(next)).code).toBe('REFRESH_TOKEN_REVOKED');
  });
});
