import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS } from '../../../../test/fixtures/proof-vectors.js';
import { EMPTY_ROOT, leafHash, nodeHash } from './merkle-hash.js';
import {
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  isIncluded,
  rangeHash,
  rootHash,
  type SubtreeReader,
} from './merkle-proof.js';

const { trees, leaves } = PROOF_VECTORS;
const vectorHashes = leaves.list.map(({ text }) => leafHash(text));

/** The definition of RFC 9162, section 2.1.1. */
function mth(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return EMPTY_ROOT;
  if (hashes.length === 1) return hashes[0] as Buffer;
  const k = largestPowerOfTwoBelow(hashes.length);
  return nodeHash(mth(hashes.slice(0, k)), mth(hashes.slice(k)));
}

/** The definition of RFC 9162, section 2.1.3.1. */
function pathOf(m: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length === 1) return [];
  const k = largestPowerOfTwoBelow(hashes.length);
  return m < k
    ? [...pathOf(m, hashes.slice(0, k)), mth(hashes.slice(k))]
    : [...pathOf(m - k, hashes.slice(k)), mth(hashes.slice(0, k))];
}

/** The definition of RFC 9162, section 2.1.4.1. */
function subproof(m: number, hashes: readonly Buffer[], isOlderTree: boolean): Buffer[] {
  if (m === hashes.length) return isOlderTree ? [] : [mth(hashes)];
  const k = largestPowerOfTwoBelow(hashes.length);
  return m <= k
    ? [...subproof(m, hashes.slice(0, k), isOlderTree), mth(hashes.slice(k))]
    : [...subproof(m - k, hashes.slice(k), false), mth(hashes.slice(0, k))];
}

function largestPowerOfTwoBelow(count: number): number {
  return 2 ** [...Array(30).keys()].findLast((exponent) => 2 ** exponent < count)!;
}

function readerOf(hashes: readonly Buffer[]): SubtreeReader {
  return ({ level, index }) => mth(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

const readVector = readerOf(vectorHashes);
const rootOf = (size: number) => bytesOf(trees.roots[size] as string);
const sizes = fc.integer({ min: 1, max: 600 });
const hashesOf = (size: number) => Array.from({ length: size }, (_, at) => leafHash(`${at}`));

function flipped(hash: Buffer, bit: number): Buffer {
  const changed = Buffer.from(hash);
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}

describe('rootHash', () => {
  it.each(trees.roots.map((root, size) => ({ root, size })))('of $size leaves', ({ root, size }) => {
    expect(rootHash(size, readVector)).toEqual(bytesOf(root));
  });
});

describe('inclusion proofs', () => {
  it.each(trees.inclusion)('of leaf $leafIndex in a tree of $treeSize', ({ leafIndex, treeSize, path }) => {
    const computed = inclusionRanges(leafIndex, treeSize).map((range) => rangeHash(range, readVector));
    expect(computed.map((hash) => hash.toString('base64'))).toEqual(path);
    const leaf = vectorHashes[leafIndex] as Buffer;
    expect(isIncluded({ leaf, leafIndex, treeSize, path: computed, root: rootOf(treeSize) })).toBe(true);
  });

  it('follow the definition and fail after any change', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (treeSize, place, bit, which) => {
        const hashes = hashesOf(treeSize);
        const leafIndex = place % treeSize;
        const path = inclusionRanges(leafIndex, treeSize).map((range) => rangeHash(range, readerOf(hashes)));
        expect(path).toEqual(pathOf(leafIndex, hashes));
        const proof = { leaf: hashes[leafIndex] as Buffer, leafIndex, treeSize, path, root: mth(hashes) };
        expect(isIncluded(proof)).toBe(true);
        const wrong = path.map((hash, at) => (at === which % path.length ? flipped(hash, bit) : hash));
        if (path.length > 0) expect(isIncluded({ ...proof, path: wrong })).toBe(false);
        expect(isIncluded({ ...proof, leaf: flipped(proof.leaf, bit) })).toBe(false);
        expect(isIncluded({ ...proof, root: flipped(proof.root, bit) })).toBe(false);
        expect(isIncluded({ ...proof, path: [...path, proof.leaf] })).toBe(false);
        if (path.length > 0) expect(isIncluded({ ...proof, path: path.slice(1) })).toBe(false);
        if (treeSize > 1) expect(isIncluded({ ...proof, leafIndex: (leafIndex + 1) % treeSize })).toBe(false);
      }),
    );
  });

  it.each([
    [5, 5],
    [-1, 5],
    [0, 0],
    [0.5, 5],
    [2 ** 53, 2 ** 53 + 2],
  ])('do not exist for leaf %p of %p', (leafIndex, treeSize) => {
    expect(() => inclusionRanges(leafIndex, treeSize)).toThrow(RangeError);
    const leaf = vectorHashes[0] as Buffer;
    expect(isIncluded({ leaf, leafIndex, treeSize, path: [], root: leaf })).toBe(false);
  });
});

describe('consistency proofs', () => {
  it.each(trees.consistency)('from $from to $to leaves', ({ from, to, path }) => {
    const computed = consistencyRanges(from, to).map((range) => rangeHash(range, readVector));
    expect(computed.map((hash) => hash.toString('base64'))).toEqual(path);
    const proof = { from, to, path: computed, fromRoot: rootOf(from), toRoot: rootOf(to) };
    expect(isConsistent(proof)).toBe(true);
  });

  it('follow the definition and fail after any change', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (to, older, bit, which) => {
        const hashes = hashesOf(to);
        const from = 1 + (older % to);
        const path = consistencyRanges(from, to).map((range) => rangeHash(range, readerOf(hashes)));
        expect(path).toEqual(subproof(from, hashes, true));
        const proof = { from, to, path, fromRoot: mth(hashes.slice(0, from)), toRoot: mth(hashes) };
        expect(isConsistent(proof)).toBe(true);
        const wrong = path.map((hash, at) => (at === which % path.length ? flipped(hash, bit) : hash));
        if (path.length > 0) expect(isConsistent({ ...proof, path: wrong })).toBe(false);
        expect(isConsistent({ ...proof, fromRoot: flipped(proof.fromRoot, bit) })).toBe(false);
        expect(isConsistent({ ...proof, toRoot: flipped(proof.toRoot, bit) })).toBe(false);
        expect(isConsistent({ ...proof, path: [...path, proof.toRoot] })).toBe(false);
        if (path.length > 0) expect(isConsistent({ ...proof, path: path.slice(0, -1) })).toBe(false);
      }),
    );
  });

  it('are empty from no leaves, whose root is known', () => {
    const toRoot = rootOf(5);
    expect(isConsistent({ from: 0, to: 5, path: [], fromRoot: EMPTY_ROOT, toRoot })).toBe(true);
    expect(isConsistent({ from: 0, to: 5, path: [], fromRoot: toRoot, toRoot })).toBe(false);
    expect(isConsistent({ from: 0, to: 5, path: [toRoot], fromRoot: EMPTY_ROOT, toRoot })).toBe(false);
    expect(isConsistent({ from: 0, to: 0, path: [], fromRoot: EMPTY_ROOT, toRoot })).toBe(false);
  });

  it('do not exist for sizes in the wrong order', () => {
    expect(() => consistencyRanges(6, 5)).toThrow(RangeError);
    expect(isConsistent({ from: 6, to: 5, path: [], fromRoot: rootOf(6), toRoot: rootOf(5) })).toBe(false);
  });
});
