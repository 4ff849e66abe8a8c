import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CorsPolicy } from '../../../src/http/response/cors.js';
import { trackOpenResponses } from '../../../src/http/resilience/open-responses.js';
import { answerMalformedRequests } from '../../../src/http/response/malformed-request.js';
import { FrozenClock } from '../../../src/common/clock.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { HostileRequest } from './hostile-request.js';
import { responseErrors } from './response-check.js';
import { operationsOf, type Operation } from './operations.js';
import { Sender } from './sender.js';
import { ATTACKS } from './attack-runner.js';

// Runs the attacks against servers with one fault each, which the response check must report. A correct server, which
// refuses every request in the envelope, must pass.

const FAILURE = {
  type: 'object',
  required: ['success', 'error'],
  properties: { error: { type: 'object', properties: { code: { enum: ['VALIDATION_ERROR'] } } } },
};
const RESPONSES = {
  '400': { headers: { traceparent: {} }, content: { 'application/json': { schema: FAILURE } } },
};
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const SEARCH = { name: 'search', in: 'query', schema: { type: 'string' } };
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

const DOCUMENT = {
  components: { schemas: {} },
  paths: {
    '/api/things/{id}': {
      get: { parameters: [ID, SEARCH], responses: RESPONSES },
      put: {
        parameters: [ID],
        requestBody: { content: { 'application/json': { schema: NAME } } },
        responses: RESPONSES,
      },
    },
  },
} as unknown as OpenAPIObject;

interface ReceivedRequest {
  url: string;
  /** Equals `url` if that cannot be decoded. */
  decodedUrl: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Responds with a fault, or returns false to leave the request to the correct server. */
type FaultyServer = (request: ReceivedRequest, response: ServerResponse) => boolean;

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json; charset=utf-8',
};

function refuse(response: ServerResponse, status = 400, code = 'VALIDATION_ERROR', message = 'No.'): boolean {
  response.writeHead(status, SECURITY_HEADERS);
  response.end(JSON.stringify({ success: false, error: { code, message } }));
  return true;
}

/** The message of the JSON parser; undefined for valid JSON. */
function parserError(body: string): string | undefined {
  try {
    JSON.parse(body || '{}');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const FAULTY_SERVERS: [fault: string, expectedError: RegExp, faultyServer: FaultyServer][] = [
  [
    'fails on a null byte in a body',
    /^status 500/,
    ({ body }, response) => body.includes('\\u0000') && refuse(response, 500),
  ],
  [
    'fails on a null byte in a URL',
    /^status 500/,
    ({ decodedUrl }, response) => decodedUrl.includes('\0') && refuse(response, 500),
  ],
  [
    'fails on a lone surrogate',
    /^status 500/,
    ({ body }, response) => body.includes('\\ud800') && refuse(response, 500),
  ],
  [
    'fails on a large number',
    /^status 500/,
    ({ body }, response) => /:-?\d{19}/.test(body) && refuse(response, 500),
  ],
  [
    'fails on a prototype name in a URL',
    /^status 500/,
    ({ url }, response) => url.includes('__proto__') && refuse(response, 500),
  ],
  [
    'is overloaded',
    /^status 503 with Retry-After/,
    ({ body }, response) => body.length > 90_000 && refuse(response.setHeader('retry-after', '1'), 503),
  ],
  [
    'answers 503 with data',
    /^status 503/,
    (_, response) => {
      response.writeHead(503, SECURITY_HEADERS).end('{"success":true,"data":{}}');
      return true;
    },
  ],
  ['never answers to deeply nested JSON', /no answer in time/, ({ body }) => body.startsWith('[[[[')],
  [
    'closes the connection',
    /incomplete response/,
    ({ body }, response) => body.includes('__proto__') && !!response.destroy(),
  ],
  [
    'reveals the message of the parser',
    /internal details: .*JSON/,
    ({ body }, response) => {
      const problem = parserError(body);
      return problem !== undefined && refuse(response, 400, 'VALIDATION_ERROR', problem);
    },
  ],
  [
    'reveals SQL',
    /internal details: select/i,
    ({ decodedUrl }, response) =>
      decodedUrl.includes("'") &&
      refuse(response, 400, 'VALIDATION_ERROR', 'select name from things where id = $1'),
  ],
  [
    'reveals a stack trace',
    /internal details: \\n +at/,
    ({ decodedUrl }, response) =>
      decodedUrl.includes('..') && refuse(response, 400, 'VALIDATION_ERROR', new Error('x').stack),
  ],
  [
    'echoes the URL',
    /echoes/,
    ({ url }, response) => refuse(response, 400, 'VALIDATION_ERROR', `Not found: ${url}`),
  ],
  [
    "answers with the framework's own error format",
    /not in the envelope/,
    ({ body }, response) => {
      if (parserError(body) === undefined) return false;
      response
        .writeHead(400, { ...SECURITY_HEADERS, 'content-type': 'text/html' })
        .end('<pre>Bad Request</pre>');
      return true;
    },
  ],
  ['answers with an unknown code', /not in the envelope/, (_, response) => refuse(response, 400, 'OOPS')],
  [
    'answers with a code that the route does not document',
    /does not match the OpenAPI document/,
    (_, response) => refuse(response, 400, 'INVALID_AMOUNT'),
  ],
  [
    'answers with a status that the route does not document',
    /does not list/,
    ({ body }, response) => body.length > 100_000 && refuse(response, 413, 'PAYLOAD_TOO_LARGE'),
  ],
  [
    'copies a header from the URL',
    /a header was injected/,
    ({ decodedUrl }, response) =>
      decodedUrl.includes('\r\nX-Injected') && refuse(response.setHeader('x-injected', '1')),
  ],
  [
    'echoes a header',
    /the header [\w-]+ echoes/,
    ({ headers }, response) => refuse(response.setHeader('traceparent', headers.traceparent ?? '')),
  ],
  [
    'permits caching of error responses',
    /cache-control/,
    (_, response) => {
      response.setHeader('content-type', SECURITY_HEADERS['content-type']);
      response.writeHead(400).end('{"success":false,"error":{"code":"VALIDATION_ERROR","message":"No."}}');
      return true;
    },
  ],
];

describe('The check of responses to hostile input', () => {
  const clock = new FrozenClock(new Date('2026-03-02T10:00:00.000Z'));
  const operations = operationsOf(DOCUMENT);
  const contract = new OpenApiContract(DOCUMENT);
  let server: Server;

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function serve(faultyServer: FaultyServer, answersMalformedRequests = true): Promise<string> {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        const body = Buffer.concat(chunks).toString();
        if (!faultyServer({ url, decodedUrl: decodedOrEqual(url), headers, body }, response))
          refuse(response);
      });
    });
    if (answersMalformedRequests) {
      trackOpenResponses(server);
      answerMalformedRequests(server, clock, new CorsPolicy([]));
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Sends each attack to each operation three times, or until an error matches; returns the errors. */
  async function errorsAt(url: string, limitMs?: number, until?: RegExp): Promise<string[]> {
    const sender = new Sender(url, limitMs);
    const random = new SeededRandom(1);
    const context = (operation: Operation) => ({
      operation,
      random: random.fork(),
      token: undefined,
      existingId: () => undefined,
    });
    const queue = [1, 2, 3].flatMap(() =>
      operations.flatMap((operation) =>
        ATTACKS.filter(({ fits = () => true }) => fits(operation)).map((attack): HostileRequest => ({
          number: 0,
          attack: attack.name,
          operation,
          as: 'anonymous',
          ...attack.make(context(operation)),
        })),
      ),
    );
    const faults: string[] = [];
    const sendQueued = async (): Promise<void> => {
      for (let request = queue.shift(); request; request = queue.shift()) {
        faults.push(...responseErrors(request, await sender.send(request), contract));
        if (until && faults.some((fault) => until.test(fault))) queue.splice(0);
      }
    };
    await Promise.all(Array.from({ length: 32 }, sendQueued));
    sender.close();
    return faults;
  }

  it('reports nothing for a server that refuses every request in the envelope', async () => {
    expect(await errorsAt(await serve(() => false))).toEqual([]);
  });

  it.each(FAULTY_SERVERS)('reports a server that %s', async (_, expectedError, faultyServer) => {
    const faults = await errorsAt(await serve(faultyServer), 1_000, expectedError);
    expect(faults).toContainEqual(expect.stringMatching(expectedError));
  });

  it('reports a server that leaves responses to invalid HTTP to Node', async () => {
    expect(await errorsAt(await serve(() => false, false))).toContain('the refusal is not in the envelope');
  });
});

function decodedOrEqual(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
