import { beyond, isObject } from './rpc-messages.js';
import { RefusedParams, refuseParams, toHex } from './rpc-readers.js';

// The range of eth_getLogs, in block numbers: what `latest` means must not change between check and call.

export const MOST_LOG_BLOCKS = 1000;

const NEWEST = ['latest', 'pending'];
/** Tags of blocks that are older than the newest, by how much only the node knows. */
const OLDER = ['safe', 'finalized'];

/** False for other methods, and for the logs of one block that is named by its hash. Throws RefusedParams. */
export function hasLogRange(method: string, [filter]: readonly unknown[]): boolean {
  if (method !== 'eth_getLogs' || !isObject(filter)) return false;
  const isRange = filter.fromBlock !== undefined || filter.toBlock !== undefined;
  if (filter.blockHash !== undefined && isRange)
    refuseParams('params[0] has either blockHash or fromBlock and toBlock');
  if (OLDER.includes(String(filter.fromBlock)))
    refuseParams('params[0].fromBlock must be a block number in hex, earliest or latest');
  return filter.blockHash === undefined;
}

/** The same filter with numbers instead of tags. Throws RefusedParams for a range that is too wide. */
export function numberedLogRange([filter]: readonly unknown[], newest: bigint): unknown[] {
  const { fromBlock, toBlock, ...rest } = filter as Record<string, string | undefined>;
  const [from, to] = [numberOf(fromBlock, newest), numberOf(toBlock, newest)];
  if (to - from >= BigInt(MOST_LOG_BLOCKS)) {
    throw new RefusedParams(beyond(`eth_getLogs covers at most ${MOST_LOG_BLOCKS} blocks here`));
  }
  const end = toBlock !== undefined && OLDER.includes(toBlock) ? toBlock : toHex(to);
  return [{ ...rest, fromBlock: toHex(from), toBlock: end }];
}

function numberOf(tag: string | undefined, newest: bigint): bigint {
  if (tag === 'earliest') return 0n;
  return tag === undefined || NEWEST.includes(tag) || OLDER.includes(tag) ? newest : BigInt(tag);
}
