import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'lossless-json';
import { fail } from '../../../common/errors/domain-error.js';
import { askForLogs, hasLogRange, requireAllowedLogRange } from './domain/log-range.js';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  readCall,
  toAnswer,
  type AskNode,
  type CheckedCall,
  type RpcAnswer,
  type RpcCall,
  type RpcError,
  type RpcOutcome,
} from './domain/rpc-messages.js';
import { buildParams, isAllowed, isCostly, RPC_METHODS } from './domain/rpc-methods.js';
import { errorOrResult } from './domain/rpc-readers.js';
import { NodeAccessService, TOO_MANY_WAITING } from './node-access.service.js';

export const MAX_CALLS = 20;

const TOO_MANY_CALLS: RpcError = {
  ...INVALID_REQUEST,
  message: `A batch has at most ${MAX_CALLS} calls`,
};
const NOT_ALLOWED: RpcError = {
  code: -32601,
  message: 'This RPC method is not allowed. Only methods that read the chain are allowed: see data',
  data: { code: 'RPC_METHOD_NOT_ALLOWED', allowed: RPC_METHODS },
};

/** Answers JSON-RPC calls of wallets and other programs, single or in batches. Only methods that read the chain are allowed. */
@Injectable()
export class RpcProxyService {
  constructor(private readonly node: NodeAccessService) {}

  /**
   * The JSON-RPC answer; undefined if there are only notifications. The node's time is charged to the network address
   * `caller`. Throws BLOCKCHAIN_ERROR, and RPC_METHOD_NOT_ALLOWED if a call outside a batch has a method that is not allowed.
   */
  async answerJsonRpc(body: Buffer | undefined, caller: string): Promise<string | undefined> {
    const message = body?.length ? parse(body.toString('utf8')) : undefined;
    return stringify(
      Array.isArray(message)
        ? await this.answerBatch(message, caller)
        : await this.answerSingle(message, caller),
    );
  }

  private async answerSingle(message: unknown, caller: string): Promise<RpcAnswer | undefined> {
    const call = readCall(message);
    if ('method' in call && !isAllowed(call.method)) {
      fail('RPC_METHOD_NOT_ALLOWED', { allowed: RPC_METHODS });
    }
    const [answer] = await this.answerCalls([call], caller);
    return answer;
  }

  private async answerBatch(
    messages: readonly unknown[],
    caller: string,
  ): Promise<RpcAnswer | RpcAnswer[] | undefined> {
    if (messages.length === 0) return toAnswer(null, { error: INVALID_REQUEST });
    if (messages.length > MAX_CALLS) return toAnswer(null, { error: TOO_MANY_CALLS });
    const answers = await this.answerCalls(messages.map(readCall), caller);
    return answers.length > 0 ? answers : undefined;
  }

  /** Answers the calls in their order and omits notifications. A malformed call has been replaced by its answer. */
  private async answerCalls(calls: readonly (RpcCall | RpcAnswer)[], caller: string): Promise<RpcAnswer[]> {
    const answerable = calls.filter((call) => call.id !== undefined);
    const prepared = new Map(answerable.filter(isCall).map((call) => [call, prepareCall(call)]));
    const checkedCalls = [...prepared.values()].filter((result) => 'method' in result);
    const outcomes =
      checkedCalls.length > 0
        ? await this.forwardCalls(checkedCalls, caller)
        : new Map<CheckedCall, RpcOutcome>();
    return answerable.map((call) => {
      if (!isCall(call)) return call;
      const result = prepared.get(call) as CheckedCall | RpcError;
      const outcome = 'method' in result ? (outcomes.get(result) as RpcOutcome) : { error: result };
      return toAnswer(call.id ?? null, outcome);
    });
  }

  /** The node's outcome of each call. Cheap calls are sent in one request, each costly call in a separate one. */
  private async forwardCalls(
    calls: readonly CheckedCall[],
    caller: string,
  ): Promise<Map<CheckedCall, RpcOutcome>> {
    const cheap = calls.filter(({ method }) => !isCostly(method));
    const groups = [cheap, ...calls.filter(({ method }) => isCostly(method)).map((call) => [call])];
    const outcomes = await this.node.runForCaller(caller, async (ask) => {
      const results = new Map<CheckedCall, RpcOutcome>();
      for (const group of groups.filter(({ length }) => length > 0)) {
        const answers = await askForGroup(ask, group);
        group.forEach((call, index) => results.set(call, answers[index] as RpcOutcome));
      }
      return results;
    });
    return outcomes ?? new Map(calls.map((call) => [call, { error: TOO_MANY_WAITING }]));
  }
}

function isCall(message: RpcCall | RpcAnswer): message is RpcCall {
  return 'method' in message;
}

/** The call as it is sent to the node, or the error that refuses it. */
function prepareCall({ method, params }: RpcCall): CheckedCall | RpcError {
  if (!isAllowed(method)) return NOT_ALLOWED;
  if (!Array.isArray(params)) return INVALID_PARAMS;
  return errorOrResult(() => {
    const call = { method, params: buildParams(method, params) };
    requireAllowedLogRange(call);
    return call;
  });
}

async function askForGroup(ask: AskNode, group: readonly CheckedCall[]): Promise<RpcOutcome[]> {
  const [call] = group as [CheckedCall];
  return hasLogRange(call) ? [await askForLogs(ask, call)] : ask(group);
}
