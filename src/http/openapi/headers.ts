import type { OpenAPIObject } from '@nestjs/swagger';

/** The extension that carries the facts about a route's headers until `addHeaders` replaces it. */
export const HEADER_FACTS = 'x-header-facts';

export interface HeaderFacts {
  /** Counted against a rate limit. */
  isLimited: boolean;
  /** Takes an Idempotency-Key. */
  isReplayed: boolean;
  setsCookie: boolean;
}

interface Operation {
  parameters?: { in: string; name: string }[];
  responses: Record<string, { headers?: Record<string, object> }>;
  [HEADER_FACTS]?: HeaderFacts;
}

const whole = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of answers, by their names. */
export const RESPONSE_HEADERS = {
  traceparent: {
    description: 'W3C trace context of this request; its trace id is the traceId of the body.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$' },
  },
  'X-RateLimit-Limit': whole('How many requests of this class are allowed in a window.'),
  'X-RateLimit-Remaining': whole('How many of them are left.'),
  'X-RateLimit-Reset': whole('When the window ends, in seconds since 1970.'),
  'Retry-After': whole('Seconds to wait before the next attempt.'),
  'Idempotency-Replayed': {
    description: 'The answer of the first request with this Idempotency-Key, again.',
    schema: { type: 'string', const: 'true' },
  },
  'Set-Cookie': {
    description: 'The cookie of the session: HttpOnly, SameSite=Strict; on signing out it is cleared.',
    schema: { type: 'string' },
  },
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

const LIMIT_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
/** OpenAPI ignores a parameter `Authorization`, which `security` describes; every client sends a `User-Agent`. */
const NOT_PARAMETERS = new Set(['authorization', 'user-agent']);

/** Adds the headers of every response, and removes the header parameters that OpenAPI ignores. */
export function addHeaders(document: OpenAPIObject): void {
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations) as unknown as Operation[]) {
      const { [HEADER_FACTS]: facts } = operation;
      delete operation[HEADER_FACTS];
      operation.parameters = operation.parameters?.filter(
        (parameter) => parameter.in !== 'header' || !NOT_PARAMETERS.has(parameter.name.toLowerCase()),
      );
      for (const [status, response] of Object.entries(operation.responses))
        response.headers = Object.fromEntries(
          headersOf(Number(status), facts).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        );
    }
  }
}

function headersOf(status: number, facts?: HeaderFacts): HeaderName[] {
  const isDone = status < 300;
  return [
    'traceparent',
    ...(facts?.isLimited ? LIMIT_HEADERS : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(facts?.isReplayed && isDone ? (['Idempotency-Replayed'] as const) : []),
    ...(facts?.setsCookie && isDone ? (['Set-Cookie'] as const) : []),
  ];
}
