import { RouteAudit, type DeclaredRoute } from '../../src/http/auth/route-audit.js';
import type { RouteRule } from '../../src/http/auth/route.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { PERMISSION_OF_ROUTE } from '../fixtures/route-permissions.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';

// The permission matrix: every route × every role. The table of roles of the interface is repeated here; the actual
// result is the response to a real request.

const ROLES: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};
const CALLERS = [...Object.keys(ROLES), 'user', 'anonymous'];

/** Codes of the access guard; any other response means that access was granted. */
const DENIED = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'FORBIDDEN',
  'ADMIN_REQUIRED',
  'NOT_ADMIN_TOKEN',
  'PERMISSION_DENIED',
];
const GRANTED = 'granted';

function expectedOf({ access, permission, wrongAudienceCode }: RouteRule, caller: string): string {
  if (access === 'none' || access === 'optional') return GRANTED;
  if (caller === 'anonymous') return 'TOKEN_MISSING';
  if (access === 'cookie' || access === 'cookie-admin') return 'TOKEN_MISSING'; // a bearer token is not a cookie
  if (access === 'any') return GRANTED;
  if (access === 'user') return caller === 'user' ? GRANTED : 'FORBIDDEN';
  if (caller === 'user') return wrongAudienceCode ?? 'ADMIN_REQUIRED';
  const held = ROLES[caller] ?? [];
  return !permission || held.includes('*') || held.includes(permission) ? GRANTED : 'PERMISSION_DENIED';
}

describe('The permission matrix', () => {
  let platform: TestPlatform;
  let routes: DeclaredRoute[];
  let cells = 0;
  let mismatches = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    routes = platform.app.get(RouteAudit).routes();
  });
  afterAll(async () => {
    await platform?.stop();
    if (cells === 0 || cells !== routes.length * CALLERS.length) return; // the option `-t` excluded some tests
    const figure = `${cells} cells, ${routes.length} routes × ${CALLERS.length}`;
    recordGuarantee('G-25', `${figure}, other than the table ${mismatches}`);
  });

  const signedIn = new Map<string, { token: string }>();
  async function tokenOf(caller: string, path: string): Promise<{ token: string } | null> {
    if (caller === 'anonymous') return null;
    const mayEndSession = /auth|sessions/.test(path); // a new token, because the route may end the session
    const known = mayEndSession ? undefined : signedIn.get(caller);
    const token = known ?? (await (caller === 'user' ? platform.given.user() : platform.given.admin(caller)));
    if (!mayEndSession) signedIn.set(caller, token);
    return token;
  }

  async function cell({ method, path }: DeclaredRoute, caller: string): Promise<string> {
    // Unknown fields: a request with access is rejected by validation.
    const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? { matrix: true } : undefined;
    const reply = await platform
      .as(await tokenOf(caller, path))
      .call(method, path.replace(/:\w+/g, UNKNOWN_ID), body);
    if (reply.status === 500) return `${reply.code}`;
    return reply.code !== undefined && DENIED.includes(reply.code) ? reply.code : GRANTED;
  }

  it.each(CALLERS)('lets %s call exactly the routes that the table lists [SEC-024]', async (caller) => {
    const seen: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      expected[name] = expectedOf(route.rule as RouteRule, caller);
      seen[name] = await cell(route, caller);
      cells++;
    }
    mismatches += Object.keys(expected).filter((name) => seen[name] !== expected[name]).length;
    expect(seen).toEqual(expected);
    expect(Object.keys(seen)).toHaveLength(new Set(routes.map(({ method, path }) => method + path)).size);
  });

  it('covers all kinds of routes, and every admin route that moves money requires a permission', () => {
    const rules = routes.map(({ rule }) => rule as RouteRule);
    const kinds = new Set(rules.map(({ access }) => access));
    expect([...kinds].sort()).toEqual(['admin', 'any', 'cookie', 'cookie-admin', 'none', 'optional', 'user']);
    const deciding = rules.filter(({ access, idempotent }) => access === 'admin' && idempotent);
    expect(deciding.length).toBeGreaterThan(0);
    expect(deciding.filter(({ permission }) => permission === undefined)).toEqual([]);
  });

  it('requires the specified permission on each admin route', () => {
    const adminRoutes = routes
      .filter(({ rule }) => ['admin', 'cookie-admin'].includes(rule?.access ?? ''))
      .map(({ method, path, rule }) => [`${method} ${path}`, rule?.permission] as const);
    const [named, others] = [true, false].map((known) =>
      adminRoutes.filter(([route]) => route in PERMISSION_OF_ROUTE === known),
    );
    expect(named?.length).toBeGreaterThan(10);
    expect(named).toEqual(named?.map(([route]) => [route, PERMISSION_OF_ROUTE[route]]));
    expect(others?.filter(([, permission]) => permission === undefined)).toEqual([]);
  });

  it('has user routes under /api/user and admin routes under /api/admin', () => {
    const misplaced = routes.filter(({ path, rule }) => {
      if (path.startsWith('/api/admin/')) return rule?.access === 'user' || rule?.access === 'any';
      if (path.startsWith('/api/user/')) return rule?.access !== 'user';
      return rule?.access === 'admin' && !path.startsWith('/api/auth/');
    });
    expect(misplaced).toEqual([]);
  });
});
