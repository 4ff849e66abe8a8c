import { Injectable, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { RequestWithPrincipal } from '../auth/principal.js';
import type { RequestWithRawBody } from '../request/body-reader.js';
import { currentTrace, type Trace } from '../../observability/tracing/trace.js';

const log = new Logger('Request');

/** A finished request. Of the caller's input it holds the method only. */
export interface ServedRequest {
  readonly method: string;
  /** The route's template; null if no route matched. */
  readonly route: string | null;
  readonly status: number;
  /**
   * From the end of the request's body until the response is ready to be sent, or, if it is streamed, until the stream begins:
   * callers decide how fast their bodies arrive and how fast they read.
   */
  readonly milliseconds: number;
  /** False if the connection closed before the end of the response. */
  readonly isComplete: boolean;
  /**
   * True for a status of 500 or more, unless the error catalogue says that the code is no failure of the service, and for an
   * answer in JSON-RPC that reports a failure.
   */
  readonly isFailure: boolean;
  /** True if a limit or load shedding has refused a caller without a valid token: no failure of the service. */
  readonly isAnonymousRefusal: boolean;
  readonly principalId: string | null;
  readonly trace: Trace | undefined;
}

type Listener = (served: ServedRequest) => void;

const TOO_MANY_REQUESTS = 429;
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
    const startedMs = performance.now();
    let endedMs: number | undefined;
    const setEnd = () => (endedMs ??= performance.now());
    response.once('pipe', setEnd);
    const end = response.end.bind(response) as (...args: unknown[]) => Response;
    response.end = (...args: unknown[]) => {
      setEnd();
      return end(...args);
    };
    const trace = currentTrace(); // `close` is emitted outside the async context of the request
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      const principalId = (request as RequestWithPrincipal).principal?.id ?? null;
      const isRateLimited = response.statusCode === TOO_MANY_REQUESTS && principalId === null;
      const served = {
        method: request.method,
        route: typeof route === 'string' ? route : null,
        status: response.statusCode,
        milliseconds: setEnd() - ((request as RequestWithRawBody).bodyEndedMs ?? startedMs),
        isComplete: response.writableFinished,
        isFailure: (response.locals.isFailure as boolean | undefined) ?? response.statusCode >= 500,
        isAnonymousRefusal: isRateLimited || response.locals.isAnonymousRefusal === true,
        principalId,
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
    msg: [method, route, status].filter((part) => part !== null).join(' '),
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
