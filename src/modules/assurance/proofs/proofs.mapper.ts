import type { PublicKey } from './domain/signing-key.js';
import type {
  CheckpointResponse,
  ConsistencyResponse,
  KeySetResponse,
  TransactionProofResponse,
} from './dto/proofs.response.js';
import type { SignedCheckpoint } from './proofs.types.js';
import type { TransactionProof } from './transaction-proofs.service.js';

export function toCheckpointResponse({ size, root, at, note }: SignedCheckpoint): CheckpointResponse {
  return { size, root: root.toString('base64'), at: at.toISOString(), checkpoint: note };
}

export function toConsistencyResponse(
  sizes: { readonly from: number; readonly to: number },
  path: readonly Buffer[],
): ConsistencyResponse {
  return { from: sizes.from, to: sizes.to, path: path.map((hash) => hash.toString('base64')) };
}

export function toTransactionProofResponse(proofs: readonly TransactionProof[]): TransactionProofResponse {
  return {
    proofs: proofs.map(({ leafText, leafIndex, path, checkpoint }) => ({
      leaf: leafText,
      leafIndex,
      treeSize: checkpoint.size,
      path: path.map((hash) => hash.toString('base64')),
      checkpoint: checkpoint.note,
    })),
  };
}

export function toKeySetResponse(keys: readonly PublicKey[]): KeySetResponse {
  return { keys: keys.map(({ jwk }) => jwk) };
}
