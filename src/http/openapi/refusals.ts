import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '../../common/errors/error-catalogue.js';

/** A code that a route answers; with a status where it is not the catalogue's. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** Where a route's refusals stand in the document until they become responses. */
export const REFUSALS = 'x-refusals';

interface Operation {
  responses?: Record<string, unknown>;
  security?: object[];
  [REFUSALS]?: Refusal[];
}

// What any route can answer: a URL that is not clean, a database that is away.
const OF_EVERY_ROUTE: Refusal[] = ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'];
const OF_ROUTES_WITH_A_BODY: Refusal[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const METHODS_WITH_A_BODY = new Set(['post', 'put', 'patch', 'delete']);

/**
 * Makes one response per status of each route's refusals, naming exactly the codes that it can carry. Answers all
 * codes that it named: `components.examples` has one of each.
 */
export function addRefusals(document: OpenAPIObject): Set<ErrorCode> {
  const named = new Set<ErrorCode>();
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      const { [REFUSALS]: own = [], ...rest } = operation;
      const shared = METHODS_WITH_A_BODY.has(method)
        ? [...OF_EVERY_ROUTE, ...OF_ROUTES_WITH_A_BODY]
        : OF_EVERY_ROUTE;
      const refusals = [...own, ...shared];
      for (const refusal of refusals) named.add(typeof refusal === 'string' ? refusal : refusal.code);
      const responses = { ...rest.responses, ...responsesOf(refusals, rest.responses) };
      (operations as Record<string, Operation>)[method] = {
        security: [], // anyone, unless the route says otherwise
        ...rest,
        responses: method === 'head' ? withoutBodies(responses) : responses,
      };
    }
  }
  return named;
}

interface RefusalResponse {
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

/** HEAD is answered by headers alone: the codes of the GET stand in `x-codes`. */
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

/** A status that is also a regular answer (a probe's 503) keeps its own schema beside the failure's. */
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
