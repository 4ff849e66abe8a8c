import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'lossless-json';
import { fail } from '../../../common/errors/domain-error.js';
import { hasLogRange, numberedLogRange } from './log-range.js';
import { NO_SLOT, NodeAccess, type AskNode } from './node-access.js';
import type { BuiltCall } from './node-door.js';
import {
  answered,
  INVALID_REQUEST,
  readCall,
  type RpcAnswer,
  type RpcCall,
  type RpcFault,
  type RpcOutcome,
} from './rpc-messages.js';
import { isAllowed, isCostly, RPC_METHODS } from './rpc-methods.js';
import { buildParams } from './rpc-params.js';
import { RefusedParams } from './rpc-readers.js';

export const MOST_CALLS = 20;

const TOO_MANY: RpcFault = { ...INVALID_REQUEST, message: `A batch has at most ${MOST_CALLS} calls` };
const NOT_ALLOWED: RpcFault = {
  code: -32601,
  message: 'This RPC method is not allowed here: only reading is',
  data: { code: 'RPC_METHOD_NOT_ALLOWED', allowed: RPC_METHODS },
};

/** The chain for wallets and other programs: JSON-RPC that reads, single or in batches. */
@Injectable()
export class RpcProxy {
  constructor(private readonly node: NodeAccess) {}

  /**
   * Answers JSON-RPC with JSON-RPC; undefined if there are only notifications. The node's time counts for the network
   * address `caller`. Throws RPC_METHOD_NOT_ALLOWED for a single call, BLOCKCHAIN_ERROR.
   */
  async answer(body: Buffer | undefined, caller: string): Promise<string | undefined> {
    const message = body?.length ? parse(body.toString('utf8')) : undefined;
    return stringify(
      Array.isArray(message) ? await this.batch(message, caller) : await this.single(message, caller),
    );
  }

  private async single(message: unknown, caller: string): Promise<RpcAnswer | undefined> {
    const call = readCall(message);
    if ('method' in call && !isAllowed(call.method)) {
      fail('RPC_METHOD_NOT_ALLOWED', { allowed: RPC_METHODS });
    }
    const [answer] = await this.answers([call], caller);
    return answer;
  }

  private async batch(
    messages: readonly unknown[],
    caller: string,
  ): Promise<RpcAnswer | RpcAnswer[] | undefined> {
    if (messages.length === 0) return answered(null, { error: INVALID_REQUEST });
    if (messages.length > MOST_CALLS) return answered(null, { error: TOO_MANY });
    const answers = await this.answers(messages.map(readCall), caller);
    return answers.length > 0 ? answers : undefined;
  }

  private async answers(calls: readonly (RpcCall | RpcAnswer)[], caller: string): Promise<RpcAnswer[]> {
    const wanted = calls.filter((call) => call.id !== undefined);
    const prepared = new Map(wanted.filter(isCall).map((call) => [call, prepare(call)]));
    const built = [...prepared.values()].filter((one) => 'method' in one);
    const outcomes =
      built.length > 0 ? await this.outcomesOf(built, caller) : new Map<BuiltCall, RpcOutcome>();
    return wanted.map((call) => {
      if (!isCall(call)) return call;
      const one = prepared.get(call) as BuiltCall | RpcFault;
      return answered(call.id ?? null, 'method' in one ? (outcomes.get(one) as RpcOutcome) : { error: one });
    });
  }

  /** What the node says to each call. What costs it little is asked at once, each of the others by itself. */
  private async outcomesOf(calls: readonly BuiltCall[], caller: string): Promise<Map<BuiltCall, RpcOutcome>> {
    const cheap = calls.filter(({ method }) => !isCostly(method));
    const groups = [cheap, ...calls.filter(({ method }) => isCostly(method)).map((call) => [call])];
    const outcomes = await this.node.runForCaller(caller, async (ask) => {
      const results = new Map<BuiltCall, RpcOutcome>();
      for (const group of groups.filter(({ length }) => length > 0)) {
        const answers = await askWithNumbers(ask, group);
        group.forEach((call, index) => results.set(call, answers[index] as RpcOutcome));
      }
      return results;
    });
    return outcomes ?? new Map(calls.map((call) => [call, { error: NO_SLOT }]));
  }
}

function isCall(message: RpcCall | RpcAnswer): message is RpcCall {
  return 'method' in message;
}

/** The call as it is sent to the node, or why it is not. */
function prepare({ method, params }: RpcCall): BuiltCall | RpcFault {
  if (!isAllowed(method)) return NOT_ALLOWED;
  return faultOr(() => {
    const built = buildParams(method, params);
    hasLogRange(method, built);
    return { method, params: built };
  });
}

/** Asks for the newest block first where a range of blocks has to be counted. */
async function askWithNumbers(ask: AskNode, group: readonly BuiltCall[]): Promise<RpcOutcome[]> {
  const [call] = group as [BuiltCall];
  if (!hasLogRange(call.method, call.params)) return ask(group);
  const [newest] = (await ask([{ method: 'eth_blockNumber', params: [] }])) as [RpcOutcome];
  if ('error' in newest) return [newest];
  if (typeof newest.result !== 'string' || !/^0x[0-9a-f]+$/i.test(newest.result))
    return fail('BLOCKCHAIN_ERROR');
  const block = BigInt(newest.result);
  const numbered = faultOr(() => ({ ...call, params: numberedLogRange(call.params, block) }));
  return 'method' in numbered ? ask([numbered]) : [{ error: numbered }];
}

function faultOr<Result extends object>(build: () => Result): Result | RpcFault {
  try {
    return build();
  } catch (error) {
    if (error instanceof RefusedParams) return error.fault;
    throw error;
  }
}
