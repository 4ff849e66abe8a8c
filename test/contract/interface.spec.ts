import { RouteAudit } from '../../src/http/auth/route-audit.js';
import type { RouteRule } from '../../src/http/auth/route.js';
import { errorCodesOf, withoutReferences } from '../../src/http/openapi/references.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { INTERFACE_ROUTES } from './interface-routes.js';

// Compares the routes of the router, of the OpenAPI document and of the interface (interface-routes.ts).

/** Routes that were added to those of the interface. */
const ADDITIONAL_ROUTES: readonly RegExp[] = [
  / \/api\/(user|admin)\/(factors|passkeys|totp|recovery-codes|step-up)/, // second factors
  /^GET \/api\/user\/(statement(\/annual)?|limits|investments\/\{id\}\/quote|deposits\/\{id\})$/,
  /^GET \/api\/admin\/(audit-pack|search|queues|books\/(accounts(\/\{id\}\/entries)?|profit-and-loss|trial-balance)|reports\/revenue)$/,
  /^GET \/api\/user\/(investments|deposits|withdrawals)\/\{id\}\/receipt$/,
  /^GET \/api\/admin\/(deposits|strategies\/\{id\}\/performance)$/,
  /^POST \/api\/admin\/announcements$/,
  /^PUT \/api\/admin\/transaction-requests\/\{id\}\/assign$/,
  /^(GET|POST) \/api\/admin\/(alerts|approvals|audit|integrity|reconciliations|reconciliation-breaks|yield-reports|webhook-events|events)(\/|$)/,
  /^(GET|POST|PUT|DELETE) \/api\/user\/webhooks(\/|$)/,
  /^(GET|POST|DELETE) \/api\/user\/api-keys(\/|$)/,
  /^POST \/api\/admin\/(users|withdrawals)\/\{id\}\/screening\/accept$/,
  /^POST \/api\/admin\/users\/\{id\}\/(hold\/end|lock|unlock|factors\/reset)$/,
  /^PUT \/api\/admin\/users\/\{id\}\/tier$/,
  /^GET \/api\/admin\/tiers$/,
  /^POST \/api\/admin\/withdrawals\/(\{id\}\/(fail|return|release)|bulk-(complete|reject))$/,
  /^GET \/api\/admin\/withdrawals\/payment-file$/,
  /^POST \/api\/(user\/(lock|unlock)|auth\/lock)$/,
  /^GET \/lock$/,
  /^(GET|DELETE) \/api\/user\/wallets(\/|$)/,
  /^(GET|POST|PUT|DELETE) \/api\/user\/addresses(\/|$)/,
  /^(GET|DELETE) \/api\/user\/sessions(\/|$)/,
  /^(GET|DELETE) \/api\/admin\/users\/\{id\}\/sessions$/,
  /^GET \/api\/admin\/users\/\{id\}\/(sign-ins|api-keys|addresses|webhooks|statement)$/,
  /^DELETE \/api\/admin\/users\/\{id\}\/(wallets|api-keys|addresses)\//,
  /^GET \/api\/live$/,
  /^POST \/api\/(user|admin)\/live\/ticket$/,
  /^GET \/api\/(user|admin)\/transactions\/\{id\}\/proof$/,
  /^POST \/api\/admin\/proofs\/continue$/,
  /^GET \/api\/user\/proof-of-liabilities$/,
  /^GET \/(api\/proofs\/|\.well-known\/jwks\.json$)/,
];

/** Codes that the interface lists and no route returns: docs/decisions.md, DEC-09. */
const CODES_NEVER_RETURNED = new Set(['UNAUTHORIZED']);

/** Pages that are not in the router. */
const NON_ROUTER_PAGES = ['GET /api/openapi.json', 'GET /api/docs'];

interface InterfaceRoute {
  name: string;
  access: string;
  permission: string;
  statuses: string[];
  rateClass: string;
  codes: string[];
}

const SPECIFIED_ROUTES: InterfaceRoute[] = INTERFACE_ROUTES.trim()
  .split('\n')
  .map((line) => {
    const [columns, codes] = line.split('|') as [string, string];
    const [method = '', path = '', access = '', permission = '', status = '', rateClass = ''] = columns
      .trim()
      .split(/ +/);
    return {
      name: `${method} ${path}`,
      access,
      permission,
      statuses: status.split('/'),
      rateClass,
      codes: codes.trim().split(' ').filter(Boolean),
    };
  });

/** Routes that authenticate callers by the identity provider's JWT or a signature; their decorators declare `none`. */
const ACCESS_OUTSIDE_GUARDS = ['idp', 'signature'];

describe('The routes', () => {
  let platform: TestPlatform;
  let router: Map<string, RouteRule>;
  let document: Map<string, Operation>;

  beforeAll(async () => {
    platform = await startPlatform();
    const routes = platform.app.get(RouteAudit).routes();
    router = new Map(
      routes.map(({ method, path, rule }) => [
        `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
        rule as RouteRule,
      ]),
    );
    const { data } = await documentOf(platform);
    document = new Map(
      Object.entries(data.paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(
          ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
        ),
      ),
    );
  });
  afterAll(() => platform?.stop());

  const isAdditional = (name: string) => ADDITIONAL_ROUTES.some((pattern) => pattern.test(name));

  it('of the router are those of the interface and the listed additional ones [SEC-033]', () => {
    const specified = SPECIFIED_ROUTES.map(({ name }) => name).filter(
      (name) => !NON_ROUTER_PAGES.includes(name),
    );
    expect([...router.keys()].filter((name) => !isAdditional(name)).sort()).toEqual(specified.sort());
  });

  it('of the OpenAPI document are those of the router [SEC-034]', () => {
    expect([...document.keys()].sort()).toEqual([...router.keys()].sort());
  });

  it.each(NON_ROUTER_PAGES)('include %s, which is not in the router', async (page) => {
    const response = await sendRequest(`${platform.baseUrl}${page.replace('GET ', '')}`);
    expect(response.status).toBe(200);
  });

  const routes = SPECIFIED_ROUTES.filter(({ name }) => !NON_ROUTER_PAGES.includes(name));

  it('have the access and the permission of the interface [SEC-095]', () => {
    const declared = routes.map(({ name }) => [name, router.get(name)?.access, router.get(name)?.permission]);
    const expected = routes.map(({ name, access, permission }) => [
      name,
      ACCESS_OUTSIDE_GUARDS.includes(access) ? 'none' : access,
      permission === '-' ? undefined : permission,
    ]);
    expect(declared).toEqual(expected);
  });

  it('have the rate limit class of the interface', () => {
    const declared = Object.fromEntries(routes.map(({ name }) => [name, router.get(name)?.rateClass]));
    const expected = Object.fromEntries(routes.map(({ name, rateClass }) => [name, rateClass]));
    // The limit `address` counts only newly created addresses; reading an existing one counts as `user`.
    expect(declared).toEqual({ ...expected, 'GET /api/user/deposits/address': 'user' });
    for (const { name } of routes)
      expect([name, document.get(name)?.['x-rate-limit'] ?? 'none']).toEqual([name, declared[name]]);
  });

  it('document the status codes of the interface', () => {
    const missing = routes.flatMap(({ name, statuses }) =>
      statuses
        .filter((status) => !(status in (document.get(name)?.responses ?? {})))
        .map((status) => `${name} ${status}`),
    );
    expect(missing).toEqual([]);
  });

  it('document the error codes of the interface', () => {
    const withBodies = routes.filter(({ name }) => !name.startsWith('HEAD '));
    const missing = withBodies.flatMap(({ name, codes }) => {
      const documented = codesOf(document.get(name));
      return codes
        .filter((code) => !documented.has(code) && !CODES_NEVER_RETURNED.has(code))
        .map((code) => `${name} ${code}`);
    });
    expect(missing).toEqual([]);
  });

  it('have a summary, a tag, a security rule, and an example of the request body [SEC-052]', () => {
    const incomplete = [...document].filter(([, operation]) => {
      const json = operation.requestBody?.content?.['application/json'];
      const lacksExample = json?.schema && json.example === undefined;
      return !operation.summary || !operation.tags?.length || !operation.security || lacksExample;
    });
    expect(incomplete.map(([name]) => name)).toEqual([]);
  });
});

interface Body {
  content?: Record<string, { schema?: object; example?: unknown; examples?: Record<string, unknown> }>;
}
interface Operation {
  summary?: string;
  tags?: string[];
  security?: object[];
  requestBody?: Body;
  responses?: Record<string, Body>;
  'x-rate-limit'?: string;
}

async function documentOf(platform: TestPlatform) {
  const { body } = await sendRequest(`${platform.baseUrl}/api/openapi.json`);
  return { data: withoutReferences(body) as { paths: Record<string, Record<string, Operation>> } };
}

function codesOf(operation: Operation | undefined): Set<string> {
  return new Set(errorCodesOf(operation?.responses ?? {}));
}
