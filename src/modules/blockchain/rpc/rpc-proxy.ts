import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'lossless-json';
import { fail } from '../../../kernel/errors/domain-error.js';
import { NodeDoor } from './node-door.js';
import {
  answered,
  INVALID_REQUEST,
  readCall,
  type RpcAnswer,
  type RpcCall,
  type RpcFault,
  type RpcOutcome,
} from './rpc-messages.js';
import { isAllowed, isTooWide, logRange, RPC_METHODS, TOO_WIDE } from './rpc-methods.js';

export const MOST_CALLS = 20;

const TOO_MANY: RpcFault = { ...INVALID_REQUEST, message: `A batch has at most ${MOST_CALLS} calls` };
const NOT_ALLOWED: RpcFault = {
  code: -32601,
  message: 'This RPC method is not allowed here: only reading is',
  data: { code: 'RPC_METHOD_NOT_ALLOWED', allowed: RPC_METHODS },
};

/** The chain for wallets and other programs: JSON-RPC that reads, single or in batches (D56). */
@Injectable()
export class RpcProxy {
  constructor(private readonly node: NodeDoor) {}

  /**
   * JSON-RPC for JSON-RPC; undefined for what is not answered: notifications. Throws RPC_METHOD_NOT_ALLOWED for a
   * single call, BLOCKCHAIN_ERROR.
   */
  async answer(body: Buffer | undefined): Promise<string | undefined> {
    const message = body?.length ? parse(body.toString('utf8')) : undefined;
    return stringify(Array.isArray(message) ? await this.batch(message) : await this.single(message));
  }

  private async single(message: unknown): Promise<RpcAnswer | undefined> {
    const call = readCall(message);
    if ('method' in call && !isAllowed(call.method)) {
      fail('RPC_METHOD_NOT_ALLOWED', { allowed: RPC_METHODS });
    }
    const [answer] = await this.answers([call]);
    return answer;
  }

  private async batch(messages: readonly unknown[]): Promise<RpcAnswer | RpcAnswer[] | undefined> {
    if (messages.length === 0) return answered(null, { error: INVALID_REQUEST });
    if (messages.length > MOST_CALLS) return answered(null, { error: TOO_MANY });
    const answers = await this.answers(messages.map(readCall));
    return answers.length > 0 ? answers : undefined;
  }

  private async answers(calls: readonly (RpcCall | RpcAnswer)[]): Promise<RpcAnswer[]> {
    const wanted = calls.filter((call) => call.id !== undefined);
    const faults = await this.faultsOf(wanted);
    const good = wanted.filter((call): call is RpcCall => 'method' in call && !faults.has(call));
    const outcomes = good.length > 0 ? await this.node.ask(good) : [];
    const outcomeOf = new Map(good.map((call, index) => [call, outcomes[index] as RpcOutcome]));
    return wanted.map((call) => {
      if (!('method' in call)) return call;
      const fault = faults.get(call);
      return answered(call.id ?? null, fault ? { error: fault } : (outcomeOf.get(call) as RpcOutcome));
    });
  }

  /** What is not asked of the node, and why. */
  private async faultsOf(calls: readonly (RpcCall | RpcAnswer)[]): Promise<Map<RpcCall, RpcFault>> {
    const faults = new Map<RpcCall, RpcFault>();
    let newest: bigint | undefined;
    for (const call of calls) {
      if (!('method' in call)) continue;
      if (!isAllowed(call.method)) faults.set(call, NOT_ALLOWED);
      const range = logRange(call);
      if (range === undefined) continue;
      if ('code' in range) {
        faults.set(call, range);
        continue;
      }
      newest ??= await this.newestBlock();
      if (isTooWide(range, newest)) faults.set(call, TOO_WIDE);
    }
    return faults;
  }

  private async newestBlock(): Promise<bigint> {
    const [outcome] = await this.node.ask([{ method: 'eth_blockNumber', params: [] }]);
    if (!outcome || 'error' in outcome || typeof outcome.result !== 'string') return fail('BLOCKCHAIN_ERROR');
    return BigInt(outcome.result);
  }
}
