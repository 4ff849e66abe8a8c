import type { Request, Response } from 'express';
import { currentTrace, tracing, type Trace } from './trace.js';

/** The trace of a request with this header, and the header `traceparent` of its response. */
function traced(traceparent?: string): Trace & { responseHeader: string } {
  const headers = new Map<string, string>();
  const request = { header: (name: string) => (name === 'traceparent' ? traceparent : undefined) } as Request;
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
  } as unknown as Response;
  let trace: Trace | undefined;
  tracing(request, response, () => (trace = currentTrace()));
  return { ...(trace as Trace), responseHeader: headers.get('traceparent') as string };
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';

describe('A trace', () => {
  it('of the client is continued with a new span', () => {
    const { traceId, spanId, responseHeader } = traced(`00-${TRACE_ID}-${PARENT_ID}-01`);
    expect(traceId).toBe(TRACE_ID);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(spanId).not.toBe(PARENT_ID);
    expect(responseHeader).toBe(`00-${TRACE_ID}-${spanId}-01`);
  });

  it('of the client is continued if its version is later and has more fields', () => {
    expect(traced(`01-${TRACE_ID}-${PARENT_ID}-00-more`).traceId).toBe(TRACE_ID);
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
    ['has a parent id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['has the version ff', `ff-${TRACE_ID}-${PARENT_ID}-01`],
    ['is in upper case', `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
    ['is too short', `00-${TRACE_ID.slice(1)}-${PARENT_ID}-01`],
    ['has a further character at its end', `00-${TRACE_ID}-${PARENT_ID}-01x`],
    ['contains a line break', `00-${TRACE_ID}\n-${PARENT_ID}-01`],
  ])('is new if the header traceparent %s', (_, header) => {
    const { traceId, responseHeader } = traced(header);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId).not.toBe(TRACE_ID);
    expect(responseHeader).toContain(traceId);
  });

  it('differs between requests, and is undefined outside of a request', () => {
    expect(traced().traceId).not.toBe(traced().traceId);
    expect(currentTrace()).toBeUndefined();
  });
});
