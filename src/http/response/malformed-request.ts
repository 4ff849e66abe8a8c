import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { openResponsesOf } from '../resilience/open-responses.js';
import type { CorsPolicy } from './cors.js';
import { renderErrorResponse } from './raw-error-response.js';

const CLOSE_TIMEOUT_MS = 1000;
const ORIGIN = /\r\norigin:[ \t]*(\S+)[ \t]*\r\n/i;

interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/**
 * Answers requests that are not valid HTTP with the usual error envelope; Node alone would send a bare status. Closes the
 * connection, since the beginning of its next request is unknown.
 */
export function answerMalformedRequests(server: Server, clock: Clock, cors: CorsPolicy): void {
  server.on('clientError', (problem: ClientError, socket: Duplex) => {
    const response = openResponsesOf(socket).at(-1);
    // The error must not be written into another response, nor be read as the response to an earlier, complete request.
    const belongsToOther = response !== undefined && (response.headersSent || response.req.complete);
    if (!socket.writable || problem.code === 'ECONNRESET' || belongsToOther) {
      socket.destroy();
      return;
    }
    const origin = response ? response.req.headers.origin : originIn(problem.rawPacket);
    const message = renderErrorResponse(
      refusalOf(problem.code),
      clock.now(),
      Object.fromEntries(cors.headersFor(origin)),
    );
    const isHead = problem.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    socket.end(isHead ? message.slice(0, message.indexOf('\r\n\r\n') + 4) : message);
    setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref(); // clients that do not close their side
  });
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** The origin of a request whose headers Node did not finish to parse, if it stands in the bytes that arrived last. */
function originIn(bytes: Buffer | undefined): string | undefined {
  return bytes && ORIGIN.exec(bytes.toString('latin1'))?.[1];
}

function refusalOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return refusal(431, 'its address or its headers are too long');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new DomainError('PAYLOAD_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal(408, 'did not come in time');
  return refusal(400, 'could not be read');
}

function refusal(status: number, message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', [{ field: 'request', message }], { status });
}
