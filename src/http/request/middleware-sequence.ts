import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * The middleware in this order as one layer of Express, whose router matches the path of each layer anew. Errors and rejected
 * promises reach the error handler, as those of a layer do.
 */
export function inSequence(...middleware: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const runFrom = (place: number): void => {
      const handler = middleware[place];
      if (!handler) return next();
      try {
        const running: unknown = handler(request, response, (error?: unknown) =>
          error ? next(error) : runFrom(place + 1),
        );
        if (running instanceof Promise) running.catch(next);
      } catch (error) {
        next(error);
      }
    };
    runFrom(0);
  };
}
