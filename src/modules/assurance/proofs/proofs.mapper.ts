import type { PublicKey } from './domain/signing-key.js';
import { CheckpointResponse, type KeySetResponse, TransactionProofResponse } from './dto/proofs.response.js';
import type { SignedCheckpoint } from './proofs.types.js';
import type { TransactionProof } from './transaction-proofs.service.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toCheckpointResponse(signed: SignedCheckpoint): CheckpointResponse {
  return toResponse(CheckpointResponse, signed, { checkpoint: signed.note });
}

export function toTransactionProofResponse(proofs: readonly TransactionProof[]): TransactionProofResponse {
  return toResponse(TransactionProofResponse, {
    proofs: proofs.map(({ leafText: leaf, leafIndex, path, checkpoint: { size, note } }) => ({
      leaf,
      leafIndex,
      treeSize: size,
      path,
      checkpoint: note,
    })),
  });
}

export function toKeySetResponse(keys: readonly PublicKey[]): KeySetResponse {
  return { keys: keys.map(({ jwk }) => jwk) };
}
