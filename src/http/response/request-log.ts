import { Logger } from '@nestjs/common';
import { isApart, type ServedRequest } from './served-requests.js';

const log = new Logger('Request');

/** A line per request: the route's template instead of the path, and nothing of what was sent. */
export function logRequest(served: ServedRequest): void {
  const { method, route, status, milliseconds, isComplete, principalId, trace } = served;
  const line = {
    msg: `${method} ${status}`,
    method,
    route,
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    principalId,
    ...(isComplete ? {} : { brokenOff: true }),
    ...trace,
  };
  if (isApart(served)) log.debug(line);
  else log.log(line);
}
