import type { Operation } from './operations.js';

/** A request as it goes over the wire, whatever a regular client would make of it. */
export interface HostileRequest {
  /** Its place in the run. */
  number: number;
  attack: string;
  operation: Operation;
  /** Who sends it, as the cast has them. */
  as: string;
  method: string;
  /** Path and query, as they are on the wire. */
  target: string;
  headers: [name: string, value: string][];
  body?: Buffer;
  /** Instead of all that: the very bytes. */
  bytes?: Buffer;
  /** It is broken in its framing: closing the connection, or refusing it as such, is an answer, too. */
  brokenFrame?: boolean;
}

const LONGEST_TO_PASTE = 4_000;

/**
 * Lines to paste into a shell that send it again: `$API` is the service's address, `$TOKEN` of whoever sends it. What
 * is too long to paste is made again by the seed.
 */
export function pasted(request: HostileRequest, token: string | undefined): string {
  if (request.bytes) {
    const text = request.bytes.toString('latin1');
    const shown = token ? text.replaceAll(token, '$TOKEN') : text;
    return `printf '%b' ${doubleQuoted(cut(shown))} | nc -q 3 $HOST $PORT`;
  }
  const headers = request.headers.map(([name, value]) =>
    name === 'authorization' && value === `Bearer ${token}`
      ? `-H "authorization: Bearer $TOKEN"`
      : `-H ${quoted(cut(`${name}: ${value}`))}`,
  );
  const body = request.body ? [`--data-binary ${quoted(cut(request.body.toString('latin1')))}`] : [];
  const head = request.method === 'HEAD' ? '-I' : `-X ${request.method}`;
  return ['curl -i --path-as-is', head, `"$API"${quoted(cut(request.target))}`, ...headers, ...body].join(
    ' ',
  );
}

function cut(text: string): string {
  if (text.length <= LONGEST_TO_PASTE) return text;
  return `${text.slice(0, 200)}…${text.length - 200} more: repeat the run by its seed`;
}

/** As bash reads it: $'…', with what is not visible ASCII as \x... */
function quoted(text: string): string {
  return `$'${escaped(text)}'`;
}

/** For printf %b, which reads the escapes itself. */
function doubleQuoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\"').replaceAll('`', '\\`')}"`;
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", '\\x27')
    .replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
