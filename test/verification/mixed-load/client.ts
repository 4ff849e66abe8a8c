import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, NoResponseError, type Reply } from '../../harness/http-client.js';
import type { OpenApiContract } from '../../harness/contract.js';
import type { SeededRandom } from '../../harness/seeded-random.js';

const RETRY_TIMEOUT_MS = 240_000;
const PAUSE_MS = 100;
/** Changes the body of a repetition with the same key, which must then be refused. */
const OTHER_DATA = { amount: '11.11' };

export interface ClientRequest {
  token: string | null;
  method: string;
  path: string;
  body?: object | string;
  /** Computed for each attempt from its URL. */
  headers?: (url: string) => Record<string, string>;
}

/** Counts over all requests. */
export interface RequestCounts {
  /** Acknowledged writes, callbacks and sign-ins. */
  answered: number;
  /** Requests that were refused with one of the codes that the caller allows. */
  refused: number;
  /** Writes with an attempt that had no response or a 5xx, so that the client may not know its outcome. */
  unanswered: number;
  /** Writes among `unanswered` that had been carried out: the retry with the key was a replay. */
  doneUnanswered: number;
  /** Attempts, also of reads, that were answered 503 with `Retry-After`. */
  unavailable: number;
  /** Attempts that were answered 503 with an unknown outcome. */
  outcomeUnknown: number;
  /** Attempts that failed in another way. */
  failedOtherwise: number;
  /** Acknowledged writes that were sent again with their key. */
  repeated: number;
  slowestMs: number;
}

/**
 * A client that repeats a request with the same Idempotency-Key until it gets a response, and records inconsistent
 * responses.
 */
export class RetryingClient {
  readonly counts: RequestCounts = {
    answered: 0,
    refused: 0,
    unanswered: 0,
    doneUnanswered: 0,
    unavailable: 0,
    outcomeUnknown: 0,
    failedOtherwise: 0,
    repeated: 0,
    slowestMs: 0,
  };
  readonly inconsistencies: string[] = [];
  /** Time of the last acknowledged write, by `performance.now()`. */
  lastSuccessAt = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly contract: OpenApiContract,
    private readonly random: SeededRandom,
  ) {}

  /**
   * Sends a write with a key: some writes twice concurrently, and some again afterwards, with the same and with other data.
   * Refusals with other codes than `allowed` are recorded as inconsistencies.
   */
  async write(request: ClientRequest, allowed: readonly string[]): Promise<Reply> {
    const key = randomUUID();
    const keyed = { ...request, headers: () => ({ 'idempotency-key': key }) };
    const isDoubled = this.random.next() < 0.1;
    const [one, twin] = await Promise.all([
      this.retryUntilAnswered(keyed),
      isDoubled ? this.retryUntilAnswered(keyed) : undefined,
    ]);
    // One process may refuse what the other one accepts a moment later; two successes must have the same response.
    const { reply } = twin && isDone(twin.reply) ? twin : one;
    if (twin && isDone(one.reply) && isDone(reply)) this.requireSame(request, one.reply, reply);
    if (one.hadNoAnswer) this.counts.unanswered += 1;
    // A replay to a doubled request can repeat the response to its twin: it does not show that a lost attempt was carried out.
    if (one.hadNoAnswer && !isDoubled && isReplayed(reply)) this.counts.doneUnanswered += 1;
    this.checkReply(request, reply, allowed);
    if (isDone(reply) && this.random.next() < 0.1) await this.repeat(keyed, reply);
    return reply;
  }

  /** Sends a request that changes nothing or may be carried out twice. */
  async read(request: ClientRequest, allowed: readonly string[] = []): Promise<Reply> {
    const { reply } = await this.retryUntilAnswered(request);
    this.checkReply(request, reply, allowed);
    return reply;
  }

  private async repeat(keyed: ClientRequest, first: Reply): Promise<void> {
    this.counts.repeated += 1;
    const repetition = await this.retryUntilAnswered(keyed);
    this.requireSame(keyed, first, repetition.reply);
    const changed = { ...keyed, body: { ...(keyed.body as object), ...OTHER_DATA } };
    const { reply } = await this.retryUntilAnswered(changed);
    if (isDone(reply))
      this.inconsistencies.push(`${keyed.path}: a repetition with the same key and other data was accepted`);
  }

  private requireSame(request: ClientRequest, one: Reply, other: Reply): void {
    const textOf = ({ status, data }: Reply) => JSON.stringify([status, data]);
    const a = textOf(one);
    const b = textOf(other);
    if (a !== b)
      this.inconsistencies.push(
        `${request.method} ${request.path}: different responses to one key\n${a}\n${b}`,
      );
  }

  private checkReply(request: ClientRequest, reply: Reply, allowed: readonly string[]): void {
    if (isDone(reply)) {
      if (request.method === 'GET') return;
      this.counts.answered += 1;
      this.lastSuccessAt = performance.now();
    } else if (allowed.includes(reply.code ?? '')) this.counts.refused += 1;
    else this.recordUnexpected(request, reply);
  }

  private recordUnexpected({ method, path }: ClientRequest, { status, code, body }: Reply): void {
    this.inconsistencies.push(
      `${method} ${path}: ${status} ${code} ${JSON.stringify(body?.error?.details ?? '')}`,
    );
  }

  private async retryUntilAnswered(request: ClientRequest): Promise<{ reply: Reply; hadNoAnswer: boolean }> {
    const deadline = performance.now() + RETRY_TIMEOUT_MS;
    let hadNoAnswer = false;
    for (;;) {
      const reply = await this.attempt(request);
      if (reply && reply.status < 500 && reply.code !== 'IDEMPOTENCY_IN_PROGRESS')
        return { reply, hadNoAnswer };
      // Faults cause 503, but not WITHDRAWALS_PAUSED: it follows from a violated invariant, which no fault may cause.
      if (reply && reply.status >= 500 && (reply.status !== 503 || reply.code === 'WITHDRAWALS_PAUSED'))
        this.recordUnexpected(request, reply);
      if (reply?.code !== 'IDEMPOTENCY_IN_PROGRESS') {
        hadNoAnswer = true;
        this.countFailure(reply);
      }
      if (performance.now() > deadline)
        throw new Error(`${request.method} ${request.path}: no answer in ${RETRY_TIMEOUT_MS} ms`);
      await sleep(PAUSE_MS);
    }
  }

  private countFailure(reply: Reply | undefined): void {
    if (reply?.status === 503 && reply.headers.has('retry-after')) this.counts.unavailable += 1;
    else if (reply?.body?.error?.details?.outcome === 'unknown') this.counts.outcomeUnknown += 1;
    else this.counts.failedOtherwise += 1;
  }

  /** Sends the request once; undefined without a response. */
  private async attempt({ token, method, path, body, headers }: ClientRequest): Promise<Reply | undefined> {
    const url = this.random.oneOf(this.urls);
    const began = performance.now();
    try {
      const caller = new Caller(url, this.contract, token ?? undefined);
      return await caller.call(method, path, body, { headers: headers?.(url + path) ?? {} });
    } catch (error) {
      if (error instanceof NoResponseError) return undefined;
      throw error;
    } finally {
      this.counts.slowestMs = Math.max(this.counts.slowestMs, performance.now() - began);
    }
  }
}

export function isDone({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function isReplayed({ headers }: Reply): boolean {
  return headers.get('idempotency-replayed') === 'true';
}
