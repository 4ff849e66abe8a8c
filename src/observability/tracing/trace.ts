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
const traceOfRequest = new AsyncLocalStorage<Trace>();

/** The trace of the current request; undefined outside of a request. */
export function currentTrace(): Trace | undefined {
  return traceOfRequest.getStore();
}

/** Middleware that continues the client's trace or starts a new one for the rest of the request. */
export function tracing(request: Request, response: Response, next: NextFunction): void {
  const { trace, span } = startTrace(request.method, request.header('traceparent'));
  response.setHeader('traceparent', traceparentOf(trace));
  if (span) {
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      endSpan(span, { method: request.method, route, status: response.statusCode });
    });
  }
  runIn({ trace, span }, next);
}

/** The trace of a request, with its span if it is exported. */
export interface StartedTrace {
  readonly trace: Trace;
  readonly span: Span | undefined;
}

/** Continues the trace of the client's `traceparent` or starts a new one. */
export function startTrace(method: string, traceparent: string | undefined): StartedTrace {
  const caller = TRACEPARENT.exec(traceparent ?? '');
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, contextOf(caller));
  return span.isRecording()
    ? { trace: idsOf(span), span }
    : { trace: traceWithoutSpan(caller?.[1]), span: undefined };
}

/** Runs work as a part of the trace. */
export function runIn<Result>({ trace, span }: StartedTrace, work: () => Result): Result {
  if (!span) return traceOfRequest.run(trace, work);
  return context.with(traces.setSpan(ROOT_CONTEXT, span), () => traceOfRequest.run(trace, work));
}

/** The value of the header `traceparent` of the response. */
export function traceparentOf({ traceId, spanId }: Trace): string {
  return `00-${traceId}-${spanId}-01`;
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

/** The ids without an exporter, or if the client does not sample: they appear in the response and the log only. */
function traceWithoutSpan(traceId: string | undefined): Trace {
  return traceId ? { ...newTrace(), traceId } : newTrace();
}

const TRACE_BYTES = 24; // 16 of the trace id, 8 of the span id
const SPARE_TRACES = 256; // ids that are generated at once: a call for few random bytes costs as much as for many
let spareBytes = Buffer.alloc(0);

/** A new trace that is not exported. */
export function newTrace(): Trace {
  if (spareBytes.length === 0) spareBytes = randomBytes(SPARE_TRACES * TRACE_BYTES);
  const hex = spareBytes.toString('hex', 0, TRACE_BYTES);
  spareBytes = spareBytes.subarray(TRACE_BYTES);
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32) };
}

/** `route` is the route's template; the span contains no data of the request. */
export function endSpan(
  span: Span,
  { method, route, status }: { method: string; route: unknown; status: number },
): void {
  if (typeof route === 'string') span.updateName(`${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    ...(typeof route === 'string' ? { 'http.route': route } : {}),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
