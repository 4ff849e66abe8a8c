import { MICRO_SCALE } from '../../common/money.js';
import type { ChainBalances } from '../blockchain/chain.client.js';
import type { Challenge } from './wallet-challenges.service.js';
import type { UnlinkedWallet, Wallet } from './wallet-links.service.js';
import type {
  WalletChallengeResponse,
  WalletResponse,
  LinkedWalletResponse,
  UnlinkedWalletResponse,
  WalletBalancesResponse,
} from './dto/wallet.response.js';

export function toWalletChallengeResponse(
  challenge: Challenge,
  registered: boolean,
): WalletChallengeResponse {
  return {
    address: challenge.address,
    registered,
    nonce: challenge.nonce,
    message: challenge.message,
    expiresAt: challenge.expiresAt.toISOString(),
  };
}

export function toWalletResponse(
  { id, address, createdAt, suspendedAt }: Wallet,
  networkId: number,
): WalletResponse {
  return {
    ...{ id, address, networkId },
    createdAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export function toLinkedWalletResponse({
  id,
  address,
  createdAt,
  suspendedAt,
}: Wallet): LinkedWalletResponse {
  return {
    ...{ id, address },
    linkedAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export function toUnlinkedWalletResponse({
  id,
  address,
  unlinkedAt,
}: UnlinkedWallet): UnlinkedWalletResponse {
  return { id, address, unlinkedAt: unlinkedAt.toISOString() };
}

export function toWalletBalancesResponse(
  held: readonly (Wallet & ChainBalances)[],
  networkId: number,
): WalletBalancesResponse {
  return {
    wallets: held.map((wallet) => ({
      ...toWalletResponse(wallet, networkId),
      usdc: wallet.usdc.toWire(),
      eth: wallet.eth.roundDown(MICRO_SCALE).toWire(),
    })),
  };
}
