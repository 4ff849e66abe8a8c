import { Injectable, Logger } from '@nestjs/common';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { boundedText } from '../../../common/bounded-text.js';
import { fail } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { limitExceeded, readOutcome, type CheckedCall, type RpcOutcome } from './domain/rpc-messages.js';

/** Longest wait for an answer of the node. */
export const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 1_000_000;

const ANSWER_TOO_LARGE = limitExceeded(
  `The answer is larger than ${MAX_ANSWER_BYTES} bytes: ask for less at a time`,
);

/** Forwards calls to the configured node. Its URL never depends on what a caller sends. */
@Injectable()
export class RpcNodeClient {
  private readonly log = new Logger('RpcProxy');

  constructor(private readonly config: AppConfig) {}

  /**
   * The outcomes of the calls, in their order; each is an error if the answer is too large. Throws BLOCKCHAIN_ERROR unless
   * the node answers every call within TIMEOUT_MS and before `signal` is aborted.
   */
  async forward(calls: readonly CheckedCall[], signal: AbortSignal): Promise<RpcOutcome[]> {
    const messages = calls.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: new LosslessNumber(String(index)),
      method,
      params,
    }));
    const body = stringify(messages.length === 1 ? messages[0] : messages) as string;
    const answer = await this.post(body, signal);
    if (answer === undefined) return calls.map(() => ({ error: ANSWER_TOO_LARGE }));
    const messagesOfNode: unknown[] = Array.isArray(answer) ? answer : [answer];
    return calls.map(
      (_, index) => readOutcome(messagesOfNode, index) ?? this.failWith('a call has no answer'),
    );
  }

  /** The parsed answer; undefined if it is too large. */
  private async post(body: string, signal: AbortSignal): Promise<unknown> {
    try {
      const response = await fetch(this.config.RPC_URL, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const text = await boundedText(response, MAX_ANSWER_BYTES);
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      return signal.aborted ? fail('BLOCKCHAIN_ERROR') : this.failWith(error);
    }
  }

  /** Logs the cause and throws BLOCKCHAIN_ERROR. */
  private failWith(err: unknown): never {
    this.log.warn({ msg: 'the node does not answer', err });
    return fail('BLOCKCHAIN_ERROR');
  }
}
