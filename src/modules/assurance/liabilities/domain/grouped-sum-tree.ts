import { HASH_BYTES, sha256 } from '../../proofs/domain/merkle-tree.js';
import {
  commitmentOf,
  NODE_BYTES,
  NONCE_BYTES,
  parentOf,
  readNode,
  type SumLeaf,
  sumLeafHash,
  type SumNode,
  type SumSibling,
  sumTreeSize,
  writeNode,
} from '../../proofs/domain/sum-tree.js';

// The sum tree of proofs/domain/sum-tree.ts in groups of 256 consecutive nodes. Groups of level n contain the nodes that are
// 8 × n levels of the tree above the leaves. Reading the path of a leaf needs one group per level.

export const GROUP_SIZE = 256;
const PADDING_COMMITMENT = Buffer.alloc(HASH_BYTES);

/** A group of nodes above the leaves. */
export interface NodeGroup {
  /** From 1; the leaves are level 0. */
  readonly level: number;
  /** From 0, within the level. */
  readonly number: number;
  readonly nodes: readonly SumNode[];
}

/** The place of a node: level and number of its group, and its index within the group. */
export interface GroupPlace {
  readonly level: number;
  readonly number: number;
  readonly place: number;
}

/** Builds a tree of any number of leaves. Memory holds one open group per level. */
export class GroupedSumTree {
  private leafCount = 0;
  /** Groups of leaves and of padding. */
  private leafGroupCount = 0;
  /** The nodes of the group of each level that is not complete yet. */
  private readonly openGroups: SumNode[][] = [];
  /** The number of complete groups of each level. */
  private readonly completeCounts: number[] = [];
  /** The complete groups that `takeCompleteGroups` has not returned yet. */
  private completeGroups: NodeGroup[] = [];

  /** Appends a group of leaves. Throws a RangeError for more than 256 leaves, after a group with fewer, and after padding. */
  appendLeaves(leaves: readonly SumLeaf[]): void {
    if (this.leafCount !== this.leafGroupCount * GROUP_SIZE || leaves.length > GROUP_SIZE)
      throw new RangeError(`Each group has ${GROUP_SIZE} leaves; only the last one of the tree has fewer.`);
    const first = this.leafCount;
    this.leafCount += leaves.length;
    this.leafGroupCount += 1;
    this.appendNode(1, rootOfGroup(leafGroup(first, leaves, sumTreeSize(this.leafCount))));
  }

  /** Returns the groups of nodes that were completed since the last call. */
  takeCompleteGroups(): NodeGroup[] {
    const groups = this.completeGroups;
    this.completeGroups = [];
    return groups;
  }

  /** Appends one group of padding. False if the tree has all of its padding. No leaves can be appended afterwards. */
  appendPadding(): boolean {
    const size = sumTreeSize(this.leafCount);
    const first = this.leafGroupCount * GROUP_SIZE;
    if (first >= size) return false;
    this.leafGroupCount += 1;
    this.appendNode(1, rootOfGroup(leafGroup(first, [], size)));
    return true;
  }

  /** Appends the missing padding. Returns the root and the number of leaves; `takeCompleteGroups` then has the last groups. */
  finish(): { readonly root: SumNode; readonly leaves: number } {
    while (this.appendPadding());
    const size = sumTreeSize(this.leafCount);
    for (let level = 1; ; level++) {
      const nodes = this.openGroups[level] as SumNode[];
      const isRootLevel = size <= GROUP_SIZE ** level;
      if (isRootLevel) return { root: nodes[0] as SumNode, leaves: this.leafCount };
      if (nodes.length > 0) this.completeGroup(level);
    }
  }

  private appendNode(level: number, node: SumNode): void {
    const nodes = (this.openGroups[level] ??= []);
    nodes.push(node);
    if (nodes.length === GROUP_SIZE) this.completeGroup(level);
  }

  private completeGroup(level: number): void {
    const nodes = this.openGroups[level] as SumNode[];
    const number = this.completeCounts[level] ?? 0;
    this.openGroups[level] = [];
    this.completeCounts[level] = number + 1;
    this.completeGroups.push({ level, number, nodes });
    this.appendNode(level + 1, rootOfGroup(nodes));
  }
}

/** The nodes of a group whose first leaf has the index `first`. `size`: the number of leaves with padding. */
export function leafGroup(first: number, leaves: readonly SumLeaf[], size: number): SumNode[] {
  return Array.from({ length: Math.min(GROUP_SIZE, size) }, (_, place) => {
    const leaf = leaves[place];
    if (!leaf) return { sum: 0n, hash: sumLeafHash(first + place, PADDING_COMMITMENT, 0n) };
    return { sum: leaf.amount, hash: sumLeafHash(first + place, commitmentOf(leaf), leaf.amount) };
  });
}

/** The siblings on the path from a node of the group to the node above the whole group, which is `root`. */
export function pathInGroup(
  nodes: readonly SumNode[],
  place: number,
): { readonly path: SumSibling[]; readonly root: SumNode } {
  const path: SumSibling[] = [];
  let row = nodes;
  let index = place;
  while (row.length > 1) {
    const isRight = index % 2 === 1;
    path.push({ side: isRight ? 'left' : 'right', ...(row[isRight ? index - 1 : index + 1] as SumNode) });
    const below = row;
    row = Array.from({ length: below.length / 2 }, (_, pair) =>
      parentOf(below[2 * pair] as SumNode, below[2 * pair + 1] as SumNode),
    );
    index = Math.floor(index / 2);
  }
  return { path, root: row[0] as SumNode };
}

function rootOfGroup(nodes: readonly SumNode[]): SumNode {
  return pathInGroup(nodes, 0).root;
}

/** The places of the stored nodes on the path of the leaf `index`, the lowest level first. `size` as in `leafGroup`. */
export function groupsAbove(index: number, size: number): GroupPlace[] {
  const places: GroupPlace[] = [];
  for (let level = 1; GROUP_SIZE ** level < size; level++) {
    const node = Math.floor(index / GROUP_SIZE ** level);
    places.push({ level, number: Math.floor(node / GROUP_SIZE), place: node % GROUP_SIZE });
  }
  return places;
}

export function encodeNodes(nodes: readonly SumNode[]): Buffer {
  const bytes = Buffer.allocUnsafe(nodes.length * NODE_BYTES);
  nodes.forEach((node, place) => writeNode(bytes, place * NODE_BYTES, node));
  return bytes;
}

export function decodeNodes(bytes: Buffer): SumNode[] {
  return Array.from({ length: bytes.length / NODE_BYTES }, (_, place) => readNode(bytes, place * NODE_BYTES));
}

// The leaves of a user, with the components of the amount. A group of leaves is stored as a chunk.

const ID_BYTES = 16;
const IDENTITY_BYTES = ID_BYTES + NONCE_BYTES;
const AMOUNT_BYTES = 16;

/** The components of a user's amount, in the order in which they are stored. */
export const COMPONENTS = ['available', 'reserved', 'invested', 'held'] as const;
const LEAF_AMOUNTS_BYTES = COMPONENTS.length * AMOUNT_BYTES;

/** The components of a user's amount, as whole numbers of the smallest part of the asset. */
type Components = Readonly<Record<(typeof COMPONENTS)[number], bigint>>;

export interface UserLeaf extends SumLeaf {
  readonly components: Components;
}

/** The leaves of a chunk, as they are stored. */
interface EncodedLeaves {
  /** The user id and the nonce of each leaf. */
  readonly identities: Buffer;
  /** The components of each leaf. */
  readonly amounts: Buffer;
}

export function userLeaf(userId: string, nonce: Buffer, components: Components): UserLeaf {
  const amount = COMPONENTS.reduce((sum, name) => sum + components[name], 0n);
  return { userId, nonce, components, amount };
}

export function encodeLeaves(leaves: readonly UserLeaf[]): EncodedLeaves {
  const identities = Buffer.alloc(leaves.length * IDENTITY_BYTES);
  const amounts = Buffer.alloc(leaves.length * LEAF_AMOUNTS_BYTES);
  leaves.forEach(({ userId, nonce, components }, index) => {
    identities.write(idDigits(userId), index * IDENTITY_BYTES, 'hex');
    nonce.copy(identities, index * IDENTITY_BYTES + ID_BYTES);
    COMPONENTS.forEach((name, component) => {
      if (components[name] === 0n) return; // the buffer has zeros; most components are zero
      const start = index * LEAF_AMOUNTS_BYTES + component * AMOUNT_BYTES;
      amounts.writeBigUInt64BE(components[name] >> 64n, start);
      amounts.writeBigUInt64BE(components[name] & 0xffff_ffff_ffff_ffffn, start + AMOUNT_BYTES / 2);
    });
  });
  return { identities, amounts };
}

export function decodeLeaves({ identities, amounts }: EncodedLeaves): UserLeaf[] {
  return Array.from({ length: identities.length / IDENTITY_BYTES }, (_, index) => {
    const start = index * IDENTITY_BYTES;
    const id = idText(identities.subarray(start, start + ID_BYTES));
    const nonce = identities.subarray(start + ID_BYTES, start + IDENTITY_BYTES);
    const [available, reserved, invested, held] = COMPONENTS.map((_name, component) => {
      const from = index * LEAF_AMOUNTS_BYTES + component * AMOUNT_BYTES;
      return (amounts.readBigUInt64BE(from) << 64n) | amounts.readBigUInt64BE(from + AMOUNT_BYTES / 2);
    }) as [bigint, bigint, bigint, bigint];
    return userLeaf(id, nonce, { available, reserved, invested, held });
  });
}

/** The leaves of a tree are in the order of these keys, which is unpredictable without the shuffle key. */
export function sortKeyOf(shuffleKey: Buffer, userId: string): Buffer {
  return sha256(shuffleKey, Buffer.from(idDigits(userId), 'hex'));
}

function idDigits(id: string): string {
  return id.replaceAll('-', '');
}

function idText(bytes: Buffer): string {
  const digits = bytes.toString('hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join('-');
}
