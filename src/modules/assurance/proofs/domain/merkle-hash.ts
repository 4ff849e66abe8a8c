import { hash } from 'node:crypto';

// The Merkle tree of RFC 9162 over SHA-256. The first byte separates leaves from nodes.

export const HASH_BYTES = 32;
const LEAF_PREFIX = Buffer.of(0x00);
const NODE_PREFIX = Buffer.of(0x01);

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hash('sha256', parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), 'buffer');
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

/** `text` is hashed as UTF-8. */
export function leafHash(text: string): Buffer {
  return sha256(LEAF_PREFIX, Buffer.from(text, 'utf8'));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(NODE_PREFIX, left, right);
}

/**
 * The hash of a complete subtree; `hashes` contains 2^n concatenated hashes. One input buffer serves all nodes, because
 * `nodeHash` would concatenate two hashes for each.
 */
export function completeSubtreeHash(hashes: Buffer): Buffer {
  const row = Buffer.from(hashes);
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  NODE_PREFIX.copy(input);
  for (let length = row.length / 2; length >= HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += HASH_BYTES) {
      row.copy(input, 1, 2 * at, 2 * at + 2 * HASH_BYTES);
      sha256(input).copy(row, at);
    }
  }
  return Buffer.from(row.subarray(0, HASH_BYTES));
}

/** The concatenated hashes, one by one. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}
