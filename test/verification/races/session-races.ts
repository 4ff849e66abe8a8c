import type { Reply } from '../../harness/http-client.js';
import type { TestUser } from '../../fixtures/given.js';
import type { RaceLane, Race, Round } from './races.js';
import type { RaceContext } from './two-api-processes.js';

interface Pair {
  token: string;
  refreshToken: string;
}

const signIn = async ({ platform }: RaceContext, { email }: TestUser): Promise<Pair> => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data as Pair;
};

const refresh = ({ platform }: RaceContext, { refreshToken }: Pair): Promise<Reply> =>
  platform.as(null).post('/api/auth/refresh', { refreshToken });

/** A concurrent call revokes the token family: in any order the refreshed tokens must be invalid afterwards. */
const againstRefresh =
  (
    begin: (scenario: RaceContext, user: TestUser) => Promise<{ current: Pair; end: () => Promise<Reply> }>,
  ): Race =>
  async (scenario): Promise<RaceLane> => {
    const user = await scenario.platform.given.user().withBalance('100.00');
    const round = async (): Promise<Round> => {
      const { current, end } = await begin(scenario, user);
      const [refreshed] = (await scenario.callConcurrently(() => refresh(scenario, current), end)) as [
        Reply,
        Reply,
      ];
      if (refreshed.status !== 200)
        return refreshed.code === 'REFRESH_TOKEN_REVOKED'
          ? { won: 'end' }
          : { violation: `${refreshed.code}` };
      const again = await refresh(scenario, refreshed.data as Pair);
      return again.code === 'REFRESH_TOKEN_REVOKED'
        ? { won: 'refresh' }
        : { violation: 'the refresh survived' };
    };
    return { user, balanceAfter: () => '100.00', round };
  };

const logoutAgainstRefresh = againstRefresh(async (scenario, user) => {
  const current = await signIn(scenario, user);
  return { current, end: () => scenario.platform.as(current).post('/api/auth/logout') };
});

const theftAgainstRefresh = againstRefresh(async (scenario, user) => {
  const stolen = await signIn(scenario, user);
  const current = (await refresh(scenario, stolen)).data as Pair;
  await scenario.platform.dataSource.query(
    `update refresh_token set spent_at = spent_at - interval '11 seconds'
      where token_hash = sha256(convert_to($1, 'UTF8'))`,
    [stolen.refreshToken],
  );
  return { current, end: () => refresh(scenario, stolen) };
});

/** `jti`s increase with time, so the earlier refresh has the lower one. */
const sessionOf = ({ token }: Pair): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { jti: string }).jti;

/** Both refreshes must return the same successor, which is valid once. */
const refreshAgainstRefresh: Race = async (scenario): Promise<RaceLane> => {
  const user = await scenario.platform.given.user().withBalance('100.00');
  const round = async (): Promise<Round> => {
    const current = await signIn(scenario, user);
    const [one, other] = (await scenario.callConcurrently(
      () => refresh(scenario, current),
      () => refresh(scenario, current),
    )) as [Reply, Reply];
    const pairs = [one, other].map(({ data }) => data as Pair);
    if (one.status !== 200 || other.status !== 200) return { violation: `${one.code}, ${other.code}` };
    if (pairs[0]?.refreshToken !== pairs[1]?.refreshToken)
      return { violation: 'the refreshes returned two successors' };
    const [row] = await scenario.platform.dataSource.query<[{ tokens: number }]>(
      `select count(*)::int as tokens from refresh_token
        where family_id = (select family_id from session where id = $1) and spent_at is null`,
      [sessionOf(pairs[0] as Pair)],
    );
    if (row.tokens !== 1) return { violation: `${row.tokens} unspent tokens` };
    return { won: sessionOf(pairs[0] as Pair) < sessionOf(pairs[1] as Pair) ? 'the first' : 'the second' };
  };
  return { user, balanceAfter: () => '100.00', round };
};

/** Races of sessions do not change the user's money. */
export const SESSION_RACES: Record<string, Race> = {
  'refresh against logout': logoutAgainstRefresh,
  'refresh against refresh': refreshAgainstRefresh,
  'refresh against the reuse of a stolen token': theftAgainstRefresh,
};
