import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { HostileRequest } from './hostile-request.js';

export interface RawResponse {
  status: number;
  /** Names are in lower case. */
  headers: [name: string, value: string][];
  text: string;
}

/** The responses to a request (several if the server parsed its bytes as several requests) and the failure, if any. */
export interface Outcome {
  answers: RawResponse[];
  /** Why the response is missing or incomplete. */
  failure?: string;
  milliseconds: number;
}

const IDLE_TIMEOUT_MS = 120_000;

/** Sends hostile requests, some of them as raw bytes that are not valid HTTP, and reads the responses. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly baseUrl: string,
    /** The longest time without data from the server. */
    private readonly idleTimeoutMs = IDLE_TIMEOUT_MS,
  ) {}

  async send(request: HostileRequest): Promise<Outcome> {
    const began = performance.now();
    const outcome = await (request.bytes
      ? this.sendBytes(request.bytes, request.method === 'HEAD')
      : this.sendRequest(request));
    return { ...outcome, milliseconds: performance.now() - began };
  }

  close(): void {
    this.agent.destroy();
  }

  private async sendRequest(
    request: HostileRequest,
    mayRetry = true,
  ): Promise<Omit<Outcome, 'milliseconds'>> {
    const { hostname, port } = new URL(this.baseUrl);
    const { method, target, body } = request;
    const hasHost = request.headers.some(([name]) => name === 'host');
    const headers = [
      ...(hasHost ? [] : [['host', `${hostname}:${port}`]]),
      ...request.headers,
      ...(body || method === 'POST' ? [['content-length', String(body?.length ?? 0)]] : []),
    ].flat();
    return new Promise((resolve) => {
      const options = { hostname, port, method, path: target, headers, agent: mayRetry ? this.agent : false };
      const sent = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        const settle = (failure?: string) => {
          const answer = {
            status: response.statusCode as number,
            headers: headerPairs(response.rawHeaders),
            text: Buffer.concat(chunks).toString(),
          };
          resolve({ answers: [answer], ...(failure ? { failure } : {}) });
        };
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => settle());
        response.on('error', (error) => settle(error.message));
      });
      sent.setTimeout(this.idleTimeoutMs, () => sent.destroy(new Error('no answer in time')));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close an idle connection at the moment of its reuse: retry with a new one.
        if (sent.reusedSocket && error.code === 'ECONNRESET' && mayRetry)
          resolve(this.sendRequest(request, false));
        else resolve({ answers: [], failure: error.message });
      });
      sent.end(body);
    });
  }

  private sendBytes(bytes: Buffer, isHead: boolean): Promise<Omit<Outcome, 'milliseconds'>> {
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let failure: string | undefined;
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.setTimeout(this.idleTimeoutMs, () => socket.destroy(new Error('no answer in time')));
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', (error) => (failure = error.message));
      socket.on('close', () =>
        resolve({
          answers: parseResponses(Buffer.concat(chunks), isHead),
          ...(failure ? { failure } : {}),
        }),
      );
      socket.end(bytes);
    });
  }
}

/** Name and value of each header; `raw` contains names and values alternately. */
function headerPairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, i) =>
    i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] as string] as [string, string]] : [],
  );
}

const HEADER = /^([^:]*): ?(.*)$/;

/** Parses consecutive HTTP responses and omits those with status 100. Bytes that are no HTTP response become one response with status 0. */
export function parseResponses(bytes: Buffer, isHead = false): RawResponse[] {
  const answers: RawResponse[] = [];
  let remaining = bytes.toString('latin1'); // one character per byte
  while (remaining !== '') {
    const end = remaining.indexOf('\r\n\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(remaining) ?? [];
    const lines = remaining.slice(0, Math.max(end, 0)).split('\r\n').slice(1);
    if (end < 0 || status === undefined || !lines.every((line) => HEADER.test(line)))
      return [...answers, { status: 0, headers: [], text: remaining.slice(0, 500) }];
    const headers = lines
      .map((line) => HEADER.exec(line)?.slice(1) as [string, string])
      .map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    const afterHead = remaining.slice(end + 4);
    // A response to HEAD has no body, although its Content-Length is that of GET: the next response or the end follows. The bytes of one
    // hostile request can be several requests, and a response to one with another method has a body.
    const hasNoBody = isHead && /^(HTTP\/1\.1 |$)/.test(afterHead);
    const body = hasNoBody
      ? { text: '', remaining: afterHead }
      : splitBody(afterHead, Object.fromEntries(headers), status);
    remaining = body.remaining;
    if (status !== '100') {
      answers.push({ status: Number(status), headers, text: Buffer.from(body.text, 'latin1').toString() });
    }
  }
  return answers;
}

/** Separates the body from the responses that follow it. */
function splitBody(
  bytes: string,
  headers: Record<string, string>,
  status: string,
): { text: string; remaining: string } {
  if (headers['transfer-encoding'] === 'chunked') {
    const [chunks = ''] = /^(?:[0-9a-f]+\r\n[^]*?\r\n)*?0\r\n\r\n/.exec(bytes) ?? []; // empty if the body is incomplete
    return {
      text: chunks.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n$/, ''),
      remaining: bytes.slice(chunks.length || bytes.length),
    };
  }
  const length = Number(headers['content-length'] ?? (status === '100' ? 0 : bytes.length));
  return { text: bytes.slice(0, length), remaining: bytes.slice(length) };
}
