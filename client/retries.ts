import { ApiError } from './api-error.js';

const FIRST_DELAY_MS = 500;
/** A longer Retry-After is left to the caller. */
const MAX_DELAY_MS = 30_000;
const RETRIED_STATUSES = [502, 503, 504];

/**
 * How long to wait before a request is repeated whose outcome is unknown: no answer, an answer of 502, 503 or 504, or the first
 * attempt is still running. Undefined if the outcome is known or the wait would be too long.
 */
export function retryDelayMs(error: unknown, attempt: number): number | undefined {
  // Half of it is random, so that clients do not return at the same moment.
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (!(error instanceof ApiError)) return isWithoutAnswer(error) ? backoffMs : undefined;
  if (!RETRIED_STATUSES.includes(error.status) && error.code !== 'IDEMPOTENCY_IN_PROGRESS') return undefined;
  const delayMs = Math.max(backoffMs, 1000 * (error.retryAfterSeconds ?? 0));
  return delayMs <= MAX_DELAY_MS ? delayMs : undefined;
}

/** fetch rejects with a TypeError if the connection fails, and with the time-out's error. */
function isWithoutAnswer(error: unknown): boolean {
  return error instanceof TypeError || (error as Error | undefined)?.name === 'TimeoutError';
}

/** Rejects with the signal's reason if it is aborted meanwhile. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
