import type { Contract } from './contract.js';
import { noteCode } from './jest/seen-codes.js';

export interface Reply<Data = any> {
  status: number;
  headers: Headers;
  /** The whole body. */
  body: any;
  data: Data;
  /** Code of a refusal. */
  code: string | undefined;
}

interface Extra {
  headers?: Record<string, string>;
}

/** Calls the API as somebody, over real HTTP; every answer is compared with the OpenAPI document. */
export class Caller {
  constructor(
    private readonly baseUrl: string,
    private readonly contract: Contract,
    private readonly token: string | undefined,
  ) {}

  get = (path: string, extra?: Extra) => this.call('GET', path, undefined, extra);
  post = (path: string, body?: unknown, extra?: Extra) => this.call('POST', path, body, extra);
  put = (path: string, body?: unknown, extra?: Extra) => this.call('PUT', path, body, extra);
  delete = (path: string, body?: unknown, extra?: Extra) => this.call('DELETE', path, body, extra);

  /** A string or Buffer is sent as it is; anything else as JSON. */
  async call(method: string, path: string, body?: unknown, extra: Extra = {}): Promise<Reply> {
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...extra.headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const json = text && isJson ? JSON.parse(text) : undefined;
    this.contract.check(method, path.split('?')[0] as string, response.status, json);
    noteCode(json?.error?.code);
    return {
      status: response.status,
      headers: response.headers,
      body: json,
      data: json?.data,
      code: json?.error?.code,
    };
  }
}
