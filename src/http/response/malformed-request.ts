import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { openResponsesOf } from '../resilience/open-responses.js';
import type { CorsPolicy } from './cors.js';
import { renderErrorResponse } from './raw-error-response.js';

const CLOSE_TIMEOUT_MS = 1000;
const ORIGIN_HEADER = /\r\norigin:[ \t]*(\S+)[ \t]*\r\n/i;

interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/**
 * Answers requests that Node cannot parse with the error envelope, since the response of Node has no body. Closes the
 * connection, since the beginning of its next request is unknown.
 */
export function answerMalformedRequests(server: Server, clock: Clock, cors: CorsPolicy): void {
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const response = openResponsesOf(socket).at(-1);
    // The error must not be written into a response that has begun, nor be read as the response to an earlier, complete request.
    const mustNotAnswer = response !== undefined && (response.headersSent || response.req.complete);
    // A client that has sent nothing, such as a pool that opens connections in advance, would read the answer as that to its next request.
    const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
    if (!socket.writable || error.code === 'ECONNRESET' || mustNotAnswer || isSilent) {
      socket.destroy();
      return;
    }
    const origin = response ? response.req.headers.origin : originIn(error.rawPacket);
    const message = renderErrorResponse(
      refusalOf(error.code),
      clock.now(),
      Object.fromEntries(cors.headersFor(origin)),
    );
    const isHead = response ? response.req.method === 'HEAD' : startsWithHead(error.rawPacket);
    socket.end(isHead ? message.slice(0, message.indexOf('\r\n\r\n') + 4) : message);
    setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref(); // the client may keep its side open
  });
  // Ignores expectations other than 100-continue, which Node would answer with a bare 417 (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** The header Origin of a request whose headers Node could not parse, if the packet that arrived last contains it. */
function originIn(packet: Buffer | undefined): string | undefined {
  return packet && ORIGIN_HEADER.exec(packet.toString('latin1'))?.[1];
}

function startsWithHead(packet: Buffer | undefined): boolean {
  return packet?.toString('latin1', 0, 5) === 'HEAD ';
}

function refusalOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return refusal(431, 'must have a shorter address or shorter headers');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new DomainError('PAYLOAD_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal(408, 'did not arrive in time; send it again');
  return refusal(400, 'must be valid HTTP/1.1');
}

function refusal(status: number, message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', [{ field: 'request', message }], { status });
}
