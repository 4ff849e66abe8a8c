import { HASH_BYTES, sha256 } from './merkle-hash.js';

// Merkle sum tree: every node contains the sum of the amounts below it, so that no liability can be left out of the total.

export const NONCE_BYTES = 16;
const INDEX_BYTES = 8;
const SUM_BYTES = 16;
/** A node: its sum, then its hash, as its parent hashes them. */
const NODE_BYTES = SUM_BYTES + HASH_BYTES;
const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;
const COMMITMENT_PREFIX = 0x02;
const PREFIX_BYTES = 1;
const NO_COMMITMENT = Buffer.alloc(HASH_BYTES);
const MAX_SUM = 2n ** 128n - 1n;

export interface SumNode {
  readonly sum: bigint;
  readonly hash: Buffer;
}

export interface SumSibling extends SumNode {
  /** Where the sibling stands. */
  readonly side: 'left' | 'right';
}

export interface SumLeaf {
  readonly nonce: Buffer;
  readonly userId: string;
  /** In the smallest part of the asset. */
  readonly amount: bigint;
}

/** Hides the user; the nonce keeps two leaves of the same user apart. */
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
  writeSum(input, PREFIX_BYTES, left.sum);
  left.hash.copy(input, PREFIX_BYTES + SUM_BYTES);
  writeSum(input, PREFIX_BYTES + NODE_BYTES, right.sum);
  right.hash.copy(input, PREFIX_BYTES + NODE_BYTES + SUM_BYTES);
  return sha256(input);
}

/** The places of a tree that holds `leaves` users: the least power of two, at least 1. */
export function sumTreeSize(leaves: number): number {
  let size = 1;
  while (size < leaves) size *= 2;
  return size;
}

/** All nodes of a tree, 48 bytes each: a million users need about 100 MB. */
export class SumTree {
  private constructor(
    readonly leaves: number,
    /** From the leaves to the root; the nodes of a level stand one behind the other. */
    private readonly levels: readonly Buffer[],
  ) {}

  /** `leaves` in their order after shuffling. Throws a RangeError if a sum does not fit into 16 bytes. */
  static build(count: number, leaves: Iterable<SumLeaf>): SumTree {
    const size = sumTreeSize(count);
    const bottom = Buffer.allocUnsafe(size * NODE_BYTES);
    let index = 0;
    for (const leaf of leaves) {
      if (index === count) throw new RangeError(`The tree was opened for ${count} leaves and gets more.`);
      writeNode(bottom, index, leaf.amount, sumLeafHash(index, commitmentOf(leaf), leaf.amount));
      index += 1;
    }
    if (index < count) throw new RangeError(`The tree was opened for ${count} leaves and gets ${index}.`);
    for (; index < size; index++) writeNode(bottom, index, 0n, sumLeafHash(index, NO_COMMITMENT, 0n));
    const levels: Buffer[] = [bottom];
    for (let level: Buffer = bottom; level.length > NODE_BYTES;) {
      level = levelAbove(level);
      levels.push(level);
    }
    return new SumTree(count, levels);
  }

  get size(): number {
    return this.nodesAt(0);
  }

  get root(): SumNode {
    return this.node(this.levels.length - 1, 0);
  }

  get height(): number {
    return this.levels.length;
  }

  node(level: number, index: number): SumNode {
    const nodes = this.levels[level];
    if (!nodes || index < 0 || index >= this.nodesAt(level))
      throw new RangeError(`The tree has no node ${index} at level ${level}.`);
    return readNode(nodes, index);
  }

  /** The siblings from the leaf to the root. */
  path(index: number): SumSibling[] {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.size)
      throw new RangeError(`The tree has no leaf ${index}.`);
    return this.levels.slice(0, -1).map((_, level) => {
      const place = Math.floor(index / 2 ** level);
      const isRight = place % 2 === 1;
      return { side: isRight ? 'left' : 'right', ...this.node(level, isRight ? place - 1 : place + 1) };
    });
  }

  private nodesAt(level: number): number {
    return (this.levels[level]?.length ?? 0) / NODE_BYTES;
  }
}

export interface LiabilityProof extends SumLeaf {
  readonly index: number;
  readonly path: readonly SumSibling[];
  readonly root: Buffer;
  readonly total: bigint;
}

/** True if the amount of this user is part of the total that the root commits to. */
export function isCounted({ index, path, root, total, ...leaf }: LiabilityProof): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || leaf.nonce.length !== NONCE_BYTES) return false;
  if (!isSum(leaf.amount) || path.some(({ sum, hash }) => !isSum(sum) || hash.length !== HASH_BYTES))
    return false;
  let node: SumNode = { sum: leaf.amount, hash: sumLeafHash(index, commitmentOf(leaf), leaf.amount) };
  let place = index;
  for (const { side, ...sibling } of path) {
    if (side !== (place % 2 === 1 ? 'left' : 'right')) return false;
    const [left, right] = side === 'left' ? [sibling, node] : [node, sibling];
    const sum = left.sum + right.sum;
    if (!isSum(sum)) return false;
    node = { sum, hash: sumNodeHash(left, right) };
    place = Math.floor(place / 2);
  }
  return place === 0 && node.sum === total && node.hash.equals(root);
}

function levelAbove(level: Buffer): Buffer {
  const nodes = level.length / (2 * NODE_BYTES);
  const above = Buffer.allocUnsafe(nodes * NODE_BYTES);
  const input = hashInput(NODE_PREFIX, 2 * NODE_BYTES);
  for (let index = 0; index < nodes; index++) {
    const start = 2 * index * NODE_BYTES;
    level.copy(input, PREFIX_BYTES, start, start + 2 * NODE_BYTES);
    writeNode(above, index, readSum(level, start) + readSum(level, start + NODE_BYTES), sha256(input));
  }
  return above;
}

function isSum(value: bigint): boolean {
  return value >= 0n && value <= MAX_SUM;
}

function writeNode(nodes: Buffer, index: number, sum: bigint, hash: Buffer): void {
  writeSum(nodes, index * NODE_BYTES, sum);
  hash.copy(nodes, index * NODE_BYTES + SUM_BYTES);
}

function readNode(nodes: Buffer, index: number): SumNode {
  const start = index * NODE_BYTES;
  return {
    sum: readSum(nodes, start),
    hash: Buffer.from(nodes.subarray(start + SUM_BYTES, start + NODE_BYTES)),
  };
}

function readSum(nodes: Buffer, start: number): bigint {
  return (nodes.readBigUInt64BE(start) << 64n) | nodes.readBigUInt64BE(start + SUM_BYTES / 2);
}

function writeSum(target: Buffer, at: number, sum: bigint): void {
  if (!isSum(sum)) throw new RangeError('A sum is negative or does not fit into 16 bytes.');
  target.writeBigUInt64BE(sum >> 64n, at);
  target.writeBigUInt64BE(sum & 0xffff_ffff_ffff_ffffn, at + SUM_BYTES / 2);
}

/** One buffer for all that is hashed, since joining parts takes as long as hashing them. */
function hashInput(prefix: number, bytes: number): Buffer {
  const input = Buffer.allocUnsafe(PREFIX_BYTES + bytes);
  input[0] = prefix;
  return input;
}
