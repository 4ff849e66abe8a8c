import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS } from '../../../../../test/fixtures/proof-vectors.js';
import { consistencyPath, inclusionPath, merkleTreeHash } from '../../../../../test/fixtures/rfc9162.js';
import {
  leafHash,
  consistencyRanges,
  inclusionRanges,
  type LeafRange,
  rangeHash,
  rootHash,
  type SubtreeReader,
} from './merkle-tree.js';
const { trees, leaves } = PROOF_VECTORS;

function readerOf(leafHashes: readonly Buffer[]): SubtreeReader {
  return ({ level, index }) => merkleTreeHash(leafHashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

const readVector = readerOf(leaves.list.map(({ text }) => leafHash(text)));
const hashesOf = (ranges: readonly LeafRange[], read: SubtreeReader) =>
  ranges.map((range) => rangeHash(range, read));
const vectorPath = (ranges: readonly LeafRange[]) =>
  hashesOf(ranges, readVector).map((hash) => hash.toString('base64'));

const treeSizes = fc.integer({ min: 1, max: 600 });
const leafHashesOf = (treeSize: number) =>
  Array.from({ length: treeSize }, (_, leafIndex) => leafHash(`${leafIndex}`));

describe('rootHash', () => {
  it.each(trees.roots.map((root, size) => ({ root, size })))(
    'equals the root of the test vector of $size leaves',
    ({ root, size }) => {
      expect(rootHash(size, readVector)).toEqual(bytesOf(root));
    },
  );
});

describe('inclusion proofs', () => {
  it.each(trees.inclusion)(
    'equal the test vector of leaf $leafIndex in a tree of $treeSize leaves',
    ({ leafIndex, treeSize, path }) => {
      expect(vectorPath(inclusionRanges(leafIndex, treeSize))).toEqual(path);
    },
  );

  it('equal those of an implementation written from RFC 9162', () => {
    fc.assert(
      fc.property(treeSizes, fc.nat(), (treeSize, seed) => {
        const leafIndex = seed % treeSize;
        const leafHashes = leafHashesOf(treeSize);
        const path = hashesOf(inclusionRanges(leafIndex, treeSize), readerOf(leafHashes));
        expect(path).toEqual(inclusionPath(leafIndex, leafHashes));
      }),
    );
  });

  it.each([
    [5, 5],
    [-1, 5],
    [0, 0],
    [0.5, 5],
    [0, 1.5],
    [0, -1],
    [2 ** 53, 2 ** 53 + 2],
  ])('throw a RangeError for leaf %d in a tree of %d leaves', (leafIndex, treeSize) => {
    expect(() => inclusionRanges(leafIndex, treeSize)).toThrow(RangeError);
  });
});

describe('consistency proofs', () => {
  it.each(trees.consistency)('equal the test vector from $from to $to leaves', ({ from, to, path }) => {
    expect(vectorPath(consistencyRanges(from, to))).toEqual(path);
  });

  it('equal those of an implementation written from RFC 9162', () => {
    fc.assert(
      fc.property(treeSizes, fc.nat(), (to, seed) => {
        const from = 1 + (seed % to);
        const leafHashes = leafHashesOf(to);
        const path = hashesOf(consistencyRanges(from, to), readerOf(leafHashes));
        expect(path).toEqual(consistencyPath(from, leafHashes));
      }),
    );
  });

  it.each([
    [0, 5],
    [0, 0],
    [5, 5],
  ])('are empty if the older tree is empty or both sizes are equal: from %d to %d leaves', (from, to) => {
    expect(consistencyRanges(from, to)).toEqual([]);
  });

  it.each([
    [6, 5],
    [-1, 5],
    [-2, -1],
    [0.5, 5],
    [1, 5.5],
    [1, 2 ** 53],
    [2 ** 53, 2 ** 53],
  ])('throw a RangeError for an older tree of %d and a newer tree of %d leaves', (from, to) => {
    expect(() => consistencyRanges(from, to)).toThrow(RangeError);
  });
});
