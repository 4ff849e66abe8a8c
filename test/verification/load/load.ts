import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadRequest {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** `status` is 0 without a complete response. */
export interface LoadResponse {
  request: LoadRequest;
  status: number;
  /** In seconds. */
  retryAfter: number | undefined;
  ms: number;
  /** When the request was sent, since the start of the load. */
  beganAtMs: number;
  text: string;
  /** Why the response is missing or incomplete. */
  error: string | undefined;
}

const RESPONSE_TIMEOUT_MS = 120_000;
const TICK_MS = 10;

/** Generates load on a local URL with limits for connections, time and concurrent requests. */
export class LoadGenerator {
  private readonly agent: Agent;
  /** Number of responses so far. */
  responseCount = 0;
  private loadBegan = performance.now();
  private openRequests = 0;

  constructor(
    private readonly url: string,
    /** Maximum number of connections; 0 opens a new one for each request. */
    private readonly connections = 1000,
    private readonly onResponse?: (response: LoadResponse) => void,
  ) {
    if (new URL(url).hostname !== '127.0.0.1') throw new Error('load tests run against 127.0.0.1 only');
    this.agent =
      connections === 0
        ? new Agent()
        : new Agent({
            keepAlive: true,
            maxSockets: connections,
            maxFreeSockets: connections,
            scheduling: 'fifo',
          });
  }

  end(): void {
    this.agent.destroy();
  }

  /** Sends one request and reads the whole response. */
  send(loadRequest: LoadRequest): Promise<LoadResponse> {
    const { method, path, token, body, headers = {} } = loadRequest;
    const json = body === undefined ? undefined : JSON.stringify(body);
    const beganAt = performance.now();
    this.openRequests++;
    return new Promise((resolve) => {
      let isFinished = false; // an interrupted response can cause an error of the request and one of the response
      const finish = (status: number, retryAfter: string | undefined, text: string, error?: string) => {
        if (isFinished) return;
        isFinished = true;
        this.openRequests--;
        this.responseCount++;
        const response: LoadResponse = {
          request: loadRequest,
          status,
          retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
          ms: performance.now() - beganAt,
          beganAtMs: beganAt - this.loadBegan,
          text,
          error,
        };
        this.onResponse?.(response);
        resolve(response);
      };
      const call = request(this.url + path, {
        method,
        agent: this.agent,
        timeout: RESPONSE_TIMEOUT_MS,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(json === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
          ...headers,
        },
      });
      call.once('timeout', () => call.destroy(new Error('no response in time')));
      call.once('error', (error: NodeJS.ErrnoException) =>
        finish(0, undefined, '', error.code ?? error.message),
      );
      call.once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () =>
          finish(response.statusCode ?? 0, response.headers['retry-after'], Buffer.concat(pieces).toString()),
        );
        response.once('error', () => finish(0, undefined, '', 'incomplete response'));
      });
      call.end(json);
    });
  }

  /** Opens the connections in advance, as a reverse proxy does. */
  async connect(): Promise<void> {
    const ping = () => this.send({ method: 'GET', path: '/api/ping' });
    await Promise.all(Array.from({ length: this.connections }, ping));
  }

  /** Each client sends its next request after a response, so that the rate of the responses is the capacity of the service. */
  async closedLoop(clients: number, forMs: number, next: () => LoadRequest): Promise<LoadResponse[]> {
    this.loadBegan = performance.now();
    const responses: LoadResponse[] = [];
    const client = async () => {
      while (performance.now() - this.loadBegan < forMs) responses.push(await this.send(next()));
    };
    await Promise.all(Array.from({ length: clients }, client));
    return responses;
  }

  /**
   * Sends `perSecond` requests per second without waiting for responses. Returns the responses and the number of requests that
   * could not be sent because all connections were in use.
   */
  async openLoop(
    perSecond: number,
    forMs: number,
    next: () => LoadRequest,
  ): Promise<{ responses: LoadResponse[]; unsent: number }> {
    this.loadBegan = performance.now();
    const sentRequests: Promise<LoadResponse>[] = [];
    let unsent = 0;
    let elapsedMs = 0;
    while (elapsedMs < forMs) {
      const due = (elapsedMs * perSecond) / 1000;
      while (sentRequests.length + unsent < due) {
        if (this.connections === 0 || this.openRequests < this.connections)
          sentRequests.push(this.send(next()));
        else unsent++;
      }
      await sleep(TICK_MS);
      elapsedMs = performance.now() - this.loadBegan;
    }
    return { responses: await Promise.all(sentRequests), unsent };
  }
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 50);
