import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { catchError, map, type Observable } from 'rxjs';
import { asDomainError } from '../../database/database-error.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { currentTrace } from '../../observability/tracing/trace.js';
import { EnvelopedResponse, RawResponse } from './enveloped-response.js';

/** Puts what a handler returns into the envelope of a success. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    return next.handle().pipe(
      map((result: unknown) => (result instanceof RawResponse ? result.body : this.envelope(result))),
      catchError((error: unknown) => {
        throw namedFailure(error, rule);
      }),
    );
  }

  private envelope(result: unknown): object {
    const { data, extraFields } =
      result instanceof EnvelopedResponse
        ? (result as EnvelopedResponse<unknown>)
        : new EnvelopedResponse(result);
    const { trace_id, ...rest } = extraFields;
    const trace = currentTrace();
    return {
      success: true,
      data: data ?? null,
      ...rest,
      timestamp: this.clock.now().toISOString(),
      ...trace,
      ...(trace_id && trace ? { trace_id: trace.traceId } : {}),
    };
  }
}

/** Gives an unexpected failure the code that the route's own table names; the cause is kept for the log. */
function namedFailure(error: unknown, rule: RouteRule | undefined): unknown {
  if (!rule?.unexpected || error instanceof DomainError || asDomainError(error)) return error;
  const named = new DomainError(rule.unexpected);
  named.cause = error;
  return named;
}
