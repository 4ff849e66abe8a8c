import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { asDomainError } from '../../common/errors/database-error.js';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { sendErrorResponse } from './error-response.js';

/** Renders every error, from handlers, guards, middleware and unknown routes alike. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly log = new Logger('Request');

  constructor(private readonly clock: Clock) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = classify(thrown);
    if (error.isFailure) this.report(request, error, thrown);
    if (response.headersSent) {
      response.destroy(); // the status has been sent; only a closed connection still signals the failure
      return;
    }
    sendErrorResponse(response, error, this.clock.now());
  }

  /** Never logs bodies, queries or headers, which can hold secrets. */
  private report(request: Request, error: DomainError, thrown: unknown): void {
    const cause = thrown instanceof DomainError ? thrown.cause : thrown;
    const route = `${request.method} ${request.route ? String((request.route as { path: unknown }).path) : ''}`;
    this.log.error({ msg: `${route}: ${error.code}`, code: error.code, err: cause });
  }
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
