import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * The middleware in this order as one layer of Express, whose router matches the path of each layer anew. For synchronous
 * middleware: a rejected promise would not reach the error handler.
 */
export function inSequence(...middleware: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const runFrom = (place: number): void => {
      const handler = middleware[place];
      if (!handler) return next();
      try {
        void handler(request, response, (error?: unknown) => (error ? next(error) : runFrom(place + 1)));
      } catch (error) {
        next(error);
      }
    };
    runFrom(0);
  };
}
