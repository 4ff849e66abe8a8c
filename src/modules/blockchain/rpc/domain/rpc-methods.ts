/** What may be asked: reading, each at a bounded cost. */
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

export type RpcMethod = (typeof RPC_METHODS)[number];

/** Methods that execute a contract or search many blocks: each is sent to the node by itself. */
const COSTLY: readonly string[] = ['eth_call', 'eth_estimateGas', 'eth_feeHistory', 'eth_getLogs'];

export function isAllowed(method: string): method is RpcMethod {
  return (RPC_METHODS as readonly string[]).includes(method);
}

export function isCostly(method: string): boolean {
  return COSTLY.includes(method);
}
