import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS, type SumTreeVector } from '../../../../../test/fixtures/proof-vectors.js';
import { isValidProof, SumTree, toSmallestParts } from '../../../../../test/fixtures/sum-tree.js';
import { sha256 } from './merkle-tree.js';
import {
  commitmentOf,
  fromSmallestParts,
  parentOf,
  scaleOf,
  type SumLeaf,
  sumLeafHash,
  sumTreeSize,
} from './sum-tree.js';

const { five, one, none, beyond64Bits, bytes } = PROOF_VECTORS.liabilities;
const micro = (text: string) => toSmallestParts(text, 6);
const userId = (index: number) => `7a000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function treeOf({ users }: Pick<SumTreeVector, 'users'>): SumTree {
  return SumTree.build(
    users.map(({ nonce, userId: id, amount }) => ({
      nonce: bytesOf(nonce),
      userId: id,
      amount: micro(amount),
    })),
  );
}

describe('A tree built with the hashes of sum-tree.ts', () => {
  it.each([
    ['five users', five],
    ['one user', one],
    ['no users', none],
    ['sums beyond 64 bits', beyond64Bits],
  ])('has the nodes of the test vector with %s', (_, vector) => {
    const tree = treeOf(vector);
    const levels = Array.from({ length: tree.height }, (_level, level) =>
      Array.from({ length: tree.size / 2 ** level }, (_node, index) => {
        const { hash, sum } = tree.node(level, index);
        return { hash: hash.toString('base64'), sum: fromSmallestParts(sum, 6) };
      }),
    );
    expect(levels).toEqual(vector.levels);
    const { root, total, leaves, size } = vector.published;
    expect({ size: tree.size, leaves: tree.leaves }).toEqual({ size, leaves });
    expect(tree.root).toEqual({ hash: bytesOf(root), sum: micro(total) });
    for (const { index, nonce, userId: id, amount, commitment, leaf } of vector.users) {
      expect(commitmentOf({ nonce: bytesOf(nonce), userId: id })).toEqual(bytesOf(commitment));
      expect(sumLeafHash(index, bytesOf(commitment), micro(amount))).toEqual(bytesOf(leaf));
    }
  });

  it.each([
    ['five users', five],
    ['one user', one],
    ['sums beyond 64 bits', beyond64Bits],
  ])('has the proof of the test vector with %s', (_, vector) => {
    const { index, path, root, total, nonce, userId: id, amount } = vector.proof;
    const expected = path.map(({ side, hash, sum }) => ({ side, hash: bytesOf(hash), sum: micro(sum) }));
    expect(treeOf(vector).path(index)).toEqual(expected);
    const leaf = { nonce: bytesOf(nonce), userId: id, amount: micro(amount) };
    const published = { root: bytesOf(root), total: micro(total) };
    expect(isValidProof({ index, path: expected, ...leaf, ...published })).toBe(true);
  });

  it('has hashes that are the SHA-256 of the bytes in the vectors', () => {
    const digest = (hex: string) => sha256(Buffer.from(hex, 'hex')).toString('base64');
    expect(digest(bytes.commitment)).toBe(five.users[1]!.commitment);
    expect(digest(bytes.leaf)).toBe(five.users[1]!.leaf);
    expect(digest(bytes.node)).toBe(five.levels[1]![0]!.hash);
    expect(digest(bytes.padding)).toBe(five.levels[0]![5]!.hash);
  });

  it('has a valid proof for every user, and any change makes it invalid', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 2n ** 100n }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(amounts, fc.nat(), fc.nat(), fc.nat({ max: 255 }), (values, userSeed, siblingSeed, bit) => {
        const leaves = values.map((amount, index) => ({
          nonce: sha256(Buffer.of(index)).subarray(0, 16),
          userId: userId(index),
          amount,
        }));
        const tree = SumTree.build(leaves);
        const { hash: root, sum: total } = tree.root;
        expect(total).toBe(values.reduce((sum, value) => sum + value, 0n));
        const index = userSeed % values.length;
        const path = tree.path(index);
        const proof = { index, path, root, total, ...(leaves[index] as SumLeaf) };
        expect(isValidProof(proof)).toBe(true);
        expect(isValidProof({ ...proof, amount: proof.amount + 1n })).toBe(false);
        expect(isValidProof({ ...proof, total: total + 1n })).toBe(false);
        expect(isValidProof({ ...proof, index: index + 1 })).toBe(false);
        expect(isValidProof({ ...proof, index: index + tree.size })).toBe(false);
        expect(isValidProof({ ...proof, userId: userId(values.length) })).toBe(false);
        expect(isValidProof({ ...proof, nonce: flipped(proof.nonce, bit % 128) })).toBe(false);
        expect(isValidProof({ ...proof, root: flipped(root, bit) })).toBe(false);
        if (path.length === 0) return;
        const place = siblingSeed % path.length;
        const sibling = path[place]!;
        const otherSide = sibling.side === 'left' ? ('right' as const) : ('left' as const);
        for (const changed of [
          { ...sibling, hash: flipped(sibling.hash, bit) },
          { ...sibling, sum: sibling.sum + 1n },
          { ...sibling, sum: sibling.sum - 1n },
          { ...sibling, side: otherSide },
        ])
          expect(isValidProof({ ...proof, path: path.with(place, changed) })).toBe(false);
      }),
    );
  });

  it('gives two leaves with the same contents different hashes, because of their places', () => {
    const nonce = Buffer.alloc(16);
    const leaves = [0, 1].map(() => ({ nonce, userId: userId(0), amount: 5n }));
    const tree = SumTree.build(leaves);
    expect(tree.node(0, 0).hash).not.toEqual(tree.node(0, 1).hash);
  });

  it('refuses a negative amount and a sum that does not fit into 16 bytes', () => {
    const leaf = (amount: bigint) => ({ nonce: Buffer.alloc(16), userId: userId(0), amount });
    const maxSum = 2n ** 128n - 1n;
    expect(SumTree.build([leaf(maxSum), leaf(0n)]).root.sum).toBe(maxSum);
    const { hash } = SumTree.build([leaf(0n)]).root;
    expect(() => parentOf({ sum: maxSum, hash }, { sum: 1n, hash })).toThrow(
      'A sum is negative or does not fit',
    );
    expect(() => sumLeafHash(0, hash, -1n)).toThrow('A sum is negative or does not fit');
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [1024, 1024],
    [1025, 2048],
  ])('has, for %p users, the size %p', (leaves, size) => {
    expect(sumTreeSize(leaves)).toBe(size);
  });
});

describe('fromSmallestParts', () => {
  it('writes an amount without zeros at its end, but with at least two decimals', () => {
    for (const asset of ['USDC', 'USDT'])
      expect(fromSmallestParts(700_149_860n, scaleOf(asset))).toBe('700.14986');
    expect(fromSmallestParts(0n, 6)).toBe('0.00');
    expect(fromSmallestParts(1n, scaleOf('ETH'))).toBe('0.000000000000000001');
  });
});

function flipped(value: Buffer, bit: number): Buffer {
  const changed = Buffer.from(value);
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}
