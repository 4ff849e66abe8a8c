import { SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';

/** Creates no-op spans unless an exporter is registered. */
export const tracer = trace.getTracer('stablecoin-platform');

/** Runs `work` inside a span. */
export async function withSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return runInSpan(name, SpanKind.INTERNAL, work);
}

/** Runs a call to an external service inside a client span. */
export async function withClientSpan<Result>(service: string, work: () => Promise<Result>): Promise<Result> {
  return runInSpan(service, SpanKind.CLIENT, work);
}

function runInSpan<Result>(name: string, kind: SpanKind, work: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, { kind }, async (span) => {
    try {
      return await work();
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records the error's code or name alone, because messages can contain private data. */
export function recordFailure(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', (error as { code?: string }).code ?? (error as Error).name);
}
