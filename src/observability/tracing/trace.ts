import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traces,
  TraceFlags,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { tracer } from '../spans.js';

/** The W3C trace of a request, and this service's span in it. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

// version ff and all-zero ids are invalid; later versions may add fields after a hyphen
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const store = new AsyncLocalStorage<Trace>();

/** The trace of the current request; undefined outside of a request. */
export function currentTrace(): Trace | undefined {
  return store.getStore();
}

/** Middleware that continues the client's trace or starts a new one for the rest of the request. */
export function tracing(request: Request, response: Response, next: NextFunction): void {
  const caller = TRACEPARENT.exec(request.header('traceparent') ?? '');
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, contextOf(caller));
  const trace = span.isRecording() ? idsOf(span) : unexported(caller?.[1]);
  response.setHeader('traceparent', `00-${trace.traceId}-${trace.spanId}-01`);
  if (!span.isRecording()) {
    store.run(trace, next);
    return;
  }
  response.once('close', () => end(span, request, response));
  context.with(traces.setSpan(ROOT_CONTEXT, span), () => store.run(trace, next));
}

function contextOf(caller: RegExpExecArray | null): Context {
  const [, traceId, spanId, flags] = caller ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return traces.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function idsOf(span: Span): Trace {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

/** Without an exporter, or if the client does not sample: the ids appear in the response and the log only. */
function unexported(traceId: string | undefined): Trace {
  return traceId ? { ...newTrace(), traceId } : newTrace();
}

const TRACE_BYTES = 24;
const SPARE_TRACES = 256; // drawn at once, because a call for few random bytes costs as much as for many
let spareBytes = Buffer.alloc(0);

/** A new trace that is not exported. */
export function newTrace(): Trace {
  if (spareBytes.length === 0) spareBytes = randomBytes(SPARE_TRACES * TRACE_BYTES);
  const drawn = spareBytes.toString('hex', 0, TRACE_BYTES);
  spareBytes = spareBytes.subarray(TRACE_BYTES);
  return { traceId: drawn.slice(0, 32), spanId: drawn.slice(32) };
}

/** The route's template; the span contains no data of the request. */
function end(span: Span, request: Request, response: Response): void {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  if (typeof route === 'string') span.updateName(`${request.method} ${route}`);
  span.setAttributes({
    'http.request.method': request.method,
    'http.response.status_code': response.statusCode,
    ...(typeof route === 'string' ? { 'http.route': route } : {}),
  });
  if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
