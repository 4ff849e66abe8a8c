import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_PORTS } from './sandbox-settings.js';

/** A step of the demo had an unexpected result. */
export class DemoFailure extends Error {}

const API = `http://localhost:${process.env.PORT || DEFAULT_PORTS.PORT}`;
const CONTROL = `http://localhost:${process.env.SANDBOX_PORT || DEFAULT_PORTS.SANDBOX_PORT}`;
const TIMEOUT_MS = 60_000;

export type Json = Record<string, unknown>;
type Headers = Record<string, string>;

interface Reply {
  status: number;
  body: Json;
  /** The Set-Cookie headers. */
  cookies: string[];
}

async function call(url: string, method: string, body?: Json, headers = {}): Promise<Reply> {
  const request = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, {
    method,
    ...request,
    headers: { ...request?.headers, ...headers },
  }).catch(() => {
    throw new DemoFailure(`nothing answers at ${url}. Start the sandbox first: npm start`);
  });
  return {
    status: response.status,
    body: (await response.json()) as Json,
    cookies: response.headers.getSetCookie(),
  };
}

/** Calls the API with no token but that in `headers`. Returns responses of any status. */
export const callApi = (method: string, path: string, body?: Json, headers?: Headers) =>
  call(API + path, method, body, headers);

/** A public file of the API that is not JSON; undefined if there is none. */
export async function fetchBytes(path: string): Promise<Uint8Array | undefined> {
  const response = await fetch(API + path);
  return response.status === 404 ? undefined : readBytes(path, response);
}

/** A public text file of the API; empty if there is none. */
export async function fetchText(path: string): Promise<string> {
  return Buffer.from((await fetchBytes(path)) ?? '').toString();
}

async function readBytes(path: string, response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new DemoFailure(`GET ${path}: ${response.status} ${bytes.toString()}`);
  return bytes;
}

/** The URL of the WebSocket connection that the ticket opens. */
export const liveUrl = (ticket: string) => `${API.replace('http', 'ws')}/api/live?ticket=${ticket}`;

/** Throws unless the response has this error code; `OK` stands for status 200. */
export function requireCode({ status, body }: Reply, expected: string, call: string): void {
  const code = status === 200 ? 'OK' : (body.error as { code: string } | undefined)?.code;
  if (code !== expected) throw new DemoFailure(`${call} answers ${code} and should answer ${expected}`);
}

/** A token of the identity provider. */
export async function identityToken(email: string, name: string): Promise<string> {
  return (await control<{ token: string }>('/idp/token', { email, name })).token;
}

/** Calls the sandbox's control API. */
export async function control<Data>(path: string, body: Json): Promise<Data> {
  const answer = await call(CONTROL + path, 'POST', body);
  if (answer.status !== 200) throw new DemoFailure(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as Data;
}

/** Reads from the sandbox's control API. */
export async function readControl<Data>(path: string): Promise<Data> {
  const answer = await call(CONTROL + path, 'GET');
  if (answer.status !== 200) throw new DemoFailure(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as Data;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A user or admin with a token, who calls the public API. */
export class Person {
  private constructor(private readonly token: string) {}

  static async signIn(email: string, name: string): Promise<Person> {
    return Person.fromSignIn(
      await callApi('POST', '/api/auth/idp/login', {}, bearer(await identityToken(email, name))),
    );
  }

  /** A person with an access token or an API key. */
  static withToken(token: string): Person {
    return new Person(token);
  }

  /** A person with the access token in the response of a sign-in. */
  static fromSignIn({ status, body }: Reply): Person {
    if (status !== 200) throw new DemoFailure(`sign-in: ${JSON.stringify(body)}`);
    return Person.withToken((body.data as { token: string }).token);
  }

  /** Calls the API and returns `data` of the response. Throws for a status of 300 or above. */
  async ask<Data>(method: string, path: string, body?: Json, headers?: Headers): Promise<Data> {
    return (await this.askWithSummary<Data, unknown>(method, path, body, headers)).data;
  }

  /** Returns `data` of a GET request; undefined if the status is 404. */
  async askIfFound<Data>(path: string): Promise<Data | undefined> {
    const answer = await callApi('GET', path, undefined, bearer(this.token));
    if (answer.status === 404) return undefined;
    if (answer.status !== 200)
      throw new DemoFailure(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data as Data;
  }

  /** Downloads a file that requires a token. Throws unless the status is 200. */
  async download(path: string): Promise<Buffer> {
    return readBytes(path, await fetch(API + path, { headers: bearer(this.token) }));
  }

  /** Like `ask`, for lists whose response has a `summary` besides `data`. */
  async askWithSummary<Data, Summary>(
    method: string,
    path: string,
    body?: Json,
    headers?: Headers,
  ): Promise<{ data: Data; summary: Summary }> {
    const answer = await callApi(method, path, body, { ...headers, ...bearer(this.token) });
    if (answer.status >= 300)
      throw new DemoFailure(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as { data: Data; summary: Summary };
  }

  /** Makes a call whose change must wait for a second admin. Returns the approval. */
  async askForApproval<Approval>(method: string, path: string, body: Json): Promise<Approval> {
    const { status, body: answer } = await callApi(method, path, body, bearer(this.token));
    if (status !== 202)
      throw new DemoFailure(
        `${method} ${path} answers ${status} and should answer 202; the demo needs FOUR_EYES=on: ${JSON.stringify(answer)}`,
      );
    return answer.data as Approval;
  }

  /** Makes a call that the API must reject with this error code. Returns the details of the error. */
  async requireRefusal(
    expected: string,
    method: string,
    path: string,
    body?: Json,
    headers?: Headers,
  ): Promise<Json | undefined> {
    const reply = await callApi(method, path, body, { ...bearer(this.token), ...headers });
    requireCode(reply, expected, `${method} ${path}`);
    return (reply.body.error as { details?: Json }).details;
  }
}

/** Polls until `read` returns a value. `subject` names it in the error after a minute. */
export async function until<Value>(subject: string, read: () => Promise<Value | undefined>): Promise<Value> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(200);
  }
  throw new DemoFailure(`waited ${TIMEOUT_MS / 1000} s for ${subject} without success`);
}
