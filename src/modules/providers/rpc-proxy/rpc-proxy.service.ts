import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'lossless-json';
import { DomainError } from '../../../common/errors/domain-error.js';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  NODE_UNAVAILABLE,
  readCall,
  toAnswer,
  type AskNode,
  type CheckedCall,
  type RpcAnswer,
  type RpcCall,
  type RpcError,
  type RpcOutcome,
} from './domain/rpc-messages.js';
import {
  buildParams,
  isAllowed,
  isCostly,
  RPC_METHODS,
  errorOrResult,
  askForLogs,
  hasLogRange,
  requireAllowedLogRange,
} from './domain/rpc-methods.js';
import { NodeAccessService, TOO_MANY_WAITING } from './node-access.service.js';

export const MAX_CALLS = 100;
/** Calls in one request to the node, which bounds its answer. */
const CALLS_PER_REQUEST = 20;

const TOO_MANY_CALLS: RpcError = {
  ...INVALID_REQUEST,
  message: `A batch has at most ${MAX_CALLS} calls`,
};
const NOT_ALLOWED: RpcError = {
  code: -32601,
  message: 'This RPC method is not allowed. Only methods that read the chain are allowed: see data',
  data: { code: 'RPC_METHOD_NOT_ALLOWED', allowed: RPC_METHODS },
};

export interface RpcReply {
  /** The JSON-RPC answer; undefined if there are only notifications. */
  readonly text: string | undefined;
  /** True if the node has not answered a call. */
  readonly isFailure: boolean;
}

/** Answers JSON-RPC calls of wallets and other programs, single or in batches. Only methods that read the chain are allowed. */
@Injectable()
export class RpcProxyService {
  constructor(private readonly node: NodeAccessService) {}

  /** Answers a body that is JSON or empty. The node's time is charged to the network address `caller`. */
  async answerJsonRpc(body: Buffer | undefined, caller: string): Promise<RpcReply> {
    const message = parseBody(body);
    const answer = Array.isArray(message)
      ? await this.answerBatch(message, caller)
      : (await this.answerCalls([readCall(message)], caller))[0];
    const isFailure = [answer]
      .flat()
      .some((item) => item && 'error' in item && item.error === NODE_UNAVAILABLE);
    return { text: stringify(answer), isFailure };
  }

  private async answerBatch(
    messages: readonly unknown[],
    caller: string,
  ): Promise<RpcAnswer | RpcAnswer[] | undefined> {
    if (messages.length === 0) return toAnswer(null, { error: INVALID_REQUEST });
    if (messages.length > MAX_CALLS) return answerEachCall(messages, TOO_MANY_CALLS);
    const answers = await this.answerCalls(messages.map(readCall), caller);
    return answers.length > 0 ? answers : undefined;
  }

  /** Answers the calls in their order and omits notifications. A malformed call has been replaced by its answer. */
  private async answerCalls(calls: readonly (RpcCall | RpcAnswer)[], caller: string): Promise<RpcAnswer[]> {
    const answerable = calls.filter((call) => call.id !== undefined);
    const prepared = new Map(answerable.filter(isCall).map((call) => [call, prepareCall(call)]));
    const checkedCalls = [...prepared.values()].filter((result) => 'method' in result);
    const outcomes = await this.forwardCalls(checkedCalls, caller);
    return answerable.map((call) => {
      if (!isCall(call)) return call;
      const result = prepared.get(call) as CheckedCall | RpcError;
      const outcome = 'method' in result ? (outcomes.get(result) as RpcOutcome) : { error: result };
      return toAnswer(call.id ?? null, outcome);
    });
  }

  /** The node's outcome of each call. Cheap calls are sent together, each costly call in a request of its own. */
  private async forwardCalls(
    calls: readonly CheckedCall[],
    caller: string,
  ): Promise<Map<CheckedCall, RpcOutcome>> {
    if (calls.length === 0) return new Map(); // without taking a slot of the caller
    const groups = groupsOf(calls, this.node.acceptsBatches ? CALLS_PER_REQUEST : 1);
    const outcomes = await this.node.runForCaller(caller, (ask) => askForGroups(ask, groups));
    const missing = { error: outcomes ? NODE_UNAVAILABLE : TOO_MANY_WAITING };
    return new Map(calls.map((call) => [call, outcomes?.get(call) ?? missing]));
  }
}

/** The answer with `error` to the call, or to each call of the batch, in a body that may be malformed. */
export function answerWithError(body: Buffer | undefined, error: RpcError): string {
  let message: unknown;
  try {
    message = parseBody(body);
  } catch {
    // no id can be read
  }
  const answer = Array.isArray(message)
    ? answerEachCall(message, error)
    : answerEachCall([message], error)[0];
  return stringify(answer) as string;
}

/** The answer to each valid call that has an id; one without an id if there is none. */
function answerEachCall(messages: readonly unknown[], error: RpcError): RpcAnswer[] {
  const calls = messages.map(readCall).filter(isCall);
  const answers = calls.flatMap(({ id }) => (id === undefined ? [] : [toAnswer(id, { error })]));
  return answers.length > 0 ? answers : [toAnswer(null, { error })];
}

function parseBody(body: Buffer | undefined): unknown {
  return body?.length ? parse(body.toString('utf8')) : undefined;
}

/** Costly calls each in a group of its own, and the others in groups of at most `size`. */
function groupsOf(calls: readonly CheckedCall[], size: number): CheckedCall[][] {
  const cheap = calls.filter(({ method }) => !isCostly(method));
  const costly = calls.filter(({ method }) => isCostly(method));
  const count = Math.ceil(cheap.length / size);
  const groups = Array.from({ length: count }, (_, index) => cheap.slice(index * size, (index + 1) * size));
  return [...groups, ...costly.map((call) => [call])];
}

/**
 * The outcomes of the groups. When the node refuses a group, the calls of this group and of those after it are sent one by one.
 * When it does not answer, these calls have no outcome.
 */
async function askForGroups(
  ask: AskNode,
  groups: readonly CheckedCall[][],
): Promise<Map<CheckedCall, RpcOutcome>> {
  const outcomes = new Map<CheckedCall, RpcOutcome>();
  let waiting = [...groups];
  try {
    for (let group = waiting.shift(); group; group = waiting.shift()) {
      const answers = await askForGroup(ask, group);
      if (answers) group.forEach((call, index) => outcomes.set(call, answers[index] as RpcOutcome));
      else waiting = [group, ...waiting].flat().map((call) => [call]);
    }
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'BLOCKCHAIN_ERROR')) throw error;
  }
  return outcomes;
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

/** A call with a log range is costly, so it is the only one of its group. */
async function askForGroup(ask: AskNode, group: readonly CheckedCall[]): Promise<RpcOutcome[] | undefined> {
  const [call] = group as [CheckedCall];
  return hasLogRange(call) ? [await askForLogs(ask, call)] : ask(group);
}
