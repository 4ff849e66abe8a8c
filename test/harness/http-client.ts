import { Agent } from 'node:http';
import supertest, { type Response } from 'supertest';
import type { OpenApiContract } from './contract.js';
import { recordErrorCode } from './error-catalogue.js';

export interface Reply<Data = any> {
  status: number;
  headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  body: any;
  text: string;
  data: Data;
  /** The error code, if the response is an error. */
  code: string | undefined;
}

/** The code of an error and its details. */
export function refusalOf({ code, body }: Reply): [string | undefined, unknown] {
  return [code, body.error?.details];
}

interface Extra {
  headers?: Record<string, string>;
}

/** The connection was refused, or it broke before the complete response arrived. */
export class NoResponseError extends Error {}

/** Reuses connections between requests. */
const connections = new Agent({ keepAlive: true });

/** Sends an HTTP request and returns the response with any status. A string or Buffer is sent unchanged. */
export async function sendRequest(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Omit<Reply, 'data' | 'code'>> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const { origin } = new URL(url);
  const request = supertest(origin)
    [method.toLowerCase() as 'get'](url.slice(origin.length))
    .agent(connections)
    .set(body === undefined ? headers : { 'content-type': 'application/json', ...headers })
    .serialize((data) => data) // otherwise supertest would send a Buffer as JSON
    .buffer(true)
    .parse(asText);
  const response = await request
    .send(body === undefined ? undefined : ((isRaw ? body : JSON.stringify(body)) as string))
    .catch((cause: Error) => {
      throw new NoResponseError(`${method} ${url}: ${cause.message}`, { cause });
    });
  const text = method === 'HEAD' ? '' : (response.body as string);
  const isJson = response.headers['content-type']?.includes('json') ?? false;
  return {
    status: response.status,
    headers: headersOf(response),
    text,
    body: text && isJson ? JSON.parse(text) : undefined,
  };
}

function asText(response: Response, done: (error: Error | null, text: string) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString()));
}

function headersOf(response: Response): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers as Record<string, string | string[]>))
    for (const line of [value].flat()) headers.append(name, line);
  return headers;
}

/** Calls the API with or without the token of a user or an admin, and compares every response with the OpenAPI document. */
export class Caller {
  constructor(
    private readonly baseUrl: string,
    private readonly contract: OpenApiContract,
    private readonly token: string | undefined,
    /** Called before each GET and each request about notifications: what follows from an event is written up to a second after its commit. */
    private readonly beforeRead: (method: string, path: string) => Promise<unknown> = () => Promise.resolve(),
  ) {}

  get = (path: string, extra?: Extra) => this.call('GET', path, undefined, extra);
  post = (path: string, body?: unknown, extra?: Extra) => this.call('POST', path, body, extra);
  put = (path: string, body?: unknown, extra?: Extra) => this.call('PUT', path, body, extra);
  delete = (path: string, body?: unknown, extra?: Extra) => this.call('DELETE', path, body, extra);

  /** A string or Buffer is sent unchanged; anything else as JSON. */
  async call(method: string, path: string, body?: unknown, extra: Extra = {}): Promise<Reply> {
    if (method === 'GET' || path.startsWith('/api/user/notifications')) await this.beforeRead(method, path);
    const headers = { ...(this.token ? { authorization: `Bearer ${this.token}` } : {}), ...extra.headers };
    const reply = await sendRequest(this.baseUrl + path, { method, headers, body });
    this.contract.requireDocumented(
      method,
      path.split('?')[0] as string,
      reply.status,
      reply.body,
      reply.headers,
    );
    const code = reply.body?.error?.code as string | undefined;
    recordErrorCode(code);
    return { ...reply, data: reply.body?.data, code };
  }
}
