import { ApiError } from './api-error.js';
import {
  LiveConnection,
  type LiveOptions,
  type LiveRecipient,
  type LiveSocketConstructor,
  type LiveSubscription,
} from './live.js';
import { pause, retryDelayMs } from './retries.js';
import type { Routes } from './routes.js';

export { ApiError, type ErrorCode } from './api-error.js';
export { rateLimitOf, type RateLimit } from './rate-limit.js';
export type { ErrorDetails, Routes } from './routes.js';

export type RouteName = keyof Routes;
/** The envelope that a route answers, without its fields `success`, `message`, `timestamp` and those of the trace. */
export type AnswerOf<Route extends RouteName> = Routes[Route]['answer'];

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
/** An optional field if the route takes the header. */
type HeaderField<
  Header extends string,
  Route extends RouteName,
  Field,
> = Header extends Routes[Route]['header'] ? Field : object;

/** The input of a route: `path`, `query` and `body`, as far as the route has them, and options of the request. */
export type RequestOf<Route extends RouteName> = InputField<'path', Routes[Route]['path']> &
  InputField<'query', Routes[Route]['query']> &
  InputField<'body', Routes[Route]['body']> &
  /** A retry with the same key, also after an hour, has no second effect and returns the first response. */
  HeaderField<'Idempotency-Key', Route, { idempotencyKey?: string }> &
  /** The token of a step-up, for sensitive changes. */
  HeaderField<'X-Step-Up', Route, { stepUp?: string }> & {
    headers?: Record<string, string>;
    signal?: AbortSignal;
    /** Replaces `timeoutMs` of the client for this request. */
    timeoutMs?: number;
  };

export interface ClientOptions {
  /**
   * The address of the service without `/api`, such as `http://localhost:3000`; it may have a path, as behind a proxy. In browsers
   * it may be relative to the page; by default it is the origin of the page.
   */
  baseUrl?: string;
  /** Bearer token or a function that returns the current one; not needed for public routes and cookie sessions. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** For cookie sessions: returns the current `csrfToken`. Requests then send cookies, also to another origin. */
  csrfToken?: () => string | undefined;
  /**
   * Called if the service refuses the token, the session or the CSRF token. It obtains new ones for `token` or `csrfToken`; the
   * request is then sent once more. Requests that are refused meanwhile wait for the same call. With this client it may only
   * call `/auth/refresh` and `/auth/cookie/…`.
   */
  refresh?: () => Promise<unknown>;
  /** The time-out of each attempt, until the response is complete; by default 60,000. Infinity for no time-out. */
  timeoutMs?: number;
  /**
   * How often a GET or a request with an idempotency key is repeated if its outcome is unknown: no answer, or 502, 503 or 504. By
   * default 3.
   */
  retries?: number;
  fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  /** Called with each response before its body is read, for example to read `rateLimitOf(response.headers)`. */
  onResponse?: (response: Response, route: string) => void;
}

type Arguments<Route extends RouteName> =
  object extends RequestOf<Route> ? [request?: RequestOf<Route>] : [request: RequestOf<Route>];

/** The routes whose `format` selects an export as text. */
type ExportRoute = {
  [Route in RouteName]: 'format' extends keyof Routes[Route]['query'] ? Route : never;
}[RouteName];
/** The routes that answer a page of a list. */
type ListRoute = {
  [Route in RouteName]: 'page' extends keyof Routes[Route]['query'] ? Route : never;
}[RouteName];

/** A typed API client around fetch; names and types are generated from the OpenAPI document. */
export class Client {
  private readonly options: ClientOptions;
  private refreshing: Promise<unknown> | undefined;

  constructor(options: ClientOptions = {}) {
    this.options = options;
  }

  /**
   * Resolves with the envelope: `data`, and `pagination` or `summary` if the route has them; with bytes or text if the route
   * answers such, or if `format` asks for an export. Rejects with an ApiError for an error response, with a TypeError if
   * the service cannot be reached or a value in `path` is empty, `.` or `..`, and with a DOMException for a time-out or an abort.
   */
  call<Route extends ExportRoute>(
    route: Route,
    request: RequestOf<Route> & { query: { format: 'csv' | 'journal' } },
  ): Promise<string>;
  call<Route extends ExportRoute>(
    route: Route,
    request: RequestOf<Route> & { query: { format: 'csv' | 'json' | 'journal' } },
  ): Promise<AnswerOf<Route> | string>;
  call<Route extends RouteName>(route: Route, ...request: Arguments<Route>): Promise<AnswerOf<Route>>;
  async call<Route extends RouteName>(
    route: Route,
    ...[request]: Arguments<Route>
  ): Promise<AnswerOf<Route>> {
    return (await this.send(route, request ?? {})) as AnswerOf<Route>;
  }

  /** The requested page of a list and all pages after it. Rows that are added meanwhile cause no repeated or skipped row. */
  async *pages<Route extends ListRoute>(
    route: Route,
    ...[request]: Arguments<Route>
  ): AsyncGenerator<AnswerOf<Route>, void> {
    let next: UntypedRequest | undefined = request ?? {};
    while (next) {
      const answer = await this.send(route, next);
      yield answer as AnswerOf<Route>;
      const { pagination, data } = answer as { pagination?: PageLinks; data: PageLinks };
      const cursor = (pagination ?? data).next;
      next = cursor ? { ...next, query: { ...next.query, page: undefined, cursor } } : undefined;
    }
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

  /** `route` is the method and the path. Repeats a request whose outcome is unknown, unless that could have a second effect. */
  private async send(route: string, request: UntypedRequest): Promise<unknown> {
    const [method, template] = route.split(' ') as [string, string];
    const sent = { ...request, route, method, url: this.urlOf(template, request) };
    const isRepeatable = method === 'GET' || method === 'HEAD' || request.idempotencyKey !== undefined;
    const retries = isRepeatable ? (this.options.retries ?? 3) : 0;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.sendRefreshed(sent);
      } catch (error) {
        const delayMs = attempt < retries ? retryDelayMs(error, attempt) : undefined;
        if (delayMs === undefined || request.signal?.aborted) throw error;
        await pause(delayMs, request.signal);
      }
    }
  }

  /** Refreshes the credentials and sends the request once more if the service refuses them. */
  private async sendRefreshed(request: SentRequest): Promise<unknown> {
    const { refresh } = this.options;
    const used = await this.credentials();
    try {
      return await this.sendWith(used, request);
    } catch (error) {
      const isRefused = error instanceof ApiError && REFRESHED_CODES.includes(error.code);
      if (!refresh || !isRefused || SESSION_ROUTE.test(request.route)) throw error;
    }
    const { bearer, csrf } = await this.credentials();
    // If they differ, another request has refreshed them since this one was sent.
    if (bearer === used.bearer && csrf === used.csrf) {
      this.refreshing ??= refresh().finally(() => (this.refreshing = undefined));
      await this.refreshing;
    }
    return this.sendWith(await this.credentials(), request);
  }

  private async credentials(): Promise<Credentials> {
    const { token, csrfToken } = this.options;
    return { bearer: typeof token === 'function' ? await token() : token, csrf: csrfToken?.() };
  }

  /** Returns the parsed body, its bytes or its text; undefined for HEAD and 204. */
  private async sendWith(credentials: Credentials, request: SentRequest): Promise<unknown> {
    const { route, method, url, body } = request;
    const { fetch: send = fetch, onResponse } = this.options;
    const response = await send(url, {
      method,
      headers: headersOf(request, credentials),
      signal: signalOf(request.signal, request.timeoutMs ?? this.options.timeoutMs ?? 60_000),
      ...(this.options.csrfToken ? { credentials: 'include' } : {}),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    onResponse?.(response, route);
    if (!response.ok) throw new ApiError(response, jsonOrText(await response.text()));
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
    const { location } = globalThis as { location?: { href: string } };
    const url = new URL(this.options.baseUrl || '/', location?.href);
    url.pathname = url.pathname.replace(/\/+$/, '') + filled;
    url.search = url.hash = '';
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    return url;
  }
}

interface UntypedRequest {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  idempotencyKey?: string;
  stepUp?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The cursor of the next page, in `data` beside the rows or in `pagination`; null on the last page. */
interface PageLinks {
  next: string | null;
}

interface SentRequest extends UntypedRequest {
  route: string;
  method: string;
  url: URL;
}

interface Credentials {
  bearer: string | undefined;
  csrf: string | undefined;
}

const BINARY = /^application\/(octet-stream|gzip)/;
const REFRESHED_CODES: string[] = ['TOKEN_EXPIRED', 'TOKEN_INVALID', 'TOKEN_MISSING', 'CSRF_INVALID'];
/** The routes that `refresh` itself calls, which would wait for it. */
const SESSION_ROUTE = /\/auth\/(refresh$|cookie\/)/;

function headersOf(request: SentRequest, { bearer, csrf }: Credentials): Headers {
  const headers = new Headers({ accept: 'application/json' });
  const values = {
    'content-type': request.body === undefined ? undefined : 'application/json',
    authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
    'x-csrf-token': csrf,
    'idempotency-key': request.idempotencyKey,
    'x-step-up': request.stepUp,
    ...request.headers,
  };
  for (const [name, value] of Object.entries(values)) if (value !== undefined) headers.set(name, value);
  return headers;
}

function signalOf(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const signals = timeoutMs === Infinity ? [] : [AbortSignal.timeout(timeoutMs)];
  return AbortSignal.any(signal ? [signal, ...signals] : signals);
}

/** A proxy may answer an error with an empty body or with text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
