import { ETH_SCALE, MICRO_SCALE } from '../../../../common/money.js';
import { HASH_BYTES, sha256 } from './merkle-tree.js';

// The Merkle sum tree of liabilities: every node contains the sum of the amounts below it, so that the
// total leaves out no leaf of the tree.

export const NONCE_BYTES = 16;
const INDEX_BYTES = 8;
const SUM_BYTES = 16;
/** The size of an encoded node: its sum, then its hash. Parents hash this encoding, and the database stores it. */
export const NODE_BYTES = SUM_BYTES + HASH_BYTES;
const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;
const COMMITMENT_PREFIX = 0x02;
const PREFIX_BYTES = 1;
const MAX_SUM = 2n ** 128n - 1n;

export interface SumNode {
  readonly sum: bigint;
  readonly hash: Buffer;
}

export interface SumSibling extends SumNode {
  readonly side: 'left' | 'right';
}

export interface SumLeaf {
  readonly nonce: Buffer;
  readonly userId: string;
  /** A whole number of the smallest part of the asset: 0.000001 USDC or USDT, 10^-18 ETH. */
  readonly amount: bigint;
}

/** The hash in place of the user's id in a leaf. The nonce keeps the leaves of one user on different days from being linked. */
export function commitmentOf({ nonce, userId }: Pick<SumLeaf, 'nonce' | 'userId'>): Buffer {
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`A nonce has ${NONCE_BYTES} bytes.`);
  const input = hashInput(COMMITMENT_PREFIX, NONCE_BYTES + Buffer.byteLength(userId, 'utf8'));
  nonce.copy(input, PREFIX_BYTES);
  input.write(userId, PREFIX_BYTES + NONCE_BYTES, 'utf8');
  return sha256(input);
}

export function sumLeafHash(index: number, commitment: Buffer, amount: bigint): Buffer {
  const input = hashInput(LEAF_PREFIX, INDEX_BYTES + HASH_BYTES + SUM_BYTES);
  input.writeBigUInt64BE(BigInt(index), PREFIX_BYTES);
  commitment.copy(input, PREFIX_BYTES + INDEX_BYTES);
  writeSum(input, PREFIX_BYTES + INDEX_BYTES + HASH_BYTES, amount);
  return sha256(input);
}

export function sumNodeHash(left: SumNode, right: SumNode): Buffer {
  const input = hashInput(NODE_PREFIX, 2 * NODE_BYTES);
  writeNode(input, PREFIX_BYTES, left);
  writeNode(input, PREFIX_BYTES + NODE_BYTES, right);
  return sha256(input);
}

/** Throws a RangeError if the sum of the children does not fit into a node. */
export function parentOf(left: SumNode, right: SumNode): SumNode {
  const sum = left.sum + right.sum;
  requireSum(sum);
  return { sum, hash: sumNodeHash(left, right) };
}

/** Throws a RangeError if the sum does not fit into a node. */
export function writeNode(target: Buffer, at: number, { sum, hash }: SumNode): void {
  writeSum(target, at, sum);
  hash.copy(target, at + SUM_BYTES);
}

/** The hash is a copy, so that it does not keep all of `source` in memory. */
export function readNode(source: Buffer, at: number): SumNode {
  return {
    sum: (source.readBigUInt64BE(at) << 64n) | source.readBigUInt64BE(at + SUM_BYTES / 2),
    hash: Buffer.from(source.subarray(at + SUM_BYTES, at + NODE_BYTES)),
  };
}

/** The number of leaves of a tree with padding: the smallest power of two that holds `leaves` users, at least 1. */
export function sumTreeSize(leaves: number): number {
  let size = 1;
  while (size < leaves) size *= 2;
  return size;
}

/** The number of decimals of an asset in users' accounts, as the function `ledger_scale` of the database returns it. */
export function scaleOf(asset: string): number {
  return asset === 'ETH' ? ETH_SCALE : MICRO_SCALE;
}

/** The text for JSON of an amount in smallest parts: at least two decimals, no zero at the end after the second. */
export function fromSmallestParts(parts: bigint, scale: number): string {
  const digits = String(parts).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '').padEnd(2, '0');
  return `${digits.slice(0, -scale)}.${fraction}`;
}

function requireSum(value: bigint): void {
  if (value < 0n || value > MAX_SUM)
    throw new RangeError(`A sum is negative or does not fit into ${SUM_BYTES} bytes.`);
}

function writeSum(target: Buffer, at: number, sum: bigint): void {
  requireSum(sum);
  target.writeBigUInt64BE(sum >> 64n, at);
  target.writeBigUInt64BE(sum & 0xffff_ffff_ffff_ffffn, at + SUM_BYTES / 2);
}

/** One buffer for the whole input, since concatenating its parts takes as long as hashing them. */
function hashInput(prefix: number, bytes: number): Buffer {
  const input = Buffer.allocUnsafe(PREFIX_BYTES + bytes);
  input[0] = prefix;
  return input;
}
