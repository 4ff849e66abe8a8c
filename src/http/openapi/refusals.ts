import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '../../common/errors/error-catalogue.js';
import { errorOf } from './error-schemas.js';
import { HEADER_OPTIONS, responseHeaders, type HeaderOptions } from './headers.js';

/** An error code that a route can answer, with its status if that differs from the catalogue's. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** The extension that carries a route's refusals until `addRefusals` turns them into responses. */
export const REFUSALS = 'x-refusals';

/** The extension that marks a route with `answersJsonRpc`, until `addRefusals` removes it. */
export const ANSWERS_JSON_RPC = 'x-answers-json-rpc';

interface Operation {
  responses?: Record<string, object>;
  security?: object[];
  [REFUSALS]?: Refusal[];
  [ANSWERS_JSON_RPC]?: boolean;
  [HEADER_OPTIONS]?: HeaderOptions;
}

/** All errors that a route answers with one status. */
interface RefusalResponse {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  readonly isLimited: boolean;
}

// Every route refuses a malformed URL, and requests while the database is unavailable.
const EVERY_ROUTE: Refusal[] = ['VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'];
const ROUTES_WITH_A_BODY: Refusal[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const METHODS_WITH_A_BODY = new Set(['post', 'put', 'patch', 'delete']);

const DENIED = ['CSRF_INVALID', 'FORBIDDEN', 'PERMISSION_DENIED'];

/** Short names for sets of codes that many responses have, since every operation repeats the names. A code counts for the first set. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Unauthenticated: ['TOKEN_EXPIRED', 'TOKEN_INVALID', 'TOKEN_MISSING'],
  DeniedToAdmins: ['ADMIN_REQUIRED', ...DENIED, 'SECOND_FACTOR_REQUIRED-403'],
  Denied: DENIED,
  StepUp: ['STEP_UP_INVALID', 'STEP_UP_REQUIRED'],
  InvalidOrMissing: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  Invalid: ['VALIDATION_ERROR'],
  TooLarge: ['PAYLOAD_TOO_LARGE'],
  WrongMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
  TooManyRequests: ['RATE_LIMIT_EXCEEDED'],
  Unexpected: ['INTERNAL_SERVER_ERROR'],
  Unavailable: ['SERVICE_UNAVAILABLE'],
};

/**
 * Adds to each route one response per status of its refusals, with exactly the codes that the route answers with this status.
 * A response with one code, or that several routes have, is in `components.responses`.
 */
export function addRefusals(document: OpenAPIObject): void {
  const routesByName = new Map<string, { refusal: RefusalResponse; responses: Record<string, object> }[]>();
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations as Record<string, Operation>)) {
      const { [REFUSALS]: declared = [], [ANSWERS_JSON_RPC]: answersJsonRpc = false, ...rest } = operation;
      const hasBodyRefusals = METHODS_WITH_A_BODY.has(method) && !answersJsonRpc;
      const shared = hasBodyRefusals ? [...EVERY_ROUTE, ...ROUTES_WITH_A_BODY] : EVERY_ROUTE;
      const responses = method === 'head' ? withoutBodies(rest.responses) : { ...rest.responses };
      for (const refusal of refusalsByStatus([...declared, ...shared], rest[HEADER_OPTIONS])) {
        const { status } = refusal;
        const name = nameOf(refusal);
        if (method === 'head') responses[status] = headResponse(refusal);
        else if (responses[status]) responses[status] = refusalResponse(refusal, responses[status]);
        else routesByName.set(name, [...(routesByName.get(name) ?? []), { refusal, responses }]);
      }
      (operations as Record<string, Operation>)[method] = {
        security: [], // no authentication, unless the route requires it
        ...rest,
        responses,
      };
    }
  }
  const components: Record<string, object> = {};
  for (const [name, routes] of routesByName) {
    for (const { refusal, responses } of routes) {
      const isComponent = refusal.codes.length === 1 || routes.length > 1;
      const response = refusalResponse(refusal);
      if (isComponent) components[name] = response;
      responses[refusal.status] = isComponent ? { $ref: `#/components/responses/${name}` } : response;
    }
  }
  document.components = { ...document.components, responses: components as never };
}

function refusalsByStatus(refusals: readonly Refusal[], options?: HeaderOptions): RefusalResponse[] {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const refusal of refusals) {
    const { code, status } =
      typeof refusal === 'string' ? { code: refusal, status: ERROR_CATALOGUE[refusal].status } : refusal;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const isLimited = options?.isLimited === true;
  return [...byStatus].map(([status, codes]) => ({ status, codes: [...codes].sort(), isLimited }));
}

/**
 * The short names of the codes, and the other codes, each with its status if that is not the catalogue's: `StepUp.InvalidAmount-422`. A
 * response with one code does not have exactly the name of its schema, since generators would take it for the schema.
 */
function nameOf({ status, codes, isLimited }: RefusalResponse): string {
  let unnamed: string[] = codes.map((code) =>
    ERROR_CATALOGUE[code].status === status ? code : `${code}-${status}`,
  );
  const names: string[] = [];
  for (const [name, named] of Object.entries(NAMES)) {
    if (!named.every((code) => unnamed.includes(code))) continue;
    names.push(name);
    unnamed = unnamed.filter((code) => !named.includes(code));
  }
  return [...names, ...unnamed.map(inPascalCase)].join('.') + (isLimited ? '' : '-unlimited');
}

function inPascalCase(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The response with the codes of `refusal`. Its schema also accepts a `regular` response of the status, as 503 of a probe. */
function refusalResponse({ status, codes, isLimited }: RefusalResponse, regular?: object): object {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      { required: ['error'], properties: { error: errorOf(codes) } },
    ],
  };
  const regularSchema = (regular as { content?: Record<string, { schema?: object }> } | undefined)?.content?.[
    'application/json'
  ]?.schema;
  return {
    description: describe(codes),
    headers: responseHeaders(status, { isLimited }),
    content: {
      'application/json': {
        schema: regularSchema ? { anyOf: [regularSchema, schema] } : schema,
      },
    },
  };
}

/** Responses to HEAD have no body. */
function withoutBodies(responses: Record<string, object> = {}): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, { ...response, content: undefined }]),
  );
}

/** Instead of a body, `x-codes` lists the codes. */
function headResponse({ status, codes, isLimited }: RefusalResponse): object {
  return { description: describe(codes), headers: responseHeaders(status, { isLimited }), 'x-codes': codes };
}

/** Several codes are only listed: the schema of each code has its message. */
function describe(codes: readonly ErrorCode[]): string {
  const [code] = codes;
  return code && codes.length === 1 ? `${code}: ${ERROR_CATALOGUE[code].message}` : codes.join(', ');
}
