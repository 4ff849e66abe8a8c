import { RouteAudit, type DeclaredRoute } from '../../src/http/auth/route-audit.js';
import type { RouteRule } from '../../src/http/auth/route.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { PERMISSION_OF_ROUTE } from '../fixtures/route-permissions.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';

// Every route × everybody. Who may follows from the interface's table of roles, written out here once more, and from
// what each route says of itself; what is seen is what a real request is answered.

const ROLES: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};
const EVERYBODY = [...Object.keys(ROLES), 'user', 'nobody'];

/** Codes of the access guard: any other answer means that the door was open. */
const SHUT = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'FORBIDDEN',
  'ADMIN_REQUIRED',
  'NOT_ADMIN_TOKEN',
  'PERMISSION_DENIED',
];
const OPEN = 'open';

function expectedOf({ access, permission, wrongAudienceCode }: RouteRule, who: string): string {
  if (access === 'none' || access === 'optional') return OPEN;
  if (who === 'nobody') return 'TOKEN_MISSING';
  if (access === 'cookie' || access === 'cookie-admin') return 'TOKEN_MISSING'; // a bearer's token is no cookie
  if (access === 'any') return OPEN;
  if (access === 'user') return who === 'user' ? OPEN : 'FORBIDDEN';
  if (who === 'user') return wrongAudienceCode ?? 'ADMIN_REQUIRED';
  const held = ROLES[who] ?? [];
  return !permission || held.includes('*') || held.includes(permission) ? OPEN : 'PERMISSION_DENIED';
}

describe('The matrix of permissions', () => {
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
    if (cells === 0 || cells !== routes.length * EVERYBODY.length) return; // `-t` left some out
    const figure = `${cells} cells, ${routes.length} routes × ${EVERYBODY.length}`;
    recordGuarantee('G-25', `${figure}, other than the table ${mismatches}`);
  });

  const signedIn = new Map<string, { token: string }>();
  async function tokenOf(who: string, path: string): Promise<{ token: string } | null> {
    if (who === 'nobody') return null;
    const isSessions = /auth|sessions/.test(path); // may end the session: it gets one of its own
    const known = isSessions ? undefined : signedIn.get(who);
    const token = known ?? (await (who === 'user' ? platform.given.user() : platform.given.admin(who)));
    if (!isSessions) signedIn.set(who, token);
    return token;
  }

  async function cell({ method, path }: DeclaredRoute, who: string): Promise<string> {
    // Fields that no body has: whoever is let in gets no further than to what the request has to look like.
    const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? { matrix: true } : undefined;
    const reply = await platform
      .as(await tokenOf(who, path))
      .call(method, path.replace(/:\w+/g, UNKNOWN_ID), body);
    if (reply.status === 500) return `${reply.code}`;
    return reply.code !== undefined && SHUT.includes(reply.code) ? reply.code : OPEN;
  }

  it.each(EVERYBODY)('%s: every cell is what the table says [SEC-024]', async (who) => {
    const seen: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      expected[name] = expectedOf(route.rule as RouteRule, who);
      seen[name] = await cell(route, who);
      cells++;
    }
    mismatches += Object.keys(expected).filter((name) => seen[name] !== expected[name]).length;
    expect(seen).toEqual(expected);
    expect(Object.keys(seen)).toHaveLength(new Set(routes.map(({ method, path }) => method + path)).size);
  });

  it('has routes of every kind, and a permission for whoever decides about money', () => {
    const rules = routes.map(({ rule }) => rule as RouteRule);
    const kinds = new Set(rules.map(({ access }) => access));
    expect([...kinds].sort()).toEqual(['admin', 'any', 'cookie', 'cookie-admin', 'none', 'optional', 'user']);
    const deciding = rules.filter(({ access, idempotent }) => access === 'admin' && idempotent);
    expect(deciding.length).toBeGreaterThan(0);
    expect(deciding.filter(({ permission }) => permission === undefined)).toEqual([]);
  });

  it('asks on each admin route for the permission that the interface names, and on others for one at all', () => {
    const asked = routes
      .filter(({ rule }) => ['admin', 'cookie-admin'].includes(rule?.access ?? ''))
      .map(({ method, path, rule }) => [`${method} ${path}`, rule?.permission] as const);
    const [named, others] = [true, false].map((known) =>
      asked.filter(([route]) => route in PERMISSION_OF_ROUTE === known),
    );
    expect(named?.length).toBeGreaterThan(10);
    expect(named).toEqual(named?.map(([route]) => [route, PERMISSION_OF_ROUTE[route]]));
    expect(others?.filter(([, permission]) => permission === undefined)).toEqual([]);
  });

  it("users' routes are under /api/user or about oneself, admins' under /api/admin, and none is in both", () => {
    const misplaced = routes.filter(({ path, rule }) => {
      if (path.startsWith('/api/admin/')) return rule?.access === 'user' || rule?.access === 'any';
      if (path.startsWith('/api/user/')) return rule?.access !== 'user';
      return rule?.access === 'admin' && !path.startsWith('/api/auth/');
    });
    expect(misplaced).toEqual([]);
  });
});
