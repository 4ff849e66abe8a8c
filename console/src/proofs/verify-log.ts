import {
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  type InclusionProof,
} from 'stablecoin-platform-client/verify';
import { api, hasCode } from '../api/client.ts';
import { keep, keptCheckpoint, keptKeys } from './kept-proofs.ts';
import type { Leaf } from './leaf.ts';

// What docs/examples/verify.mjs does, in the browser. The verifier is that of the package client/, which shares no code with the service.

export interface Log {
  /** The keys that this browser has kept; at the first check those that the platform lists. */
  keys: string;
  /** The keys that the platform lists now. */
  listedKeys: string;
  /** The newest signed checkpoint, and its size. */
  newest: string;
  size: number;
}

export async function readLog(): Promise<Log> {
  const [listed, checkpoint] = await Promise.all([
    api.call('GET /api/proofs/key'),
    api.call('GET /api/proofs/checkpoint'),
  ]);
  const listedKeys = String(listed);
  const keys = keptKeys() ?? listedKeys;
  const newest = String(checkpoint);
  const { size } = await verifyCheckpoint(newest, keys);
  return { keys, listedKeys, newest, size };
}

/** Throws unless the checkpoint and the newest one belong to one history. Returns the size of the checkpoint. */
export async function verifySameLog(checkpoint: string, { keys, newest, size }: Log): Promise<number> {
  const { size: otherSize } = await verifyCheckpoint(checkpoint, keys);
  const query = { from: Math.min(otherSize, size), to: Math.max(otherSize, size) };
  const { data } = await api.call('GET /api/proofs/consistency', { query });
  if (otherSize <= size) await verifyConsistency(checkpoint, newest, data.path, keys);
  else await verifyConsistency(newest, checkpoint, data.path, keys); // signed since the newest one was read
  return otherSize;
}

/** Kept keys, and listed ones that have signed the newest checkpoint together with a kept one. */
async function trustedKeys({ keys, listedKeys, newest }: Log): Promise<string> {
  const trusted = keys.trim().split('\n');
  for (const line of listedKeys.trim().split('\n')) {
    if (trusted.includes(line)) continue;
    const hasSigned = await verifyCheckpoint(newest, line).then(
      () => true,
      () => false,
    );
    if (hasSigned) trusted.push(line);
  }
  return `${trusted.join('\n')}\n`;
}

export async function readTile(path: string): Promise<Uint8Array | undefined> {
  try {
    const tile: unknown = await api.call('GET /api/proofs/tile/{path}', { path: { path } });
    return tile as Uint8Array;
  } catch (error) {
    if (hasCode(error, 'PROOF_NOT_FOUND')) return undefined;
    throw error;
  }
}

export interface ProvenLog {
  size: number;
  /** The size of the log at the last check in this browser; undefined at the first one. */
  keptSize: number | undefined;
  log: Log;
}

/** Verifies the newest checkpoint, and that the log continues the one that this browser has kept; then keeps the newest. */
export async function verifyLog(): Promise<ProvenLog> {
  const log = await readLog();
  const kept = keptCheckpoint();
  const keptSize = kept === undefined ? undefined : await verifySameLog(kept, log);
  keep({ keys: await trustedKeys(log), checkpoint: log.newest });
  return { size: log.size, keptSize, log };
}

/** Verifies that the leaves are in the log, and returns their contents. */
export async function verifyLeaves(proofs: readonly InclusionProof[], log: Log): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  for (const proof of proofs) {
    const content = (await verifyInclusion(proof, log.keys)) as unknown as Omit<Leaf, 'index'>;
    leaves.push({ ...content, index: proof.leafIndex });
    await verifySameLog(proof.checkpoint, log);
  }
  return leaves;
}
