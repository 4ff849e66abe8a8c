import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { DomainError } from '../../../common/errors/domain-error.js';
import type { FieldProblem } from '../../../common/errors/error-details.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { classifyAndReport } from '../../../http/response/error.filter.js';
import { INVALID_REQUEST, limitExceeded, PARSE_ERROR, type RpcError } from './domain/rpc-messages.js';
import { answerWithError } from './rpc-proxy.service.js';

const TOO_MANY_REQUESTS = 429;

/**
 * Answers the errors of guards and of the body in JSON-RPC, for each call of the request. The status is 200, since wallet
 * libraries read no other, except for the rate limit.
 */
@Catch()
export class RpcErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<RequestWithRawBody>();
    const response = http.getResponse<Response>();
    const error = classifyAndReport(request, thrown);
    if (response.headersSent) {
      response.destroy(); // so that the client does not take the part that was sent for a complete answer
      return;
    }
    if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
    response.locals.isFailure = error.isFailure;
    response.status(error.status === TOO_MANY_REQUESTS ? TOO_MANY_REQUESTS : 200);
    response.type('json').send(answerWithError(request.rawBody, rpcErrorOf(error)));
  }
}

function rpcErrorOf(error: DomainError): RpcError {
  const { code, message, details } = error;
  const data = { code, ...(details ? { details } : {}) };
  switch (code) {
    case 'RATE_LIMIT_EXCEEDED':
      return { ...limitExceeded(message), data };
    case 'VALIDATION_ERROR':
      return isAboutBody(details) ? PARSE_ERROR : { ...INVALID_REQUEST, message, data };
    case 'PAYLOAD_TOO_LARGE':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return { ...INVALID_REQUEST, message, data };
    default:
      return { code: -32603, message, data };
  }
}

/** False for a query parameter, which the route does not take. */
function isAboutBody(details: object | undefined): boolean {
  const { fields = [] } = (details ?? {}) as { fields?: readonly FieldProblem[] };
  return fields.every(({ field }) => field === 'body');
}
