import fc from 'fast-check';
import { canonicalJson } from '../src/common/canonical-json.js';
import {
  consistencyRanges,
  HASH_BYTES,
  inclusionRanges,
  leafHash,
  rangeHash,
  type Subtree,
} from '../src/modules/assurance/proofs/domain/merkle-tree.js';
import { SigningKey } from '../src/modules/assurance/proofs/domain/signing-key.js';
import {
  parseTilePath,
  subtreeHashInTile,
  tileOfSubtree,
  type TilePlace,
  tileWidth,
  TreeEdge,
} from '../src/modules/assurance/proofs/domain/tiles.js';
import {
  bytesOf,
  type LiabilityProofVector,
  PROOF_VECTORS,
  type SumTreeVector,
  textsWithOneBitFlipped,
  vectorCheckpoint,
} from '../test/fixtures/proof-vectors.js';
import { pathFromTiles } from './merkle.js';
import {
  type InclusionProof,
  ProofError,
  type ReadTile,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyLiability,
  verifyPublishedLiabilities,
  verifyReceipt,
} from './verify.js';

const { checkpoints, leaves, liabilities, receipts, trees } = PROOF_VECTORS;
const { origin, verifierKey: keys } = checkpoints;
/** The number of bits of a text that a test flips, at most. Each flip costs several calls of WebCrypto. */
const MAX_FLIPS = 60;

/** At most MAX_FLIPS items at equal distances, the first included. */
function sampled<Item>(items: Iterable<Item>): Item[] {
  const all = [...items];
  return all.filter((_, at) => at % Math.ceil(all.length / MAX_FLIPS) === 0);
}

async function expectFailure(verification: () => Promise<unknown>): Promise<void> {
  await expect(verification()).rejects.toBeInstanceOf(ProofError);
}

/** A log in memory with its checkpoint. `paths` lists the tiles that were read. */
function logOf(texts: readonly string[]) {
  const edge = TreeEdge.open(0, () => undefined);
  for (const text of texts) edge.appendLeafHash(leafHash(text));
  const tiles = edge.changedTiles();
  const hashesOf = ({ level, n }: TilePlace) =>
    tiles.find((tile) => tile.level === level && tile.n === n)?.hashes;
  const paths: string[] = [];
  const readTile: ReadTile = async (path) => {
    paths.push(path);
    const tile = parseTilePath(path);
    if (!tile || tile.width > tileWidth(texts.length, tile)) return undefined;
    return hashesOf(tile)?.subarray(0, tile.width * HASH_BYTES);
  };
  const readSubtree = (subtree: Subtree) =>
    subtreeHashInTile(hashesOf(tileOfSubtree(subtree)) as Buffer, subtree);
  return { hashesOf, readTile, readSubtree, paths, checkpoint: vectorCheckpoint(texts.length, edge.root()) };
}

describe('verifyCheckpoint', () => {
  it.each(checkpoints.list)('reads a checkpoint of $size leaves', async ({ size, root, checkpoint }) => {
    await expect(verifyCheckpoint(checkpoint, keys)).resolves.toEqual({ origin, size, root });
  });

  it('accepts either signature while a key is replaced', async () => {
    const { checkpoint, verifierKey } = checkpoints.rotation;
    for (const trustedKeys of [keys, `${verifierKey}\n`, `${verifierKey}\n${keys}\n`])
      await expect(verifyCheckpoint(checkpoint, trustedKeys)).resolves.toMatchObject({ size: 20 });
  });

  it('fails after a change of a bit of the checkpoint or the key', async () => {
    const { checkpoint } = checkpoints.list[2]!;
    for (const changed of sampled(textsWithOneBitFlipped(checkpoint)))
      await expectFailure(() => verifyCheckpoint(changed, keys));
    for (const changed of sampled(textsWithOneBitFlipped(keys)))
      await expectFailure(() => verifyCheckpoint(checkpoint, changed));
  });
});

describe('verifyInclusion', () => {
  const proofs = trees.inclusion.map(({ leafIndex, treeSize, path }) => ({
    leaf: leaves.list[leafIndex]!.text,
    leafIndex,
    treeSize,
    path,
    checkpoint: vectorCheckpoint(treeSize),
  }));

  it.each(proofs)('accepts leaf $leafIndex of $treeSize', async (proof) => {
    await expect(verifyInclusion(proof, keys)).resolves.toEqual(JSON.parse(proof.leaf));
  });

  it('fails after a change of a bit of any field, and for a path of another length', async () => {
    const proof = proofs.find(({ treeSize }) => treeSize === 13) as InclusionProof;
    const { leaf, path, leafIndex, treeSize } = proof;
    for (const changed of sampled(textsWithOneBitFlipped(leaf)))
      await expectFailure(() => verifyInclusion({ ...proof, leaf: changed }, keys));
    for (const [at, hash] of path.entries())
      for (const changed of sampled(textsWithOneBitFlipped(hash)).slice(0, 20))
        await expectFailure(() => verifyInclusion({ ...proof, path: path.with(at, changed) }, keys));
    for (const changed of [leafIndex ^ 1, leafIndex ^ 2, leafIndex ^ 4, leafIndex ^ 8, -1, 0.5])
      await expectFailure(() => verifyInclusion({ ...proof, leafIndex: changed }, keys));
    await expectFailure(() => verifyInclusion({ ...proof, treeSize: treeSize ^ 1 }, keys));
    await expectFailure(() => verifyInclusion({ ...proof, checkpoint: vectorCheckpoint(12) }, keys));
    await expectFailure(() => verifyInclusion({ ...proof, path: path.slice(1) }, keys));
    await expectFailure(() => verifyInclusion({ ...proof, path: [...path, path[0]!] }, keys));
  });

  it('refuses a leaf that is not canonical, even if it is in the tree', async () => {
    const leaf = '{"b":1,"a":2}';
    const checkpoint = vectorCheckpoint(1, leafHash(leaf));
    await expectFailure(() =>
      verifyInclusion({ leaf, leafIndex: 0, treeSize: 1, path: [], checkpoint }, keys),
    );
  });
});

describe('verifyConsistency', () => {
  it.each(trees.consistency)('accepts the path from $from to $to leaves', async ({ from, to, path }) => {
    await expect(
      verifyConsistency(vectorCheckpoint(from), vectorCheckpoint(to), path, keys),
    ).resolves.toMatchObject({
      size: to,
    });
  });

  it('refuses a history that was rewritten', async () => {
    const rewritten = logOf(leaves.list.map(({ text }, at) => (at === 3 ? leaves.list[4]!.text : text)));
    const size = leaves.list.length;
    for (const older of [4, 7, 16, 20]) {
      const path = consistencyRanges(older, size).map((range) =>
        rangeHash(range, rewritten.readSubtree).toString('base64'),
      );
      await expectFailure(() => verifyConsistency(vectorCheckpoint(older), rewritten.checkpoint, path, keys));
    }
  });

  it('fails after a change of a bit of the path', async () => {
    const { from, to, path } = trees.consistency.find(({ path: hashes }) => hashes.length > 3)!;
    for (const [at, hash] of path.entries())
      for (const changed of sampled(textsWithOneBitFlipped(hash)).slice(0, 20))
        await expectFailure(() =>
          verifyConsistency(vectorCheckpoint(from), vectorCheckpoint(to), path.with(at, changed), keys),
        );
  });

  it('fails for checkpoints in the wrong order and for paths of another length', async () => {
    const { from, to, path } = trees.consistency.find(({ path: hashes }) => hashes.length > 3)!;
    await expectFailure(() => verifyConsistency(vectorCheckpoint(to), vectorCheckpoint(from), path, keys));
    await expectFailure(() =>
      verifyConsistency(vectorCheckpoint(from), vectorCheckpoint(to), path.slice(1), keys),
    );
    await expectFailure(() => verifyConsistency(vectorCheckpoint(from), vectorCheckpoint(to), [], keys));
    await expectFailure(() => verifyConsistency(vectorCheckpoint(0), vectorCheckpoint(to), path, keys));
  });

  it('fails for two checkpoints of an empty log with different roots', async () => {
    await expect(
      verifyConsistency(vectorCheckpoint(0), vectorCheckpoint(0), [], keys),
    ).resolves.toMatchObject({
      size: 0,
    });
    const other = vectorCheckpoint(0, bytesOf(trees.roots[1] as string));
    await expectFailure(() => verifyConsistency(vectorCheckpoint(0), other, [], keys));
    await expectFailure(() => verifyConsistency(other, vectorCheckpoint(0), [], keys));
  });
});

describe('verifyLiability', () => {
  const { published, proof } = liabilities.five;

  it('fails unless the size is the smallest power of two that holds the leaves', async () => {
    for (const leaves of [2, 3, 4, 9])
      await expectFailure(() => verifyLiability(proof, { ...published, leaves }, proof.userId));
  });

  const verify = (changed: Partial<LiabilityProofVector>, vector: SumTreeVector = liabilities.five) =>
    verifyLiability({ ...vector.proof, ...changed }, vector.published, vector.proof.userId);

  it.each([
    ['five users', liabilities.five],
    ['one user', liabilities.one],
    ['sums beyond 64 bits', liabilities.beyond64Bits],
  ])('accepts the proof of a user in the tree with %s', async (_, vector) => {
    await verify({}, vector);
  });

  it('fails after a change of a bit of any field', async () => {
    for (const field of ['day', 'asset', 'userId', 'nonce', 'amount', 'root', 'total'] as const)
      for (const changed of sampled(textsWithOneBitFlipped(proof[field])))
        await expectFailure(() => verify({ [field]: changed }));
    for (const part of ['available', 'reserved', 'invested', 'held'] as const)
      for (const changed of sampled(textsWithOneBitFlipped(proof.components[part])))
        await expectFailure(() => verify({ components: { ...proof.components, [part]: changed } }));
    for (const [at, sibling] of proof.path.entries())
      for (const field of ['hash', 'sum', 'side'] as const)
        for (const changed of sampled(textsWithOneBitFlipped(sibling[field])))
          await expectFailure(() => verify({ path: proof.path.with(at, { ...sibling, [field]: changed }) }));
    for (const index of [0, 2, 3, 5, 9, -1, 1.5]) await expectFailure(() => verify({ index }));
    await expectFailure(() => verify({ path: proof.path.slice(0, -1) }));
  });

  it('fails for another user and for the index of a padding leaf', async () => {
    await expectFailure(() => verifyLiability(proof, published, liabilities.five.users[0]!.userId));
    await expectFailure(() => verifyLiability(proof, { ...published, leaves: 1 }, proof.userId));
  });

  it.each(['350.000', '+350.00', '0350.00', '350', '350.0000000', '3.5e2'])(
    'refuses the component %p, which is not written as the API writes money',
    async (available) => {
      await expectFailure(() => verify({ components: { ...proof.components, available } }));
    },
  );
});

describe('verifyPublishedLiabilities', () => {
  it('finds the leaf of a day in the tiles of a log of any size', async () => {
    const { root, total, leaves: count, day, asset } = liabilities.five.published;
    const dayLeaf = canonicalJson({ v: 1, kind: 'liabilities', day, asset, root, total, leaves: count });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1200 }), fc.nat(), async (size, anyNumber) => {
        const leafIndex = anyNumber % size;
        const log = logOf(Array.from({ length: size }, (_, at) => (at === leafIndex ? dayLeaf : `${at}`)));
        const { hashesOf, readTile, checkpoint } = log;
        const published = { ...liabilities.five.published, leafIndex, checkpoint };
        await verifyPublishedLiabilities(published, keys, readTile);
        expect(log.paths.every((path) => parseTilePath(path))).toBe(true);
        // Once a tile is full, the log no longer serves it as a partial one.
        const readFullTile: ReadTile = async (path) =>
          path.includes('.p/') ? undefined : hashesOf(parseTilePath(path)!);
        await verifyPublishedLiabilities(published, keys, readFullTile);
        await expectFailure(() =>
          verifyPublishedLiabilities({ ...published, total: '1.00' }, keys, readTile),
        );
        await expectFailure(() =>
          verifyPublishedLiabilities({ ...published, leafIndex: leafIndex + 1 }, keys, readTile),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('computes the same inclusion path from tiles as the service', async () => {
    const log = logOf(Array.from({ length: 777 }, (_, at) => `${at}`));
    for (const leafIndex of [0, 255, 256, 600, 776]) {
      const expected = inclusionRanges(leafIndex, 777).map((range) => rangeHash(range, log.readSubtree));
      const path = await pathFromTiles(leafIndex, 777, log.readTile);
      expect(path.map((hash) => Buffer.from(hash))).toEqual(expected);
    }
  });
});

describe('verifyReceipt', () => {
  const jwks = { keys: [{ kty: 'RSA' }, receipts.jwk as { kty: string }] };

  it.each(receipts.cases)('accepts the receipt $payload', async ({ payload, signature }) => {
    await expect(verifyReceipt({ payload, signature }, jwks)).resolves.toEqual(JSON.parse(payload));
  });

  it('accepts verifier keys instead of a key set', async () => {
    const { payload, signature } = receipts.cases[0]!;
    const { verifierKey: otherKey } = checkpoints.rotation;
    await verifyReceipt({ payload, signature }, `${otherKey}\n${keys}\n`);
    await expectFailure(() => verifyReceipt({ payload, signature }, otherKey));
  });

  it('fails after a change of a bit of the payload or the signature, and for another key', async () => {
    const { payload, signature } = receipts.cases[0]!;
    for (const changed of sampled(textsWithOneBitFlipped(payload)))
      await expectFailure(() => verifyReceipt({ payload: changed, signature }, jwks));
    for (const changed of sampled(textsWithOneBitFlipped(signature)))
      await expectFailure(() => verifyReceipt({ payload, signature: changed }, jwks));
    const other = new SigningKey(Buffer.alloc(32, 9)).publicKey.jwk;
    await expectFailure(() => verifyReceipt({ payload, signature }, { keys: [other] }));
    await expectFailure(() => verifyReceipt({ payload, signature }, { keys: [] }));
  });
});
