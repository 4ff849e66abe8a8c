import {
  LiveConnection,
  type LiveOptions,
  type LiveRecipient,
  type LiveSocketConstructor,
  type LiveSubscription,
} from './live.js';
import type { Routes } from './routes.js';

type RouteName = keyof Routes;
/**
 * An object with the field, which is optional if undefined or an empty object is a valid value; an empty type if the
 * route has no such input.
 */
type InputField<Field extends string, Type> = [Type] extends [undefined]
  ? object
  : undefined extends Type
    ? { [K in Field]?: Type }
    : Partial<Type & object> extends Type
      ? { [K in Field]?: Type }
      : { [K in Field]: Type };

/** The input of a route: `path`, `query` and `body`, as far as the route has them. */
export type RequestOf<Route extends RouteName> = InputField<'path', Routes[Route]['path']> &
  InputField<'query', Routes[Route]['query']> &
  InputField<'body', Routes[Route]['body']> & {
    /** For routes that move money: a retry with the same key returns the first response. */
    idempotencyKey?: string;
    signal?: AbortSignal;
  };

export interface ClientOptions {
  /** For example `http://localhost:3000`. */
  baseUrl: string;
  /** Bearer token or a function that returns the current one; not needed for public routes. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
}

/** An error response. `code` is stable; `message` can change. */
export class ApiError<Code extends string = string> extends Error {
  constructor(
    readonly status: number,
    readonly code: Code,
    message: string,
    readonly details: unknown,
    /** Include it in support requests. */
    readonly traceId: string | undefined,
    /** Whole seconds to wait before a retry, if the response states them. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }
}

type Arguments<Route extends RouteName> =
  object extends RequestOf<Route> ? [request?: RequestOf<Route>] : [request: RequestOf<Route>];

/** The routes whose `format` selects an export as text. */
type ExportRoute = {
  [Route in RouteName]: 'format' extends keyof Routes[Route]['query'] ? Route : never;
}[RouteName];

/** A typed API client around fetch; names and types are generated from the OpenAPI document. */
export class Client {
  constructor(private readonly options: ClientOptions) {}

  /**
   * Resolves with the envelope: `data`, and `pagination` or `summary` if the route has them; with bytes or text if the route
   * answers such, or if `format` asks for an export. Rejects with an ApiError for an error response, and with a TypeError if a
   * value in `path` is empty, `.` or `..`.
   */
  call<Route extends ExportRoute>(
    route: Route,
    request: RequestOf<Route> & { query: { format: 'csv' | 'journal' } },
  ): Promise<string>;
  call<Route extends ExportRoute>(
    route: Route,
    request: RequestOf<Route> & { query: { format: 'csv' | 'json' | 'journal' } },
  ): Promise<Routes[Route]['answer'] | string>;
  call<Route extends RouteName>(route: Route, ...request: Arguments<Route>): Promise<Routes[Route]['answer']>;
  async call<Route extends RouteName>(
    route: Route,
    ...[request]: Arguments<Route>
  ): Promise<Routes[Route]['answer']> {
    return (await this.send(route, request ?? {})) as Routes[Route]['answer'];
  }

  /**
   * Receives events over a WebSocket, and opens a new one when the connection is lost. Store the `id` of the last event, and
   * pass it as `after` to continue there later.
   */
  live<Recipient extends LiveRecipient = 'user'>(options: LiveOptions<Recipient>): LiveSubscription {
    const { WebSocket: native } = globalThis as { WebSocket?: LiveSocketConstructor };
    const Socket = options.webSocket ?? native;
    if (!Socket)
      throw new Error('This runtime has no WebSocket: pass `webSocket`, such as that of the package ws.');
    const route = `POST /api/${options.as ?? 'user'}/live/ticket`;
    const connectionUrl = async (after: string | undefined, signal: AbortSignal): Promise<string> => {
      const { data } = (await this.send(route, { signal })) as { data: { ticket: string } };
      const url = this.urlOf('/api/live', { query: { ticket: data.ticket, after } });
      url.protocol = url.protocol.replace('http', 'ws');
      return url.toString();
    };
    return new LiveConnection(connectionUrl, options, Socket);
  }

  /** `route` is the method and the path. Returns the parsed body, its bytes or its text; undefined for HEAD and 204. */
  private async send(route: string, request: UntypedRequest): Promise<unknown> {
    const [method, template] = route.split(' ') as [string, string];
    const response = await fetch(this.urlOf(template, request), {
      method,
      headers: await this.headersOf(request),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal ? { signal: request.signal } : {}),
    });
    if (!response.ok) throw apiErrorOf(response, jsonOrText(await response.text()));
    if (method === 'HEAD' || response.status === 204) return undefined;
    const type = response.headers.get('content-type') ?? '';
    if (BINARY.test(type)) return new Uint8Array(await response.arrayBuffer());
    return type.includes('json') ? await response.json() : await response.text();
  }

  private urlOf(template: string, { path = {}, query = {} }: UntypedRequest): URL {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(path[name] ?? '');
      // The path would be that of another route.
      if (['', '.', '..'].includes(value)) throw new TypeError(`path.${name} must not be "${value}"`);
      return encodeURIComponent(value);
    });
    const url = new URL(filled, this.options.baseUrl);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    return url;
  }

  private async headersOf({ body, idempotencyKey }: UntypedRequest): Promise<Record<string, string>> {
    const { token } = this.options;
    const bearer = typeof token === 'function' ? await token() : token;
    return {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
  }
}

interface UntypedRequest {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const BINARY = /^application\/(octet-stream|gzip)/;

/** A proxy may answer an error with an empty body or with text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function apiErrorOf(response: Response, answer: unknown): ApiError {
  const { error, traceId } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    error?: { code?: string; message?: string; details?: unknown };
    traceId?: string;
  };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    error?.code ?? `HTTP_${response.status}`,
    error?.message ?? response.statusText,
    error?.details,
    traceId,
    Number.isNaN(retryAfter) ? undefined : retryAfter,
  );
}
