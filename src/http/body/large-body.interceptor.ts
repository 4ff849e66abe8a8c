import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { readLargeBody, type RequestWithRawBody } from './json-body.js';

/** Interceptors run behind the guards: by now the caller is known, permitted and within the rate limit. */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    await readLargeBody(http.getRequest<RequestWithRawBody>(), http.getResponse<Response>());
    return next.handle();
  }
}
