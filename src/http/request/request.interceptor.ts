import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import { from, mergeMap, type Observable } from 'rxjs';
import { throwError } from '../../common/errors/domain-error.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { mayHaveBody, readBody, type RequestWithRawBody } from './body-reader.js';
import { PageCursors } from './page-cursors.js';
import { unknownField } from './unknown-field.js';

/** Nest's metadata has a key `<type>:<index>` for each handler parameter; the request gives access to the body, too. */
const BODY_PARAMETERS = [RouteParamtypes.BODY, RouteParamtypes.REQUEST];
const QUERY_PARAMETERS = [RouteParamtypes.QUERY];

/**
 * Reads the cursor of a list, parses the body and reports its errors. Interceptors run after the guards, so that callers without
 * permission or above the rate limit get those refusals first. On a route that takes no body every field is an unknown field, and on one that takes no
 * query every parameter. `RequestPipe` refuses the unknown ones of the other routes.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly cursors: PageCursors,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RequestWithRawBody>();
    if (request.url.includes('?')) this.requireKnownParameters(context, request.query);
    if (takes(context, QUERY_PARAMETERS))
      Object.defineProperty(request, 'query', { value: this.cursors.readCursor(request) });
    if (!mayHaveBody(request)) return next.handle();
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    const parsing = readBody(request, rule?.body === 'any-type').then((body) => {
      if (body !== undefined && !takes(context, BODY_PARAMETERS)) requireEmptyObject(body);
      request.body = body ?? {};
    });
    return from(parsing).pipe(mergeMap(() => next.handle()));
  }

  private requireKnownParameters(context: ExecutionContext, query: object): void {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule?.ignoresQuery && !takes(context, QUERY_PARAMETERS)) requireNoFields(query);
  }
}

function takes(context: ExecutionContext, types: readonly RouteParamtypes[]): boolean {
  const handler = context.getHandler().name;
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler) as
    object | undefined;
  return Object.keys(parameters ?? {}).some((key) => types.some((type) => key.startsWith(`${type}:`)));
}

function requireEmptyObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throwError('VALIDATION_ERROR', [{ field: 'body', message: 'must be an object' }]);
  requireNoFields(body);
}

function requireNoFields(input: object): void {
  const names = Object.keys(input);
  if (names.length > 0) throwError('VALIDATION_ERROR', names.map(unknownField));
}
