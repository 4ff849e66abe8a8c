import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { isLargeBody, readLargeBody, type RequestWithRawBody } from './json-body.js';

/** Interceptors run behind the guards: by now the caller is known, permitted and within the rate limit. */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<RequestWithRawBody>();
    if (!isLargeBody(request)) return next.handle();
    return from(readLargeBody(request, http.getResponse<Response>())).pipe(mergeMap(() => next.handle()));
  }
}
