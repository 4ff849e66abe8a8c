import { Injectable, Logger } from '@nestjs/common';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { AppConfig } from '../../../config/app-config.js';
import { boundedText } from '../../../common/bounded-text.js';
import { fail } from '../../../common/errors/domain-error.js';
import { beyond, readOutcome, type RpcCall, type RpcOutcome } from './rpc-messages.js';

/** Longest wait for an answer of the node. */
export const TIMEOUT_MS = 3000;
const MOST_BYTES = 1_000_000;

const TOO_LARGE = beyond(`The answer is larger than ${MOST_BYTES} bytes: ask for less at a time`);

/** A call as it is sent to the node. */
export type BuiltCall = Pick<RpcCall, 'method' | 'params'>;

/** Hands calls on to the configured node, and to no other: what callers send never becomes an address. */
@Injectable()
export class NodeDoor {
  private readonly log = new Logger('RpcProxy');

  constructor(private readonly config: AppConfig) {}

  /**
   * The node's answers, in the order of the calls. Throws BLOCKCHAIN_ERROR when it does not give all of them, in time
   * and before `signal` is aborted.
   */
  async ask(
    calls: readonly BuiltCall[],
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<RpcOutcome[]> {
    const messages = calls.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: new LosslessNumber(String(index)),
      method,
      params,
    }));
    const body = stringify(messages.length === 1 ? messages[0] : messages) as string;
    const answer = await this.post(
      body,
      AbortSignal.any([limits.signal, AbortSignal.timeout(limits.timeoutMs)]),
    );
    if (answer === undefined) return calls.map(() => ({ error: TOO_LARGE }));
    return calls.map((_, index) => readOutcome([answer].flat(), index) ?? this.silent('it left a call out'));
  }

  /** Undefined when the answer is too large. */
  private async post(body: string, signal: AbortSignal): Promise<unknown> {
    try {
      const response = await fetch(this.config.RPC_URL, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal,
      });
      if (!response.ok) return this.silent(`HTTP ${response.status}`);
      const text = await boundedText(response, MOST_BYTES);
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      return this.silent(error);
    }
  }

  private silent(err: unknown): never {
    this.log.warn({ msg: 'the node does not answer', err });
    return fail('BLOCKCHAIN_ERROR');
  }
}
