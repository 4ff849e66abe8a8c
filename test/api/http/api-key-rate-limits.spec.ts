import { givenKey } from '../../fixtures/api-keys.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

describe('The rate limits of API keys', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('apply to each key, and to all keys of a user together with the limit of a user [SEC-336]', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_KEY: 4, RATE_LIMIT_USER: 6 });
    const [user, other] = [await platform.given.user(), await platform.given.user()];
    const keys: { token: string }[] = [];
    for (let index = 0; index < 5; index++) keys.push(await givenKey(platform, user));
    const [first, second, ...others] = keys as [{ token: string }, { token: string }];
    const send = async (caller: { token: string }) => {
      const { status, headers } = await platform.as(caller, url).get('/api/user/ping');
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    // The headers show the limit that has fewer requests left.
    for (const remaining of ['3', '2', '1', '0']) expect(await send(first)).toEqual([200, '4', remaining]);
    expect(await send(first)).toEqual([429, '4', '0']); // counts for the key only
    expect(await send(second)).toEqual([200, '6', '1']);
    expect(await send(second)).toEqual([200, '6', '0']);
    for (const key of [second, ...others]) {
      const { status, code, headers } = await platform.as(key, url).get('/api/user/ping');
      expect([status, code, headers.get('x-ratelimit-limit')]).toEqual([429, 'RATE_LIMIT_EXCEEDED', '6']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500); // of the window of an hour
    }
    expect(await send(user)).toEqual([200, '6', '5']); // the user's own sessions count apart
    expect(await send(await givenKey(platform, other))).toEqual([200, '4', '3']);
  });
});
