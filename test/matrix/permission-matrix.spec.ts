import { RouteAudit, type DeclaredRoute } from '../../src/http/auth/route-audit.js';
import type { RouteRule } from '../../src/http/auth/route.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { API_KEY_SCOPES } from '../../src/http/auth/api-key-scopes.js';
import { givenKey, SCOPE_OF_ROUTE } from '../fixtures/api-keys.js';
import { PERMISSION_OF_ROUTE } from '../fixtures/route-permissions.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';

// Calls every route as every role, as a user, without a token and with API keys, and compares the response with the rule of
// the route and with tables of roles, permissions and scopes that are written by hand.

const ROLES: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};
/** Callers with an API key: `key` has every scope, `key <scope>` only this one. */
const KEYS = ['key', ...API_KEY_SCOPES.map((scope) => `key ${scope}`)];
const CALLERS = [...Object.keys(ROLES), 'user', 'anonymous', ...KEYS];

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

function expectedAccess(name: string, rule: RouteRule, caller: string): string {
  const { access, permission, wrongAudienceCode } = rule;
  if (access === 'none' || access === 'optional') return GRANTED;
  if (caller === 'anonymous') return 'TOKEN_MISSING';
  if (access === 'cookie' || access === 'cookie-admin') return 'TOKEN_MISSING'; // a bearer token is not a cookie
  if (KEYS.includes(caller)) return access === 'admin' ? 'ADMIN_REQUIRED' : expectedAccessOfKey(name, caller);
  if (access === 'any') return GRANTED;
  if (access === 'user') return caller === 'user' ? GRANTED : 'FORBIDDEN';
  if (caller === 'user') return wrongAudienceCode ?? 'ADMIN_REQUIRED';
  const permissions = ROLES[caller] ?? [];
  return !permission || permissions.includes('*') || permissions.includes(permission)
    ? GRANTED
    : 'PERMISSION_DENIED';
}

/** The refusal of a key without the scope of a route names the scope. */
function expectedAccessOfKey(name: string, caller: string): string {
  const scope = SCOPE_OF_ROUTE[name];
  if (!scope) return 'PERMISSION_DENIED';
  const scopes: string[] = caller === 'key' ? [...API_KEY_SCOPES] : [caller.replace('key ', '')];
  return scope === 'any' || scopes.includes(scope) ? GRANTED : `PERMISSION_DENIED ${scope}`;
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
    if (KEYS.includes(caller)) return keyOf(caller);
    const mayEndSession = /auth|sessions/.test(path); // a new token, because the route may end the session
    const earlier = signedIn.get(caller);
    if (earlier && !mayEndSession) return earlier;
    const token = caller === 'user' ? await platform.given.user() : await platform.given.admin(caller);
    if (!mayEndSession) signedIn.set(caller, token);
    return token;
  }

  async function keyOf(caller: string): Promise<{ token: string }> {
    const scopes = API_KEY_SCOPES.filter((scope) => caller === 'key' || caller === `key ${scope}`);
    const key = signedIn.get(caller) ?? (await givenKey(platform, await platform.given.user(), { scopes }));
    signedIn.set(caller, key);
    return key;
  }

  /** Sends a request and returns whether access was granted, or the code with which it was denied. */
  async function actualAccess({ method, path }: DeclaredRoute, caller: string): Promise<string> {
    // Validation rejects the unknown field of a request with access, so that no request changes data.
    const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? { matrix: true } : undefined;
    const reply = await platform
      .as(await tokenOf(caller, path))
      .call(method, path.replace(/:\w+/g, UNKNOWN_ID), body);
    if (reply.status === 500) return `${reply.code}`;
    if (reply.code === undefined || !DENIED.includes(reply.code)) return GRANTED;
    const required = KEYS.includes(caller) ? reply.body.error.details?.required : undefined;
    return required ? `${reply.code} ${required}` : reply.code;
  }

  it.each(CALLERS)(
    'lets the caller `%s` call exactly the routes that the tables permit [SEC-024]',
    async (caller) => {
      const actual: Record<string, string> = {};
      const expected: Record<string, string> = {};
      for (const route of routes) {
        const name = `${route.method} ${route.path}`;
        expected[name] = expectedAccess(name, route.rule as RouteRule, caller);
        actual[name] = await actualAccess(route, caller);
        cells++;
      }
      mismatches += Object.keys(expected).filter((name) => actual[name] !== expected[name]).length;
      expect(actual).toEqual(expected);
      expect(Object.keys(actual)).toHaveLength(new Set(routes.map(({ method, path }) => method + path)).size);
    },
  );

  it('covers all kinds of routes, and every admin route that moves money requires a permission', () => {
    const rules = routes.map(({ rule }) => rule as RouteRule);
    const kinds = new Set(rules.map(({ access }) => access));
    expect([...kinds].sort()).toEqual(['admin', 'any', 'cookie', 'cookie-admin', 'none', 'optional', 'user']);
    const movingMoney = rules.filter(({ access, idempotent }) => access === 'admin' && idempotent);
    expect(movingMoney.length).toBeGreaterThan(0);
    expect(movingMoney.filter(({ permission }) => permission === undefined)).toEqual([]);
  });

  it('requires the permission of the table on each admin route in it, and some permission on all others', () => {
    const adminRoutes = routes
      .filter(({ rule }) => ['admin', 'cookie-admin'].includes(rule?.access ?? ''))
      .map(({ method, path, rule }) => [`${method} ${path}`, rule?.permission] as const);
    const inTable = adminRoutes.filter(([route]) => route in PERMISSION_OF_ROUTE);
    expect(inTable.length).toBeGreaterThan(10);
    expect(inTable).toEqual(inTable.map(([route]) => [route, PERMISSION_OF_ROUTE[route]]));
    const notInTable = adminRoutes.filter(([route]) => !(route in PERMISSION_OF_ROUTE));
    expect(notInTable.filter(([, permission]) => permission === undefined)).toEqual([]);
  });

  it('opens to API keys exactly the routes that the table of scopes lists', () => {
    const scopes = routes
      .filter(({ rule }) => rule?.scope)
      .map(({ method, path, rule }) => [`${method} ${path}`, rule?.scope] as const);
    expect(Object.fromEntries(scopes)).toEqual(SCOPE_OF_ROUTE);
  });

  it('has only user routes under /api/user, no routes for users under /api/admin, and admin routes elsewhere only under /api/auth', () => {
    const misplaced = routes.filter(({ path, rule }) => {
      if (path.startsWith('/api/admin/')) return rule?.access === 'user' || rule?.access === 'any';
      if (path.startsWith('/api/user/')) return rule?.access !== 'user';
      return rule?.access === 'admin' && !path.startsWith('/api/auth/');
    });
    expect(misplaced).toEqual([]);
  });
});
