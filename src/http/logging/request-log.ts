import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

const log = new Logger('Request');

/** A line per answer: the route's pattern instead of the path, and nothing of what was sent. */
export function requestLog(request: Request, response: Response, next: NextFunction): void {
  const began = process.hrtime.bigint();
  response.once('finish', () => {
    const milliseconds = Number(process.hrtime.bigint() - began) / 1e6;
    log.debug({
      msg: `${request.method} ${response.statusCode}`,
      route: (request.route as { path?: string } | undefined)?.path ?? null,
      status: response.statusCode,
      milliseconds: Math.round(milliseconds * 10) / 10,
    });
  });
  next();
}
