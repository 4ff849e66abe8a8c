import { isLosslessNumber, LosslessNumber } from 'lossless-json';

// JSON-RPC 2.0, in both directions. Numbers are kept as they were written: an id comes back digit by digit.

export type RpcId = string | LosslessNumber | null;

export interface RpcCall {
  /** Absent in a notification, which is neither asked nor answered. */
  readonly id?: RpcId;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcFault };
export type RpcAnswer = { readonly jsonrpc: '2.0'; readonly id: RpcId } & RpcOutcome;

export const INVALID_REQUEST: RpcFault = { code: -32600, message: 'Invalid Request' };
const INVALID_PARAMS: RpcFault = { code: -32602, message: 'params must be a list' };

/** EIP-1474: limit exceeded. */
export const beyond = (message: string): RpcFault => ({ code: -32005, message });

export const answered = (id: RpcId, outcome: RpcOutcome): RpcAnswer => ({ jsonrpc: '2.0', id, ...outcome });

/** What a caller sent, or what is wrong with it; then the id is the caller's only where it could be read. */
export function readCall(message: unknown): RpcCall | RpcAnswer {
  if (!isObject(message)) return answered(null, { error: INVALID_REQUEST });
  const { jsonrpc, id, method, params = [] } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isId(id))) {
    return answered(null, { error: INVALID_REQUEST });
  }
  if (id === undefined) return { method, params: [] };
  return Array.isArray(params) ? { id, method, params } : answered(id, { error: INVALID_PARAMS });
}

/** What the node said to the call that went to it under `id`; undefined when that is no JSON-RPC. */
export function readOutcome(messages: readonly unknown[], id: number): RpcOutcome | undefined {
  const message = messages.filter(isObject).find((candidate) => String(candidate.id) === String(id));
  if (!message) return undefined;
  if (!isObject(message.error)) return message.result === undefined ? undefined : { result: message.result };
  const { code, message: text, data } = message.error;
  return {
    error: {
      code: Number(code),
      message: String(text),
      ...(data === undefined ? {} : { data }),
    },
  };
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === 'string' || isLosslessNumber(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
