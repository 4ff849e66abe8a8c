import { isLosslessNumber } from 'lossless-json';
import { throwError } from '../../../../common/errors/domain-error.js';
import {
  isObject,
  limitExceeded,
  type AskNode,
  type CheckedCall,
  type RpcError,
  type RpcOutcome,
} from './rpc-messages.js';

/** Thrown for params that the proxy does not forward, with the JSON-RPC error that the caller gets instead. */
class RefusedParams extends Error {
  constructor(readonly error: RpcError) {
    super(error.message);
  }
}

/** Checks one value and returns the copy of it that is sent to the node. Throws RefusedParams. */
type Reader = (value: unknown, name: string) => unknown;

function refuseParams(message: string): never {
  throw new RefusedParams({ code: -32602, message });
}

/** The result of `build`, or the error of the RefusedParams that it throws. */
export function errorOrResult<Result extends object>(build: () => Result): Result | RpcError {
  try {
    return build();
  } catch (error) {
    if (error instanceof RefusedParams) return error.error;
    throw error;
  }
}

const hexText =
  (pattern: RegExp, meaning: string): Reader =>
  (value, name) =>
    typeof value === 'string' && pattern.test(value) ? value : refuseParams(`${name} must be ${meaning}`);

const ADDRESS = hexText(/^0x[0-9a-fA-F]{40}$/, 'an address of 0x and 40 hex digits');
const HASH = hexText(/^0x[0-9a-fA-F]{64}$/, 'a hash of 0x and 64 hex digits');
const QUANTITY = hexText(/^0x[0-9a-fA-F]{1,64}$/, 'a number in hex');
const DATA = hexText(/^0x(?:[0-9a-fA-F]{2})*$/, 'data in hex');
const BLOCK_TAG = hexText(
  /^(?:latest|earliest|pending|safe|finalized|0x[0-9a-fA-F]{1,16})$/,
  'a block number in hex or a known tag',
);

const FLAG: Reader = (value, name) =>
  typeof value === 'boolean' ? value : refuseParams(`${name} must be true or false`);

const PERCENTILE: Reader = (value, name) => {
  const isPercentile = isLosslessNumber(value) && Number(value.value) >= 0 && Number(value.value) <= 100;
  return isPercentile ? value : refuseParams(`${name} must be a number from 0 to 100`);
};

/** A number in hex; a larger one is lowered to the maximum. */
const quantityUpTo =
  (maximum: bigint): Reader =>
  (value, name) => {
    const quantity = BigInt(QUANTITY(value, name) as string);
    return toHex(quantity < maximum ? quantity : maximum);
  };

const listOf =
  (reader: Reader, atMost: number): Reader =>
  (value, name) => {
    if (!Array.isArray(value) || value.length > atMost)
      return refuseParams(`${name} must be a list of at most ${atMost}`);
    return value.map((item, index) => reader(item, `${name}[${index}]`));
  };

const eitherNullOr =
  (reader: Reader): Reader =>
  (value, name) =>
    value === null ? null : reader(value, name);

/** One value, or a list of `atMost` values or fewer. */
const oneOrMore =
  (reader: Reader, atMost: number): Reader =>
  (value, name) =>
    (Array.isArray(value) ? listOf(reader, atMost) : reader)(value, name);

/** An object that has no fields but `fields`, whose names are case-sensitive. Fields that are null are omitted. */
const objectOf =
  (fields: Readonly<Record<string, Reader>>): Reader =>
  (value, name) => {
    if (!isObject(value)) return refuseParams(`${name} must be an object`);
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined)
      return refuseParams(`${name} has an unknown field; known are ${Object.keys(fields).join(', ')}`);
    const present = Object.entries(value).filter(([, content]) => content !== null);
    return Object.fromEntries(
      present.map(([key, content]) => [key, (fields[key] as Reader)(content, `${name}.${key}`)]),
    );
  };

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

// The params of each method are built from known fields only. The overrides of state and block that some nodes accept as
// further params are refused.

/** The gas of a call that states no gas, or more gas than this. */
export const MAX_GAS = 50_000_000n;
/** Longest fee history. */
export const MAX_FEE_BLOCKS = 1000n;

const MAX_LIST = 1000;
const MAX_TOPICS = 4;
const MAX_PERCENTILES = 100;

const CALL_FIELDS = objectOf({
  from: ADDRESS,
  to: ADDRESS,
  gas: quantityUpTo(MAX_GAS),
  gasPrice: QUANTITY,
  maxFeePerGas: QUANTITY,
  maxPriorityFeePerGas: QUANTITY,
  value: QUANTITY,
  nonce: QUANTITY,
  data: DATA,
  input: DATA,
  type: QUANTITY,
  chainId: QUANTITY,
  accessList: listOf(objectOf({ address: ADDRESS, storageKeys: listOf(HASH, MAX_LIST) }), MAX_LIST),
});

/** Adds `MAX_GAS` if the caller states no gas, because the default differs between nodes. */
const CALL: Reader = (value, name) => ({
  gas: toHex(MAX_GAS),
  ...(CALL_FIELDS(value, name) as Record<string, unknown>),
});

const BLOCK_OBJECT = objectOf({ blockNumber: QUANTITY, blockHash: HASH, requireCanonical: FLAG });
const BLOCK: Reader = (value, name) => (typeof value === 'string' ? BLOCK_TAG : BLOCK_OBJECT)(value, name);

const FEE_BLOCKS: Reader = (value, name) => {
  const count = QUANTITY(value, name) as string;
  return BigInt(count) > MAX_FEE_BLOCKS
    ? refuseParams(`${name} must be at most ${MAX_FEE_BLOCKS} blocks`)
    : count;
};

const LOG_FILTER = objectOf({
  fromBlock: BLOCK_TAG,
  toBlock: BLOCK_TAG,
  blockHash: HASH,
  address: oneOrMore(ADDRESS, MAX_LIST),
  topics: listOf(eitherNullOr(oneOrMore(eitherNullOr(HASH), MAX_LIST)), MAX_TOPICS),
});

interface MethodParams {
  readonly required: readonly Reader[];
  readonly optional: readonly Reader[];
}

const takes = (required: readonly Reader[], optional: readonly Reader[] = []): MethodParams => ({
  required,
  optional,
});

const NO_PARAMS = takes([]);

/** The allowed methods with their params. The methods only read, and the cost of each is bounded. */
const PARAMS = {
  eth_blockNumber: NO_PARAMS,
  eth_call: takes([CALL], [BLOCK]),
  eth_chainId: NO_PARAMS,
  eth_estimateGas: takes([CALL], [BLOCK]),
  eth_feeHistory: takes([FEE_BLOCKS, BLOCK_TAG], [listOf(PERCENTILE, MAX_PERCENTILES)]),
  eth_gasPrice: NO_PARAMS,
  eth_getBalance: takes([ADDRESS], [BLOCK]),
  eth_getBlockByHash: takes([HASH], [FLAG]),
  eth_getBlockByNumber: takes([BLOCK_TAG], [FLAG]),
  eth_getBlockTransactionCountByHash: takes([HASH]),
  eth_getBlockTransactionCountByNumber: takes([BLOCK_TAG]),
  eth_getCode: takes([ADDRESS], [BLOCK]),
  eth_getLogs: takes([LOG_FILTER]),
  eth_getStorageAt: takes([ADDRESS, QUANTITY], [BLOCK]),
  eth_getTransactionByBlockHashAndIndex: takes([HASH, QUANTITY]),
  eth_getTransactionByBlockNumberAndIndex: takes([BLOCK_TAG, QUANTITY]),
  eth_getTransactionByHash: takes([HASH]),
  eth_getTransactionCount: takes([ADDRESS], [BLOCK]),
  eth_getTransactionReceipt: takes([HASH]),
  eth_maxPriorityFeePerGas: NO_PARAMS,
  eth_syncing: NO_PARAMS,
  net_version: NO_PARAMS,
} satisfies Record<string, MethodParams>;

export type RpcMethod = keyof typeof PARAMS;

export const RPC_METHODS = Object.keys(PARAMS) as RpcMethod[];

/**
 * Methods that execute a contract or search many blocks. Each call is sent to the node in a separate request, before
 * which the caller's remaining node time is checked again.
 */
const COSTLY: readonly string[] = ['eth_call', 'eth_estimateGas', 'eth_feeHistory', 'eth_getLogs'];

export function isAllowed(method: string): method is RpcMethod {
  return Object.hasOwn(PARAMS, method);
}

export function isCostly(method: string): boolean {
  return COSTLY.includes(method);
}

/** The params for the node, built from the params of the caller. Throws RefusedParams. */
export function buildParams(method: RpcMethod, params: readonly unknown[]): unknown[] {
  const { required, optional } = PARAMS[method];
  const readers = [...required, ...optional];
  // A trailing null means the same as an absent param.
  const count = params.findLastIndex((value) => value !== null) + 1;
  if (count < required.length || count > readers.length) {
    const expected =
      required.length === readers.length ? required.length : `${required.length} to ${readers.length}`;
    return refuseParams(`${method} takes ${expected} params here`);
  }
  return params.slice(0, count).map((value, index) => (readers[index] as Reader)(value, `params[${index}]`));
}

// The functions below turn `latest`, `pending` and `earliest` in the range of eth_getLogs into numbers, since the block that a
// tag means can change between check and call.

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
