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
 * A line to paste into a shell that sends it again: `$API` is the service's address (`$HOST` and `$PORT` for raw
 * bytes), `$TOKEN` of whoever sends it. What is too long to paste is made again by the seed.
 */
export function pasted(request: HostileRequest, token: string | undefined): string {
  if (request.bytes) return `${printed(request.bytes, token)} | nc -q 3 "$HOST" "$PORT"`;
  const { method, target, headers, body } = request;
  const isTyped = headers.some(([name]) => name === 'content-type');
  return [
    body ? `${printed(body, token)} | curl -i` : 'curl -i',
    method === 'HEAD' ? '-I' : `-X ${method}`,
    `"$API" --request-target ${quoted(target, token)}`,
    ...headers.map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`, token)}`),
    ...(body ? ['--data-binary @-'] : []),
    ...(body && !isTyped ? ["-H 'content-type:'"] : []), // curl has one of its own
  ].join(' ');
}

/** Any bytes, through a pipe. */
function printed(bytes: Buffer, token: string | undefined): string {
  return `printf %b '${escaped(bytes.toString('latin1'), token)}'`;
}

/** As bash reads it: $'…', with what is not visible ASCII as \x... */
function quoted(text: string, token: string | undefined): string {
  return `$'${escaped(text, token).replaceAll(`'"$TOKEN"'`, () => `'"$TOKEN"$'`)}'`;
}

/** Inside of quotes: backslashes, quotes and what is not visible as \x..., the token by its name. */
function escaped(text: string, token: string | undefined): string {
  const short =
    text.length <= LONGEST_TO_PASTE
      ? text
      : `${text.slice(0, 200)}…and ${text.length - 200} more: repeat it by the seed`;
  const safe = short.replace(
    /[^\x20-\x7e]|[\\']/g,
    (char) => `\\x${(char.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`,
  );
  return token ? safe.replaceAll(token, () => `'"$TOKEN"'`) : safe;
}
