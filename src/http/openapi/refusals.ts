import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '../../common/errors/error-catalogue.js';

/** An error code that a route can answer, with its status if that differs from the catalogue's. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** The extension that carries a route's refusals until `addRefusals` turns them into responses. */
export const REFUSALS = 'x-refusals';

interface Operation {
  responses?: Record<string, unknown>;
  security?: object[];
  [REFUSALS]?: Refusal[];
}

// Every route refuses a malformed URL, and requests while the database is unavailable.
const EVERY_ROUTE: Refusal[] = ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'];
const ROUTES_WITH_A_BODY: Refusal[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const METHODS_WITH_A_BODY = new Set(['post', 'put', 'patch', 'delete']);

/**
 * Adds to each route one response per status of its refusals, with exactly the codes that the route answers with this status.
 * Returns all these codes, for `components.examples`.
 */
export function addRefusals(document: OpenAPIObject): Set<ErrorCode> {
  const used = new Set<ErrorCode>();
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      const { [REFUSALS]: declared = [], ...rest } = operation;
      const shared = METHODS_WITH_A_BODY.has(method) ? [...EVERY_ROUTE, ...ROUTES_WITH_A_BODY] : EVERY_ROUTE;
      const refusals = [...declared, ...shared];
      for (const refusal of refusals) used.add(typeof refusal === 'string' ? refusal : refusal.code);
      const responses = { ...rest.responses, ...responsesOf(refusals, rest.responses) };
      (operations as Record<string, Operation>)[method] = {
        security: [], // no authentication, unless the route requires it
        ...rest,
        responses: method === 'head' ? withoutBodies(responses) : responses,
      };
    }
  }
  return used;
}

interface RefusalResponse {
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

/** Responses to HEAD have no body, so `x-codes` lists their codes. */
function withoutBodies(responses: Record<string, unknown>): Record<string, unknown> {
  const headersOnly = ({ content, ...rest }: RefusalResponse) => {
    const codes = Object.keys(content?.['application/json']?.examples ?? {});
    return codes.length > 0 ? { ...rest, 'x-codes': codes } : rest;
  };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, headersOnly(response as RefusalResponse)]),
  );
}

function responsesOf(refusals: Refusal[], successes: Operation['responses'] = {}): Record<string, unknown> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const refusal of refusals) {
    const { code, status } =
      typeof refusal === 'string' ? { code: refusal, status: ERROR_CATALOGUE[refusal].status } : refusal;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [status, failure([...codes], successes[status])]),
  );
}

/** The response of a status with `codes`. Its schema also accepts a `regular` response of the status, as 503 of a probe. */
function failure(codes: ErrorCode[], regular: unknown): object {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      {
        type: 'object',
        properties: { error: { type: 'object', properties: { code: { enum: codes } } } },
      },
    ],
  };
  const regularSchema = (regular as { content?: Record<string, { schema?: object }> } | undefined)?.content?.[
    'application/json'
  ]?.schema;
  return {
    description: codes.map((code) => `${code}: ${ERROR_CATALOGUE[code].message}`).join('\n\n'),
    content: {
      'application/json': {
        schema: regularSchema ? { anyOf: [regularSchema, schema] } : schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}
