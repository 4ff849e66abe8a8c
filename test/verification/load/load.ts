import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadRequest {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Status 0 means no response. */
export interface LoadResponse {
  ask: LoadRequest;
  status: number;
  retryAfter: number | undefined;
  ms: number;
  /** Since the start of the load. */
  beganAtMs: number;
  text: string;
  problem: string | undefined;
}

const RESPONSE_TIMEOUT_MS = 120_000;
const TICK_MS = 10;

/** Generates load on a local URL with limits for connections, time and concurrent requests. */
export class LoadGenerator {
  private readonly agent: Agent;
  /** Number of responses so far. */
  answers = 0;
  private began = performance.now();
  open = 0;

  constructor(
    private readonly url: string,
    /** Maximum number; 0 opens a new connection for each request. */
    private readonly connections = 1000,
    private readonly onResponse?: (responses: LoadResponse) => void,
  ) {
    if (new URL(url).hostname !== '127.0.0.1') throw new Error('load tests run against 127.0.0.1 only');
    const keepAlive = connections > 0;
    this.agent = new Agent(
      !keepAlive
        ? {}
        : { keepAlive, maxSockets: connections, maxFreeSockets: connections, scheduling: 'fifo' },
    );
  }

  end(): void {
    this.agent.destroy();
  }

  /** Sends one request and reads the whole response. */
  send(ask: LoadRequest): Promise<LoadResponse> {
    const { method, path, token, body, headers = {} } = ask;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const beganAt = performance.now();
    this.open++;
    return new Promise((resolve) => {
      const finish = (status: number, retryAfter: string | undefined, answer: string, problem?: string) => {
        this.open--;
        this.answers++;
        const all: LoadResponse = {
          ask,
          status,
          retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
          ms: performance.now() - beganAt,
          beganAtMs: beganAt - this.began,
          text: answer,
          problem,
        };
        this.onResponse?.(all);
        resolve(all);
      };
      const call = request(this.url + path, {
        method,
        agent: this.agent,
        timeout: RESPONSE_TIMEOUT_MS,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      });
      call.once('timeout', () => call.destroy(new Error('hung')));
      call.once('error', (error: NodeJS.ErrnoException) =>
        finish(0, undefined, '', error.code ?? error.message),
      );
      call.once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () =>
          finish(response.statusCode ?? 0, response.headers['retry-after'], Buffer.concat(pieces).toString()),
        );
        response.once('error', () => finish(0, undefined, '', 'broken off'));
      });
      call.end(text);
    });
  }

  /** Opens the connections in advance, as a reverse proxy does. */
  async connect(): Promise<void> {
    const ping = () => this.send({ method: 'GET', path: '/api/ping' });
    await Promise.all(Array.from({ length: this.connections }, ping));
  }

  /** Each client sends its next request after a response: measures the capacity. */
  async closedLoop(clients: number, forMs: number, next: () => LoadRequest): Promise<LoadResponse[]> {
    this.began = performance.now();
    const all: LoadResponse[] = [];
    const client = async () => {
      while (performance.now() - this.began < forMs) all.push(await this.send(next()));
    };
    await Promise.all(Array.from({ length: clients }, client));
    return all;
  }

  /**
   * Sends `perSecond` requests independently of responses. Returns the responses and the number of requests that could not
   * be sent because all connections were in use.
   */
  async openLoop(
    perSecond: number,
    forMs: number,
    next: () => LoadRequest,
  ): Promise<{ responses: LoadResponse[]; unsent: number }> {
    this.began = performance.now();
    const sentRequests: Promise<LoadResponse>[] = [];
    let unsent = 0;
    for (let due = 0; ;) {
      const passed = performance.now() - this.began;
      if (passed >= forMs) break;
      for (; due < (passed * perSecond) / 1000; due++) {
        if (this.open < this.connections) sentRequests.push(this.send(next()));
        else unsent++;
      }
      await sleep(TICK_MS);
    }
    return { responses: await Promise.all(sentRequests), unsent };
  }
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 50);
