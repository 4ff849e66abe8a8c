import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { demand } from '../encoding.js';
import { verifyCheckpoint } from '../verify.js';
import type { Findings } from './findings.js';
import { countIn, type PackFolder, requireMembers, textIn } from './pack-folder.js';

// The tree of RFC 9162 over hashes.bin, with synchronous hashing: it is several times as fast as WebCrypto.

export const HASH_BYTES = 32;
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const EMPTY_ROOT = createHash('sha256').digest();

export function leafHash(text: string): Buffer {
  return createHash('sha256').update(LEAF).update(text, 'utf8').digest();
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The complete subtrees of a tree that grows, from left to right. */
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

/** Verifies each checkpoint and that the tree of all hashes had its root at its size. Returns the newest one. */
export async function verifyLog(
  pack: PackFolder,
  keys: string,
  findings: Findings,
): Promise<{ origin: string; size: number; root: string } | undefined> {
  let newest: { origin: string; size: number; root: string } | undefined;
  let [checkpoints, line] = [0, 0];
  const tree = new GrowingTree();
  const hashes = hashesOf(pack)[Symbol.asyncIterator]();
  await findings.verify('checkpoints.jsonl', async () => {
    for await (const { value, line: at } of pack.objects('checkpoints.jsonl')) {
      line = at;
      try {
        requireMembers(value, ['at', 'checkpoint', 'root', 'size']);
        const [size, root] = [countIn(value, 'size'), textIn(value, 'root')];
        demand(newest === undefined || size > newest.size, 'The sizes do not increase.');
        const signed = await verifyCheckpoint(textIn(value, 'checkpoint'), keys);
        demand(signed.size === size && signed.root === root, 'It says something else than its note.');
        while (tree.size < size) {
          const next = await hashes.next();
          demand(!next.done, `hashes.bin ends before ${size} leaves.`);
          tree.appendHash(next.value);
        }
        demand(tree.root().toString('base64') === root, 'hashes.bin does not lead to the root.');
        newest = signed;
      } catch (error) {
        if (error instanceof Error) error.message = `line ${line}: ${error.message}`;
        throw error;
      }
      checkpoints += 1;
    }
    demand(newest !== undefined, 'It has no checkpoint.');
    return `${checkpoints} signed checkpoints lead to their roots, the newest of ${newest?.size} leaves`;
  });
  await findings.verify('hashes.bin', async () => {
    demand((await hashes.next()).done, 'It has more hashes than the newest checkpoint has leaves.');
    return `${tree.size} leaf hashes`;
  });
  return newest;
}

async function* hashesOf(pack: PackFolder): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(pack.pathOf('hashes.bin')) as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.length - (bytes.length % HASH_BYTES);
    for (let at = 0; at < end; at += HASH_BYTES) yield bytes.subarray(at, at + HASH_BYTES);
    rest = bytes.subarray(end);
  }
  demand(rest.length === 0, 'hashes.bin ends within a hash.');
}

/** Reads single hashes, so that the memory does not grow with the log. */
export class HashFile {
  private readonly file: number;
  private readonly size: number;
  private readonly buffer = Buffer.alloc(HASH_BYTES);

  constructor(pack: PackFolder) {
    this.file = openSync(pack.pathOf('hashes.bin'), 'r');
    this.size = fstatSync(this.file).size / HASH_BYTES;
  }

  /** Throws unless the leaf with this text stands at the index. */
  requireLeaf(text: string, leafIndex: number): void {
    demand(leafIndex < this.size, `hashes.bin has no leaf ${leafIndex}.`);
    readSync(this.file, this.buffer, 0, HASH_BYTES, leafIndex * HASH_BYTES);
    demand(
      leafHash(text).equals(this.buffer),
      `The leaf is not the one at index ${leafIndex} of hashes.bin.`,
    );
  }

  close(): void {
    closeSync(this.file);
  }
}
