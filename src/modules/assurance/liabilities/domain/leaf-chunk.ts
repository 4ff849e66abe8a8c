import { sha256 } from '../../proofs/domain/merkle-tree.js';
import { NONCE_BYTES, type SumLeaf } from '../../proofs/domain/sum-tree.js';

const ID_BYTES = 16;
const IDENTITY_BYTES = ID_BYTES + NONCE_BYTES;
const AMOUNT_BYTES = 16;

/** The components of a user's amount, in the order in which they are stored. */
export const COMPONENTS = ['available', 'reserved', 'invested', 'held'] as const;
const LEAF_AMOUNTS_BYTES = COMPONENTS.length * AMOUNT_BYTES;

/** The components of a user's amount, as whole numbers of the smallest part of the asset. */
export type Components = Readonly<Record<(typeof COMPONENTS)[number], bigint>>;

export interface UserLeaf extends SumLeaf {
  readonly components: Components;
}

/** The leaves of a chunk, as they are stored. */
export interface EncodedLeaves {
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
