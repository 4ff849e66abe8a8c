import { of } from 'rxjs';
import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { PageCursors } from './page-cursors.js';
import { RequestInterceptor } from './request.interceptor.js';

const refusal = expect.objectContaining({ code: 'VALIDATION_ERROR' });

/** The handler of a controller whose parameters have these keys in Nest's metadata. */
function contextOf(keys: readonly string[], request: object): ExecutionContext {
  class Controller {
    handle(this: void): void {}
  }
  const parameters = Object.fromEntries(keys.map((key) => [key, { index: 0 }]));
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, parameters, Controller, 'handle');
  return {
    getClass: () => Controller,
    getHandler: () => Controller.prototype.handle,
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext;
}

describe('The request interceptor', () => {
  const cursors = { readCursor: ({ query }: { query: object }) => query } as unknown as PageCursors;
  const request = () => ({ url: '/?unknown=1', method: 'GET', headers: {}, query: { unknown: '1' } });
  const intercept = (keys: readonly string[]) =>
    new RequestInterceptor(new Reflector(), cursors).intercept(contextOf(keys, request()), {
      handle: () => of('answer'),
    });

  it('refuses every parameter on a route without a query, also if the random key of a custom decorator begins with the number of queries', () => {
    expect(() => intercept([])).toThrow(refusal);
    expect(() => intercept(['4a91b0__customRouteArgs__:0'])).toThrow(refusal);
  });

  it('leaves the parameters of a route that takes a query to the validation', () => {
    expect(() => intercept(['4:0'])).not.toThrow();
  });
});
