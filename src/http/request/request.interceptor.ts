import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { Reflector } from '@nestjs/core';
import { from, mergeMap, type Observable } from 'rxjs';
import { throwError } from '../../common/errors/domain-error.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { mayHaveBody, readBody, type RequestWithRawBody } from './body-reader.js';
import { PageCursors } from './page-cursors.js';
import { unknownField } from './unknown-field.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** Which parts of a request a handler has as parameters. */
interface Taken {
  readonly body: boolean;
  readonly query: boolean;
}

/**
 * Reads the cursor of a list, parses the body and reports its errors. Interceptors run after the guards, so that callers without
 * permission or above the rate limit get those refusals first. Refuses every field on a route that takes no body, and every parameter
 * on a route that takes no query; on other routes `RequestPipe` refuses unknown fields and parameters.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  private readonly takenByHandler = new Map<Handler, Taken>();

  constructor(
    private readonly reflector: Reflector,
    private readonly cursors: PageCursors,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RequestWithRawBody>();
    const taken = this.takenBy(context);
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!taken.query && request.url.includes('?') && !rule?.ignoresQuery) requireNoFields(request.query);
    if (taken.query) Object.defineProperty(request, 'query', { value: this.cursors.readCursor(request) });
    if (!mayHaveBody(request)) return next.handle();
    const parsing = readBody(request, rule?.body === 'any-type').then((body) => {
      if (body !== undefined && !taken.body) requireEmptyObject(body);
      request.body = body ?? {};
    });
    return from(parsing).pipe(mergeMap(() => next.handle()));
  }

  private takenBy(context: ExecutionContext): Taken {
    const handler = context.getHandler();
    const known = this.takenByHandler.get(handler);
    if (known) return known;
    const taken = parametersOf(context.getClass(), handler);
    this.takenByHandler.set(handler, taken);
    return taken;
  }
}

/**
 * Nest's metadata has a key `<type>:<index>` for each handler parameter; the request gives access to the body, too. The keys of custom
 * decorators begin with random hexadecimal digits, which can be those of a type; the colon tells them apart.
 */
function parametersOf(controller: Type, handler: Handler): Taken {
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name);
  const keys = Object.keys(parameters ?? {});
  const has = (type: RouteParamtypes) => keys.some((key) => key.startsWith(`${type}:`));
  return {
    body: has(RouteParamtypes.BODY) || has(RouteParamtypes.REQUEST),
    query: has(RouteParamtypes.QUERY),
  };
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
