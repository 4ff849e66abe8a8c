import type { Operation } from './operations.js';

/** A request of an attack. The sender adds Content-Length, and Host if it is missing, and changes nothing else. */
export interface HostileRequest {
  /** Number of the request in the run. */
  number: number;
  /** Name of the attack. */
  attack: string;
  operation: Operation;
  /** Name of the caller in `AttackAccounts`. */
  as: string;
  method: string;
  /** Path and query as sent. */
  target: string;
  headers: [name: string, value: string][];
  body?: Buffer;
  /** Raw bytes, which are sent instead of method, target, headers and body. */
  bytes?: Buffer;
  /** The HTTP framing may be invalid, so the server may close the connection without a response. */
  mayHaveInvalidFraming?: boolean;
}

const MAX_COMMAND_LENGTH = 4_000;

/**
 * A shell command that repeats the request: `$API` is the service's URL (`$HOST` and `$PORT` for raw bytes), `$TOKEN` the
 * caller's token. Texts above MAX_COMMAND_LENGTH are abbreviated; a run with the same seed repeats such a request.
 */
export function shellCommand(request: HostileRequest, token: string | undefined): string {
  if (request.bytes) return `${printfCommand(request.bytes, token)} | nc -q 3 "$HOST" "$PORT"`;
  const { method, target, headers, body } = request;
  const isTyped = headers.some(([name]) => name === 'content-type');
  return [
    body ? `${printfCommand(body, token)} | curl -i` : 'curl -i',
    method === 'HEAD' ? '-I' : `-X ${method}`,
    `"$API" --request-target ${quoted(target, token)}`,
    ...headers.map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`, token)}`),
    ...(body ? ['--data-binary @-'] : []),
    ...(body && !isTyped ? ["-H 'content-type:'"] : []), // otherwise curl would add this header
  ].join(' ');
}

/** A printf command that writes the bytes. */
function printfCommand(bytes: Buffer, token: string | undefined): string {
  return `printf %b '${escaped(bytes.toString('latin1'), token)}'`;
}

/** Quoted for bash as $'…'. */
function quoted(text: string, token: string | undefined): string {
  return `$'${escaped(text, token).replaceAll(`'"$TOKEN"'`, () => `'"$TOKEN"$'`)}'`;
}

/** Abbreviates long text, escapes backslashes, quotes and non-printable characters, and replaces the token by its variable. */
function escaped(text: string, token: string | undefined): string {
  const short =
    text.length <= MAX_COMMAND_LENGTH
      ? text
      : `${text.slice(0, 200)}... and ${text.length - 200} more characters: use the seed to repeat the request`;
  const safe = short.replace(
    /[^\x20-\x7e]|[\\']/g,
    (char) => `\\x${(char.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`,
  );
  return token ? safe.replaceAll(token, () => `'"$TOKEN"'`) : safe;
}
