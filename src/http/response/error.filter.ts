import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { asDomainError } from '../../common/errors/database-error.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { sendErrorResponse } from './error-response.js';

const log = new Logger('Request');

/** Renders every error, from handlers, guards, middleware and unknown routes alike. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly clock: Clock) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = classifyAndReport(request, thrown);
    if (response.headersSent) {
      response.destroy(); // the status has been sent; only a closed connection still signals the failure
      return;
    }
    sendErrorResponse(response, error, this.clock.now());
  }
}

/** The error as the caller sees it. Logs a failure of the service; never bodies, queries or headers, which can hold secrets. */
export function classifyAndReport(request: Request, thrown: unknown): DomainError {
  const error = classify(thrown);
  if (error.isFailure) {
    const cause = thrown instanceof DomainError ? thrown.cause : thrown;
    const route = `${request.method} ${request.route ? String((request.route as { path: unknown }).path) : ''}`;
    log.error({ msg: `${route}: ${error.code}`, code: error.code, err: cause });
  }
  return error;
}

function classify(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof HttpException) return errorOfStatus(thrown.getStatus());
  if (thrown instanceof URIError) return errorOfStatus(400);
  return asDomainError(thrown) ?? new DomainError('INTERNAL_SERVER_ERROR');
}

/** An error of Nest or Express, whose message is not shown to the caller. */
function errorOfStatus(status: number): DomainError {
  if (status === 404) return new DomainError('NOT_FOUND');
  if (status < 500)
    return new DomainError('VALIDATION_ERROR', [{ field: 'request', message: 'could not be read' }]);
  return new DomainError('INTERNAL_SERVER_ERROR');
}
