import { decodeJwt, SignJWT } from 'jose';
import { AppConfig } from '../../src/config/app-config.js';
import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { withoutReferences } from '../../src/http/openapi/references.js';
import { isFigure } from '../fixtures/document-figures.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

interface Parameter {
  name: string;
  in: string;
  description?: string;
  required: boolean;
  schema: { default?: unknown };
}

interface Operation {
  description?: string;
  security: object[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: { example?: object } }> };
  responses: Record<string, { headers: Record<string, object>; description: string; 'x-codes'?: string[] }>;
  'x-permission'?: string;
  'x-scope'?: string;
}

interface Schema {
  type?: string | string[];
  pattern?: string;
  description?: string;
  deprecated?: boolean;
  properties?: Record<string, Schema>;
}

/** The properties of the document on which generated clients and readers rely. */
describe('The OpenAPI document', () => {
  let platform: TestPlatform;
  let operations: Map<string, Operation>;
  let securitySchemes: Record<string, object>;
  let schemas: Record<string, Schema>;

  beforeAll(async () => {
    platform = await startPlatform();
    const { body } = await sendRequest(`${platform.baseUrl}/api/openapi.json`);
    ({ securitySchemes, schemas } = body.components);
    operations = new Map(
      Object.entries(withoutReferences(body).paths as Record<string, Record<string, Operation>>).flatMap(
        ([path, operationsOfPath]) =>
          Object.entries(operationsOfPath).map(([method, operation]) => [
            `${method.toUpperCase()} ${path}`,
            operation,
          ]),
      ),
    );
  });
  afterAll(() => platform?.stop());

  const operation = (name: string) => operations.get(name) as Operation;

  it('describes every figure of a response', () => {
    const responses = Object.entries(schemas).filter(([name]) => !name.endsWith('Request'));
    const figures = responses.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        isFigure(schema) ? [[`${name}.${field}`, schema.description] as const] : [],
      ),
    );
    expect(figures.length).toBeGreaterThan(500);
    expect(figures.filter(([, description]) => !description)).toEqual([]);
  });

  it('describes every parameter, and every field of a request that is not an object of its own', () => {
    const parameters = [...operations].flatMap(([name, operation]) =>
      operation.parameters.map((parameter) => [`${name} ${parameter.name}`, parameter.description] as const),
    );
    const requests = Object.entries(schemas).filter(([name]) => /(Request|Body)$/.test(name));
    const fields = requests.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        '$ref' in schema ? [] : [[`${name}.${field}`, schema.description] as const],
      ),
    );
    expect(parameters.length).toBeGreaterThan(400);
    expect(fields.length).toBeGreaterThan(150);
    const undescribed = [...parameters, ...fields].filter(([, description]) => !description);
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });

  it('marks the earlier names of the amounts of a closing as deprecated, and not those that replace them', () => {
    const deprecated = (name: string) =>
      Object.entries(schemas[name]?.properties ?? {}).flatMap(([field, schema]) =>
        schema.deprecated ? [field] : [],
      );
    expect(deprecated('ClosingQuoteResponse')).toEqual(['value', 'principal', 'earnings', 'payout']);
    expect(deprecated('ClosedByAdminResponse')).toEqual([
      'closedValue',
      'closedPrincipal',
      'realisedEarnings',
    ]);
    expect(deprecated('ClosedInvestmentResponse')).toEqual([]);
  });

  it.each(['POST /api/auth/idp/login', 'POST /api/auth/wallet/register'])(
    'documents that %s takes a token of the identity provider',
    (name) => {
      expect(operation(name).security).toEqual([{ 'identity-provider': [] }]);
      expect(securitySchemes).toHaveProperty('identity-provider');
    },
  );

  it('lists which of both tokens, API keys and both cookies a route accepts, and whether it requires one of them', () => {
    const tokens = [{ user: [] }, { admin: [] }];
    const cookies = [
      { 'user-cookie': [], csrf: [] },
      { 'admin-cookie': [], csrf: [] },
    ];
    const allSchemes = [...tokens, { apiKey: [] }, ...cookies];
    expect(operation('GET /api/auth/check').security).toEqual(allSchemes);
    expect(operation('GET /api/auth/profile').security).toEqual(allSchemes);
    expect(operation('POST /api/auth/logout').security).toEqual([...tokens, ...cookies]);
    expect(operation('GET /api/auth/status').security).toEqual([{}, ...tokens, ...cookies]);
  });

  it('states the scope of every route that API keys can call, and that the other routes of users refuse them', () => {
    for (const { method, path, rule } of platform.app.get(RouteAudit).routes()) {
      const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
      const { security, description = '', 'x-scope': scope } = operation(name);
      expect([name, scope]).toEqual([name, rule?.scope]);
      expect([name, security.some((scheme) => 'apiKey' in scheme)]).toEqual([
        name,
        rule?.scope !== undefined,
      ]);
      if (rule?.access !== 'user' && rule?.access !== 'any') continue;
      const requiredKey = scope === 'any' ? 'Every API key' : `the scope \`${scope}\``;
      expect([name, description]).toEqual([
        name,
        expect.stringContaining(scope ? requiredKey : 'Refuses API keys'),
      ]);
    }
    expect(securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' } });
  });

  it('requires the CSRF token with a cookie, except for reads of the routes that take only a cookie', () => {
    expect(operation('GET /api/auth/cookie/verify').security).toEqual([{ 'user-cookie': [] }]);
    expect(operation('GET /api/auth/cookie/admin/profile').security).toEqual([{ 'admin-cookie': [] }]);
    expect(operation('POST /api/auth/cookie/logout').security).toEqual([{ 'user-cookie': [], csrf: [] }]);
    expect(operation('GET /api/user/profile').security).toContainEqual({ 'user-cookie': [], csrf: [] });
  });

  it('describes the Authorization header by security, never as a parameter', () => {
    const withHeaderParameter = [...operations].filter(([, { parameters }]) =>
      parameters.some(({ name }) => name.toLowerCase() === 'authorization'),
    );
    expect(withHeaderParameter).toEqual([]);
    expect(operation('GET /metrics').security).toEqual([{}, { metrics: [] }]);
  });

  it('contains the default values of query parameters', () => {
    const defaultsOf = (name: string) =>
      Object.fromEntries(
        operation(name).parameters.map((parameter) => [parameter.name, parameter.schema.default]),
      );
    expect(defaultsOf('GET /api/user/investments')).toMatchObject({
      page: 1,
      limit: 20,
      sortBy: 'createdAt',
      orderBy: 'desc',
    });
    expect(defaultsOf('GET /api/admin/withdrawals')).toMatchObject({ page: 1, limit: 50, orderBy: 'desc' });
  });

  it('lists the headers of every response', () => {
    const rules = new Map(
      platform.app
        .get(RouteAudit)
        .routes()
        .map(({ method, path, rule }) => [`${method} ${path.replace(/:(\w+)/g, '{$1}')}`, rule]),
    );
    for (const [name, { responses }] of operations) {
      const rule = rules.get(name);
      for (const [status, { headers }] of Object.entries(responses)) {
        const names = Object.keys(headers);
        expect(names).toContain('traceparent');
        expect([name, names.includes('X-RateLimit-Limit')]).toEqual([name, rule?.rateClass !== 'none']);
        expect(names.includes('Retry-After')).toBe(['429', '503'].includes(status));
        expect([name, names.includes('Idempotency-Replayed')]).toEqual([
          name,
          rule?.idempotent !== undefined && status < '300',
        ]);
      }
    }
    expect(Object.keys(operation('POST /api/auth/idp/login').responses['200']?.headers ?? {})).toContain(
      'Set-Cookie',
    );
  });

  it('states the permission of every admin route', () => {
    for (const { method, path, rule } of platform.app.get(RouteAudit).routes()) {
      const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
      const isAdminRoute = ['admin', 'cookie-admin'].includes(rule?.access ?? '');
      expect([name, operation(name)['x-permission']]).toEqual([
        name,
        isAdminRoute ? (rule?.permission ?? 'any') : undefined,
      ]);
      if (rule?.permission) expect(operation(name).description).toContain(rule.permission);
    }
  });

  it('marks a body without required fields as optional, and the service accepts a request without it', async () => {
    expect(operation('POST /api/auth/idp/login').requestBody?.required).toBe(false);
    expect(operation('POST /api/user/withdrawals').requestBody?.required).toBe(true);
    const token = await platform.outside.providers.identity.token({ email: 'nobody@example.org' });
    expect((await platform.as({ token }).post('/api/auth/idp/login')).status).toBe(200);
  });

  it('lists the error codes of HEAD routes in x-codes, since their responses have no body', () => {
    const headRoutes = [...operations].filter(([name]) => name.startsWith('HEAD '));
    expect(headRoutes.length).toBeGreaterThan(0);
    for (const [name, { responses }] of headRoutes) {
      const responsesOfGet = operation(name.replace('HEAD', 'GET')).responses;
      expect(Object.keys(responses)).toEqual(Object.keys(responsesOfGet));
      for (const [status, { 'x-codes': codes = [] }] of Object.entries(responses))
        if (status >= '400') expect(codes.length).toBeGreaterThan(0);
    }
  });

  it('documents EMAIL_MANDATORY for GET /api/auth/user/profile, which the service answers to a token without an e-mail address', async () => {
    const { token } = await platform.given.user();
    const { JWT_USER_SECRET: secret } = platform.app.get(AppConfig);
    const withoutEmail = await new SignJWT({ ...decodeJwt(token), email: '' })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(Buffer.from(secret));
    // `platform.as` compares the response with the document.
    const reply = await platform.as({ token: withoutEmail }).get('/api/auth/user/profile');
    expect(reply).toMatchObject({ status: 401, code: 'EMAIL_MANDATORY' });
  });
});
