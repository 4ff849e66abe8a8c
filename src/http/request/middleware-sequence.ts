import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Combines middleware, called in this order, into one layer of Express, because the router matches the path again for each
 * layer. Errors and rejected promises reach the error handler, as those of a layer do.
 */
export function inSequence(...middleware: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const runFrom = (index: number): void => {
      const handler = middleware[index];
      if (!handler) return next();
      try {
        const running: unknown = handler(request, response, (error?: unknown) =>
          error ? next(error) : runFrom(index + 1),
        );
        if (running instanceof Promise) running.catch(next);
      } catch (error) {
        next(error);
      }
    };
    runFrom(0);
  };
}
