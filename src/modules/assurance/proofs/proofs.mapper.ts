import type { PublicKey } from './domain/signing-key.js';
import {
  CheckpointResponse,
  type ConsistencyResponse,
  type KeySetResponse,
  type TransactionProofResponse,
} from './dto/proofs.response.js';
import type { SignedCheckpoint } from './proofs.types.js';
import type { TransactionProof } from './transaction-proofs.service.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toCheckpointResponse(signed: SignedCheckpoint): CheckpointResponse {
  return toResponse(CheckpointResponse, signed, { checkpoint: signed.note });
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
