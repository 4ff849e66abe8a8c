import {
  type Bytes,
  canonicalJson,
  demand,
  fromBase64,
  fromBase64Url,
  hasSigned,
  isEqual,
  type Json,
  parseCanonicalJson,
  ProofError,
  requireShape,
  sha256,
  toBase64,
  toBase64Url,
  toHex,
  utf8,
} from './encoding.js';
import { HASH_BYTES, isConsistent, isIncluded, leafHash, pathFromTiles, type ReadTile } from './merkle.js';
import { smallestUnits, sumLeaf, type SumSibling, sumTreeRoot } from './sum-tree.js';
import {
  type Jwks,
  jwksOf,
  KEY_BYTES,
  KEY_ID_BYTES,
  type VerifierKey,
  verifiersOf,
} from './verifier-keys.js';

// Verifies checkpoints, inclusion and consistency proofs, proofs of liabilities, and receipts, without trusting the platform.
// Runs in Node 20 and in browsers. Every function throws a ProofError if the proof does not hold or has another shape. Keep the
// verifier keys and the newest checkpoint that you have verified: with them `verifyConsistency` detects a history that was
// rewritten.

export { type Json, ProofError } from './encoding.js';
export type { ReadTile } from './merkle.js';
export { type Jwks, type VerifierKey, verifiersOf } from './verifier-keys.js';

export interface Checkpoint {
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

// Checkpoints have the formats of C2SP signed-note and tlog-checkpoint.
const SIGNATURE_BYTES = 64;
const CHECKPOINT = /^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/u;
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u;

/**
 * Throws unless one of the keys has signed the checkpoint and no signature by one of them is wrong. `keys`: the lines
 * of `GET /api/proofs/key` that you trust, preferably saved earlier, not downloaded together with the proof.
 */
export async function verifyCheckpoint(note: string, keys: string): Promise<Checkpoint> {
  return verifyCheckpointBy(note, await verifiersOf(keys));
}

/** As `verifyCheckpoint`, with parsed keys. */
export async function verifyCheckpointBy(
  note: string,
  verifiers: readonly VerifierKey[],
): Promise<Checkpoint> {
  requireShape(note, 'string', 'checkpoint');
  requireShape(verifiers, [{ name: 'string', id: 'string' }], 'keys');
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const [, origin = '', size, root = ''] = CHECKPOINT.exec(text) ?? [];
  demand(size !== undefined && note.endsWith('\n'), 'The text is not a checkpoint.');
  fromBase64(root, HASH_BYTES);
  demand(Number.isSafeInteger(Number(size)), 'The size is too large.');
  let signatures = 0;
  for (const line of note.slice(end + 1, -1).split('\n')) {
    const [, name, encoded] = SIGNATURE.exec(line) ?? [];
    demand(encoded !== undefined, 'A signature line is malformed.');
    const bytes = fromBase64(encoded);
    const id = toHex(bytes.subarray(0, KEY_ID_BYTES));
    const verifier = verifiers.find((key) => key.name === name && key.id === id);
    if (!verifier || name !== origin) continue; // unknown key, or a key of another log
    const signature = bytes.slice(KEY_ID_BYTES);
    demand(
      signature.length === SIGNATURE_BYTES && (await hasSigned(verifier.key, utf8(text), signature)),
      `The signature of key ${id} is wrong.`,
    );
    signatures += 1;
  }
  demand(signatures > 0, 'None of the given keys has signed the checkpoint.');
  return { origin, size: Number(size), root };
}

/** One element of `proofs` of `GET /api/user/transactions/{id}/proof`. */
export interface InclusionProof {
  readonly leaf: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: readonly string[];
  readonly checkpoint: string;
}

const INCLUSION_PROOF = {
  leaf: 'string',
  leafIndex: 'number',
  treeSize: 'number',
  path: ['string'],
  checkpoint: 'string',
} as const;

/** Returns the content of the leaf: compare its id, entries and amounts with the transaction that you were shown. */
export async function verifyInclusion(proof: InclusionProof, keys: string): Promise<Json> {
  requireShape(proof, INCLUSION_PROOF, 'proof');
  const content = parseCanonicalJson(proof.leaf);
  const { size, root } = await verifyCheckpoint(proof.checkpoint, keys);
  demand(size === proof.treeSize, "The size of the checkpoint is not the proof's treeSize.");
  const { leafIndex, treeSize } = proof;
  const hash = await leafHash(proof.leaf);
  const path = hashesOf(proof.path);
  demand(
    await isIncluded({ leafHash: hash, leafIndex, treeSize, path, root: fromBase64(root) }),
    'The path does not lead from the leaf to the root of the checkpoint.',
  );
  return content;
}

/** `older`: a checkpoint that you have kept; `path`: from `GET /api/proofs/consistency`. Returns the newer checkpoint. */
export async function verifyConsistency(
  older: string,
  newer: string,
  path: readonly string[],
  keys: string,
): Promise<Checkpoint> {
  requireShape(path, ['string'], 'path');
  const from = await verifyCheckpoint(older, keys);
  const to = await verifyCheckpoint(newer, keys);
  demand(from.origin === to.origin, 'The checkpoints belong to different logs.');
  const fromRoot = fromBase64(from.root);
  const toRoot = fromBase64(to.root);
  demand(
    await isConsistent({ from: from.size, to: to.size, path: hashesOf(path), fromRoot, toRoot }),
    'The path does not prove that the newer checkpoint continues the older one. ' +
      'Check the order of the checkpoints and the path; if both are right, the history was rewritten.',
  );
  return to;
}

/** One element of `GET /api/proofs/liabilities/{day}`. */
export interface PublishedLiabilities {
  readonly day: string;
  readonly asset: string;
  readonly root: string;
  readonly total: string;
  /** Number of users in the sum tree. */
  readonly leaves: number;
  /** Number of leaves of the sum tree with the padding: the smallest power of two that holds the users. */
  readonly size: number;
  /** Index in the log of the leaf that has `root`, `total` and `leaves`. */
  readonly leafIndex: number;
  readonly checkpoint: string;
}

const PUBLISHED_TREE = {
  day: 'string',
  asset: 'string',
  root: 'string',
  total: 'string',
  leaves: 'number',
} as const;

/**
 * Throws unless the leaf with this day's total is in the log of the signed checkpoint. Computes the inclusion path from the
 * log's tiles. A log can have several totals of a day: compare `leafIndex`, `root` and `total` with those of other users.
 */
export async function verifyPublishedLiabilities(
  published: PublishedLiabilities,
  keys: string,
  readTile: ReadTile,
): Promise<void> {
  requireShape(published, { ...PUBLISHED_TREE, leafIndex: 'number', checkpoint: 'string' }, 'published');
  const { day, asset, root, total, leaves, leafIndex, checkpoint } = published;
  const { size: treeSize } = await verifyCheckpoint(checkpoint, keys);
  const leaf = canonicalJson({ v: 1, kind: 'liabilities', day, asset, root, total, leaves });
  const path = (await pathFromTiles(leafIndex, treeSize, readTile)).map(toBase64);
  await verifyInclusion({ leaf, leafIndex, treeSize, path, checkpoint }, keys);
}

/** `GET /api/user/proof-of-liabilities`. */
export interface LiabilityProof {
  readonly day: string;
  readonly asset: string;
  readonly userId: string;
  readonly index: number;
  readonly nonce: string;
  readonly amount: string;
  readonly components: {
    readonly available: string;
    readonly reserved: string;
    readonly invested: string;
    readonly held: string;
  };
  readonly path: readonly SumSibling[];
  readonly root: string;
  readonly total: string;
}

const LIABILITY_PROOF = {
  day: 'string',
  asset: 'string',
  userId: 'string',
  index: 'number',
  nonce: 'string',
  amount: 'string',
  components: { available: 'string', reserved: 'string', invested: 'string', held: 'string' },
  path: [{ side: 'string', hash: 'string', sum: 'string' }],
  root: 'string',
  total: 'string',
} as const;

/**
 * Throws unless the amount is counted in `published`. First verify `published` with `verifyPublishedLiabilities`; then compare
 * `amount` and `components` with your own records of that day. `userId` is your own.
 */
export async function verifyLiability(
  proof: LiabilityProof,
  published: Pick<PublishedLiabilities, 'day' | 'asset' | 'root' | 'total' | 'leaves' | 'size'>,
  userId: string,
): Promise<void> {
  requireShape(proof, LIABILITY_PROOF, 'proof');
  requireShape(published, { ...PUBLISHED_TREE, size: 'number' }, 'published');
  for (const field of ['day', 'asset', 'root', 'total'] as const)
    demand(proof[field] === published[field], `The ${field} is not the published one.`);
  demand(proof.userId === userId, 'The proof belongs to another user.');
  const { index, path, asset } = proof;
  demand(
    Number.isSafeInteger(index) && index >= 0 && index < published.leaves,
    "The index is outside the users' leaves.",
  );
  demand(published.size === 2 ** path.length, 'The length of the path is not the height of the tree.');
  demand(
    published.leaves <= published.size && (published.size === 1 || published.leaves > published.size / 2),
    'The size is not the smallest power of two that holds the leaves.',
  );
  const amount = smallestUnits(proof.amount, asset);
  const { available, reserved, invested, held } = proof.components;
  const sumOfParts = [available, reserved, invested, held].reduce(
    (sum, part) => sum + smallestUnits(part, asset),
    0n,
  );
  demand(amount === sumOfParts, 'The amount is not the sum of its components.');
  const leaf = await sumLeaf(index, proof.nonce, userId, amount);
  const root = await sumTreeRoot(leaf, index, path, asset);
  demand(isEqual(root.hash, fromBase64(proof.root, HASH_BYTES)), 'The path does not lead to the root.');
  demand(root.sum === smallestUnits(proof.total, asset), 'The total is not the sum of the tree.');
}

export interface SignedReceipt {
  readonly payload: string;
  readonly signature: string;
}

/**
 * Throws unless one of the keys has signed the receipt. Returns its content. `keys`: the lines of `GET /api/proofs/key` that you
 * trust, preferably saved earlier, or the answer of `GET /.well-known/jwks.json`.
 */
export async function verifyReceipt(receipt: SignedReceipt, keys: string | Jwks): Promise<Json> {
  const jwks = typeof keys === 'string' ? jwksOf(await verifiersOf(keys)) : keys;
  requireShape(receipt, { payload: 'string', signature: 'string' }, 'receipt');
  requireShape(jwks, { keys: [{}] }, 'jwks');
  const { payload, signature } = receipt;
  const content = parseCanonicalJson(payload);
  const [header = '', detached, encoded = '', ...others] = signature.split('.');
  demand(detached === '' && others.length === 0, 'The signature is not a detached JWS.');
  for (const { kty, crv, x } of jwks.keys) {
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') continue;
    // The id of a key is its thumbprint (RFC 7638).
    const kid = toBase64Url(await sha256(utf8(canonicalJson({ crv, kty, x }))));
    if (toBase64Url(utf8(canonicalJson({ alg: 'EdDSA', kid }))) !== header) continue;
    const message = utf8(`${header}.${toBase64Url(utf8(payload))}`);
    const bytes = fromBase64Url(encoded, SIGNATURE_BYTES);
    demand(await hasSigned(fromBase64Url(x, KEY_BYTES), message, bytes), 'The signature is wrong.');
    return content;
  }
  throw new ProofError('None of the given keys has signed the receipt.');
}

function hashesOf(path: readonly string[]): Bytes[] {
  return path.map((hash) => fromBase64(hash, HASH_BYTES));
}
