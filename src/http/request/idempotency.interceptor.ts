import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { EnvelopedResponse } from '../response/enveloped-response.js';
import { IdempotencyResults, type Result } from './idempotency-results.js';
import { keyedRequest, nameOf, type KeyedRequest } from './keyed-request.js';

const REPLAYED_HEADER = 'Idempotency-Replayed';

/** A request with an Idempotency-Key is done once, however often it is sent. See the README beside. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** Keyed requests that run in this process; other processes are kept out by the claim. */
  private readonly running = new Set<string>();

  constructor(
    private readonly reflector: Reflector,
    private readonly unitOfWork: UnitOfWork,
    private readonly results: IdempotencyResults,
    private readonly meters: Meters,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule?.idempotent) return next.handle();
    const http = context.switchToHttp();
    const request = keyedRequest(http.getRequest<RequestWithPrincipal>());
    if (!request) return next.handle();
    return from(this.once(request, http.getResponse<Response>(), () => lastValueFrom(next.handle())));
  }

  private async once(
    request: KeyedRequest,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<EnvelopedResponse<unknown>> {
    const earlier = await this.results.find(request);
    if (earlier) return this.replay(earlier, response);
    const name = nameOf(request);
    if (this.running.has(name)) fail('IDEMPOTENCY_IN_PROGRESS');
    this.running.add(name);
    try {
      return await this.first(request, response, handle);
    } finally {
      this.running.delete(name);
    }
  }

  private async first(
    request: KeyedRequest,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<EnvelopedResponse<unknown>> {
    let meanwhile: Result | undefined;
    try {
      return await this.unitOfWork.runIdempotent(async () => asAnswer(await handle()), {
        begin: async (tx) => {
          meanwhile = await this.results.claim(tx, request);
          if (meanwhile) throw new Error('done meanwhile'); // nothing is to be done any more
        },
        complete: (tx, answer) => this.results.store(tx, request, { status: response.statusCode, answer }),
      });
    } catch (error) {
      if (meanwhile) return this.replay(meanwhile, response);
      throw error;
    }
  }

  private replay({ status, answer }: Result, response: Response): EnvelopedResponse<unknown> {
    this.meters.count('idempotency-replay');
    response.status(status).setHeader(REPLAYED_HEADER, 'true');
    return answer;
  }
}

function asAnswer(result: unknown): EnvelopedResponse<unknown> {
  return result instanceof EnvelopedResponse
    ? (result as EnvelopedResponse<unknown>)
    : new EnvelopedResponse(result);
}
