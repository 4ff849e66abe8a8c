import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

/** The W3C trace that a request belongs to, and our own span in it. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

// version ff and ids of zeros alone are not valid; a later version may add fields behind a hyphen
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;
const store = new AsyncLocalStorage<Trace>();

/** The trace of the request that is running, or undefined outside of one. */
export function currentTrace(): Trace | undefined {
  return store.getStore();
}

function traceOf(traceparent: string | undefined): Trace {
  const [, continued] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return { traceId: continued ?? randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
}

/** Continues the caller's trace or begins one; everything that follows runs inside it. */
export function tracing(request: Request, response: Response, next: NextFunction): void {
  const trace = traceOf(request.header('traceparent'));
  response.setHeader('traceparent', `00-${trace.traceId}-${trace.spanId}-01`);
  store.run(trace, next);
}
