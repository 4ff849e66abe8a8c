import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS } from '../../../../test/fixtures/proof-vectors.js';
import { consistencyPath, inclusionPath, merkleTreeHash } from '../../../../test/fixtures/rfc9162.js';
import { leafHash } from './merkle-hash.js';
import {
  consistencyRanges,
  inclusionRanges,
  rangeHash,
  rootHash,
  type SubtreeReader,
} from './merkle-proof.js';

const { trees, leaves } = PROOF_VECTORS;
const vectorHashes = leaves.list.map(({ text }) => leafHash(text));

function readerOf(hashes: readonly Buffer[]): SubtreeReader {
  return ({ level, index }) => merkleTreeHash(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
}

const readVector = readerOf(vectorHashes);
const sizes = fc.integer({ min: 1, max: 600 });
const hashesOf = (size: number) => Array.from({ length: size }, (_, at) => leafHash(`${at}`));

describe('rootHash', () => {
  it.each(trees.roots.map((root, size) => ({ root, size })))('of $size leaves', ({ root, size }) => {
    expect(rootHash(size, readVector)).toEqual(bytesOf(root));
  });
});

describe('inclusion proofs', () => {
  it.each(trees.inclusion)('of leaf $leafIndex in a tree of $treeSize', ({ leafIndex, treeSize, path }) => {
    const computed = inclusionRanges(leafIndex, treeSize).map((range) => rangeHash(range, readVector));
    expect(computed.map((hash) => hash.toString('base64'))).toEqual(path);
  });

  it('follow the definition of the RFC', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (treeSize, place) => {
        const hashes = hashesOf(treeSize);
        const leafIndex = place % treeSize;
        const path = inclusionRanges(leafIndex, treeSize).map((range) => rangeHash(range, readerOf(hashes)));
        expect(path).toEqual(inclusionPath(leafIndex, hashes));
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
  });
});

describe('consistency proofs', () => {
  it.each(trees.consistency)('from $from to $to leaves', ({ from, to, path }) => {
    const computed = consistencyRanges(from, to).map((range) => rangeHash(range, readVector));
    expect(computed.map((hash) => hash.toString('base64'))).toEqual(path);
  });

  it('follow the definition of the RFC', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (to, older) => {
        const hashes = hashesOf(to);
        const from = 1 + (older % to);
        const path = consistencyRanges(from, to).map((range) => rangeHash(range, readerOf(hashes)));
        expect(path).toEqual(consistencyPath(from, hashes));
      }),
    );
  });

  it('are empty from no leaves and of a size with itself', () => {
    expect([consistencyRanges(0, 5), consistencyRanges(0, 0), consistencyRanges(5, 5)]).toEqual([[], [], []]);
  });

  it('do not exist for sizes in the wrong order', () => {
    expect(() => consistencyRanges(6, 5)).toThrow(RangeError);
  });
});
