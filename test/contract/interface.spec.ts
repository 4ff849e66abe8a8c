import { RouteAudit } from '../../src/http/auth/route-audit.js';
import type { RouteRule } from '../../src/http/auth/route.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { INTERFACE_ROUTES } from './interface-routes.js';

// Three lists of routes that have to be one: what the router has, what the OpenAPI document says, what the interface
// promises. Beyond the interface stands only what is named here.

const BEYOND_THE_INTERFACE: readonly RegExp[] = [
  /^GET \/api\/user\/statement$/,
  /^POST \/api\/admin\/announcements$/,
  /^PUT \/api\/admin\/transaction-requests\/\{id\}\/assign$/,
  /^(GET|POST) \/api\/admin\/(alerts|audit|integrity|reconciliations|reconciliation-breaks|yield-reports|webhook-events)(\/|$)/,
  /^(GET|POST|PUT|DELETE) \/api\/user\/webhooks(\/|$)/,
  /^POST \/api\/admin\/(users|withdrawals)\/\{id\}\/screening\/accept$/,
  /^(GET|DELETE) \/api\/user\/wallets(\/|$)/,
  /^DELETE \/api\/admin\/users\/\{id\}\/wallets\//,
];

/** Codes of the specification that no route answers: docs/decisions.md, DEC-09. */
const NOT_ANSWERED = new Set(['UNAUTHORIZED']);

/** Served beside the router. */
const PAGES = ['GET /api/openapi.json', 'GET /api/docs'];

interface PromisedRoute {
  name: string;
  access: string;
  permission: string;
  statuses: string[];
  rateClass: string;
  codes: string[];
}

const PROMISED: PromisedRoute[] = INTERFACE_ROUTES.trim()
  .split('\n')
  .map((line) => {
    const [facts, codes] = line.split('|') as [string, string];
    const [method, path, access, permission, status, rateClass] = facts.trim().split(/ +/) as [
      ...[string, string, string, string, string, string],
    ];
    return {
      name: `${method} ${path}`,
      access,
      permission,
      statuses: status.split('/'),
      rateClass,
      codes: codes.trim().split(' ').filter(Boolean),
    };
  });

/** How the interface calls ways in, as this project's routes declare them. */
const ACCESS: Record<string, string[]> = {
  idp: ['none'],
  signature: ['none'],
  none: ['none'],
  optional: ['optional'],
  user: ['user'],
  admin: ['admin'],
  any: ['any'],
  cookie: ['cookie'],
  'cookie-admin': ['cookie-admin'],
};

describe('The interface', () => {
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
  afterAll(() => platform.stop());

  const isBeyond = (name: string) => BEYOND_THE_INTERFACE.some((known) => known.test(name));

  it('the router has what is promised, and beyond it what is named here [SEC-033]', () => {
    const promised = PROMISED.map(({ name }) => name).filter((name) => !PAGES.includes(name));
    expect([...router.keys()].filter((name) => !isBeyond(name)).sort()).toEqual(promised.sort());
  });

  it('the document has what the router has [SEC-034]', () => {
    expect([...document.keys()].sort()).toEqual([...router.keys()].sort());
  });

  it.each(PAGES)('%s is served', async (page) => {
    const response = await sendRequest(`${platform.baseUrl}${page.replace('GET ', '')}`);
    expect(response.status).toBe(200);
  });

  const routes = PROMISED.filter(({ name }) => !PAGES.includes(name));

  it('every route takes whom it should, with the permission that it should [SEC-095]', () => {
    const seen = routes.map(({ name }) => [name, router.get(name)?.access, router.get(name)?.permission]);
    const expected = routes.map(({ name, access, permission }, index) => [
      name,
      ACCESS[access]?.find((way) => way === seen[index]?.[1]) ?? access,
      permission === '-' ? undefined : permission,
    ]);
    expect(seen).toEqual(expected);
  });

  it('every route counts against the limit that it should', () => {
    const seen = Object.fromEntries(routes.map(({ name }) => [name, router.get(name)?.rateClass]));
    const expected = Object.fromEntries(routes.map(({ name, rateClass }) => [name, rateClass]));
    // Making an address counts as such when one is made; asking for a known one is a request like any other.
    expect(seen).toEqual({ ...expected, 'GET /api/user/deposits/address': 'user' });
    for (const { name } of routes)
      expect([name, document.get(name)?.['x-rate-limit'] ?? 'none']).toEqual([name, seen[name]]);
  });

  it('every route answers with the status that it should', () => {
    const missing = routes.flatMap(({ name, statuses }) =>
      statuses
        .filter((status) => !(status in (document.get(name)?.responses ?? {})))
        .map((status) => `${name} ${status}`),
    );
    expect(missing).toEqual([]);
  });

  it('every route documents each code that the interface names for it', () => {
    const withBodies = routes.filter(({ name }) => !name.startsWith('HEAD '));
    const missing = withBodies.flatMap(({ name, codes }) => {
      const documented = codesOf(document.get(name));
      return codes
        .filter((code) => !documented.has(code) && !NOT_ANSWERED.has(code))
        .map((code) => `${name} ${code}`);
    });
    expect(missing).toEqual([]);
  });

  it('every route says what it does, whose it is, and shows an example of what it takes and answers [SEC-052]', () => {
    const silent = [...document].filter(([, operation]) => {
      const bodies = [operation.requestBody, ...regularAnswers(operation)].map(
        (body) => body?.content?.['application/json'],
      );
      const unshown = bodies.some((json) => json?.schema && json.example === undefined);
      return !operation.summary || !operation.tags?.length || !operation.security || unshown;
    });
    expect(silent.map(([name]) => name)).toEqual([]);
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
  return { data: body as { paths: Record<string, Record<string, Operation>> } };
}

function regularAnswers({ responses = {} }: Operation): Body[] {
  return Object.entries(responses)
    .filter(([status]) => status < '300')
    .map(([, body]) => body);
}

function codesOf(operation: Operation | undefined): Set<string> {
  const bodies = Object.values(operation?.responses ?? {});
  return new Set(bodies.flatMap((body) => Object.keys(body.content?.['application/json']?.examples ?? {})));
}
