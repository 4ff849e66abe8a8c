import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { currentTrace, type Trace } from '../../observability/tracing/trace.js';

/** What is known of a request when it is over. Nothing of it was sent by the caller but the method. */
export interface ServedRequest {
  readonly method: string;
  /** The route's template; null when the request reached none. */
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  /** False when the caller was gone, or the answer was broken off, before its end. */
  readonly isComplete: boolean;
  readonly principalId: string | null;
  readonly trace: Trace | undefined;
}

type Listener = (served: ServedRequest) => void;

const APART = /^\/(metrics|health|api\/(health|ping|docs|openapi\.json))(\/|$)/;

/** Probes, metrics and documents: asked for by machines again and again, and no part of the service. */
export function isApart({ route }: ServedRequest): boolean {
  return route !== null && APART.test(route);
}

/** Tells the log, the metrics and the service levels of each request that is over. */
@Injectable()
export class ServedRequests {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  readonly middleware = (request: Request, response: Response, next: NextFunction): void => {
    const began = performance.now();
    const trace = currentTrace(); // the end is told outside of it
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      const served = {
        method: request.method,
        route: typeof route === 'string' ? route : null,
        status: response.statusCode,
        milliseconds: performance.now() - began,
        isComplete: response.writableFinished,
        principalId: (request as RequestWithPrincipal).principal?.id ?? null,
        trace,
      };
      for (const listener of this.listeners) listener(served);
    });
    next();
  };
}
