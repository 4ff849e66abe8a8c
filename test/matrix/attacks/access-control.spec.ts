import { RouteAudit, type DeclaredRoute } from '../../../src/http/auth/route-audit.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { SAMPLE_PASSWORD } from '../../../src/sandbox/sandbox-settings.js';
import { AttackLog } from '../../verification/hostile-input/token-attacks.js';
import { Browser } from '../../harness/browser.js';
import { sendRequest, type Reply } from '../../harness/http-client.js';
import { TABLES } from '../../fixtures/tables.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { PRIVILEGED_FIELDS } from '../../fixtures/privileged-fields.js';

// Attempts to exceed one's access: by other sites with a victim's cookies, by privileged fields, and by guessing accounts.

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];
const EVIL = 'https://evil.example.com';

let platform: TestPlatform;
let routes: DeclaredRoute[];
let ann: TestUser;
let eve: TestUser;
let admin: TestAdmin;

beforeAll(async () => {
  platform = await startPlatform();
  routes = platform.app.get(RouteAudit).routes();
  ann = await platform.given.user('ann@example.org').withBalance('1000.00');
  eve = await platform.given.user('eve@example.org').withBalance('1000.00');
  admin = await platform.given.admin();
});
afterAll(() => platform?.stop());

const withIds = (path: string) => path.replace(/:\w+/g, UNKNOWN_ID);
const callerOf = (path: string) => (path.startsWith('/api/admin/') ? admin : eve);
const allRows = async () => {
  await platform.caughtUp(); // the consumers write notifications after the commit of their cause
  const tables = Object.keys(TABLES).filter((name) => !TABLES[name]?.background);
  const [rows] = await platform.dataSource.query(
    `select ${tables.map((table) => `(select json_agg(t order by t::text) from ${table} as t) as ${table}`).join()}`,
  );
  return { rows, ledger: await platform.ledgerState() };
};

describe('Cross-site requests with the victim’s cookies', () => {
  const attempts = new AttackLog();
  /** Routes for signed-in callers; of the cookie routes only writes, because the others need no CSRF token. */
  const protectedRoutes = () =>
    routes.filter(
      ({ method, rule }) =>
        ['user', 'admin', 'any'].includes(rule?.access ?? '') ||
        (rule?.access.startsWith('cookie') && WRITES.includes(method)),
    );
  let victim: Browser;
  let attacker: Browser;

  beforeAll(async () => {
    victim = new Browser(platform);
    attacker = new Browser(platform);
    await victim.signIn('victim@example.org');
    await victim.signInAsAdmin('admin@example.com', SAMPLE_PASSWORD);
    await attacker.signIn('attacker@example.org');
  });

  it('are rejected by every protected route, because a cookie without the CSRF token is not sufficient [SEC-065]', async () => {
    const before = await allRows();
    const crossSite = { origin: EVIL, referer: `${EVIL}/`, 'sec-fetch-site': 'cross-site' };
    const formHeaders = { ...crossSite, 'content-type': 'text/plain' }; // a form sends them without a preflight request
    for (const { method, path } of protectedRoutes()) {
      const variants: [string, unknown, Record<string, string>][] = [
        ['without a CSRF token', undefined, crossSite],
        [
          'with the attacker’s token',
          undefined,
          { ...crossSite, 'x-csrf-token': attacker.csrfToken as string },
        ],
        ['with an empty CSRF token', undefined, { 'x-csrf-token': '' }],
      ];
      if (WRITES.includes(method)) variants.push(['as a form', '{"amount":"10.00"}', formHeaders]);
      for (const [how, body, headers] of variants) {
        const { status } = await victim.call(method, withIds(path), body, headers);
        attempts.record(`${method} ${path} ${how}: ${status}`, ![403, 415].includes(status));
      }
    }
    attempts.requireNoneSuccessful();
    expect(await allRows()).toEqual(before);
    recordGuarantee(
      'G-17',
      `${attempts.tried} requests to ${protectedRoutes().length} routes, accepted ${attempts.successful.length}`,
    );
  });

  it('differ from requests of the page itself, which have the CSRF token and are accepted (control)', async () => {
    expect((await victim.callAsPage('GET', '/api/admin/withdrawals')).status).toBe(200);
  });

  it('get no CORS headers in a preflight request to any protected route [SEC-063]', async () => {
    for (const { method, path } of protectedRoutes()) {
      const response = await sendRequest(platform.baseUrl + withIds(path), {
        method: 'OPTIONS',
        headers: { origin: EVIL, 'access-control-request-method': method },
      });
      expect(response.status).toBe(404);
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('cannot fix a session: a session id planted before sign-in is invalid after it [SEC-085]', async () => {
    const browser = new Browser(platform);
    browser.setCookie('session', 'chosen-by-the-attacker');
    await browser.signIn('fixed@example.org');
    const first = browser.cookie('session') as string;
    expect(first).not.toBe('chosen-by-the-attacker');
    await browser.signIn('fixed@example.org');
    expect(browser.cookie('session')).not.toBe(first);
    const planted = { headers: { cookie: 'session=chosen-by-the-attacker' } };
    expect((await platform.as(null).get('/api/auth/cookie/verify', planted)).status).toBe(401);
  });

  it('cannot cause a redirect to another site [SEC-067]', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'eve@example.org' });
    const { PUBLIC_URL } = platform.app.get(AppConfig);
    const { host } = new URL(PUBLIC_URL);
    for (const redirectUrl of [
      EVIL,
      '//evil.example.com',
      `${PUBLIC_URL}.evil.example.com/`,
      `${PUBLIC_URL}@evil.example.com/`,
      `https://evil.example.com/${PUBLIC_URL}`,
      `https://evil.example.com\\@${host}/`,
      `http://user:password@${host}/`,
      `http:/\t/evil.example.com/`,
      `http:${host}/`,
      `${PUBLIC_URL}\\evil.example.com`,
      'javascript:alert(1)//',
      'data:text/html,x',
      '/welcome',
      'null',
    ]) {
      const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login', { redirectUrl });
      expect([redirectUrl, reply.status, reply.code]).toEqual([redirectUrl, 400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(reply.body)).not.toContain('evil');
    }
    for (const path of [
      '/api/docs',
      '//evil.example.com',
      '//evil.example.com/api/docs/..',
      '/api/docs//evil.example.com',
      '/api/docs/%2f%2fevil.example.com',
      '/\\evil.example.com',
      '/api/docs/..//evil.example.com/%2e%2e',
    ]) {
      const response = await sendRequest(platform.baseUrl + path, {
        headers: { 'x-forwarded-host': 'evil.example.com' },
      });
      expect([path, response.headers.get('location') ?? '']).not.toEqual([
        path,
        expect.stringContaining('evil'),
      ]);
    }
  });
});

describe('Fields that a caller may not set', () => {
  interface Schema {
    $ref?: string;
    type?: string;
    properties?: Record<string, Schema>;
  }
  const attempts = new AttackLog();
  let document: ReturnType<typeof openApiDocument>;
  beforeAll(() => {
    document = openApiDocument(platform.app, 'test');
  });
  /** The RPC proxy forwards any body (see rpc-proxy.spec.ts), and callbacks are signed. */
  const NOT_VALIDATED = /^POST \/api\/(blockchain\/rpc|webhooks\/)/;
  /** Cookie routes reject a request without a cookie before they read the body. */
  const cookieRouteNames = () =>
    new Set(
      routes
        .filter(({ rule }) => rule?.access.startsWith('cookie'))
        .map(({ method, path }) => `${method} ${path}`),
    );

  function resolved(schema: Schema | undefined): Schema | undefined {
    const name = schema?.$ref?.split('/').pop();
    return name ? (document.components?.schemas?.[name] as Schema) : schema;
  }

  interface Body {
    route: string;
    method: string;
    path: string;
    body: Schema | undefined;
    /** The route takes the identity provider's JWT, which is verified before the body is read. */
    takesJwt: boolean;
  }

  function bodies(): Body[] {
    return Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { requestBody?: object; security?: object[] }>)
        .filter(([method]) => WRITES.includes(method.toUpperCase()))
        .map(([method, operation]) => {
          const content = operation.requestBody as
            { content?: Record<string, { schema?: Schema }> } | undefined;
          return {
            route: `${method.toUpperCase()} ${path}`,
            method: method.toUpperCase(),
            path: path.replace(/\{[^}]+\}/g, UNKNOWN_ID),
            body: resolved(content?.content?.['application/json']?.schema),
            takesJwt: operation.security?.some((scheme) => 'identity-provider' in scheme) ?? false,
          };
        }),
    );
  }

  it('are each rejected, at the top level and in nested objects, also by routes that read no body [SEC-018]', async () => {
    const before = await allRows();
    const cookieRoutes = cookieRouteNames();
    const jwtCaller = { token: await platform.outside.providers.identity.token({ email: eve.email }) };
    for (const { route, method, path, body = {}, takesJwt } of bodies()) {
      if (NOT_VALIDATED.test(route) || cookieRoutes.has(route)) continue;
      const documentedFields = Object.keys(body.properties ?? {});
      const privileged = Object.entries(PRIVILEGED_FIELDS).filter(
        ([name]) => !documentedFields.includes(name),
      );
      const nested = Object.entries(body.properties ?? {})
        .filter(([, inner]) => resolved(inner)?.properties)
        .map(([name]) => name);
      const sent = Object.fromEntries([...privileged, ...nested.map((name) => [name, { isAdmin: true }])]);
      const reply = await platform.as(takesJwt ? jwtCaller : callerOf(path)).call(method, path, sent);
      const refusedFields = new Set(
        ((reply.body.error?.details?.fields ?? []) as { field: string; message: string }[])
          .filter(({ message }) => message === 'is not a known field')
          .map(({ field }) => field),
      );
      for (const field of [...privileged.map(([name]) => name), ...nested.map((name) => `${name}.isAdmin`)])
        attempts.record(`${route} ${field}`, reply.status !== 400 || !refusedFields.has(field));
    }
    attempts.requireNoneSuccessful();
    expect(await allRows()).toEqual(before);
    expect(attempts.tried).toBeGreaterThan(1000);
  });

  it('are refused as query parameters by every route without an id [SEC-019]', async () => {
    const filters = { userId: ann.id, user_id: ann.id, email: ann.email, role: 'admin', isAdmin: 'true' };
    const query = new URLSearchParams(filters).toString();
    const reads = routes.filter(
      ({ method, path, rule }) => method === 'GET' && rule?.access === 'user' && !path.includes(':'),
    );
    for (const { path } of reads) {
      const { status, body } = await platform.as(eve).get(`${path}?${query}`);
      attempts.record(`${path} by query`, status !== 400 || JSON.stringify(body).includes(ann.id));
    }
    attempts.requireNoneSuccessful();
    expect(reads.length).toBeGreaterThan(15);
    recordGuarantee(
      'G-27',
      `${attempts.tried} fields of ${bodies().length} writes and ${reads.length} reads, accepted ${attempts.successful.length}`,
    );
  });
});

describe('The existence of an account', () => {
  const errorOf = ({ status, body }: Reply) => ({ status, error: body.error as unknown });

  it('is not revealed by a password sign-in [SEC-079]', async () => {
    const attempt = (email: string, path: string) =>
      platform.as(null).post(path, { email, password: 'wrong-password' });
    for (const path of ['/api/admin/auth/login', '/api/auth/cookie/admin/login']) {
      const unknown = errorOf(await attempt('nobody@example.org', path));
      expect(errorOf(await attempt('admin@example.com', path))).toEqual(unknown);
      expect(errorOf(await attempt(ann.email, path))).toEqual(unknown);
    }
  });

  it('is not revealed to a user by routes that take an e-mail address or an id', async () => {
    const errorsFor = async ({ id, email }: { id: string; email: string }) => {
      const as = platform.as(eve);
      return [
        await as.get(`/api/admin/users/${id}`),
        await as.get(`/api/admin/users/search?email=${email}`),
        await as.put('/api/auth/profile', { email }),
        await as.get(`/api/user/withdrawals/${id}`),
        await as.get(`/api/user/investments/${id}`),
      ].map(errorOf);
    };
    const errorsForUnknown = await errorsFor({ id: UNKNOWN_ID, email: 'nobody@example.org' });
    expect(await errorsFor(ann)).toEqual(errorsForUnknown);
  });
});
