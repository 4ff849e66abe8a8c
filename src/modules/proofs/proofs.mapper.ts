import type { CheckpointResponse, ConsistencyResponse } from './dto/proofs.response.js';
import type { SignedCheckpoint } from './proofs.types.js';

export function toCheckpointResponse({ size, root, at, note }: SignedCheckpoint): CheckpointResponse {
  return { size, root: root.toString('base64'), at: at.toISOString(), checkpoint: note };
}

export function toConsistencyResponse(
  sizes: { readonly from: number; readonly to: number },
  path: readonly Buffer[],
): ConsistencyResponse {
  return { from: sizes.from, to: sizes.to, path: path.map((hash) => hash.toString('base64')) };
}
