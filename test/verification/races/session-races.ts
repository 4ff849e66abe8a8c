import { TEST_KEYS } from '../../fixtures/sealed-rows.js';
import type { Reply } from '../../harness/http-client.js';
import type { TestUser } from '../../fixtures/given.js';
import type { RaceLane, Race, Round } from './races.js';
import type { RaceContext } from './two-api-processes.js';

interface TokenPair {
  token: string;
  refreshToken: string;
}

const signIn = async ({ platform }: RaceContext, { email }: TestUser): Promise<TokenPair> => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data as TokenPair;
};

const refresh = ({ platform }: RaceContext, { refreshToken }: TokenPair): Promise<Reply> =>
  platform.as(null).post('/api/auth/refresh', { refreshToken });

/** A refresh races with a call that ends the token family. In both orders the new refresh token must be invalid afterwards. */
const refreshAgainst =
  (
    prepare: (
      scenario: RaceContext,
      user: TestUser,
    ) => Promise<{ current: TokenPair; endFamily: () => Promise<Reply> }>,
  ): Race =>
  async (scenario): Promise<RaceLane> => {
    const user = await scenario.platform.given.user().withBalance('100.00');
    const round = async (): Promise<Round> => {
      const { current, endFamily } = await prepare(scenario, user);
      const [refreshed] = (await scenario.callConcurrently(() => refresh(scenario, current), endFamily)) as [
        Reply,
        Reply,
      ];
      if (refreshed.status !== 200)
        return refreshed.code === 'REFRESH_TOKEN_REVOKED'
          ? { won: 'the end of the family' }
          : { violation: `${refreshed.code}` };
      const again = await refresh(scenario, refreshed.data as TokenPair);
      return again.code === 'REFRESH_TOKEN_REVOKED'
        ? { won: 'the refresh' }
        : { violation: 'the new refresh token is valid' };
    };
    return { user, balanceAfter: () => '100.00', round };
  };

const logoutAgainstRefresh = refreshAgainst(async (scenario, user) => {
  const current = await signIn(scenario, user);
  return { current, endFamily: () => scenario.platform.as(current).post('/api/auth/logout') };
});

const theftAgainstRefresh = refreshAgainst(async (scenario, user) => {
  const stolen = await signIn(scenario, user);
  const current = (await refresh(scenario, stolen)).data as TokenPair;
  // Reuse counts as theft ten seconds after the first use (DEC-14).
  await scenario.platform.dataSource.query(
    `update refresh_token set spent_at = spent_at - interval '11 seconds'
      where token_hash = $1`,
    [TEST_KEYS.hashOf(stolen.refreshToken)],
  );
  return { current, endFamily: () => refresh(scenario, stolen) };
});

/** The session id (`jti`), which increases with time: the earlier refresh has the lower one. */
const sessionIdOf = ({ token }: TokenPair): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { jti: string }).jti;

/** Both refreshes must return the same refresh token, which is the only unspent one of the family. */
const refreshAgainstRefresh: Race = async (scenario): Promise<RaceLane> => {
  const user = await scenario.platform.given.user().withBalance('100.00');
  const round = async (): Promise<Round> => {
    const current = await signIn(scenario, user);
    const [one, other] = (await scenario.callConcurrently(
      () => refresh(scenario, current),
      () => refresh(scenario, current),
    )) as [Reply, Reply];
    const pairs = [one, other].map(({ data }) => data as TokenPair);
    if (one.status !== 200 || other.status !== 200) return { violation: `${one.code}, ${other.code}` };
    if (pairs[0]?.refreshToken !== pairs[1]?.refreshToken)
      return { violation: 'the refreshes returned different refresh tokens' };
    const [row] = await scenario.platform.dataSource.query<[{ tokens: number }]>(
      `select count(*)::int as tokens from refresh_token
        where family_id = (select family_id from session where id = $1) and spent_at is null`,
      [sessionIdOf(pairs[0] as TokenPair)],
    );
    if (row.tokens !== 1) return { violation: `${row.tokens} unspent tokens` };
    return {
      won:
        sessionIdOf(pairs[0] as TokenPair) < sessionIdOf(pairs[1] as TokenPair) ? 'the first' : 'the second',
    };
  };
  return { user, balanceAfter: () => '100.00', round };
};

/** Races of a refresh with another call. They do not change the user's money. */
export const SESSION_RACES: Record<string, Race> = {
  'refresh against logout': logoutAgainstRefresh,
  'refresh against refresh': refreshAgainstRefresh,
  'refresh against the reuse of a stolen token': theftAgainstRefresh,
};
