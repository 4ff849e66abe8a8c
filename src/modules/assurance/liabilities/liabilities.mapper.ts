import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import { LiabilitiesResponse, ProofOfLiabilitiesResponse } from './dto/liabilities.response.js';
import type { PublishedLiabilities, UserLiability } from './liability-proofs.service.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toLiabilitiesResponse({ tree, size, inclusion }: PublishedLiabilities): LiabilitiesResponse {
  const { path, checkpoint } = inclusion;
  return toResponse(LiabilitiesResponse, tree, { size, path, checkpoint: checkpoint.note });
}

export function toProofOfLiabilitiesResponse(liability: UserLiability): ProofOfLiabilitiesResponse {
  const { tree, index, leaf, path } = liability;
  const text = (parts: bigint) => fromSmallestParts(parts, scaleOf(tree.asset));
  const { available, reserved, invested, held } = leaf.components;
  return toResponse(ProofOfLiabilitiesResponse, tree, {
    userId: leaf.userId,
    index,
    nonce: leaf.nonce.toString('base64'),
    amount: text(leaf.amount),
    components: {
      available: text(available),
      reserved: text(reserved),
      invested: text(invested),
      held: text(held),
    },
    path: path.map((sibling) => ({ ...sibling, sum: text(sibling.sum) })),
  });
}
