import { MICRO_SCALE } from '../../../common/money.js';
import type {
  LinkedWalletResponse,
  UnlinkedWalletResponse,
  WalletBalancesResponse,
  WalletChallengeResponse,
  WalletResponse,
} from './dto/wallet.response.js';
import type { Challenge, LinkedWallet, LinkedWalletWithBalances, UnlinkedWallet } from './wallets.types.js';

export function toWalletChallengeResponse({
  challenge,
  isRegistered,
}: {
  challenge: Challenge;
  isRegistered: boolean;
}): WalletChallengeResponse {
  return {
    address: challenge.address,
    registered: isRegistered,
    nonce: challenge.nonce,
    message: challenge.message,
    expiresAt: challenge.expiresAt.toISOString(),
  };
}

export function toWalletResponse(
  { id, address, createdAt, suspendedAt }: LinkedWallet,
  networkId: number,
): WalletResponse {
  return {
    id,
    address,
    networkId,
    createdAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export function toLinkedWalletResponse({
  id,
  address,
  createdAt,
  suspendedAt,
}: LinkedWallet): LinkedWalletResponse {
  return { id, address, linkedAt: createdAt.toISOString(), suspendedAt: suspendedAt?.toISOString() ?? null };
}

export function toUnlinkedWalletResponse(wallet: UnlinkedWallet): UnlinkedWalletResponse {
  return { ...toLinkedWalletResponse(wallet), unlinkedAt: wallet.unlinkedAt.toISOString() };
}

export function toWalletBalancesResponse(
  wallets: readonly LinkedWalletWithBalances[],
  networkId: number,
): WalletBalancesResponse {
  return {
    wallets: wallets.map((wallet) => ({
      ...toWalletResponse(wallet, networkId),
      usdc: wallet.usdc.toWire(),
      eth: wallet.eth.roundDown(MICRO_SCALE).toWire(),
    })),
  };
}
