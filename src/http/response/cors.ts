import type { NextFunction, Request, RequestHandler, Response } from 'express';

// Cross-origin resource sharing: which pages of other origins may read responses (DEC-55).

const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-CSRF-Token',
  'X-Step-Up',
  'traceparent',
  'tracestate',
];
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'traceparent',
  'Idempotency-Replayed',
  'Content-Disposition',
];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

const PREFLIGHT_HEADERS = new Map([
  ['Access-Control-Allow-Methods', ALLOWED_METHODS.join(', ')],
  ['Access-Control-Allow-Headers', ALLOWED_HEADERS.join(', ')],
  ['Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS)],
]);

/** The headers depend on the origin, so a cache has to keep a response per origin, also if the origin is not listed. */
const VARY = ['Vary', 'Origin'] as const;

export type CorsHeaders = ReadonlyMap<string, string>;

/** The headers of responses by the `Origin` of their requests. */
export class CorsPolicy {
  private readonly unlisted: CorsHeaders = new Map([VARY, ['Cross-Origin-Resource-Policy', 'same-origin']]);
  private readonly listed: ReadonlyMap<string, CorsHeaders>;

  /** `origins` as browsers send them: in lower case, without default ports and paths. */
  constructor(origins: readonly string[]) {
    this.listed = new Map(origins.map((origin) => [origin, headersForOrigin(origin)]));
  }

  headersFor(origin: string | undefined): CorsHeaders {
    return this.listed.get(origin ?? '') ?? this.unlisted;
  }

  isListed(origin: string | undefined): boolean {
    return this.listed.has(origin ?? '');
  }

  /**
   * Sets the headers before any other middleware can refuse the request, so that a page can read every refusal, and answers
   * preflight requests of listed origins.
   */
  readonly middleware: RequestHandler = (request: Request, response: Response, next: NextFunction): void => {
    const { origin } = request.headers;
    for (const [name, value] of this.headersFor(origin)) response.setHeader(name, value);
    if (!this.isListed(origin) || !isPreflight(request)) return next();
    for (const [name, value] of PREFLIGHT_HEADERS) response.setHeader(name, value);
    response.removeHeader('Access-Control-Expose-Headers'); // pages cannot read preflight responses
    response.status(204).end();
  };
}

function headersForOrigin(origin: string): CorsHeaders {
  return new Map([
    VARY,
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Credentials', 'true'],
    ['Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', ')],
  ]);
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
