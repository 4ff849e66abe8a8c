import * as crypto from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { demand } from '../encoding.js';
import { type VerifierKey, verifyCheckpointBy } from '../verify.js';
import type { Findings } from './findings.js';
import { LeafSet } from './leaf-set.js';
import { dayAfter, type DayRange, instantIn, requireMembers, textIn, wholeNumberIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

// The tree of RFC 9162 over hashes.bin, with synchronous hashing: it is several times as fast as WebCrypto.

export const HASH_BYTES = 32;
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const EMPTY_ROOT = sha256(Buffer.alloc(0));
/** Hashes per read of hashes.bin: one read serves many look-ups, because the leaves of a day are close to each other. */
const HASHES_AT_ONCE = 256;
/**
 * A checkpoint of the last minutes of a day may contain a leaf of the next day: the clocks of two processes differ by up to two
 * minutes, since each may differ from the clock of the database by one. One minute more is a margin.
 */
const MAX_CLOCK_DIFFERENCE_MS = 180_000;

/** `crypto.hash` is twice as fast for short inputs. Node 20 has it from 20.12 on. */
function sha256(bytes: Buffer): Buffer {
  return 'hash' in crypto
    ? crypto.hash('sha256', bytes, 'buffer')
    : (crypto as typeof import('node:crypto')).createHash('sha256').update(bytes).digest();
}

export function leafHash(text: string): Buffer {
  return sha256(Buffer.concat([LEAF, Buffer.from(text, 'utf8')]));
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** A Merkle tree that grows by one leaf at a time, stored as its complete subtrees from left to right. */
class GrowingTree {
  size = 0;
  private readonly subtrees: { readonly leaves: number; readonly hash: Buffer }[] = [];

  appendHash(hash: Buffer): void {
    this.size += 1;
    let added = { leaves: 1, hash };
    for (let last = this.subtrees.at(-1); last?.leaves === added.leaves; last = this.subtrees.at(-1)) {
      this.subtrees.pop();
      added = { leaves: 2 * added.leaves, hash: nodeHash(last.hash, added.hash) };
    }
    this.subtrees.push(added);
  }

  root(): Buffer {
    const [last, ...others] = this.subtrees.map(({ hash }) => hash).reverse();
    return last ? others.reduce((right, left) => nodeHash(left, right), last) : EMPTY_ROOT;
  }
}

export interface VerifiedLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** The time at which the newest checkpoint was signed, as the platform states it. */
  readonly signedAt: string;
  /** The number of leaves of the newest checkpoint that was signed before the last minutes of the range; 0 if there is none. */
  readonly sealedBeforeEnd: number;
}

/**
 * Verifies the signature of each checkpoint, and that its root is the root over the first hashes of hashes.bin, as many as its
 * size. Returns the newest checkpoint, or undefined if a checkpoint is wrong.
 */
export async function verifyLog(
  pack: PackFolder,
  { keys, range }: { readonly keys: readonly VerifierKey[]; readonly range: DayRange },
  findings: Findings,
): Promise<VerifiedLog | undefined> {
  let newest: VerifiedLog | undefined;
  let checkpoints = 0;
  const end = Date.parse(`${dayAfter(range.to, 1)}T00:00:00Z`) - MAX_CLOCK_DIFFERENCE_MS;
  const tree = new GrowingTree();
  const hashes = hashesOf(pack)[Symbol.asyncIterator]();
  const areRight = await findings.verify('checkpoints.jsonl', async () => {
    for await (const { value, line } of pack.objects('checkpoints.jsonl')) {
      await atLine(line, async () => {
        requireMembers(value, ['at', 'checkpoint', 'root', 'size']);
        const size = wholeNumberIn(value, 'size');
        const root = textIn(value, 'root');
        const signedAt = instantIn(value, 'at');
        demand(newest === undefined || size > newest.size, 'The sizes do not increase.');
        const signed = await verifyCheckpointBy(textIn(value, 'checkpoint'), keys);
        demand(
          signed.size === size && signed.root === root,
          'Its size or root differs from that of its signed note.',
        );
        while (tree.size < size) {
          const next = await hashes.next();
          demand(!next.done, `hashes.bin ends before ${size} leaves.`);
          tree.appendHash(next.value);
        }
        demand(tree.root().toString('base64') === root, 'hashes.bin does not lead to the root.');
        const sealedBeforeEnd = Date.parse(signedAt) < end ? size : (newest?.sealedBeforeEnd ?? 0);
        newest = { ...signed, signedAt, sealedBeforeEnd };
      });
      checkpoints += 1;
    }
    demand(newest !== undefined, 'It has no checkpoint.');
    return `${checkpoints} signed checkpoints lead to their roots, the newest of ${newest?.size} leaves`;
  });
  // A wrong checkpoint ends the reading of hashes.bin, so that the number of its hashes is unknown.
  if (!areRight) return undefined;
  await findings.verify('hashes.bin', async () => {
    demand((await hashes.next()).done, 'It has more hashes than the newest checkpoint has leaves.');
    return `${tree.size} leaf hashes`;
  });
  return newest;
}

async function* hashesOf(pack: PackFolder): AsyncGenerator<Buffer, void> {
  let incompleteHash: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(pack.pathOf('hashes.bin')) as AsyncIterable<Buffer>) {
    const bytes = incompleteHash.length > 0 ? Buffer.concat([incompleteHash, chunk]) : chunk;
    const end = bytes.length - (bytes.length % HASH_BYTES);
    for (let at = 0; at < end; at += HASH_BYTES) yield bytes.subarray(at, at + HASH_BYTES);
    incompleteHash = bytes.subarray(end);
  }
  demand(incompleteHash.length === 0, 'hashes.bin ends within a hash.');
}

/** Looks up the leaves of the pack's other files in hashes.bin. Reads some hashes at a time, so that the memory stays small. */
export class HashFile {
  /** The leaves that the files of the pack list. */
  readonly listed: LeafSet;
  private readonly file: number;
  private readonly size: number;
  private readonly buffer = Buffer.alloc(HASHES_AT_ONCE * HASH_BYTES);
  /** The index of the first hash in the buffer. */
  private first = -1;

  constructor(pack: PackFolder) {
    this.file = openSync(pack.pathOf('hashes.bin'), 'r');
    this.size = Math.floor(fstatSync(this.file).size / HASH_BYTES);
    this.listed = new LeafSet(this.size);
  }

  /** Throws unless the leaf at the index has this text. Adds it to the leaves that the pack lists. */
  requireLeaf(text: string, leafIndex: number): void {
    demand(leafIndex < this.size, `hashes.bin has no leaf ${leafIndex}.`);
    const inBuffer = leafIndex % HASHES_AT_ONCE;
    if (this.first !== leafIndex - inBuffer) {
      this.first = leafIndex - inBuffer;
      readSync(this.file, this.buffer, 0, this.buffer.length, this.first * HASH_BYTES);
    }
    demand(
      leafHash(text).equals(this.buffer.subarray(inBuffer * HASH_BYTES, (inBuffer + 1) * HASH_BYTES)),
      `The leaf is not the one at index ${leafIndex} of hashes.bin.`,
    );
    this.listed.addLeaf(leafIndex);
  }

  close(): void {
    closeSync(this.file);
  }
}
