import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenAPIObject } from '@nestjs/swagger';
import { answerMalformedRequests } from '../../../src/http/response/malformed-request.js';
import { FrozenClock } from '../../../src/common/clock.js';
import { OpenApiContract } from '../../harness/contract.js';
import { SeededRandom } from '../../harness/seeded-random.js';
import type { HostileRequest } from './hostile-request.js';
import { faultsOf } from './judge.js';
import { faultsOfLedger, type LedgerSeen, type Sent } from './ledger-watch.js';
import { operationsOf, type Operation } from './operations.js';
import { Sender } from './send.js';
import { ATTACKS } from './siege.js';

// The attacks and the judge against careless servers: each carelessness must be found, or the runs that find nothing
// tell nothing. A careful server, which refuses everything in the envelope, must pass.

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

interface Seen {
  url: string;
  /** The URL without its percent signs, where that can be done. */
  text: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Answers itself, or leaves the request to the careful server. */
type Careless = (seen: Seen, response: ServerResponse) => boolean;

const PROTECTED = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json; charset=utf-8',
};

function refuse(response: ServerResponse, status = 400, code = 'VALIDATION_ERROR', message = 'No.'): boolean {
  response.writeHead(status, PROTECTED);
  response.end(JSON.stringify({ success: false, error: { code, message } }));
  return true;
}

function parserText(body: string): string | undefined {
  try {
    JSON.parse(body || '{}');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const CARELESS: [what: string, found: RegExp, lockFreeBuild: Careless][] = [
  [
    'fails on a null byte in a body',
    /^status 500/,
    ({ body }, to) => body.includes('\\u0000') && refuse(to, 500),
  ],
  [
    'fails on a null byte in an address',
    /^status 500/,
    ({ text }, to) => text.includes('\0') && refuse(to, 500),
  ],
  ['fails on half a character', /^status 500/, ({ body }, to) => body.includes('\\ud800') && refuse(to, 500)],
  ['fails on a large number', /^status 500/, ({ body }, to) => /:-?\d{19}/.test(body) && refuse(to, 500)],
  ['fails on a far page', /^status 500/, ({ url }, to) => url.includes('__proto__') && refuse(to, 500)],
  [
    'is overloaded',
    /^status 503 with Retry-After/,
    ({ body }, to) => body.length > 90_000 && refuse(to.setHeader('retry-after', '1'), 503),
  ],
  ['never answers to deep JSON', /no answer in time/, ({ body }) => body.startsWith('[[[[')],
  ['cuts the connection', /no whole answer/, ({ body }, to) => body.includes('__proto__') && !!to.destroy()],
  [
    'tells what the parser says',
    /inside: .*JSON/,
    ({ body }, to) => {
      const problem = parserText(body);
      return problem !== undefined && refuse(to, 400, 'VALIDATION_ERROR', problem);
    },
  ],
  [
    'shows its SQL',
    /inside: select/i,
    ({ text }, to) =>
      text.includes("'") && refuse(to, 400, 'VALIDATION_ERROR', 'select name from things where id = $1'),
  ],
  [
    'shows its stack',
    /inside: \\n +at/,
    ({ text }, to) => text.includes('..') && refuse(to, 400, 'VALIDATION_ERROR', new Error('x').stack),
  ],
  ['echoes the address', /echoes/, ({ url }, to) => refuse(to, 400, 'VALIDATION_ERROR', `Not found: ${url}`)],
  [
    'answers as its framework does',
    /not in the envelope/,
    ({ body }, to) => {
      if (parserText(body) === undefined) return false;
      to.writeHead(400, { ...PROTECTED, 'content-type': 'text/html' }).end('<pre>Bad Request</pre>');
      return true;
    },
  ],
  ['has a code of its own', /not in the envelope/, (_, to) => refuse(to, 400, 'OOPS')],
  [
    'has a code that the route does not list',
    /not what the OpenAPI document says/,
    (_, to) => refuse(to, 400, 'INVALID_AMOUNT'),
  ],
  [
    'has a status that the route does not list',
    /does not name/,
    ({ body }, to) => body.length > 100_000 && refuse(to, 413, 'PAYLOAD_TOO_LARGE'),
  ],
  [
    'takes a header out of the address',
    /a header was injected/,
    ({ text }, to) => text.includes('\r\nX-Injected') && refuse(to.setHeader('x-injected', '1')),
  ],
  [
    'sends a header back',
    /came back in the header/,
    ({ headers }, to) => refuse(to.setHeader('traceparent', headers.traceparent ?? '')),
  ],
  [
    'lets refusals be cached',
    /cache-control/,
    (_, to) => {
      to.setHeader('content-type', PROTECTED['content-type']);
      to.writeHead(400).end('{"success":false,"error":{"code":"VALIDATION_ERROR","message":"No."}}');
      return true;
    },
  ],
];

describe('The judge of answers to bad input', () => {
  const clock = new FrozenClock(new Date('2026-03-02T10:00:00.000Z'));
  const operations = operationsOf(DOCUMENT);
  const contract = new OpenApiContract(DOCUMENT);
  let server: Server;

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function serve(lockFreeBuild: Careless, isBare = false): Promise<string> {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        const seen = { url, text: unescaped(url), headers, body: Buffer.concat(chunks).toString() };
        if (!lockFreeBuild(seen, response)) refuse(response);
      });
    });
    if (!isBare) answerMalformedRequests(server, clock);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Each attack on each operation, thrice, or until a fault matches; answers what is wrong. */
  async function faultsAt(url: string, limitMs?: number, until?: RegExp): Promise<string[]> {
    const sender = new Sender(url, limitMs);
    const random = new SeededRandom(1);
    const means = (operation: Operation) => ({
      operation,
      random: random.fork(),
      token: undefined,
      realId: () => undefined,
    });
    const requests = [1, 2, 3].flatMap(() =>
      operations.flatMap((operation) =>
        ATTACKS.filter(({ fits = () => true }) => fits(operation)).map((attack): HostileRequest => ({
          number: 0,
          attack: attack.name,
          operation,
          as: 'nobody',
          ...attack.make(means(operation)),
        })),
      ),
    );
    const faults: string[] = [];
    const next = async (): Promise<void> => {
      for (let one = requests.shift(); one; one = requests.shift()) {
        faults.push(...faultsOf(one, await sender.send(one), contract));
        if (until && faults.some((fault) => until.test(fault))) requests.splice(0);
      }
    };
    await Promise.all(Array.from({ length: 32 }, next));
    sender.close();
    return faults;
  }

  it('finds nothing at a server that refuses everything in the envelope', async () => {
    expect(await faultsAt(await serve(() => false))).toEqual([]);
  });

  it.each(CARELESS)('finds a server that %s', async (_, found, lockFreeBuild) => {
    const faults = await faultsAt(await serve(lockFreeBuild), 1_000, found);
    expect(faults.find((fault) => found.test(fault))).toBeDefined();
  });

  it('finds a server that leaves what is no HTTP to Node', async () => {
    expect(await faultsAt(await serve(() => false, true))).toContain('the refusal is not in the envelope');
  });
});

describe('The watch on the ledger', () => {
  const seen = (state: string, ...references: string[]): LedgerSeen => ({
    state,
    posted: new Map(
      references.map((reference) => [reference, { id: reference, type: 'investment', reference }]),
    ),
  });
  const [reading, operation] = operationsOf(DOCUMENT) as [Operation, Operation];
  const sent = (status: number, text: string): Sent => ({
    request: {
      number: 0,
      attack: '',
      operation,
      as: 'rich',
      method: 'PUT',
      target: '/api/things/7',
      headers: [],
    },
    outcome: { answers: [{ status, headers: [], text }], milliseconds: 1 },
  });

  const reads = ({ request, outcome }: Sent): Sent => ({
    request: { ...request, operation: reading },
    outcome,
  });

  it('finds nothing where nothing changed, or what was posted was asked for', () => {
    expect(faultsOfLedger(seen('1'), seen('1'), [sent(400, '')])).toEqual({ faults: [], isUnchanged: true });
    const { faults } = faultsOfLedger(seen('1'), seen('2', 'w-1'), [sent(201, '{"data":{"id":"w-1"}}')]);
    expect(faults).toEqual([]);
  });

  it.each([
    ['a refused request has posted', seen('2', 'w-1'), sent(400, '{"data":{"id":"w-1"}}')],
    ['something else was posted than was asked for', seen('2', 'w-2'), sent(201, '{"data":{"id":"w-1"}}')],
    ['a balance changed without a posting', seen('2'), sent(400, '')],
    ['a request to read has posted', seen('2', 'w-1'), reads(sent(200, '{"data":{"id":"w-1"}}'))],
  ])('finds that %s', (_, after, request) => {
    expect(faultsOfLedger(seen('1'), after, [request]).faults).toHaveLength(1);
  });
});

function unescaped(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
