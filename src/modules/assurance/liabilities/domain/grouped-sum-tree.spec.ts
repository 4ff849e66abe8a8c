import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS, type SumTreeVector } from '../../../../../test/fixtures/proof-vectors.js';
import { isValidProof, SumTree, toSmallestParts } from '../../../../../test/fixtures/sum-tree.js';
import { sha256 } from '../../proofs/domain/merkle-tree.js';
import { type SumLeaf, sumTreeSize } from '../../proofs/domain/sum-tree.js';
import {
  decodeLeaves,
  decodeNodes,
  encodeLeaves,
  encodeNodes,
  GROUP_SIZE,
  GroupedSumTree,
  groupsAbove,
  leafGroup,
  type NodeGroup,
  pathInGroup,
  sortKeyOf,
  userLeaf,
} from './grouped-sum-tree.js';

const { five, one, none, beyond64Bits } = PROOF_VECTORS.liabilities;

function leavesOf({ users }: Pick<SumTreeVector, 'users'>): SumLeaf[] {
  return users.map(({ nonce, userId, amount }) => ({
    nonce: bytesOf(nonce),
    userId,
    amount: toSmallestParts(amount, 6),
  }));
}

function manyLeaves(count: number): SumLeaf[] {
  return Array.from({ length: count }, (_, index) => ({
    nonce: sha256(Buffer.from(String(index))).subarray(0, 16),
    userId: `7a000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    amount: BigInt(index) * 1_000_003n,
  }));
}

/** The tree as the groups that would be stored. */
function build(leaves: readonly SumLeaf[]) {
  const tree = new GroupedSumTree();
  const groups: NodeGroup[] = [];
  for (let first = 0; first < leaves.length; first += GROUP_SIZE) {
    tree.appendLeaves(leaves.slice(first, first + GROUP_SIZE));
    groups.push(...tree.takeCompleteGroups());
  }
  const finished = tree.finish();
  groups.push(...tree.takeCompleteGroups());
  return { ...finished, groups };
}

/** The path of a leaf, read from its group of leaves and one stored group for each level above. */
function pathOf(leaves: readonly SumLeaf[], groups: readonly NodeGroup[], index: number) {
  const size = sumTreeSize(leaves.length);
  const first = index - (index % GROUP_SIZE);
  const lowest = leafGroup(first, leaves.slice(first, first + GROUP_SIZE), size);
  const above = groupsAbove(index, size).flatMap(({ level, number, place }) => {
    const stored = groups.find((group) => group.level === level && group.number === number) as NodeGroup;
    return pathInGroup(decodeNodes(encodeNodes(stored.nodes)), place).path;
  });
  return [...pathInGroup(lowest, index - first).path, ...above];
}

describe('GroupedSumTree', () => {
  it.each([
    ['five users', five],
    ['one user', one],
    ['no users', none],
    ['sums beyond 64 bits', beyond64Bits],
  ])('has the root of the test vector with %s', (_, { users, published }) => {
    const { root, leaves } = build(leavesOf({ users }));
    expect(leaves).toBe(published.leaves);
    expect(root).toEqual({ hash: bytesOf(published.root), sum: toSmallestParts(published.total, 6) });
  });

  it.each([1, 2, 255, 256, 257, 511, 512, 513, 1300])(
    'has the root and the paths of a tree without groups, with %p leaves',
    (count) => {
      const leaves = manyLeaves(count);
      const whole = SumTree.build(leaves);
      const { root, groups } = build(leaves);
      expect(root).toEqual(whole.root);
      for (const index of new Set([0, 1, 254, 255, 256, 300, count - 2, count - 1])) {
        if (index < 0 || index >= count) continue;
        expect(pathOf(leaves, groups, index)).toEqual(whole.path(index));
      }
    },
  );

  it('has a proof for any user of a tree with three levels of groups', () => {
    const leaves = manyLeaves(GROUP_SIZE ** 2 + 1);
    const { root, groups } = build(leaves);
    expect(new Set(groups.map(({ level }) => level))).toEqual(new Set([1, 2])); // and the leaves, level 0
    fc.assert(
      fc.property(fc.nat(leaves.length - 1), (index) => {
        const path = pathOf(leaves, groups, index);
        const proof = { index, path, root: root.hash, total: root.sum, ...(leaves[index] as SumLeaf) };
        expect(isValidProof(proof)).toBe(true);
      }),
      { numRuns: 20, examples: [[0], [leaves.length - 1]] },
    );
  });

  it('has the same root if its padding is appended one group at a time, and then refuses leaves', () => {
    const leaves = manyLeaves(5 * GROUP_SIZE + 1);
    const tree = new GroupedSumTree();
    for (let first = 0; first < leaves.length; first += GROUP_SIZE)
      tree.appendLeaves(leaves.slice(first, first + GROUP_SIZE));
    // Six groups have leaves; two of padding follow, up to the next power of two.
    expect([tree.appendPadding(), tree.appendPadding(), tree.appendPadding()]).toEqual([true, true, false]);
    expect(tree.finish()).toEqual({ root: build(leaves).root, leaves: leaves.length });
    expect(() => tree.appendLeaves(leaves.slice(0, 1))).toThrow(RangeError);
  });

  it('refuses a sum that does not fit into 16 bytes, and a group after one that is not full', () => {
    const [first, second] = manyLeaves(2) as [SumLeaf, SumLeaf];
    const tree = new GroupedSumTree();
    expect(() =>
      tree.appendLeaves([
        { ...first, amount: 2n ** 128n - 1n },
        { ...second, amount: 1n },
      ]),
    ).toThrow(RangeError);
    const treeWithOneLeaf = new GroupedSumTree();
    treeWithOneLeaf.appendLeaves([first]);
    expect(() => treeWithOneLeaf.appendLeaves([second])).toThrow(RangeError);
  });
});

describe('Leaves of a chunk', () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 120n });

  it('are read as they were written', () => {
    const components = fc.record({ available: amount, reserved: amount, invested: amount, held: amount });
    fc.assert(
      fc.property(fc.array(components, { minLength: 1, maxLength: 20 }), (list) => {
        const leaves = list.map((amounts) => userLeaf(randomUUID(), randomBytes(16), amounts));
        expect(decodeLeaves(encodeLeaves(leaves))).toEqual(leaves);
      }),
    );
  });

  it('have the sum of their components as their amount', () => {
    const { amount: sum } = userLeaf(randomUUID(), randomBytes(16), {
      available: 1n,
      reserved: 20n,
      invested: 300n,
      held: 4000n,
    });
    expect(sum).toBe(4321n);
  });

  it('are sorted in another order with another shuffle key', () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const order = (key: Buffer) => [...ids].sort((a, b) => sortKeyOf(key, a).compare(sortKeyOf(key, b)));
    expect(order(Buffer.alloc(32, 1))).not.toEqual(order(Buffer.alloc(32, 2)));
  });
});
