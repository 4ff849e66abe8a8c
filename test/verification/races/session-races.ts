import type { Reply } from '../../harness/http-client.js';
import type { TestUser } from '../../fixtures/given.js';
import type { Lane, Race, Round } from './races.js';
import type { Scene } from './two-api-processes.js';

interface Pair {
  token: string;
  refreshToken: string;
}

const signIn = async ({ platform }: Scene, { email }: TestUser): Promise<Pair> => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data as Pair;
};

const refresh = ({ platform }: Scene, { refreshToken }: Pair): Promise<Reply> =>
  platform.as(null).post('/api/auth/refresh', { refreshToken });

/** The call ends the family of the pair: whichever comes first, nothing that the refresh has answered is good any more. */
const againstRefresh =
  (begin: (scene: Scene, user: TestUser) => Promise<{ current: Pair; end: () => Promise<Reply> }>): Race =>
  async (scene): Promise<Lane> => {
    const user = await scene.platform.given.user().withBalance('100.00');
    const round = async (): Promise<Round> => {
      const { current, end } = await begin(scene, user);
      const [refreshed] = (await scene.together(() => refresh(scene, current), end)) as [Reply, Reply];
      if (refreshed.status !== 200)
        return refreshed.code === 'REFRESH_TOKEN_REVOKED' ? { won: 'end' } : { wrong: `${refreshed.code}` };
      const again = await refresh(scene, refreshed.data as Pair);
      return again.code === 'REFRESH_TOKEN_REVOKED' ? { won: 'refresh' } : { wrong: 'the refresh survived' };
    };
    return { user, leaves: () => '100.00', round };
  };

const logoutAgainstRefresh = againstRefresh(async (scene, user) => {
  const current = await signIn(scene, user);
  return { current, end: () => scene.platform.as(current).post('/api/auth/logout') };
});

const theftAgainstRefresh = againstRefresh(async (scene, user) => {
  const stolen = await signIn(scene, user);
  const current = (await refresh(scene, stolen)).data as Pair;
  await scene.platform.dataSource.query(
    `update refresh_token set spent_at = spent_at - interval '11 seconds'
      where token_hash = sha256(convert_to($1, 'UTF8'))`,
    [stolen.refreshToken],
  );
  return { current, end: () => refresh(scene, stolen) };
});

/** A race of sessions leaves the user's money alone. */
export const SESSION_RACES: Record<string, Race> = {
  'refresh against logout': logoutAgainstRefresh,
  'refresh against the discovery of a theft': theftAgainstRefresh,
};
