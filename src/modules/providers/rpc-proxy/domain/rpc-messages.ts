import { isLosslessNumber, LosslessNumber } from 'lossless-json';

// JSON-RPC 2.0 messages of callers and of the node. Numbers keep their digits, so that the answer repeats the id unchanged.

export type RpcId = string | LosslessNumber | null;

export interface RpcCall {
  /** Absent in a notification, which is neither forwarded nor answered. */
  readonly id?: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** The method and the checked parameters that the node gets. */
export interface CheckedCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };
export type RpcAnswer = { readonly jsonrpc: '2.0'; readonly id: RpcId } & RpcOutcome;

/**
 * Sends calls to the node for one caller and returns an outcome for each; undefined if the node refuses several calls in one
 * request. Throws BLOCKCHAIN_ERROR.
 */
export type AskNode = (calls: readonly CheckedCall[]) => Promise<RpcOutcome[] | undefined>;

export const INVALID_REQUEST: RpcError = { code: -32600, message: 'Invalid Request' };
export const PARSE_ERROR: RpcError = { code: -32700, message: 'Parse error: the body is not valid JSON' };
export const NODE_UNAVAILABLE: RpcError = {
  code: -32603,
  message: 'The node does not answer: try again later',
  data: { code: 'BLOCKCHAIN_ERROR' },
};
export const INVALID_PARAMS: RpcError = { code: -32602, message: 'params must be an array' };

/** EIP-1474: limit exceeded. */
export const limitExceeded = (message: string): RpcError => ({ code: -32005, message });

export const toAnswer = (id: RpcId, outcome: RpcOutcome): RpcAnswer => ({ jsonrpc: '2.0', id, ...outcome });

/** The call that a caller sent, or the answer to a malformed one, whose id is null. */
export function readCall(message: unknown): RpcCall | RpcAnswer {
  if (!isObject(message)) return toAnswer(null, { error: INVALID_REQUEST });
  const { jsonrpc, id, method, params = [] } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isId(id))) {
    return toAnswer(null, { error: INVALID_REQUEST });
  }
  return id === undefined ? { method, params } : { id, method, params };
}

/**
 * The node's outcome of the call with this id; undefined if no message has the id, or if that message has neither a result
 * nor a valid error.
 */
export function readOutcome(messages: readonly unknown[], id: number): RpcOutcome | undefined {
  const message = messages.filter(isObject).find((candidate) => String(candidate.id) === String(id));
  if (!message) return undefined;
  if (!isObject(message.error)) return message.result === undefined ? undefined : { result: message.result };
  const { code, message: text, data } = message.error;
  if (!isLosslessNumber(code)) return undefined;
  return {
    error: { code: Number(code), message: String(text), ...(data === undefined ? {} : { data }) },
  };
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === 'string' || isLosslessNumber(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
