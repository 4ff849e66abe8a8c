import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as a load is made of them. */
export interface Ask {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** What became of it; status 0 where no answer came. */
export interface Told {
  ask: Ask;
  status: number;
  retryAfter: number | undefined;
  ms: number;
  /** Since the load began. */
  beganAtMs: number;
  text: string;
  problem: string | undefined;
}

const HUNG_AFTER_MS = 120_000;
const TICK_MS = 10;

/** A load for one address of this machine: bounded in connections, time and requests that are open at once. */
export class Load {
  private readonly agent: Agent;
  /** Answers so far. */
  answers = 0;
  private began = performance.now();
  open = 0;

  constructor(
    private readonly url: string,
    /** At most; 0 for a new one each time. */
    private readonly connections = 1000,
    /** Told of each answer. */
    private readonly note?: (told: Told) => void,
  ) {
    if (new URL(url).hostname !== '127.0.0.1') throw new Error('load goes to this machine only');
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

  /** One request, and all of its answer. */
  one(ask: Ask): Promise<Told> {
    const { method, path, token, body, headers = {} } = ask;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const beganAt = performance.now();
    this.open++;
    return new Promise((resolve) => {
      const told = (status: number, retryAfter: string | undefined, answer: string, problem?: string) => {
        this.open--;
        this.answers++;
        const all: Told = {
          ask,
          status,
          retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
          ms: performance.now() - beganAt,
          beganAtMs: beganAt - this.began,
          text: answer,
          problem,
        };
        this.note?.(all);
        resolve(all);
      };
      const call = request(this.url + path, {
        method,
        agent: this.agent,
        timeout: HUNG_AFTER_MS,
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
        told(0, undefined, '', error.code ?? error.message),
      );
      call.once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () =>
          told(response.statusCode ?? 0, response.headers['retry-after'], Buffer.concat(pieces).toString()),
        );
        response.once('error', () => told(0, undefined, '', 'broken off'));
      });
      call.end(text);
    });
  }

  /** Opens its connections beforehand, as a proxy before the service has them. */
  async connect(): Promise<void> {
    const ping = () => this.one({ method: 'GET', path: '/api/ping' });
    await Promise.all(Array.from({ length: this.connections }, ping));
  }

  /** Clients of whom each asks again when it has its answer: as many requests as the service can take. */
  async closedLoop(clients: number, forMs: number, next: () => Ask): Promise<Told[]> {
    this.began = performance.now();
    const all: Told[] = [];
    const client = async () => {
      while (performance.now() - this.began < forMs) all.push(await this.one(next()));
    };
    await Promise.all(Array.from({ length: clients }, client));
    return all;
  }

  /**
   * So many requests a second, whatever becomes of them, as callers out there do who know nothing of each other. Answers
   * what was told, and how many could not be sent because all connections were waiting for answers.
   */
  async openLoop(
    perSecond: number,
    forMs: number,
    next: () => Ask,
  ): Promise<{ told: Told[]; unsent: number }> {
    this.began = performance.now();
    const asked: Promise<Told>[] = [];
    let unsent = 0;
    for (let due = 0; ;) {
      const passed = performance.now() - this.began;
      if (passed >= forMs) break;
      for (; due < (passed * perSecond) / 1000; due++) {
        if (this.open < this.connections) asked.push(this.one(next()));
        else unsent++;
      }
      await sleep(TICK_MS);
    }
    return { told: await Promise.all(asked), unsent };
  }
}

/** The value that `percent` of them do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 50);
