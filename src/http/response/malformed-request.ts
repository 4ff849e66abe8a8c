import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { newTrace } from '../../observability/tracing/trace.js';
import { errorResponseOf } from './error-response.js';

const TAKEN_WITHIN_MS = 1000;

interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/**
 * What can not be read as HTTP reaches no route: Node answers it with a bare status. Here it is answered as any other
 * refusal, and the connection is closed, since nobody knows where its next request would begin.
 */
export function answerMalformedRequests(server: Server, clock: Clock): void {
  const inWork = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    inWork.set(socket, response);
    response.once('close', () => inWork.delete(socket));
  });
  server.on('clientError', (problem: ClientError, socket: Duplex) => {
    const response = inWork.get(socket);
    // It must neither stand in the middle of another answer nor be taken for the answer to a request that came whole.
    const isAnother = response !== undefined && (response.headersSent || response.req.complete);
    if (!socket.writable || problem.code === 'ECONNRESET' || isAnother) {
      socket.destroy();
      return;
    }
    const answer = written(refusalOf(problem.code), clock.now());
    const isHead = problem.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    socket.end(isHead ? answer.slice(0, answer.indexOf('\r\n\r\n') + 4) : answer);
    setTimeout(() => socket.destroy(), TAKEN_WITHIN_MS).unref(); // whoever does not close holds nothing
  });
  // What else than 100-continue is expected of us may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
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

function written(error: DomainError, at: Date): string {
  const trace = newTrace();
  const body = JSON.stringify(errorResponseOf(error, at, trace));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    "Content-Security-Policy: default-src 'none';base-uri 'none';frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    `traceparent: 00-${trace.traceId}-${trace.spanId}-01`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
