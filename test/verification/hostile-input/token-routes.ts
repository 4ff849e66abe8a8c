import type { Reply } from '../../harness/http-client.js';
import type { TestPlatform } from '../../harness/platform.js';

type SendToken = (platform: TestPlatform, token: string) => Promise<Reply>;

const withBearer =
  (path: string): SendToken =>
  (platform, token) =>
    platform.as({ token }).get(path);

/** For routes that accept only cookies: to read they need no CSRF token (DEC-15). */
const withCookie =
  (path: string, cookie: string): SendToken =>
  (platform, token) =>
    platform.as(null).get(path, { headers: { cookie: `${cookie}=${token}` } });

/** One route for each way to present a token. */
const ROUTES = {
  'GET /api/auth/user/profile': withBearer('/api/auth/user/profile'),
  'GET /api/auth/check': withBearer('/api/auth/check'),
  'GET /api/admin/auth/verify': withBearer('/api/admin/auth/verify'),
  'GET /api/auth/cookie/verify': withCookie('/api/auth/cookie/verify', 'session'),
  'GET /api/auth/cookie/admin/verify': withCookie('/api/auth/cookie/admin/verify', 'admin-session'),
  'POST /api/auth/idp/login': (platform, token) => platform.as({ token }).post('/api/auth/idp/login'),
  'POST /api/auth/refresh': (platform, token) =>
    platform.as(null).post('/api/auth/refresh', { refreshToken: token }),
  'POST /api/admin/auth/validate-token': (platform, token) =>
    platform.as(null).post('/api/admin/auth/validate-token', { token }),
} satisfies Record<string, SendToken>;

export type TokenRoute = keyof typeof ROUTES;
export const TOKEN_ROUTES = Object.keys(ROUTES) as TokenRoute[];

/** Whether the route reads the token from the body, where it rejects a token above the field's maximum length with 400. */
const isInBody = (route: TokenRoute) =>
  route === 'POST /api/auth/refresh' || route === 'POST /api/admin/auth/validate-token';

/** Whether the route accepts the token. Throws if it neither accepts nor rejects it, for example with 404 or 503. */
export async function isAccepted(platform: TestPlatform, route: TokenRoute, token: string): Promise<boolean> {
  const { status, code, data } = await ROUTES[route](platform, token);
  if (status === 200) return data.valid !== false; // validate-token answers 200 to invalid tokens as well
  if (status === 401 || status === 403 || (status === 400 && isInBody(route))) return false;
  throw new Error(`${route} answered ${status} ${code} to the token ${token.slice(0, 500)}`);
}

/** Tries tokens at all routes of `TOKEN_ROUTES` and counts the attempts, for the figure of a guarantee. */
export class TokenAttempts {
  private readonly accepted: string[] = [];
  private readonly attempts = new Map<TokenRoute, number>(TOKEN_ROUTES.map((route) => [route, 0]));

  /** Fails the test if a route accepts one of the tokens. The keys of `tokens` name them in the report. */
  async tryAll(platform: TestPlatform, tokens: Record<string, string>): Promise<void> {
    for (const [name, token] of Object.entries(tokens)) {
      await Promise.all(
        TOKEN_ROUTES.map(async (route) => this.record(route, name, await isAccepted(platform, route, token))),
      );
    }
    this.requireNoneAccepted();
  }

  record(route: TokenRoute, tokenName: string, wasAccepted: boolean): void {
    this.attempts.set(route, (this.attempts.get(route) ?? 0) + 1);
    if (wasAccepted) this.accepted.push(`${tokenName}: ${route}`);
  }

  /** Fails the test with the names of the accepted tokens and their routes. */
  requireNoneAccepted(): void {
    expect(this.accepted).toEqual([]);
  }

  /** The figure of the guarantee. */
  figure(): string {
    const counts = [...this.attempts.values()];
    const fewest = Math.min(...counts);
    const most = Math.max(...counts);
    const each = fewest === most ? `${most}` : `${fewest} to ${most}`;
    const sum = counts.reduce((total, count) => total + count, 0);
    return `${sum} attempts, ${each} tokens at each of ${counts.length} routes, accepted ${this.accepted.length}`;
  }
}
