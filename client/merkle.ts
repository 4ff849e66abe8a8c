import { type Bytes, concat, demand, isEqual, ProofError, sha256, utf8 } from './encoding.js';

// The Merkle tree of RFC 9162 and the hash tiles of C2SP tlog-tiles, for verify.ts.

export const HASH_BYTES = 32;
const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafHash(text: string): Promise<Bytes> {
  return sha256(LEAF, utf8(text));
}

function nodeHash(left: Bytes, right: Bytes): Promise<Bytes> {
  return sha256(NODE, left, right);
}

export interface Inclusion {
  readonly leafHash: Bytes;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: readonly Bytes[];
  readonly root: Bytes;
}

/** Verifies an inclusion proof (RFC 9162, section 2.1.3.2). */
export async function isIncluded(inclusion: Inclusion): Promise<boolean> {
  const { leafIndex, treeSize, path, root } = inclusion;
  if (!isIndex(leafIndex) || !isIndex(treeSize) || leafIndex >= treeSize) return false;
  const position = new TreePosition(leafIndex, treeSize - 1);
  let hash = inclusion.leafHash;
  for (const sibling of path) {
    if (position.isAtRoot) return false;
    hash = position.ascend() === 'left' ? await nodeHash(sibling, hash) : await nodeHash(hash, sibling);
  }
  return position.isAtRoot && isEqual(hash, root);
}

export interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly path: readonly Bytes[];
  readonly fromRoot: Bytes;
  readonly toRoot: Bytes;
}

/** Verifies a consistency proof (RFC 9162, section 2.1.4.2). */
export async function isConsistent({ from, to, path, fromRoot, toRoot }: Consistency): Promise<boolean> {
  if (!isIndex(from) || !isIndex(to) || from > to) return false;
  if (from === 0) {
    const emptyRoot = await sha256();
    return path.length === 0 && isEqual(fromRoot, emptyRoot) && (to > 0 || isEqual(toRoot, emptyRoot));
  }
  if (from === to) return path.length === 0 && isEqual(fromRoot, toRoot);
  const position = new TreePosition(from - 1, to - 1);
  position.ascendToLeftChild();
  const [first, ...siblings] = position.isLeftmost ? [fromRoot, ...path] : path;
  if (!first) return false;
  let older = first;
  let newer = first;
  for (const sibling of siblings) {
    if (position.isAtRoot) return false;
    if (position.ascend() === 'left') {
      older = await nodeHash(sibling, older);
      newer = await nodeHash(sibling, newer);
    } else {
      newer = await nodeHash(newer, sibling);
    }
  }
  return position.isAtRoot && isEqual(older, fromRoot) && isEqual(newer, toRoot);
}

/** A node on the way to the root: its index and that of the last node of its level (fn and sn in RFC 9162). */
class TreePosition {
  private index: number;
  private last: number;

  constructor(index: number, last: number) {
    this.index = index;
    this.last = last;
  }

  get isAtRoot(): boolean {
    return this.last === 0;
  }

  get isLeftmost(): boolean {
    return this.index === 0;
  }

  /** Moves up to the first node on the way that is a left child: the older tree contains it completely. */
  ascendToLeftChild(): void {
    while (this.index % 2 === 1) this.halve();
  }

  /**
   * Moves to the parent of the next node that has a sibling, which can be this one, and returns the side of the sibling. The
   * last node of a level has none if its index is even.
   */
  ascend(): 'left' | 'right' {
    const isRight = this.index % 2 === 1;
    const side = isRight || this.index === this.last ? 'left' : 'right';
    if (side === 'left' && !isRight) while (this.index % 2 === 0 && this.index > 0) this.halve();
    this.halve();
    return side;
  }

  private halve(): void {
    this.index = Math.floor(this.index / 2);
    this.last = Math.floor(this.last / 2);
  }
}

/** Returns the bytes of `GET /api/proofs/tile/<path>`, or undefined if the answer is 404. */
export type ReadTile = (path: string) => Promise<Uint8Array | undefined>;

/** The inclusion path of a leaf, computed from tiles. Reads the full tile where the log no longer serves the partial one. */
export async function pathFromTiles(leafIndex: number, treeSize: number, read: ReadTile): Promise<Bytes[]> {
  demand(isIndex(leafIndex) && isIndex(treeSize) && leafIndex < treeSize, 'The tree has no such leaf.');
  const path: Promise<Bytes>[] = [];
  let start = 0;
  let end = treeSize;
  while (end - start > 1) {
    let width = 1;
    while (2 * width < end - start) width *= 2;
    const middle = start + width;
    if (leafIndex < middle) {
      path.push(rangeHash(middle, end, treeSize, read));
      end = middle;
    } else {
      path.push(rangeHash(start, middle, treeSize, read));
      start = middle;
    }
  }
  return (await Promise.all(path)).reverse();
}

/** The hash of the leaves from `start` up to, not including, `end`. */
async function rangeHash(start: number, end: number, treeSize: number, read: ReadTile): Promise<Bytes> {
  let level = 0;
  let width = 1; // 2^level; after the loop the width of the range's first, largest complete subtree
  while (2 * width <= end - start) {
    level += 1;
    width *= 2;
  }
  const left = await subtreeHash(level, start / width, treeSize, read);
  return start + width === end ? left : nodeHash(left, await rangeHash(start + width, end, treeSize, read));
}

/** The hash of the leaves from `index` × 2^`level` up to, not including, (`index` + 1) × 2^`level`. */
async function subtreeHash(level: number, index: number, treeSize: number, read: ReadTile): Promise<Bytes> {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const width = 2 ** (level % TILE_HEIGHT);
  const tileIndex = Math.floor((index * width) / TILE_WIDTH);
  const entries = Math.floor(treeSize / TILE_WIDTH ** tileLevel) - tileIndex * TILE_WIDTH;
  const path = `${tileLevel}/${tileName(tileIndex)}`;
  const tile = (entries < TILE_WIDTH ? await read(`${path}.p/${entries}`) : undefined) ?? (await read(path));
  const start = ((index * width) % TILE_WIDTH) * HASH_BYTES;
  let row = Array.from({ length: width }, (_, position) => {
    const hash = tile?.slice(start + position * HASH_BYTES, start + (position + 1) * HASH_BYTES);
    if (hash?.length !== HASH_BYTES) throw new ProofError(`Tile ${path} is missing or too short.`);
    return concat(hash);
  });
  while (row.length > 1) {
    const parents: Promise<Bytes>[] = [];
    for (let left = 0; left < row.length; left += 2)
      parents.push(nodeHash(row[left] as Bytes, row[left + 1] as Bytes));
    row = await Promise.all(parents);
  }
  return row[0] as Bytes;
}

/** The index in groups of three digits, all but the last with the prefix x: 1234067 is `x001/x234/067`. */
function tileName(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(3 * Math.ceil(digits.length / 3), '0').match(/.{3}/g) as string[];
  const last = groups.pop() as string;
  return [...groups.map((group) => `x${group}`), last].join('/');
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
