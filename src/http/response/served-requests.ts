import { Injectable, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { currentTrace, type Trace } from '../../observability/tracing/trace.js';

const log = new Logger('Request');

/** A finished request. Of the caller's input it holds the method only. */
export interface ServedRequest {
  readonly method: string;
  /** The route's template; null if no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  /** False if the connection closed before the end of the response. */
  readonly isComplete: boolean;
  /** True for a status of 500 or more, unless the error catalogue says that the code is no failure of the service. */
  readonly isFailure: boolean;
  readonly principalId: string | null;
  readonly trace: Trace | undefined;
}

type Listener = (served: ServedRequest) => void;

const MONITORING = /^\/(metrics|health|api\/(health|ping|docs|openapi\.json))(\/|$)/;

/** True for probes, metrics and the API documentation: service levels ignore them, and the log level is debug. */
export function isMonitoring({ route }: ServedRequest): boolean {
  return route !== null && MONITORING.test(route);
}

/** Reports each finished request to the log, the metrics and the service levels. */
@Injectable()
export class ServedRequests {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Called directly for responses that do not come from Express. */
  report(served: ServedRequest): void {
    for (const listener of this.listeners) listener(served);
  }

  readonly middleware = (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const trace = currentTrace(); // `close` is emitted outside the async context of the request
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      const served = {
        method: request.method,
        route: typeof route === 'string' ? route : null,
        status: response.statusCode,
        milliseconds: performance.now() - startedAt,
        isComplete: response.writableFinished,
        isFailure: response.statusCode >= 500 && response.locals.isFailure !== false,
        principalId: (request as RequestWithPrincipal).principal?.id ?? null,
        trace,
      };
      this.report(served);
    });
    next();
  };
}

/** Logs one line per request, without any of the caller's input but the method. */
export function logRequest(served: ServedRequest): void {
  const { method, route, status, milliseconds, isComplete, principalId, trace } = served;
  const line = {
    msg: `${method} ${status}`,
    method,
    route,
    status,
    principalId,
    milliseconds: Math.round(milliseconds * 10) / 10,
    ...(isComplete ? {} : { brokenOff: true }),
    ...trace,
  };
  if (isMonitoring(served)) log.debug(line);
  else log.log(line);
}
