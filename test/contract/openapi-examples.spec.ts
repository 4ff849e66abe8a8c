import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { exampleOf } from '../../src/http/openapi/examples.js';
import { errorCodesOf, withoutReferences } from '../../src/http/openapi/references.js';
import { everyCaller } from '../fixtures/every-caller.js';
import { OpenApiContract } from '../harness/contract.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

type Schema = Record<string, unknown>;
type Body = { content?: Record<string, { schema?: Schema; example?: unknown }> };
interface Operation {
  parameters?: { name: string; in: string; example?: string; schema?: { example?: string } }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** Routes whose bodies are verified by a signature; openapi-callbacks.spec.ts sends their examples with one. */
const CALLBACKS = /^POST \/api\/webhooks\//;
/** Ends the sessions of the caller, so that it is sent last. */
const ENDS_SESSIONS = /^POST \/api\/user\/lock$/;

/** Schemas whose currencies, networks and states are chosen by users' clients and by providers' statements. */
const FREE_CHOICES = /^(?:Preferences|ProfileRequest|Reconciliation|StatedSide|BookedSide|SearchResult)/;

/** What the state of the platform refuses: nothing is unread, and no example host is in DNS. */
const OF_THE_STATE = /^NO_UNREAD_NOTIFICATIONS|host name that DNS resolves/;

describe('The OpenAPI document', () => {
  let platform: TestPlatform;
  let document: OpenAPIObject;
  let operations: { name: string; method: string; path: string; operation: Operation }[];
  let schemas: Record<string, Schema>;

  beforeAll(async () => {
    platform = await startPlatform();
    document = withoutReferences(openApiDocument(platform.app, 'test'));
    schemas = document.components?.schemas as Record<string, Schema>;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method,
        path: withExamples(path, operation),
        operation,
      })),
    );
  });
  afterAll(() => platform?.stop());

  function withExamples(path: string, { parameters = [] }: Operation): string {
    const examples = new Map(
      parameters.map(({ name, example, schema }) => [name, example ?? schema?.example]),
    );
    return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  }

  it('has examples of request bodies that the validation of the service accepts', async () => {
    const call = await everyCaller(platform);
    const bodies = operations.flatMap(({ name, path, operation }) => {
      const { example } = operation.requestBody?.content?.['application/json'] ?? {};
      return example === undefined || CALLBACKS.test(name) ? [] : [{ name, path, example }];
    });
    const inOrder = [...bodies].sort(
      (a, b) => Number(ENDS_SESSIONS.test(a.name)) - Number(ENDS_SESSIONS.test(b.name)),
    );
    const refused: unknown[] = [];
    for (const { name, path, example } of inOrder) {
      const { status, code, body } = await call(name, path, example);
      const isUnread = /^TOKEN_/.test(code ?? '') && name !== 'POST /api/auth/lock'; // the guards have refused the caller before the body was read
      if (OF_THE_STATE.test(`${code} ${JSON.stringify(body.error)}`)) continue;
      if (status === 400 || status === 413 || status === 415 || isUnread)
        refused.push([name, example, body.error]);
    }
    expect(refused).toEqual([]);
    expect(inOrder.length).toBeGreaterThan(60);
  });

  it('has examples of fields that compose answers and errors which match their own schemas', () => {
    const contract = new OpenApiContract(document);
    let count = 0;
    for (const { method, path, operation } of operations)
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const { schema } = content?.['application/json'] ?? {};
        if (!schema || Object.keys(schema).length === 0) continue;
        const codes = errorCodesOf(schema);
        const answers: unknown[] = codes.map((code) => ({
          ...(exampleOf({ $ref: '#/components/schemas/Failure' }, schemas) as object),
          error: exampleOf({ $ref: `#/components/schemas/${code}` }, schemas),
        }));
        if (codes.length === 0) answers.push(exampleOf(schema, schemas));
        for (const answer of answers)
          contract.requireDocumented(method, decodeURIComponent(path), Number(status), answer, new Headers());
        count += answers.length;
      }
    expect(count).toBeGreaterThan(1_000);
  });

  it('has a format for every date and time of a response', () => {
    const unformatted = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, Schema>).flatMap(
        ([field, { format, anyOf, $ref, type }]) => {
          const isTime = /(?:At|(?<!To)Date|_at|Until)$|^(?:timestamp|day|asOf)$/.test(field);
          const isText = [type].flat().includes('string');
          return isTime && isText && !format && !anyOf && !$ref ? [`${name}.${field}`] : [];
        },
      ),
    );
    expect(unformatted).toEqual([]);
  });

  it('lists the values of every currency, network and state, except where users and providers choose them', () => {
    const open = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, Schema>).flatMap(([field, { type, ...schema }]) => {
        const isChoice = /^(?:currency|network|status)$/.test(field) && [type].flat().includes('string');
        return isChoice && !schema.enum && !schema.const && !FREE_CHOICES.test(name)
          ? [`${name}.${field}`]
          : [];
      }),
    );
    expect(open).toEqual([]);
  });
});
