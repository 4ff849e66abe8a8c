import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { asDomainError } from '../../common/errors/database-error.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { throwError } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { asEnveloped, type EnvelopedResponse } from '../response/enveloped-response.js';
import { IdempotencyRepository, type IdempotencyResult } from './idempotency.repository.js';
import { idempotentRequestOf, lockNameOf, type IdempotentRequest } from './idempotent-request.js';

/** A request with an Idempotency-Key, its response, and the handler of the route. */
interface KeyedCall {
  readonly request: IdempotentRequest;
  readonly response: Response;
  readonly handle: () => Promise<unknown>;
}

/**
 * Executes a request with an Idempotency-Key once; repeated requests get the stored response. The README in this folder
 * explains the transaction.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** The lock names of the requests that run in this process. The lock excludes requests of other processes. */
  private readonly running = new Set<string>();

  constructor(
    private readonly reflector: Reflector,
    private readonly unitOfWork: UnitOfWork,
    private readonly results: IdempotencyRepository,
    private readonly meters: Meters,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule?.idempotent) return next.handle();
    const http = context.switchToHttp();
    const request = idempotentRequestOf(http.getRequest<RequestWithPrincipal>());
    if (!request) return next.handle();
    const handle = () => lastValueFrom(next.handle());
    const call = { request, response: http.getResponse<Response>(), handle };
    return from(rule.idempotent === 'in-transaction' ? this.handleOnce(call) : this.lookUpFirst(call));
  }

  private async lookUpFirst(call: KeyedCall): Promise<EnvelopedResponse<unknown>> {
    const stored = await this.results.findResult(call.request);
    return stored ? this.replay(stored, call.response) : this.handleOnce(call);
  }

  private async handleOnce(call: KeyedCall): Promise<EnvelopedResponse<unknown>> {
    try {
      return await this.execute(call);
    } catch (error) {
      // A repeated request fails because its key is used, or because of changes that the first request has made. If the database does
      // not answer, it would not answer the look-up either.
      const { code } = (asDomainError(error) ?? error) as { code?: string };
      const isUnavailable = code === 'SERVICE_UNAVAILABLE';
      const stored = isUnavailable ? undefined : await this.results.findResult(call.request);
      if (!stored) throw error;
      return this.replay(stored, call.response);
    }
  }

  private async execute({ request, response, handle }: KeyedCall): Promise<EnvelopedResponse<unknown>> {
    const name = lockNameOf(request);
    if (this.running.has(name)) throwError('IDEMPOTENCY_IN_PROGRESS');
    this.running.add(name);
    try {
      return await this.unitOfWork.runIdempotent(async () => asEnveloped(await handle()), {
        claim: this.results.claimOf(request),
        storeResponse: (tx, answer) =>
          this.results.insertResult(tx, request, { status: response.statusCode, answer }),
      });
    } finally {
      this.running.delete(name);
    }
  }

  private replay({ status, answer }: IdempotencyResult, response: Response): EnvelopedResponse<unknown> {
    this.meters.count('idempotency-replay');
    response.status(status).setHeader('Idempotency-Replayed', 'true');
    return answer;
  }
}
