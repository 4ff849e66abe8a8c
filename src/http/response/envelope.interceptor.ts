import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { catchError, map, type Observable } from 'rxjs';
import { asDomainError } from '../../common/errors/database-error.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { currentTrace } from '../../observability/tracing/trace.js';
import { asEnveloped, RawResponse } from './enveloped-response.js';

/** Wraps the result of a handler in the success envelope. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    return next.handle().pipe(
      map((result: unknown) =>
        result instanceof RawResponse ? rawBody(result, context) : this.envelope(result),
      ),
      catchError((error: unknown) => {
        throw withRouteCode(error, rule);
      }),
    );
  }

  private envelope(result: unknown): object {
    const { data, extraFields } = asEnveloped(result);
    // A handler adds `trace_id: true` if clients of its route also read the trace id under this name.
    const { trace_id: repeatsTraceId, ...otherFields } = extraFields;
    const trace = currentTrace();
    return {
      success: true,
      data: data ?? null,
      ...otherFields,
      timestamp: this.clock.now().toISOString(),
      ...trace,
      ...(repeatsTraceId && trace ? { trace_id: trace.traceId } : {}),
    };
  }
}

function rawBody({ body, headers }: RawResponse, context: ExecutionContext): unknown {
  const response = context.switchToHttp().getResponse<Response>();
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return body;
}

/** Gives an unexpected failure the code that the route declares. The log reports its cause. */
function withRouteCode(error: unknown, rule: RouteRule | undefined): unknown {
  if (!rule?.unexpected || error instanceof DomainError || asDomainError(error)) return error;
  const domainError = new DomainError(rule.unexpected);
  domainError.cause = error;
  return domainError;
}
