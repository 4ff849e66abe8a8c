import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { from, mergeMap, type Observable } from 'rxjs';
import { fail } from '../../common/errors/domain-error.js';
import { mayHaveBody, readBody, type RequestWithRawBody } from './body-reader.js';

/** Where a handler finds a body: in a DTO of it, or in the request itself. */
const READERS = [RouteParamtypes.BODY, RouteParamtypes.REQUEST].map((type) => `${type}:`);

/**
 * Reports errors of the body. Interceptors run after the guards, so that callers without permission, and callers above the
 * rate limit, get those refusals first. At a route without a body every field is an unknown field.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RequestWithRawBody>();
    if (!mayHaveBody(request)) return next.handle();
    const reading = readBody(request).then((body) => {
      if (body !== undefined && !hasReader(context)) requireNothing(body);
      request.body = body ?? {};
    });
    return from(reading).pipe(mergeMap(() => next.handle()));
  }
}

function hasReader(context: ExecutionContext): boolean {
  const handler = context.getHandler().name;
  const found = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler) as object | undefined;
  return Object.keys(found ?? {}).some((key) => READERS.some((reader) => key.startsWith(reader)));
}

function requireNothing(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    fail('VALIDATION_ERROR', [{ field: 'body', message: 'must be an object' }]);
  const fields = Object.keys(body);
  if (fields.length > 0)
    fail(
      'VALIDATION_ERROR',
      fields.map((field) => ({ field, message: 'is not a known field' })),
    );
}
