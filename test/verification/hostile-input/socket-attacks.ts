import { draft, takesBody, type Attack, type RequestParts, type AttackContext } from './attack.js';
import { CANARY } from './values.js';

// Raw HTTP, mostly invalid. The client sends it unchanged and then closes its side of the connection.

interface Parts {
  method: string;
  target: string;
  headers: string;
  body: string;
}

function socket(
  name: string,
  text: (parts: Parts, context: AttackContext) => string,
  fits?: Attack['fits'],
): Attack {
  return {
    name: `socket: ${name}`,
    ...(fits ? { fits } : {}),
    make: (context): RequestParts => {
      const regular = draft(context);
      const body = regular.body?.toString('latin1') ?? '';
      const headers = [['host', '127.0.0.1'], ...regular.headers].map(
        ([key, value]) => `${key}: ${value}\r\n`,
      );
      const { method, target } = regular;
      const request = text({ method, target, headers: headers.join(''), body }, context);
      return { ...regular, bytes: Buffer.from(request, 'latin1'), mayHaveInvalidFraming: true };
    },
  };
}

/** The request line and the headers with the empty line that ends them. */
const head = ({ method, target, headers }: Parts, moreHeaders = '') =>
  `${method} ${target} HTTP/1.1\r\n${headers}${moreHeaders}\r\n`;

export const SOCKET_ATTACKS: readonly Attack[] = [
  socket('Content-Length too large', (p) => head(p, 'content-length: 5000\r\n') + p.body, takesBody),
  socket('Content-Length too small', (p) => head(p, 'content-length: 1\r\n') + (p.body || '{}'), takesBody),
  socket('negative Content-Length', (p) => head(p, 'content-length: -1\r\n') + p.body),
  socket('Content-Length that is not a number', (p) => head(p, `content-length: ${CANARY}\r\n`) + p.body),
  socket('Content-Length above 64 bits', (p) => head(p, 'content-length: 99999999999999999999\r\n') + p.body),
  socket(
    'Content-Length of a gigabyte',
    (p) => head(p, 'content-length: 1073741824\r\n') + p.body,
    takesBody,
  ),
  socket('two headers Content-Length', (p) => head(p, 'content-length: 2\r\ncontent-length: 3\r\n') + '{} '),
  socket(
    'Content-Length and chunks',
    (p) =>
      head(p, 'content-length: 4\r\ntransfer-encoding: chunked\r\n') +
      '0\r\n\r\nGET /api/ping HTTP/1.1\r\n\r\n',
  ),
  socket(
    'chunk size that is not hexadecimal',
    (p) => head(p, 'transfer-encoding: chunked\r\n') + 'zz\r\n{}\r\n0\r\n\r\n',
  ),
  socket('chunk without an end', (p) => head(p, 'transfer-encoding: chunked\r\n') + '5\r\n{}', takesBody),
  socket(
    'chunk size above 64 bits',
    (p) => head(p, 'transfer-encoding: chunked\r\n') + 'ffffffffffffffffff\r\n{}',
  ),
  socket(
    'chunk extensions',
    (p) => head(p, 'transfer-encoding: chunked\r\n') + `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ),
  socket(
    'one byte chunks',
    (p) => head(p, 'transfer-encoding: chunked\r\n') + '1\r\n \r\n'.repeat(3_000) + '0\r\n\r\n',
    takesBody,
  ),
  socket(
    'chunk trailers',
    (p) => head(p, 'transfer-encoding: chunked\r\n') + `2\r\n{}\r\n0\r\nauthorization: ${CANARY}\r\n\r\n`,
    takesBody,
  ),
  socket('unknown transfer encoding', (p) => head(p, `transfer-encoding: ${CANARY}\r\n`) + '{}'),
  socket(
    'gzip transfer encoding',
    (p) => head(p, 'transfer-encoding: gzip, chunked\r\n') + '2\r\n{}\r\n0\r\n\r\n',
  ),
  socket(
    'space before the colon of transfer-encoding',
    (p) => head(p, 'transfer-encoding : chunked\r\n') + '0\r\n\r\n',
  ),
  socket('bare line feeds', (p) => head(p).replaceAll('\r\n', '\n')),
  socket('folded header', (p) => head(p, `x-a: b\r\n ${CANARY}\r\n`)),
  socket('header without colon', (p) => head(p, `${CANARY}\r\n`)),
  socket('header without name', (p) => head(p, `: ${CANARY}\r\n`)),
  socket('null byte in a header', (p) => head(p, 'x-a: b\0c\r\n')),
  socket('null byte in a header name', (p) => head(p, 'x\0a: b\r\n')),
  socket('control characters in a header', (p) => head(p, 'x-a: \x01\x1b\x7f\r\n')),
  socket('header beyond the limit', (p) => head(p, `x-a: ${'b'.repeat(40_000)}\r\n`)),
  socket('headers beyond the limit', (p) => head(p, 'x-a: bbbbbbbbbb\r\n'.repeat(5_000))),
  socket('URL beyond the limit', (p) =>
    head({ ...p, target: `${p.target}?x=${CANARY}${'y'.repeat(60_000)}` }),
  ),
  socket('null byte in the URL', (p) => head({ ...p, target: `${p.target}\0${CANARY}` })),
  socket('space in the URL', (p) => head({ ...p, target: `${p.target} ${CANARY}` })),
  socket('raw utf-8 in the URL', (p) => head({ ...p, target: `${p.target}\xc3\xa9\xf0\x9f\x98\x80` })),
  socket('carriage return in the URL', (p) => head({ ...p, target: `${p.target}\rX-Injected: 1` })),
  socket('empty URL', (p) => head({ ...p, target: '' })),
  socket('asterisk as the URL', (p) => head({ ...p, method: 'OPTIONS', target: '*' })),
  socket('URL without a slash', (p) => head({ ...p, target: p.target.slice(1) })),
  socket('method CONNECT', (p) => head({ ...p, method: 'CONNECT', target: '127.0.0.1:1' })),
  socket('unknown method', (p) => head({ ...p, method: CANARY.toUpperCase() })),
  socket('method in lower case', (p) => head({ ...p, method: p.method.toLowerCase() })),
  socket('long method', (p) => head({ ...p, method: 'X'.repeat(10_000) })),
  socket('method TRACE with a body', (p) => head({ ...p, method: 'TRACE' }, 'content-length: 2\r\n') + '{}'),
  socket('without host', (p) => `${p.method} ${p.target} HTTP/1.1\r\n\r\n`),
  socket('two hosts', (p) => head(p, `host: ${CANARY}\r\n`)),
  socket('http/1.0', (p) => head(p).replace('HTTP/1.1', 'HTTP/1.0')),
  socket('http/0.9', (p) => `${p.method} ${p.target}\r\n`),
  socket('http/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  socket('http/9.9', (p) => head(p).replace('HTTP/1.1', 'HTTP/9.9')),
  socket('tls', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  socket(
    'random bytes',
    ({ body }, { random }) =>
      Array.from({ length: 200 }, () => String.fromCharCode(random.integer(0, 255))).join('') + body,
  ),
  socket('no bytes', () => ''),
  socket('truncated request line', (p) => head(p).slice(0, 20)),
  socket('headers without an empty line', (p) => head(p).slice(0, -2)),
  socket(
    'two requests at once',
    (p) => head(p, p.body ? `content-length: ${p.body.length}\r\n` : '') + p.body + head(p),
  ),
  socket('a hundred requests at once', () => 'GET /api/ping HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)),
];
