import { EMPTY_ROOT, nodeHash } from './merkle-hash.js';

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
