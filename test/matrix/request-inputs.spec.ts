import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE } from '../../src/common/errors/error-catalogue.js';
import type { CatalogueEntry } from '../../src/common/errors/error-details.js';
import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { withoutReferences } from '../../src/http/openapi/references.js';
import { everyCaller, type CallRoute } from '../fixtures/every-caller.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';
import { SEED, SeededRandom } from '../harness/seeded-random.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { operationsOf, validValue, type Operation } from '../verification/hostile-input/operations.js';

// The inputs of every route of the OpenAPI document: parameters that it does not have, dates, and missing fields of bodies.

/** Routes that programs of others call, which may add parameters. */
const IGNORE_QUERY = [
  'POST /api/webhooks/{provider}/deposit',
  'POST /api/webhooks/{provider}/withdrawal',
  'POST /api/webhooks/{provider}/yield',
  'GET /metrics',
  'GET /api/live',
  'GET /lock',
  'GET /api/health/live',
  'GET /api/health/ready',
];

const RPC = 'POST /api/blockchain/rpc'; // its refusals are JSON-RPC errors
/** Routes that check a signature, or speak another protocol, before the rules of the body. */
const NO_BODY_RULES = [...IGNORE_QUERY, RPC];

/** The codes of a missing field, or of every missing field of a route, if it is not MISSING_REQUIRED_FIELD. */
const CODE_WITHOUT: Record<string, string> = {
  'POST /api/user/withdrawals': 'VALIDATION_ERROR',
  'POST /api/admin/users': 'VALIDATION_ERROR',
  'PUT /api/admin/users/{id}/tier': 'VALIDATION_ERROR',
  'POST /api/admin/alerts/{id}/resolve without reason': 'REASON_REQUIRED',
  'POST /api/admin/approvals/{id}/reject without reason': 'REASON_REQUIRED',
  'POST /api/admin/proofs/continue without reason': 'REASON_REQUIRED',
  'POST /api/admin/withdrawals/{id}/fail without reason': 'REASON_REQUIRED',
  'POST /api/admin/withdrawals/{id}/return without reason': 'REASON_REQUIRED',
  'POST /api/admin/users/{id}/hold/end without reason': 'REASON_REQUIRED',
  'POST /api/admin/users/{id}/lock without reason': 'REASON_REQUIRED',
  'POST /api/admin/users/{id}/unlock without reason': 'REASON_REQUIRED',
  'POST /api/admin/users/{id}/factors/reset without reason': 'REASON_REQUIRED',
};

const random = new SeededRandom(SEED);

const UNKNOWN = 'noSuchParameter';

interface QueryParameter {
  name: string;
  in: string;
  schema: { format?: string; anyOf?: { format?: string }[] };
}

describe('The input of every route', () => {
  let platform: TestPlatform;
  let document: OpenAPIObject;
  let operations: Operation[];
  let call: CallRoute;

  beforeAll(async () => {
    platform = await startPlatform();
    document = withoutReferences(openApiDocument(platform.app, 'test'));
    operations = operationsOf(document).filter(({ method }) => method !== 'HEAD');
    call = await everyCaller(platform);
  });
  afterAll(() => platform?.stop());

  it('is refused with VALIDATION_ERROR if the query has an unknown parameter, except where programs of others call [SEC-490]', async () => {
    const answers: Record<string, unknown> = {};
    for (const { name, path, inQuery } of operations) {
      const required = inQuery.filter((parameter) => parameter.required).map((parameter) => parameter.name);
      const query = [UNKNOWN, ...required].map((parameter) => `${parameter}=1`).join('&');
      const reply = await call(name, `${path.replace(/\{\w+\}/g, UNKNOWN_ID)}?${query}`);
      const isRefused = reply.code === 'VALIDATION_ERROR' && fieldsOf(reply.body).includes(UNKNOWN);
      answers[name] = name === RPC ? JSON.stringify(reply.body).includes('-32600') : isRefused;
    }
    const expected = operations.map(({ name }) => [name, !IGNORE_QUERY.includes(name)]);
    expect(answers).toEqual(Object.fromEntries(expected));
    expect(operations).toHaveLength(platform.app.get(RouteAudit).routes().filter(isNotHead).length);
  });

  it('has startDate and endDate wherever the query has another range of days, and a format for every date', () => {
    for (const [path, operationsOfPath] of Object.entries(document.paths)) {
      const { parameters = [] } = (operationsOfPath.get ?? {}) as { parameters?: QueryParameter[] };
      const query = parameters.filter((parameter) => parameter.in === 'query');
      const names = query.map(({ name }) => name);
      if (names.includes('from') && path !== '/api/proofs/consistency')
        expect([path, names]).toEqual([path, expect.arrayContaining(['startDate', 'endDate', 'from', 'to'])]);
      for (const { name, schema } of query) {
        if (!/(?:Date|After|Before)$|^day$/.test(name)) continue;
        const formats = [schema.format, ...(schema.anyOf ?? []).map(({ format }) => format)];
        expect([path, name, formats]).toEqual([path, name, expect.arrayContaining(['date'])]);
      }
    }
  });

  it.each(['/api/user/statement', '/api/admin/audit', '/api/admin/audit-pack'])(
    'selects the same days of %s with from and to as with startDate and endDate, and refuses both if they differ',
    async (path) => {
      const name = `GET ${path}`;
      for (const [range, status] of [
        ['startDate=2026-01-01&endDate=2026-01-02', 200],
        ['from=2026-01-01&to=2026-01-02', 200],
        ['startDate=2026-01-01&from=2026-01-01&to=2026-01-02', 200],
        ['startDate=2026-01-01&from=2026-01-02', 400],
        ['endDate=2026-01-01&to=2026-01-02', 400],
      ] as const) {
        const reply = await call(name, `${path}?${range}`);
        expect([range, reply.status]).toEqual([range, status]);
        if (status === 400) expect(reply.code).toBe('VALIDATION_ERROR');
      }
      const wrong = await call(name, `${path}?from=2026-01-02&to=2026-01-01`);
      expect(wrong.body.error).toMatchObject({
        code: 'INVALID_DATE_RANGE',
        details: { startDate: '2026-01-02', endDate: '2026-01-01' },
      });
    },
  );

  it('is refused if the body lacks a required field, which the details name [SEC-491]', async () => {
    const withBody = operations.filter(({ name }) => !NO_BODY_RULES.includes(name));
    const cells = withBody.flatMap(({ name, path, body = [] }) => {
      const required = body.filter((field) => field.required);
      return required.map((missing) => ({ name, path, required, missing: missing.name }));
    });
    expect(cells.length).toBeGreaterThan(40);
    const answers: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const { name, path, required, missing } of cells) {
      const present = required.filter((field) => field.name !== missing);
      const body = Object.fromEntries(present.map((field) => [field.name, validValue(field, random)]));
      const reply = await call(name, path.replace(/\{\w+\}/g, UNKNOWN_ID), body);
      const cell = `${name} without ${missing}`;
      answers[cell] = [reply.status, reply.code, fieldsOf(reply.body).includes(missing)];
      expected[cell] = [400, CODE_WITHOUT[cell] ?? CODE_WITHOUT[name] ?? 'MISSING_REQUIRED_FIELD', true];
    }
    expect(answers).toEqual(expected);
  });

  it('has for every error code of a refusal details of one form, which the document describes', () => {
    const schemas = document.components?.schemas as unknown as Record<
      string,
      { properties: { details?: object } }
    >;
    for (const [code, { details }] of Object.entries(ERROR_CATALOGUE as Record<string, CatalogueEntry>)) {
      if (!schemas[code]) continue; // no route returns the code
      const documented = schemas[code].properties.details as { properties: object } | undefined;
      expect([code, Object.keys(documented?.properties ?? {})]).toEqual([code, Object.keys(details ?? {})]);
    }
  });
});

const isNotHead = ({ method }: { method: string }) => method !== 'HEAD';

function fieldsOf(body: { error?: { details?: { fields: { field: string }[] } } } | undefined): string[] {
  return (body?.error?.details?.fields ?? []).map(({ field }) => field);
}
