import fc from 'fast-check';
import { bytesOf, PROOF_VECTORS } from '../../../../../test/fixtures/proof-vectors.js';
import { consistencyPath, rootOfPath } from '../../../../../test/fixtures/rfc9162.js';
import {
  consistencyRanges,
  HASH_BYTES,
  inclusionRanges,
  leafHash,
  rangeHash,
  rootHash,
  sha256,
  type Subtree,
} from './merkle-tree.js';
import {
  edgeTiles,
  parseTilePath,
  subtreeHashInTile,
  tileOfSubtree,
  tilePath,
  type TilePlace,
  tileWidth,
  TreeEdge,
} from './tiles.js';

const { paths, trees } = PROOF_VECTORS.tiles;
const leafAt = (index: number) => leafHash(JSON.stringify({ i: index }));

/** Keeps tiles as a database would: it opens the edge anew for each batch and stores the changed tiles. */
class TileStore {
  readonly tiles = new Map<string, Buffer>();
  size = 0;

  appendLeaves(count: number): Buffer {
    const edge = TreeEdge.open(this.size, (place) => this.hashesOf(place));
    for (let index = this.size; index < this.size + count; index++) edge.appendLeafHash(leafAt(index));
    for (const { hashes, ...place } of edge.changedTiles()) {
      const before = this.hashesOf(place) ?? Buffer.alloc(0);
      expect(hashes.subarray(0, before.length)).toEqual(before);
      this.tiles.set(keyOf(place), hashes);
    }
    this.size = edge.treeSize;
    return edge.root();
  }

  hashesOf(place: TilePlace): Buffer | undefined {
    return this.tiles.get(keyOf(place));
  }

  readonly read = (subtree: Subtree): Buffer =>
    subtreeHashInTile(this.hashesOf(tileOfSubtree(subtree)) as Buffer, subtree);
}

const keyOf = ({ level, n }: TilePlace) => `${level}/${n}`;

describe('tile paths', () => {
  it.each(paths)('are written and parsed: $path', ({ path, ...coordinates }) => {
    expect(tilePath(coordinates)).toBe(path);
    expect(parseTilePath(path)).toEqual(coordinates);
  });

  it.each([
    '',
    '0',
    '0/0',
    '0/00',
    '0/0000',
    '00/000',
    '7/000',
    '64/000',
    '-1/000',
    '0/x000/000',
    '0/001/000',
    '0/x001/x000',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/07',
    '0/000.p/',
    '0/000.p',
    '0/000/',
    '/0/000',
    '0/000 ',
    '0/000\n',
    '0/x999/x999/x999/x999/x999/999',
    '0/xabc/000',
    '1e0/000',
  ])('are not parsed from the invalid text %p', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});

describe('tiles', () => {
  it.each(trees)('equal the test vector of a tree of $size leaves', ({ size, root, tiles }) => {
    const store = new TileStore();
    expect(store.appendLeaves(size)).toEqual(bytesOf(root));
    expect(rootHash(size, store.read)).toEqual(bytesOf(root));
    for (const { path, bytes, sha256: digest } of tiles) {
      const { width, ...place } = parseTilePath(path)!;
      const hashes = store.hashesOf(place)!;
      expect(tileWidth(size, place)).toBe(width);
      expect(hashes).toHaveLength(bytes);
      expect(sha256(hashes).toString('hex')).toBe(digest);
    }
    for (const key of store.tiles.keys()) {
      const [level, n] = key.split('/').map(Number) as [number, number];
      expect(tileWidth(size, { level, n })).toBeGreaterThan(0);
      expect(tileWidth(size, { level, n: n + 1 })).toBe(
        (store.tiles.get(`${level}/${n + 1}`)?.length ?? 0) / HASH_BYTES,
      );
    }
  });

  it('have the same root and the same proofs for all divisions of the leaves into batches', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        (batches, seed) => {
          const store = new TileStore();
          const roots = batches.map((count) => ({ root: store.appendLeaves(count), size: store.size }));
          const { root, size } = roots.at(-1)!;
          expect(new TileStore().appendLeaves(size)).toEqual(root);
          const leafIndex = seed % size;
          const path = inclusionRanges(leafIndex, size).map((range) => rangeHash(range, store.read));
          expect(rootOfPath(leafAt(leafIndex), leafIndex, size, path)).toEqual(root);
          const hashes = Array.from({ length: size }, (_, index) => leafAt(index));
          for (const older of roots) {
            const proof = consistencyRanges(older.size, size).map((range) => rangeHash(range, store.read));
            expect(proof).toEqual(consistencyPath(older.size, hashes));
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('refuse to continue a tree whose edge is incomplete', () => {
    const store = new TileStore();
    store.appendLeaves(300); // tile 1 has 300 - 256 = 44 hashes
    store.tiles.set('0/1', store.tiles.get('0/1')!.subarray(0, 43 * HASH_BYTES));
    expect(() => store.appendLeaves(1)).toThrow('Tile 0/001.p/44 of the tree of 300 leaves is missing.');
    // The subtree of the leaves 296 to 299, of which the last one is missing now.
    expect(() => subtreeHashInTile(store.tiles.get('0/1')!, { level: 2, index: 74 })).toThrow(RangeError);
  });

  it('end with one partial tile on each level', () => {
    expect(edgeTiles(0)).toEqual([]);
    expect(edgeTiles(256)).toEqual([
      { level: 0, n: 1, width: 0 },
      { level: 1, n: 0, width: 1 },
    ]);
    // 53 bits: 8 for each of six levels, and 5.
    expect(edgeTiles(2 ** 53 - 1).map(({ width }) => width)).toEqual([255, 255, 255, 255, 255, 255, 31]);
  });
});
