import { Injectable, Logger } from '@nestjs/common';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { boundedText } from '../../../common/bounded-text.js';
import { httpAddress, type HttpAddress } from '../../../common/http-address.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import { NodeCapabilities } from '../chain/node-state.service.js';
import { limitExceeded, readOutcome, type CheckedCall, type RpcOutcome } from './domain/rpc-messages.js';

/** Longest wait for an answer of the node. */
export const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 1_000_000;
/** How long calls are sent one by one after the node has refused a batch. */
const ONE_BY_ONE_MS = 600_000;
/** In place of the answer of a node that does not accept several calls in one request. */
const REFUSED = Symbol('refused');
/** In place of an answer above `MAX_ANSWER_BYTES`. */
const TOO_LARGE = Symbol('too large');

const ANSWER_TOO_LARGE = limitExceeded(
  `The answer is larger than ${MAX_ANSWER_BYTES} bytes: ask for less at a time`,
);

/** True if the node does not accept the request, such as a batch; false if it is busy (429) or fails (5xx). */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/** Forwards calls to the configured node. Its URL never depends on what a caller sends. */
@Injectable()
export class RpcNodeClient {
  private readonly log = new Logger('RpcProxy');

  private readonly node: HttpAddress;
  private refusedBatchAtMs = -Infinity;

  constructor(
    { RPC_URL }: AppConfig,
    private readonly capabilities: NodeCapabilities,
  ) {
    this.node = httpAddress(RPC_URL);
  }

  /** False for ten minutes after the node has refused a batch. */
  get acceptsBatches(): boolean {
    return performance.now() - this.refusedBatchAtMs > ONE_BY_ONE_MS;
  }

  /**
   * The outcomes of the calls, in their order; each is an error if the answer is too large. Undefined if the node refuses
   * several calls in one request. Throws BLOCKCHAIN_ERROR unless the node answers every call within TIMEOUT_MS and before
   * `signal` is aborted.
   */
  async forward(calls: readonly CheckedCall[], signal: AbortSignal): Promise<RpcOutcome[] | undefined> {
    const messages = calls.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: new LosslessNumber(String(index)),
      method,
      params,
    }));
    const isBatch = messages.length > 1;
    const body = stringify(isBatch ? messages : messages[0]) as string;
    const answer = await this.post(body, isBatch, signal);
    if (isBatch) this.recordBatch(answer !== REFUSED);
    if (answer === REFUSED) return undefined;
    if (answer === TOO_LARGE) return calls.map(() => ({ error: ANSWER_TOO_LARGE }));
    const messagesOfNode: unknown[] = Array.isArray(answer) ? answer : [answer];
    return calls.map(
      (_, index) => readOutcome(messagesOfNode, index) ?? this.failWith('a call has no answer'),
    );
  }

  private recordBatch(isAccepted: boolean): void {
    this.capabilities.record('batches', isAccepted);
    this.refusedBatchAtMs = isAccepted ? -Infinity : performance.now();
  }

  /** The parsed answer, or TOO_LARGE; REFUSED if a batch is refused or answered with one message. */
  private async post(body: string, isBatch: boolean, signal: AbortSignal): Promise<unknown> {
    try {
      const response = await fetchInTrace(this.node.url, {
        method: 'POST',
        headers: { ...this.node.headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (isBatch && isRefusal(response.status)) return REFUSED;
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const text = await boundedText(response, MAX_ANSWER_BYTES);
      if (text === undefined) return TOO_LARGE;
      const answer = parse(text);
      return isBatch && !Array.isArray(answer) ? REFUSED : answer;
    } catch (error) {
      return signal.aborted ? throwError('BLOCKCHAIN_ERROR') : this.failWith(error);
    }
  }

  /** Logs the cause and throws BLOCKCHAIN_ERROR. */
  private failWith(err: unknown): never {
    this.log.warn({ msg: 'the node does not answer', err });
    return throwError('BLOCKCHAIN_ERROR');
  }
}
