import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, NoResponseError, type Reply } from '../../harness/http-client.js';
import type { OpenApiContract } from '../../harness/contract.js';
import type { SeededRandom } from '../../harness/seeded-random.js';

const PATIENCE_MS = 240_000;
const PAUSE_MS = 100;
const OTHER_DATA = { amount: '11.11' };

export interface Asked {
  token: string | null;
  method: string;
  path: string;
  body?: object | string;
  /** Made anew for each attempt. */
  headers?: (url: string) => Record<string, string>;
}

/** What was seen of all requests. */
export interface Tally {
  /** Writes that were answered as done. */
  answered: number;
  refused: number;
  /** Writes whose first attempt had no answer, or one that leaves open what happened. */
  unanswered: number;
  /** Those of them that had been done all the same, as their key tells. */
  doneUnanswered: number;
  /** Answered requests that were sent again with their key. */
  repeated: number;
  slowestMs: number;
}

/**
 * A client that knows what to do when there is no answer: ask again, with the same key, until there is one. It notes
 * what no client should see.
 */
export class Client {
  readonly tally: Tally = {
    answered: 0,
    refused: 0,
    unanswered: 0,
    doneUnanswered: 0,
    repeated: 0,
    slowestMs: 0,
  };
  readonly surprises: string[] = [];
  /** When the last write was answered as done. */
  lastSuccess = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly contract: OpenApiContract,
    private readonly random: SeededRandom,
  ) {}

  /** A write with a key, done once; sometimes it is sent to both processes at once, and again, and with other data. */
  async write(asked: Asked, allowed: readonly string[]): Promise<Reply> {
    const key = randomUUID();
    const keyed = { ...asked, headers: () => ({ 'idempotency-key': key }) };
    const isDoubled = this.random.next() < 0.1;
    const [one, twin] = await Promise.all([
      this.untilKnown(keyed),
      isDoubled ? this.untilKnown(keyed) : undefined,
    ]);
    // What one is refused, the other may be granted a moment later; but what both are granted is one thing.
    const { reply } = twin && isDone(twin.reply) ? twin : one;
    if (twin && isDone(one.reply) && isDone(reply)) this.requireSame(asked, one.reply, reply);
    if (one.hadNoAnswer) this.tally.unanswered += 1;
    if (one.hadNoAnswer && !isDoubled && isReplayed(reply)) this.tally.doneUnanswered += 1;
    this.judge(asked, reply, allowed);
    if (isDone(reply) && this.random.next() < 0.1) await this.repeat(keyed, reply);
    return reply;
  }

  /** What changes nothing, or may be done twice. */
  async read(asked: Asked, allowed: readonly string[] = []): Promise<Reply> {
    const { reply } = await this.untilKnown(asked);
    this.judge(asked, reply, allowed);
    return reply;
  }

  private async repeat(keyed: Asked, first: Reply): Promise<void> {
    this.tally.repeated += 1;
    const again = await this.untilKnown(keyed);
    this.requireSame(keyed, first, again.reply);
    const other = { ...keyed, body: { ...(keyed.body as object), ...OTHER_DATA } };
    const { reply } = await this.untilKnown(other);
    if (isDone(reply)) this.surprises.push(`${keyed.path}: done again with other data and the same key`);
  }

  private requireSame(asked: Asked, one: Reply, other: Reply): void {
    const [a, b] = [one, other].map(({ status, data }) => JSON.stringify([status, data]));
    if (a !== b) this.surprises.push(`${asked.method} ${asked.path}: two answers to one key\n${a}\n${b}`);
  }

  private judge(asked: Asked, reply: Reply, allowed: readonly string[]): void {
    if (isDone(reply)) {
      if (asked.method === 'GET') return;
      this.tally.answered += 1;
      this.lastSuccess = performance.now();
    } else if (allowed.includes(reply.code ?? '')) this.tally.refused += 1;
    else this.surprised(asked, reply);
  }

  private surprised({ method, path }: Asked, { status, code, body }: Reply): void {
    this.surprises.push(`${method} ${path}: ${status} ${code} ${JSON.stringify(body?.error?.details ?? '')}`);
  }

  private async untilKnown(asked: Asked): Promise<{ reply: Reply; hadNoAnswer: boolean }> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let hadNoAnswer = false; ;) {
      const reply = await this.attempt(asked);
      if (reply && reply.status < 500 && reply.code !== 'IDEMPOTENCY_IN_PROGRESS')
        return { reply, hadNoAnswer };
      if (reply && reply.status >= 500 && (reply.status !== 503 || reply.code === 'WITHDRAWALS_PAUSED'))
        this.surprised(asked, reply);
      if (reply?.code !== 'IDEMPOTENCY_IN_PROGRESS') hadNoAnswer = true;
      if (performance.now() > deadline)
        throw new Error(`${asked.method} ${asked.path}: no answer in ${PATIENCE_MS} ms`);
      await sleep(PAUSE_MS);
    }
  }

  /** Undefined where the connection broke. */
  private async attempt({ token, method, path, body, headers }: Asked): Promise<Reply | undefined> {
    const url = this.random.oneOf(this.urls);
    const began = performance.now();
    try {
      const caller = new Caller(url, this.contract, token ?? undefined);
      return await caller.call(method, path, body, { headers: headers?.(url + path) ?? {} });
    } catch (error) {
      if (error instanceof NoResponseError) return undefined;
      throw error;
    } finally {
      this.tally.slowestMs = Math.max(this.tally.slowestMs, performance.now() - began);
    }
  }
}

export function isDone({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function isReplayed({ headers }: Reply): boolean {
  return headers.get('idempotency-replayed') === 'true';
}
