import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { from, mergeMap, type Observable } from 'rxjs';
import { fail } from '../../common/errors/domain-error.js';
import { mayHaveBody, readBody, type RequestWithRawBody } from './body-reader.js';
import { unknownField } from './unknown-field.js';

/** Nest's metadata has a key `<type>:<index>` for each handler parameter; these types give access to the body. */
const BODY_PARAMETERS = [RouteParamtypes.BODY, RouteParamtypes.REQUEST].map((type) => `${type}:`);

/**
 * Parses the body and reports its errors. Interceptors run after the guards, so that callers without permission or above the
 * rate limit get those refusals first. On a route that takes no body every field is an unknown field.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RequestWithRawBody>();
    if (!mayHaveBody(request)) return next.handle();
    const parsing = readBody(request).then((body) => {
      if (body !== undefined && !readsBody(context)) requireEmptyObject(body);
      request.body = body ?? {};
    });
    return from(parsing).pipe(mergeMap(() => next.handle()));
  }
}

function readsBody(context: ExecutionContext): boolean {
  const handler = context.getHandler().name;
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler) as
    object | undefined;
  return Object.keys(parameters ?? {}).some((key) =>
    BODY_PARAMETERS.some((prefix) => key.startsWith(prefix)),
  );
}

function requireEmptyObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    fail('VALIDATION_ERROR', [{ field: 'body', message: 'must be an object' }]);
  const fields = Object.keys(body);
  if (fields.length > 0) fail('VALIDATION_ERROR', fields.map(unknownField));
}
