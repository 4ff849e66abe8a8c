import { createLocalJWKSet, jwtVerify } from 'jose';
import { startIdentityProvider } from '../../src/sandbox/identity-provider.js';
import { testFolder } from '../harness/test-folder.js';

describe('The identity provider of the sandbox', () => {
  let dataDir: string;
  const party = { issuer: 'http://localhost:1/idp', audience: 'stablecoin-platform' };
  const start = () => startIdentityProvider({ dataDir, ...party });
  beforeAll(() => {
    dataDir = testFolder('sandbox-idp');
  });

  it.each(['RS256', 'ES256'] as const)(
    'signs tokens with %s that its published keys verify',
    async (algorithm) => {
      const provider = await start();
      const token = await provider.token({ email: 'alice@example.org', name: 'Alice', algorithm });
      const keys = createLocalJWKSet(provider.jwks());
      const { payload, protectedHeader } = await jwtVerify(token, keys, party);
      expect(protectedHeader.alg).toBe(algorithm);
      expect(payload).toMatchObject({ email: 'alice@example.org', email_verified: true, name: 'Alice' });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    },
  );

  it('publishes no private keys', async () => {
    const { keys } = (await start()).jwks();
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).not.toHaveProperty('d');
  });

  it('keeps its keys after a restart', async () => {
    const token = await (await start()).token({ email: 'alice@example.org' });
    const restarted = await start();
    await expect(jwtVerify(token, createLocalJWKSet(restarted.jwks()), party)).resolves.toBeDefined();
  });

  it('can issue tokens without an e-mail address and expired tokens', async () => {
    const provider = await start();
    const keys = createLocalJWKSet(provider.jwks());
    const { payload } = await jwtVerify(await provider.token({ email: null }), keys, party);
    expect(payload).not.toHaveProperty('email');
    const expired = await provider.token({ email: 'alice@example.org', expiresInSeconds: -10 });
    await expect(jwtVerify(expired, keys, party)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });
});
