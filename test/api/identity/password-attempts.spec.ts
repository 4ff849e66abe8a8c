import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('The limit of password attempts', () => {
  let platform: TestPlatform;
  afterEach(() => platform?.stop());

  it('rejects the sixth attempt within the window even with the right password [SEC-074]', async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_SIGN_IN: '5' } });
    const attempt = (password: string) =>
      platform.as(null).post('/api/admin/auth/login', { email: 'admin@example.com', password });
    for (let i = 1; i <= 5; i++) expect((await attempt('wrong')).code).toBe('INVALID_CREDENTIALS');
    const sixth = await attempt('sandbox-password');
    expect([sixth.status, sixth.code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of one client address does not block the e-mail address for other clients', async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_SIGN_IN: '1', TRUST_PROXY: '127.0.0.1' } });
    const attempt = async (from: string, email: string, password = 'wrong') => {
      const { status } = await sendRequest(`${platform.baseUrl}/api/admin/auth/login`, {
        method: 'POST',
        headers: { 'x-forwarded-for': from },
        body: { email, password },
      });
      return status;
    };
    expect(await attempt('192.0.2.1', 'unknown@example.com')).toBe(401);
    // An e-mail address has ten times the attempts of a client address, here 10. These are 11, and would block it if refused
    // attempts counted.
    for (let i = 1; i <= 11; i++) expect(await attempt('192.0.2.1', 'admin@example.com')).toBe(429);
    expect(await attempt('192.0.2.2', 'admin@example.com', 'sandbox-password')).toBe(200);
  });

  it('is not used up by successful sign-ins', async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_SIGN_IN: '5' } });
    const attempt = (password: string) =>
      platform.as(null).post('/api/admin/auth/login', { email: 'admin@example.com', password });
    for (let i = 1; i <= 4; i++) expect((await attempt('wrong')).code).toBe('INVALID_CREDENTIALS');
    for (let i = 1; i <= 7; i++) expect((await attempt('sandbox-password')).status).toBe(200);
    expect((await attempt('wrong')).code).toBe('INVALID_CREDENTIALS');
    expect((await attempt('sandbox-password')).code).toBe('TOO_MANY_ATTEMPTS');
  });

  it('blocks an e-mail address for all clients when ten client addresses have used up their attempts', async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_SIGN_IN: '2', TRUST_PROXY: '127.0.0.1' } });
    const attempt = async (from: string, password = 'wrong') => {
      const headers = { 'x-forwarded-for': from };
      const body = { email: 'admin@example.com', password };
      return (await platform.as(null).post('/api/admin/auth/login', body, { headers })).status;
    };
    for (let client = 1; client <= 10; client++) {
      const guesses = [];
      for (let i = 1; i <= 3; i++) guesses.push(await attempt(`192.0.2.${client}`));
      expect(guesses).toEqual([401, 401, 429]);
      if (client < 10) expect(await attempt('198.51.100.1', 'sandbox-password')).toBe(200);
    }
    expect(await attempt('198.51.100.1', 'sandbox-password')).toBe(429);
  });
});
