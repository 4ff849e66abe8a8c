import { throwError } from '../../../../common/errors/domain-error.js';
import { isObject, limitExceeded, type AskNode, type CheckedCall, type RpcOutcome } from './rpc-messages.js';
import { errorOrResult, RefusedParams, refuseParams, toHex } from './rpc-methods.js';

// Turns `latest`, `pending` and `earliest` in the range of eth_getLogs into numbers, since the block that a tag means can
// change between check and call.

export const MAX_LOG_BLOCKS = 1000;

const NEWEST = ['latest', 'pending'];
/** Tags of older blocks. Only the node knows their numbers. */
const OLDER = ['safe', 'finalized'];

/** False for other methods and for the logs of one block that is named by its hash. */
export function hasLogRange({ method, params: [filter] }: CheckedCall): boolean {
  return method === 'eth_getLogs' && isObject(filter) && filter.blockHash === undefined;
}

/** Throws RefusedParams if eth_getLogs has an ambiguous range, or one whose first block only the node knows. */
export function requireAllowedLogRange({ method, params: [filter] }: CheckedCall): void {
  if (method !== 'eth_getLogs' || !isObject(filter)) return;
  const isRange = filter.fromBlock !== undefined || filter.toBlock !== undefined;
  if (filter.blockHash !== undefined && isRange)
    refuseParams('params[0] must have either blockHash, or fromBlock and toBlock');
  if (OLDER.includes(String(filter.fromBlock)))
    refuseParams('params[0].fromBlock must be a block number in hex, earliest or latest');
}

/** Sends a call that has a log range, after reading the newest block to turn tags into numbers. */
export async function askForLogs(ask: AskNode, call: CheckedCall): Promise<RpcOutcome> {
  const [newest] = (await ask([{ method: 'eth_blockNumber', params: [] }])) as [RpcOutcome];
  if ('error' in newest) return newest;
  if (typeof newest.result !== 'string' || !/^0x[0-9a-f]+$/i.test(newest.result))
    return throwError('BLOCKCHAIN_ERROR');
  const block = BigInt(newest.result);
  const numbered = errorOrResult(() => ({ ...call, params: withBlockNumbers(call.params, block) }));
  if (!('method' in numbered)) return { error: numbered };
  const [outcome] = (await ask([numbered])) as [RpcOutcome];
  return outcome;
}

/** The params with numbers instead of tags other than `safe` and `finalized`. Throws RefusedParams if the range is too wide. */
function withBlockNumbers([filter]: readonly unknown[], newest: bigint): unknown[] {
  const { fromBlock, toBlock, ...otherFields } = filter as Record<string, string | undefined>;
  const from = numberOf(fromBlock, newest);
  const to = numberOf(toBlock, newest);
  if (to - from >= BigInt(MAX_LOG_BLOCKS)) {
    throw new RefusedParams(
      limitExceeded(`eth_getLogs covers at most ${MAX_LOG_BLOCKS} blocks: choose a smaller range`),
    );
  }
  // The tags `safe` and `finalized` are sent unchanged: only the node knows their blocks, of which `to` is an upper bound.
  const end = toBlock !== undefined && OLDER.includes(toBlock) ? toBlock : toHex(to);
  return [{ ...otherFields, fromBlock: toHex(from), toBlock: end }];
}

/** Returns the newest block also for `safe` and `finalized`, because it is an upper bound of both. */
function numberOf(tag: string | undefined, newest: bigint): bigint {
  if (tag === 'earliest') return 0n;
  return tag === undefined || NEWEST.includes(tag) || OLDER.includes(tag) ? newest : BigInt(tag);
}
