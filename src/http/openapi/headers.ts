import type { OpenAPIObject } from '@nestjs/swagger';

/** The extension that carries a route's header options until `addHeaders` replaces it. */
export const HEADER_OPTIONS = 'x-header-options';

export interface HeaderOptions {
  /** The route has a rate limit. */
  isLimited: boolean;
  /** The route accepts an Idempotency-Key. */
  isIdempotent: boolean;
  setsCookie: boolean;
}

interface Operation {
  parameters?: { in: string; name: string }[];
  responses: Record<string, { headers?: Record<string, object> }>;
  [HEADER_OPTIONS]?: HeaderOptions;
}

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const integer = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

export const RESPONSE_HEADERS = {
  traceparent: {
    description: 'W3C trace context of this request; its trace id is the traceId of the body.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$' },
  },
  'X-RateLimit-Limit': integer('Requests of this class that are allowed in a window.'),
  'X-RateLimit-Remaining': integer('Requests that are left in this window.'),
  'X-RateLimit-Reset': integer('End of the window in seconds since 1970.'),
  'Retry-After': integer('Seconds to wait before the next attempt.'),
  'Idempotency-Replayed': {
    description: 'The response repeats that of the first request with this Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Set-Cookie': {
    description: 'The session cookie: HttpOnly, SameSite=Strict. Signing out clears it.',
    schema: { type: 'string' },
  },
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

/** The name of a header in `components.headers`: short, since every response refers to it. */
const headerComponent = (name: string) => name.replace(/^X-RateLimit-|parent$/, '');

const LIMIT_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
/** Parameters that the document omits: `security` describes `Authorization`, and every client sends a `User-Agent`. */
const OMITTED_PARAMETERS = new Set(['authorization', 'user-agent']);

/** Adds `components.headers` and the headers of every response, and removes `OMITTED_PARAMETERS`. */
export function addHeaders(document: OpenAPIObject): void {
  const headers = Object.entries(RESPONSE_HEADERS).map(([name, header]) => [headerComponent(name), header]);
  document.components = { ...document.components, headers: Object.fromEntries(headers) as Headers };
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations) as unknown as Operation[]) {
      const { [HEADER_OPTIONS]: options } = operation;
      delete operation[HEADER_OPTIONS];
      operation.parameters = operation.parameters?.filter(
        (parameter) => parameter.in !== 'header' || !OMITTED_PARAMETERS.has(parameter.name.toLowerCase()),
      );
      for (const [status, response] of Object.entries(operation.responses))
        if (!('$ref' in response)) response.headers = responseHeaders(Number(status), options);
    }
  }
}

/** References to the headers of a response with this status. */
export function responseHeaders(
  status: number,
  options: Partial<HeaderOptions> = {},
): Record<string, object> {
  const isSuccess = status < 300;
  const names: HeaderName[] = [
    'traceparent',
    ...(options.isLimited ? LIMIT_HEADERS : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(options.isIdempotent && isSuccess ? (['Idempotency-Replayed'] as const) : []),
    ...(options.setsCookie && isSuccess ? (['Set-Cookie'] as const) : []),
  ];
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${headerComponent(name)}` }]),
  );
}
