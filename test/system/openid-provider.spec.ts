import { IDP_LOGIN } from '../fixtures/identities.js';
import { startApiWithSettings } from '../harness/api-with-settings.js';
import { OpenIdProvider } from '../harness/openid-provider.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { skipTime } from '../harness/skip-time.js';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const COOLDOWN_MS = 10_001; // the shortest time between two reads of the key set
const MAX_AGE_MS = 600_001; // of cached keys while the provider answers

describe('A platform with an OpenID provider, connected by its issuer and clients alone', () => {
  let provider: OpenIdProvider;
  let platform: TestPlatform;
  let api: { url: string; stop: () => Promise<void> };

  beforeAll(async () => {
    provider = await OpenIdProvider.start(...ALGORITHMS, 'PS256');
    platform = await startPlatform();
    api = await startApiWithSettings(platform, {
      IDP_ISSUER: provider.issuer,
      IDP_JWKS_URL: '',
      IDP_AUDIENCE: ALGORITHMS.join(','),
    });
  });
  afterAll(async () => {
    await api?.stop();
    await platform?.stop();
    await provider?.stop();
  });

  const signIn = (token: string) => platform.as({ token }, api.url).post(IDP_LOGIN);
  const outcomeOf = async (token: string) => {
    const { status, code, body } = await signIn(token);
    return [status, code, body.error?.details?.reason].filter(Boolean).join(' ');
  };
  const healthOfProvider = async () => {
    skipTime(3000); // results are cached for two seconds
    const { data } = await platform.as(null, api.url).get('/api/health/detailed');
    return data.components.find(({ component }: { component: string }) => component === 'identity-provider');
  };

  it.each(ALGORITHMS)('signs in a user by the code flow with an ID token signed by %s', async (algorithm) => {
    const { status, data } = await signIn(await provider.idToken(algorithm));
    expect(status).toBe(200);
    const id = `user-of-${algorithm.toLowerCase()}`;
    expect(data.user).toMatchObject({ email: `${id}@example.org`, full_name: `User ${id}` });
  });

  it('refuses the ID token of another client of the provider', async () => {
    expect(await outcomeOf(await provider.idToken('PS256'))).toBe('401 SUPABASE_JWT_INVALID claim aud');
  });

  it('accepts tokens with new keys after a rotation, and refuses those with withdrawn keys', async () => {
    const old = await provider.idToken('RS256');
    expect(await outcomeOf(old)).toBe('200');
    await provider.rotateKeys();
    skipTime(COOLDOWN_MS);
    for (const algorithm of ALGORITHMS)
      expect(await outcomeOf(await provider.idToken(algorithm))).toBe('200');
    expect(await outcomeOf(old)).toBe('401 SUPABASE_JWT_INVALID unknown key');
  });

  it('signs in during an outage of the provider, shows the outage, and finds a key that is newer than the outage', async () => {
    const known = await provider.idToken('ES256');
    expect(await outcomeOf(known)).toBe('200');
    await provider.rotateKeys();
    const newer = await provider.idToken('ES256');
    await provider.stop();
    skipTime(MAX_AGE_MS);
    expect(await outcomeOf(known)).toBe('200');
    expect(await outcomeOf(newer)).toBe('503 SERVICE_UNAVAILABLE');
    expect(await healthOfProvider()).toMatchObject({
      status: 'unhealthy',
      message: 'The identity provider does not answer.',
    });

    await provider.listen();
    expect(await healthOfProvider()).toMatchObject({ status: 'healthy' });
    expect(await outcomeOf(newer)).toBe('200');
    expect(await outcomeOf(known)).toBe('401 SUPABASE_JWT_INVALID unknown key');
  });
});
