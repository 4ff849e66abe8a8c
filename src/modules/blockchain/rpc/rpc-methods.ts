import { beyond, isObject, type RpcCall, type RpcFault } from './rpc-messages.js';

/** What may be asked: reading, each at a bounded cost (D56). */
export const RPC_METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_syncing',
  'net_version',
] as const;

export const MOST_LOG_BLOCKS = 1000;

export function isAllowed(method: string): boolean {
  return (RPC_METHODS as readonly string[]).includes(method);
}

type Block = bigint | 'newest';

/** The blocks that a call for logs covers; undefined when it names one by its hash, or asks for something else. */
export function logRange({ method, params }: RpcCall): { from: Block; to: Block } | RpcFault | undefined {
  if (method !== 'eth_getLogs') return undefined;
  const [filter] = params;
  if (params.length !== 1 || !isObject(filter)) return wrong('eth_getLogs takes one filter');
  if (filter.blockHash !== undefined) return undefined;
  const [from, to] = [blockOf(filter.fromBlock), blockOf(filter.toBlock, ['safe', 'finalized'])];
  if (from === undefined) return wrong('fromBlock must be a number in hex, earliest or latest');
  if (to === undefined) return wrong('toBlock must be a number in hex or a known tag');
  return { from, to };
}

export function isTooWide({ from, to }: { from: Block; to: Block }, newest: bigint): boolean {
  const [first, last] = [from, to].map((block) => (block === 'newest' ? newest : block)) as [bigint, bigint];
  return last - first >= BigInt(MOST_LOG_BLOCKS);
}

export const TOO_WIDE = beyond(`eth_getLogs covers at most ${MOST_LOG_BLOCKS} blocks here`);

/** `behind`: tags of blocks that are older than the newest, by how much only the node knows. */
function blockOf(tag: unknown, behind: string[] = []): Block | undefined {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return 'newest';
  if (tag === 'earliest') return 0n;
  if (typeof tag !== 'string') return undefined;
  if (behind.includes(tag)) return 'newest';
  return /^0x[0-9a-f]{1,16}$/i.test(tag) ? BigInt(tag) : undefined;
}

const wrong = (message: string): RpcFault => ({ code: -32602, message });
