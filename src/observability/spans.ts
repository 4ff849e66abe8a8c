import { SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';

/** Makes nothing but empty spans while nobody exports them. */
export const tracer = trace.getTracer('stablecoin-platform');

/** Does `work` inside a span. What it fails with is told by its kind: a message can hold what is nobody's business. */
export async function spanned<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return within(name, SpanKind.INTERNAL, work);
}

/** The same for a question to somebody outside. */
export async function asking<Result>(whom: string, work: () => Promise<Result>): Promise<Result> {
  return within(whom, SpanKind.CLIENT, work);
}

function within<Result>(name: string, kind: SpanKind, work: () => Promise<Result>): Promise<Result> {
  return tracer.startActiveSpan(name, { kind }, async (span) => {
    try {
      return await work();
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

function failed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', (error as { code?: string }).code ?? (error as Error).name);
}
