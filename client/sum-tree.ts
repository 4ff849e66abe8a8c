import { type Bytes, concat, demand, fromBase64, sha256, unsigned, utf8 } from './encoding.js';
import { HASH_BYTES } from './merkle.js';

// The sum tree of a day's liabilities, for verify.ts.

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const COMMITMENT = Uint8Array.of(2);
const NONCE_BYTES = 16;
const INDEX_BYTES = 8;
const SUM_BYTES = 16;

export interface SumNode {
  readonly sum: bigint;
  readonly hash: Bytes;
}

export interface SumSibling {
  readonly side: 'left' | 'right';
  /** Base64. */
  readonly hash: string;
  /** An amount as the API writes money. */
  readonly sum: string;
}

/** The leaf of a user. `nonce` is base64, `amount` is in the asset's smallest units. */
export async function sumLeaf(
  index: number,
  nonce: string,
  userId: string,
  amount: bigint,
): Promise<SumNode> {
  const commitment = await sha256(COMMITMENT, fromBase64(nonce, NONCE_BYTES), utf8(userId));
  const encoded = [unsigned(BigInt(index), INDEX_BYTES), commitment, unsigned(amount, SUM_BYTES)];
  return { sum: amount, hash: await sha256(LEAF, ...encoded) };
}

/** The root that the leaf at `index` and its path lead to. */
export async function sumTreeRoot(
  leaf: SumNode,
  index: number,
  path: readonly SumSibling[],
  asset: string,
): Promise<SumNode> {
  let node = leaf;
  let position = index;
  for (const { side, hash, sum } of path) {
    demand(side === (position % 2 === 1 ? 'left' : 'right'), 'A sibling is on the wrong side.');
    const sibling = { sum: smallestUnits(sum, asset), hash: fromBase64(hash, HASH_BYTES) };
    const pair = side === 'left' ? [sibling, node] : [node, sibling];
    const parts = pair.map((child) => concat(unsigned(child.sum, SUM_BYTES), child.hash));
    node = { sum: node.sum + sibling.sum, hash: await sha256(NODE, ...parts) };
    position = Math.floor(position / 2);
  }
  return node;
}

/** The amount in the asset's smallest units: 10^-18 for ETH, otherwise 10^-6. */
export function smallestUnits(text: string, asset: string): bigint {
  const scale = asset === 'ETH' ? 18 : 6;
  const [, whole = '', fraction = ''] = /^(0|[1-9]\d*)\.(\d\d|\d{2,}[1-9])$/.exec(text) ?? [];
  demand(whole !== '' && fraction.length <= scale, 'An amount is not written as the API writes money.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
