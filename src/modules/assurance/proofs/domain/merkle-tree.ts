import { hash } from 'node:crypto';

// The Merkle tree of RFC 9162 over SHA-256. The first byte separates leaves from nodes.

export const HASH_BYTES = 32;
const LEAF_PREFIX = Buffer.of(0x00);
const NODE_PREFIX = Buffer.of(0x01);

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hash('sha256', parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), 'buffer');
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

/** `text` is hashed as UTF-8. */
export function leafHash(text: string): Buffer {
  return sha256(LEAF_PREFIX, Buffer.from(text, 'utf8'));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(NODE_PREFIX, left, right);
}

/**
 * The hash of a complete subtree; `hashes` contains 2^n concatenated hashes. One input buffer serves all nodes, because
 * `nodeHash` would concatenate two hashes for each.
 */
export function completeSubtreeHash(hashes: Buffer): Buffer {
  const row = Buffer.from(hashes);
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  NODE_PREFIX.copy(input);
  for (let length = row.length / 2; length >= HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += HASH_BYTES) {
      row.copy(input, 1, 2 * at, 2 * at + 2 * HASH_BYTES);
      sha256(input).copy(row, at);
    }
  }
  return Buffer.from(row.subarray(0, HASH_BYTES));
}

/** The concatenated hashes, one by one. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

// Inclusion and consistency proofs of RFC 9162, sections 2.1.3 and 2.1.4. Sizes are below 2^53, so they are exact numbers.

/**
 * The leaves from `start` up to, not including, `end`. `start` is a multiple of the smallest power of two that is at
 * least the number of these leaves, so that they divide into complete subtrees of the tree.
 */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** The complete subtree of the leaves from `index` × 2^`level` up to, not including, (`index` + 1) × 2^`level`. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

export type SubtreeReader = (subtree: Subtree) => Buffer;

/** The ranges whose hashes prove that the leaf belongs to the tree, from the leaf to the root. */
export function inclusionRanges(leafIndex: number, treeSize: number): LeafRange[] {
  if (!isIndex(leafIndex) || !isIndex(treeSize) || leafIndex >= treeSize)
    throw new RangeError(`A tree of ${treeSize} leaves has no leaf ${leafIndex}.`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, treeSize];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (leafIndex < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges whose hashes prove that the tree of `to` leaves continues the tree of `from` leaves. */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  if (!isIndex(from) || !isIndex(to) || from > to)
    throw new RangeError(`A tree of ${to} leaves does not continue one of ${from}.`);
  if (from === 0 || from === to) return [];
  const ranges: LeafRange[] = [];
  let [start, end] = [0, to];
  while (end !== from) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The verifier knows the hash of the older tree, which is this range if it begins at the first leaf.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

/** The complete subtrees that a range consists of, from left to right. */
export function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end;) {
    let level = 0;
    while (2 ** (level + 1) <= end - at) level++;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

export function rangeHash(range: LeafRange, read: SubtreeReader): Buffer {
  return subtreesOf(range)
    .map(read)
    .reduceRight((right, left) => nodeHash(left, right));
}

export function rootHash(treeSize: number, read: SubtreeReader): Buffer {
  return treeSize === 0 ? EMPTY_ROOT : rangeHash({ start: 0, end: treeSize }, read);
}

/** The largest power of two below `count`, where the left subtree ends. */
function splitOf(count: number): number {
  let width = 1;
  while (2 * width < count) width *= 2;
  return width;
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
