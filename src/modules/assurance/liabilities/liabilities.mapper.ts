import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import type {
  AssetsResponse,
  LiabilitiesResponse,
  ProofOfLiabilitiesResponse,
} from './dto/liabilities.response.js';
import type { DayAssets, PublishedLiabilities, UserLiability } from './liability-proofs.service.js';

export function toLiabilitiesResponse({ tree, size, inclusion }: PublishedLiabilities): LiabilitiesResponse {
  const { day, asset, root, total, leaves, leafIndex } = tree;
  return {
    day,
    asset,
    root: root.toString('base64'),
    total: total.toExact(),
    leaves,
    size,
    leafIndex,
    path: inclusion.path.map((hash) => hash.toString('base64')),
    checkpoint: inclusion.checkpoint.note,
  };
}

export function toProofOfLiabilitiesResponse({
  tree,
  index,
  leaf,
  path,
}: UserLiability): ProofOfLiabilitiesResponse {
  const { day, asset, root, total } = tree;
  const text = (parts: bigint) => fromSmallestParts(parts, scaleOf(asset));
  const { available, reserved, invested, held } = leaf.components;
  return {
    day,
    asset,
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
    path: path.map(({ side, hash, sum }) => ({ side, hash: hash.toString('base64'), sum: text(sum) })),
    root: root.toString('base64'),
    total: total.toExact(),
  };
}

export function toAssetsResponse({ day, lines, totals }: DayAssets): AssetsResponse {
  return {
    day,
    lines: [...lines],
    totals: totals.map(({ asset, assets, liabilities, coverage }) => ({
      asset,
      assets: assets.toExact(),
      liabilities: liabilities.toExact(),
      coverage: coverage?.toExact() ?? null,
    })),
  };
}
