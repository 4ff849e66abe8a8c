import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traces,
  TraceFlags,
  type Span,
  type SpanContext,
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
const spanOfRequest = new AsyncLocalStorage<SpanContext>();

/** The trace of the current request; undefined outside of a request. */
export function currentTrace(): Trace | undefined {
  const span = spanOfRequest.getStore();
  return span && idsOf(span);
}

/** `fetch` for requests to providers and the chain, which continue the current trace: with `traceparent` and the caller's `tracestate`. */
export const fetchInTrace: typeof fetch = (input, init) => {
  const span = traces.getActiveSpan()?.spanContext() ?? spanOfRequest.getStore();
  if (!span) return fetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set('traceparent', headerOf(span, span.traceFlags));
  const tracestate = span.traceState?.serialize();
  if (tracestate) headers.set('tracestate', tracestate);
  return fetch(input, { ...init, headers });
};

/** Middleware that continues the client's trace or starts a new one for the rest of the request. */
export function tracing(request: Request, response: Response, next: NextFunction): void {
  const started = startTrace(request);
  const { trace, span } = started;
  response.setHeader('traceparent', traceparentOf(trace));
  if (span) {
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      endSpan(span, { method: request.method, route, status: response.statusCode });
    });
  }
  runIn(started, next);
}

/** The trace of a request, with its span if it is exported. */
export interface StartedTrace {
  readonly trace: Trace;
  readonly spanContext: SpanContext;
  readonly span: Span | undefined;
}

/** Continues the trace of the client's headers `traceparent` and `tracestate` or starts a new one. */
export function startTrace(request: Pick<Request, 'method' | 'header'>): StartedTrace {
  const caller = callerOf(request.header('traceparent'), request.header('tracestate'));
  const parent = caller ? traces.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, parent);
  const spanContext = span.isRecording() ? span.spanContext() : contextWithoutSpan(caller);
  return { trace: idsOf(spanContext), spanContext, span: span.isRecording() ? span : undefined };
}

/** Runs work as a part of the trace. If the client does not sample, no span of the work is exported. */
export function runIn<Result>({ spanContext, span }: StartedTrace, work: () => Result): Result {
  const active = span ? traces.setSpan(ROOT_CONTEXT, span) : traces.setSpanContext(ROOT_CONTEXT, spanContext);
  return context.with(active, () => spanOfRequest.run(spanContext, work));
}

/** The value of the header `traceparent` of the response. */
export function traceparentOf(trace: Trace): string {
  return headerOf(trace, TraceFlags.SAMPLED);
}

function headerOf({ traceId, spanId }: Trace, flags: number): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** Undefined without a valid `traceparent`. Invalid members of `tracestate` are left out. */
function callerOf(traceparent: string | undefined, tracestate: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const traceState = tracestate === undefined ? undefined : createTraceState(tracestate);
  return { traceId, spanId, traceFlags, traceState, isRemote: true };
}

function idsOf({ traceId, spanId }: SpanContext): Trace {
  return { traceId, spanId };
}

/** The context of a request whose span is not exported. Its ids appear in the response, in the log and in requests to providers. */
function contextWithoutSpan(caller: SpanContext | undefined): SpanContext {
  const { traceId, spanId } = newTrace();
  if (!caller) return { traceId, spanId, traceFlags: TraceFlags.NONE };
  return { traceId: caller.traceId, spanId, traceFlags: caller.traceFlags, traceState: caller.traceState };
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
