import { completeSubtreeHash, HASH_BYTES, rootHash, splitHashes, type Subtree } from './merkle-tree.js';
// Hash tiles of C2SP tlog-tiles. The complete subtrees of 256^level leaves are numbered from left to right; tile `n` of `level`
// contains the hashes of the subtrees from number 256 × n on. A tile that the tree does not fill yet is partial.

export const TILE_WIDTH = 256;
/** Levels of the tree that one level of tiles spans. */
const TILE_HEIGHT = 8;
export const FULL_TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** Tiles above level 6 would need more leaves than a number holds exactly. */
const MAX_LEVEL = 6;

export interface TilePlace {
  readonly level: number;
  readonly n: number;
}

interface TileCoordinates extends TilePlace {
  /** The number of hashes in the tile: 256 unless it is partial. */
  readonly width: number;
}

const TILE_PATH = /^(0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The path of the tile, such as `0/x001/234.p/5` for the first 5 hashes of tile 1234 of level 0. */
export function tilePath({ level, n, width }: TileCoordinates): string {
  const digits = String(n);
  const groups = digits.padStart(3 * Math.ceil(digits.length / 3), '0').match(/\d{3}/g) as string[];
  const name = groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Undefined for every text that `tilePath` does not make. */
export function parseTilePath(path: string): TileCoordinates | undefined {
  const [, level, name, partial] = TILE_PATH.exec(path) ?? [];
  if (level === undefined || name === undefined) return undefined;
  const n = Number(name.replace(/[x/]/g, ''));
  const coordinates = { level: Number(level), n, width: Number(partial ?? TILE_WIDTH) };
  if (!Number.isSafeInteger(n) || coordinates.level > MAX_LEVEL || coordinates.width > TILE_WIDTH)
    return undefined;
  return tilePath(coordinates) === path ? coordinates : undefined;
}

/** The number of hashes that this tile has in a tree of `treeSize` leaves; 0 if the tree has no such tile. */
export function tileWidth(treeSize: number, { level, n }: TilePlace): number {
  const hashesOfLevel = Math.floor(treeSize / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashesOfLevel - n * TILE_WIDTH));
}

/** The tile that the hash of a complete subtree is read or computed from. */
export function tileOfSubtree({ level, index }: Subtree): TilePlace {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  return { level: tileLevel, n: Math.floor((index * 2 ** (level % TILE_HEIGHT)) / TILE_WIDTH) };
}

/** `tile`: the concatenated hashes of `tileOfSubtree`. Throws if they end before the subtree does. */
export function subtreeHashInTile(tile: Buffer, { level, index }: Subtree): Buffer {
  const width = 2 ** (level % TILE_HEIGHT);
  const start = ((index * width) % TILE_WIDTH) * HASH_BYTES;
  const end = start + width * HASH_BYTES;
  if (tile.length < end) throw new RangeError(`The tile has no subtree ${index} of level ${level}.`);
  return completeSubtreeHash(tile.subarray(start, end));
}

export interface StoredTile extends TilePlace {
  /** All hashes that the tile has so far. */
  readonly hashes: Buffer;
}

/** Appends leaves to the partial tiles at the right edge of a tree, one for each level. */
export class TreeEdge {
  /** The places of changed tiles by their arrays of hashes. An array that is full is replaced in `partial` and stays here. */
  private readonly changed = new Map<readonly Buffer[], TilePlace>();

  private constructor(
    private size: number,
    /** The hashes of the partial tile of each level. */
    private readonly partial: Buffer[][],
  ) {}

  /** `hashesOf` returns the stored hashes of a tile; those that the tree of this size does not have are ignored. */
  static open(size: number, hashesOf: (place: TilePlace) => Buffer | undefined): TreeEdge {
    const partial = edgeTiles(size).map(({ width, ...place }) => {
      if (width === 0) return [];
      const hashes = hashesOf(place);
      if (!hashes || hashes.length < width * HASH_BYTES)
        throw new RangeError(
          `Tile ${tilePath({ ...place, width })} of the tree of ${size} leaves is missing.`,
        );
      return splitHashes(hashes.subarray(0, width * HASH_BYTES));
    });
    return new TreeEdge(size, partial);
  }

  get treeSize(): number {
    return this.size;
  }

  appendLeafHash(hash: Buffer): void {
    this.size += 1;
    this.appendAt(0, hash);
  }

  /** The tiles that the appended leaves changed, in the order of their levels and numbers. */
  changedTiles(): StoredTile[] {
    return [...this.changed]
      .map(([hashes, place]) => ({ ...place, hashes: Buffer.concat(hashes) }))
      .sort((a, b) => a.level - b.level || a.n - b.n);
  }

  root(): Buffer {
    return rootHash(this.size, (subtree) => {
      const { level } = tileOfSubtree(subtree);
      return subtreeHashInTile(Buffer.concat(this.partial[level] ?? []), subtree);
    });
  }

  private appendAt(level: number, hash: Buffer): void {
    const hashes = (this.partial[level] ??= []);
    hashes.push(hash);
    if (!this.changed.has(hashes)) {
      const hashesOfLevel = Math.floor(this.size / TILE_WIDTH ** level); // with this one, which is the last of them
      this.changed.set(hashes, { level, n: Math.ceil(hashesOfLevel / TILE_WIDTH) - 1 });
    }
    if (hashes.length < TILE_WIDTH) return;
    this.partial[level] = [];
    this.appendAt(level + 1, completeSubtreeHash(Buffer.concat(hashes)));
  }
}

/** The partial tile at the right edge of each level, also those of width 0. */
export function edgeTiles(size: number): TileCoordinates[] {
  const tiles: TileCoordinates[] = [];
  for (let level = 0; TILE_WIDTH ** level <= size; level++) {
    const hashesOfLevel = Math.floor(size / TILE_WIDTH ** level);
    tiles.push({ level, n: Math.floor(hashesOfLevel / TILE_WIDTH), width: hashesOfLevel % TILE_WIDTH });
  }
  return tiles;
}
