import type { ErrorDetails } from './routes.js';

/** A code of docs/errors.md; `HTTP_502` and the like for an answer that is not of the service but of a proxy. */
export type ErrorCode = keyof ErrorDetails | `HTTP_${number}`;

/** An error response. `code` is stable; `message` can change. */
class ErrorResponse extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  /** Include it in support requests. */
  readonly traceId: string | undefined;
  /** Whole seconds to wait before a retry, if the response states them. */
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Headers;

  constructor(response: Response, body: unknown) {
    const { error, traceId } = (typeof body === 'object' && body !== null ? body : {}) as {
      error?: { code?: string; message?: string; details?: unknown };
      traceId?: string;
    };
    super(error?.message ?? response.statusText);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = error?.code ?? `HTTP_${response.status}`;
    this.details = error?.details;
    this.traceId = traceId;
    this.retryAfterSeconds = retryAfterSecondsOf(response.headers);
    this.headers = response.headers;
  }
}

/** An error response: a comparison of its `code` with a code determines the type of its `details`. */
export type ApiError<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? Error &
      Omit<ErrorResponse, 'code' | 'details'> & {
        readonly code: Code;
        readonly details: Code extends keyof ErrorDetails ? ErrorDetails[Code] : undefined;
      }
  : never;
/** `error instanceof ApiError` narrows to the union of all codes, which no class declaration can express. */
export const ApiError = ErrorResponse as unknown as {
  new (response: Response, body: unknown): ApiError;
  readonly prototype: ApiError;
};

/** The header Retry-After in seconds, or the time until its date. */
function retryAfterSecondsOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
